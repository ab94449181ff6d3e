import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkerError } from './domain/errors.ts';
import { type Log, SILENT } from './ports/runtime.ts';
import type { Part } from './supervisor.ts';

const RETRY_MS = 2_000;
const PATIENT_RETRY_MS = 15_000;
/** Longest possible timer: a longer one fires immediately (Node.js, Timers). */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** Shortest pause after a failure: a loop that runs every second must not fail every second. */
const FAILED_PAUSE_MS = 5_000;

/**
 * Tries until it works. Undefined if the signal aborted. Rejects if it can never work (`TerminalError` or an unexpected error), unless
 * `isPatient`.
 */
export async function untilDone<T>(
  turn: {
    readonly name: string;
    readonly signal: AbortSignal;
    readonly log: Log;
    /** Other parts go on meanwhile: even what looks hopeless is retried, more slowly. */
    readonly isPatient?: boolean;
  },
  work: () => Promise<T>,
): Promise<T | undefined> {
  while (!turn.signal.aborted) {
    try {
      return await work();
    } catch (error) {
      const isHopeless = !(error instanceof WorkerError) || error.family === 'terminal';
      if (isHopeless && turn.isPatient !== true) throw error;
      if (!turn.signal.aborted)
        turn.log.warn({ name: turn.name, err: error }, 'could not start yet; will retry');
      await sleep(turn.isPatient === true ? PATIENT_RETRY_MS : RETRY_MS, undefined, {
        signal: turn.signal,
      }).catch(() => undefined);
    }
  }
  return undefined;
}

/**
 * For calls that were answered once before: if the other side, or this process, hangs for some seconds, the start goes on. Rejects with the
 * signal's reason when it aborts.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  {
    signal = new AbortController().signal,
    log = SILENT,
  }: { readonly signal?: AbortSignal | undefined; readonly log?: Log | undefined },
): Promise<T> {
  const done = await untilDone({ name: 'state in Redis', signal, log }, async () => ({
    value: await work(),
  }));
  if (done === undefined) throw signal.reason;
  return done.value;
}

/** Wakes all loops that wait for their next turn: they take it immediately. A loop at work then has another turn right after. */
export class WakeAll {
  #called = new AbortController();

  /** Aborts at the next call. */
  get signal(): AbortSignal {
    return this.#called.signal;
  }

  call(): void {
    const called = this.#called;
    this.#called = new AbortController();
    setMaxListeners(0, this.#called.signal);
    called.abort();
  }
}

/** Does the work now and then repeatedly. Logs a failure and retries at the next turn. The work may return how soon that is. */
export async function repeat(
  turn: {
    readonly name: string;
    readonly everyMs: number;
    readonly signal: AbortSignal;
    readonly log: Log;
    readonly wakeAll?: WakeAll;
  },
  work: () => Promise<number | undefined>,
): Promise<void> {
  while (!turn.signal.aborted) {
    let waitMs = turn.everyMs;
    const called = turn.wakeAll?.signal;
    try {
      waitMs = (await work()) ?? turn.everyMs;
    } catch (error) {
      waitMs = Math.max(turn.everyMs, FAILED_PAUSE_MS);
      if (!turn.signal.aborted) turn.log.warn({ name: turn.name, err: error }, 'loop failed; will retry');
    }
    await asleep(waitMs, called === undefined ? [turn.signal] : [turn.signal, called]);
  }
}

/** Waits until one of the signals aborts, for `waitMs` at most. */
export async function asleep(waitMs: number, signals: readonly AbortSignal[]): Promise<void> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), Math.min(Math.max(0, waitMs), TIMER_MS_MAX));
  await aborted(...signals, over.signal);
  clearTimeout(timer);
}

/** Resolves once one of the signals has aborted. `AbortSignal.any` would leak listeners at the signal that lives on. */
export async function aborted(...signals: readonly AbortSignal[]): Promise<void> {
  let wake = () => {};
  const woken = new Promise<void>((done) => {
    wake = done;
  });
  for (const signal of signals) signal.addEventListener('abort', wake);
  if (!signals.some((signal) => signal.aborted)) await woken;
  for (const signal of signals) signal.removeEventListener('abort', wake);
}

/** `repeat` as a part of the worker. If `work` resolves with a number, that is the time until the next turn. */
export function every(
  turn: Omit<Parameters<typeof repeat>[0], 'signal'>,
  work: (signal: AbortSignal) => Promise<unknown>,
): Part {
  return {
    name: turn.name,
    run: (signal) =>
      repeat({ ...turn, signal }, async () => {
        const waitMs = await work(signal);
        return typeof waitMs === 'number' ? waitMs : undefined;
      }),
  };
}
