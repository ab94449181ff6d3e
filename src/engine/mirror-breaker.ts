// Stops a mirror that one cause makes fail for each object, such as a template. Otherwise each object would become a dead letter. While a
// mirror is stopped, its objects wait in the dirty set. A reload starts anew; a success ends the stop, and then all of them get their turn.

import { DeferredError, TerminalError, type WorkerError } from './errors.ts';
import type { WorkQueue } from './handler.ts';
import { distanceMs } from './moments.ts';
import type { ProblemBoard } from './problem-board.ts';
import type { Clock, Log } from './runtime.ts';
import type { PutOffTurns } from './sweep.ts';
import type { Waits } from './work.ts';

export interface MirrorBreakerParts {
  /** Names of the mirrors of the YAML. Other handlers are never stopped. */
  readonly mirrors: readonly string[];
  /** Where the YAML has a setting, for people: its path, and its line if known. */
  readonly placeOf: (path: readonly string[]) => string;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear' | 'list' | 'mayTry'>;
  readonly putOff: PutOffTurns;
  readonly queue: Pick<WorkQueue, 'add'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Objects in a row that fail for the same reason before their mirror stops, if none was written between them. */
const FAILURES_MAX = 20;
/** Within this time: a few odd objects over days are no common cause. */
const FAILURES_WINDOW_MS = 10 * 60_000;
/** How long an object waits if nothing ends the stop. A start recalls whatever waits that long. */
const STOPPED_FOR_MS = 60 * 60_000;
/** How many objects that wait may try at once, and how many are remembered. */
const TRIES_AT_ONCE = 20;
const WAITING_MAX = 1_000;
/** Pause before another object may try. Each failed try doubles it, and each stop that soon follows another one, up to the longest. */
const TRY_EVERY_MS = 15_000;
const TRY_EVERY_MS_MAX = 30 * 60_000;
/** A stop this soon after the last one has the same cause. */
const SOON_MS = 60 * 60_000;

export const MIRROR_STOPPED = 'mirror-stopped';

interface Row {
  readonly cause: string;
  readonly sinceMs: number;
  readonly keys: Set<string>;
}

interface Stop {
  /** The objects that failed. Another turn of theirs was asked for, so it is not held back. */
  readonly failed: ReadonlySet<string>;
  /** Objects that wait; the last one tries first. */
  readonly waiting: string[];
  /** Objects that try: given a turn for it, at work in that turn, or the one that had a turn when the pause was over. */
  calls: Map<string, 'called' | 'begun' | 'alone'>;
  pauseMs: number;
  tryAtMs: number;
  /** Its problem stands on the board. */
  isTold: boolean;
}

export class MirrorBreaker {
  readonly #parts: MirrorBreakerParts;
  readonly #mirrors: ReadonlySet<string>;
  readonly #rows = new Map<string, Row>();
  readonly #stops = new Map<string, Stop>();
  /** Mirrors that have written an object since the last look. */
  readonly #written = new Set<string>();
  /** The last stop of each mirror: its end, epoch ms, and its pause. */
  readonly #ended = new Map<string, { readonly atMs: number; readonly pauseMs: number }>();

  constructor(parts: MirrorBreakerParts) {
    this.#parts = parts;
    this.#mirrors = new Set(parts.mirrors);
  }

  /** The waits of an object that still hold: those for a stop that has ended do not, nor does one that is to try. */
  holding(key: string, waits: Waits): Waits {
    return Object.fromEntries(
      Object.entries(waits).filter(([, { reason }]) => {
        const stop = this.#stops.get(reason.mirror);
        if (reason.code !== MIRROR_STOPPED) return true;
        if (stop === undefined || stop.calls.get(key) === 'called') return false;
        // It may wait since an earlier stop, and has not asked since this one began.
        if (!stop.waiting.includes(key)) wait(stop, key);
        return true;
      }),
    );
  }

  /** Undefined: the mirror takes the object now. */
  async hindrance(mirror: string, key: string): Promise<DeferredError | undefined> {
    const stop = this.#stops.get(mirror);
    if (stop === undefined || stop.failed.has(key)) return undefined;
    if (stop.calls.get(key) === 'called') {
      stop.calls.set(key, 'begun');
      return undefined;
    }
    if (await this.#mayTry(mirror, stop)) {
      stop.calls.set(key, 'alone');
      return undefined;
    }
    wait(stop, key);
    return stoppedError(mirror);
  }

