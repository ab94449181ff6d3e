// Everything that a worker has opened or started, in order. It ends in reverse order, and in bounded time even if something does not
// answer.
import { setMaxListeners } from 'node:events';
import { LATE, within } from './domain/within.ts';
import type { Log } from './ports/runtime.ts';

/**
 * The time that all releases share, except those with a time of their own. A part may wait minutes for Redis, Google or the platform;
 * cutting it off loses nothing, because that equals a kill.
 */
const RELEASE_MS = 5_000;
/** Most listeners at the one signal of a worker: its parts and waits. */
const LISTENERS_MAX = 10_000;

/** A long-running part of the worker. */
export interface Part {
  readonly name: string;
  /** Resolves once the signal has aborted. Rejects when the worker cannot go on. */
  run(signal: AbortSignal): Promise<unknown>;
}

interface Step {
  readonly name: string;
  readonly release: () => unknown;
  /** Absent: the rest of the shared time. */
  readonly withinMs: number | undefined;
}

export class Supervisor {
  /** Resolves with the error of the first part that failed. */
  readonly failed: Promise<unknown>;
  readonly #fail: (error: unknown) => void;
  readonly #stopping = new AbortController();
  readonly #steps: Step[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
    let fail: (error: unknown) => void = () => {};
    this.failed = new Promise((done) => {
      fail = done;
    });
    this.#fail = fail;
    setMaxListeners(LISTENERS_MAX, this.#stopping.signal);
  }

  /** Aborts when the worker stops. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Registers something that was opened, and how to release it. */
  own(name: string, release: () => unknown, withinMs?: number): void {
    this.#steps.push({ name, release, withinMs });
  }

  /** Starts a part. `stop` waits for its end: `withinMs`, or the rest of the shared time. */
  start(part: Part, withinMs?: number): void {
    const running = part.run(this.signal).catch((error: unknown) => this.#fail(error));
    this.own(part.name, () => running, withinMs);
  }

  /** Signals all parts to end, then waits for each and releases what was opened, in reverse order. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    let leftMs = RELEASE_MS;
    // One at a time: a part that is still starting others may add steps while `stop` waits for it.
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      const { name, release, withinMs } = step;
      const beganAtMs = performance.now();
      try {
        if ((await within(withinMs ?? leftMs, Promise.resolve(release()))) === LATE)
          this.#log.warn({ name }, 'not released in time');
      } catch (error) {
        this.#log.warn({ name, err: error }, 'release failed');
      }
      if (withinMs === undefined) leftMs = Math.max(0, leftMs - (performance.now() - beganAtMs));
    }
  }
}