  /** Once the pause is over, objects that wait get a turn: otherwise a company in which nothing changes would wait for the hour. */
  async tryWaiting(): Promise<void> {
    for (const mirror of [...this.#written]) {
      // The worker that stopped it may be gone.
      await this.#parts.problems.clear(targetOf(mirror));
      this.#written.delete(mirror);
    }
    const stops = [...this.#stops].filter(([, { isTold }]) => isTold);
    if (stops.length === 0) return;
    const problems = new Set((await this.#parts.problems.list()).map(({ target }) => target));
    for (const [mirror, stop] of stops) {
      // Another worker saw a success, and ended the problem. A stop that nobody can see would hold objects back in silence (P8).
      if (!problems.has(targetOf(mirror)) && this.#stops.get(mirror) === stop) await this.#end(mirror);
      if (this.#stops.get(mirror) !== stop) continue;
      if (stop.waiting.length === 0 || !(await this.#mayTry(mirror, stop))) continue;
      const keys = stop.waiting.splice(-TRIES_AT_ONCE);
      stop.calls = new Map(keys.map((key) => [key, 'called']));
      lengthen(stop, this.#parts.clock.now());
      this.#parts.queue.add(keys);
    }
  }

  /** Call when the mirror has written an object. */
  async wrote(mirror: string): Promise<void> {
    this.#rows.delete(mirror);
    this.#written.add(mirror);
    if (this.#stops.has(mirror)) await this.#end(mirror);
  }

  /** Call when an object failed. Resolves with the error to record: while its mirror is stopped, an object waits instead. */
  async failed(mirror: string, key: string, error: WorkerError): Promise<WorkerError> {
    if (!this.#mirrors.has(mirror) || !(error instanceof TerminalError)) return error;
    const stop = this.#stops.get(mirror);
    if (stop !== undefined) {
      if (stop.failed.has(key)) return error;
      // Turns that were under way when the stop began prove nothing new, and the call of many has lengthened the pause already.
      if (stop.calls.get(key) === 'alone') lengthen(stop, this.#parts.clock.now());
      wait(stop, key, { isLast: true });
      return stoppedError(mirror);
    }
    const nowMs = this.#parts.clock.now();
    const cause = [error.code, ...error.setting].join(' ');
    const known = this.#rows.get(mirror);
    const isSame = known?.cause === cause && distanceMs(known.sinceMs, nowMs) < FAILURES_WINDOW_MS;
    const row = isSame ? known : { cause, sinceMs: nowMs, keys: new Set<string>() };
    row.keys.add(key);
    this.#rows.set(mirror, row);
    if (row.keys.size >= FAILURES_MAX) await this.#stop(mirror, row, error);
    return error;
  }

  async #stop(mirror: string, { keys }: Row, error: TerminalError): Promise<void> {
    const { problems, placeOf, clock, log } = this.#parts;
    const nowMs = clock.now();
    const last = this.#ended.get(mirror);
    const isSoon = last !== undefined && distanceMs(last.atMs, nowMs) < SOON_MS;
    const pauseMs = isSoon ? Math.min(2 * last.pauseMs, TRY_EVERY_MS_MAX) : TRY_EVERY_MS;
    const stop: Stop = {
      failed: keys,
      waiting: [],
      calls: new Map(),
      pauseMs,
      tryAtMs: nowMs + pauseMs,
      isTold: false,
    };
    this.#stops.set(mirror, stop);
    this.#rows.delete(mirror);
    this.#written.delete(mirror);
    const setting = ['mirrors', mirror, ...error.setting];
    const where = placeOf(setting);
    log.error({ mirror, code: error.code, where }, 'a mirror has stopped');
    await problems.raise({
      target: targetOf(mirror),
      code: MIRROR_STOPPED,
      message: `${keys.size} objects in a row failed at ${where} (${error.code}): the mirror has stopped, and its objects wait`,
      names: [setting.join('.'), error.code],
      advice: `Correct ${where}, then reload. Or retry one of the dead letters: the first success lets the mirror continue.`,
    });
    stop.isTold = true;
  }

  async #mayTry(mirror: string, stop: Stop): Promise<boolean> {
    const { problems, clock } = this.#parts;
    const nowMs = clock.now();
    // A clock that was set back must not hold back tries.
    if (nowMs < stop.tryAtMs && stop.tryAtMs - nowMs <= stop.pauseMs) return false;
    stop.tryAtMs = nowMs + stop.pauseMs;
    const may = await problems.mayTry(targetOf(mirror));
    // Another worker has seen a success, or began anew.
    if (may === 'free') await this.#end(mirror);
    return may !== false;
  }

  async #end(mirror: string): Promise<void> {
    const { problems, putOff, clock, log } = this.#parts;
    const pauseMs = this.#stops.get(mirror)?.pauseMs ?? TRY_EVERY_MS;
    this.#stops.delete(mirror);
    const nowMs = clock.now();
    this.#ended.set(mirror, { atMs: nowMs, pauseMs });
    await problems.clear(targetOf(mirror));
    const objects = await putOff.recall(nowMs, nowMs);
    log.info({ mirror, objects }, 'a stopped mirror continues');
  }
}

function lengthen(stop: Stop, nowMs: number): void {
  stop.pauseMs = Math.min(2 * stop.pauseMs, TRY_EVERY_MS_MAX);
  stop.tryAtMs = nowMs + stop.pauseMs;
}

/** `isLast`: it has just tried. Keys beyond the limit are forgotten, those to try last first: they wait for the end of the stop, or for their hour. */
function wait({ waiting }: Stop, key: string, { isLast = false } = {}): void {
  const at = waiting.indexOf(key);
  if (at >= 0) waiting.splice(at, 1);
  if (isLast) waiting.unshift(key);
  else waiting.push(key);
  if (waiting.length > WAITING_MAX) waiting.shift();
}

function targetOf(mirror: string): string {
  return `mirror:${mirror}`;
}

function stoppedError(mirror: string): DeferredError {
  return new DeferredError(
    MIRROR_STOPPED,
    'the mirror has stopped, because one cause made each object fail',
    {
      target: targetOf(mirror),
      retryAfterMs: STOPPED_FOR_MS,
    },
  );
}
