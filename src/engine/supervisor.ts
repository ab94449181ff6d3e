// Everything that a worker has opened or started, in order. It ends in reverse order, and in bounded time even if something does not
// answer.
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTask, parse } from 'node-cron';
import { WorkerError } from './errors.ts';
import { LATE, within } from './object.ts';
import { type Log, SILENT, togetherMs } from './runtime.ts';
import { offsetAt, zoneNamed } from './zone-rules.ts';

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

const RETRY_MS = 2_000;
const PATIENT_RETRY_MS = 15_000;
/** Longest possible timer: a longer one fires immediately (Node.js, Timers). */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** Shortest pause after a failure: a loop that runs every second must not fail every second. */
const FAILED_PAUSE_MS = 5_000;
/** After the first failure of a task of minutes or hours. It doubles with each failure, up to the task's own time. */
const FIRST_RETRY_MS = 30_000;

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

/** A reason of its own: the default one is an error, whose stack costs more than the wake. */
const CALLED = 'called';

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
    called.abort(CALLED);
  }
}

/** Does the work now and then repeatedly. Logs a failure and retries. The work may return how soon the next turn is. */
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
  let failures = 0;
  while (!turn.signal.aborted) {
    const called = turn.wakeAll?.signal;
    let waitMs: number;
    try {
      waitMs = (await work()) ?? togetherMs(turn.everyMs);
      failures = 0;
    } catch (error) {
      waitMs = Math.max(FAILED_PAUSE_MS, Math.min(turn.everyMs, FIRST_RETRY_MS * 2 ** failures));
      failures += 1;
      if (!turn.signal.aborted) turn.log.warn({ name: turn.name, err: error }, 'loop failed; will retry');
    }
    await asleep(waitMs, called === undefined ? [turn.signal] : [turn.signal, called]);
  }
}

/** Waits until one of the signals aborts, for `waitMs` at most. */
export async function asleep(waitMs: number, signals: readonly AbortSignal[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((done) => {
    timer = setTimeout(done, Math.min(Math.max(0, waitMs), TIMER_MS_MAX));
  });
  await abortedOr(over, signals);
  clearTimeout(timer);
}

/** Resolves once one of the signals has aborted. `AbortSignal.any` would leak listeners at the signal that lives on. */
export async function aborted(...signals: readonly AbortSignal[]): Promise<void> {
  await abortedOr(undefined, signals);
}

async function abortedOr(over: Promise<void> | undefined, signals: readonly AbortSignal[]): Promise<void> {
  if (signals.some((signal) => signal.aborted)) return;
  let wake = () => {};
  const woken = new Promise<void>((done) => {
    wake = done;
  });
  for (const signal of signals) signal.addEventListener('abort', wake);
  await (over === undefined ? woken : Promise.race([over, woken]));
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

// When an operator's schedule is due. Pure: node-cron only says what an expression means. Its timers are not used. They are silent while an
// hour comes twice, and skip what a pause covered.

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

/** A time zone. Offset from UTC in minutes at a moment, epoch milliseconds. */
export interface Zone {
  offset(atMs: number): number;
}

/** UTC for a name that is not known. */
export function zoneOrUtc(name: string): Zone {
  const zone = zoneNamed(name);
  return { offset: (atMs) => (zone === undefined ? 0 : offsetAt(zone, atMs)) };
}

/**
 * The latest moment after `afterMs` and not after `untilMs` at which the expression was due in the zone, epoch milliseconds. A local time
 * that comes twice is due the first time only. One that is missing is due later that day, by the length of the gap.
 */
export function latestDue(
  expression: string,
  { zone, afterMs, untilMs }: { readonly zone: Zone; readonly afterMs: number; readonly untilMs: number },
): number | undefined {
  const times = timesOfDay(expression);
  // A day more on both sides: no offset is longer.
  for (let day = floorTo(untilMs + DAY_MS, DAY_MS); day >= afterMs - 2 * DAY_MS; day -= DAY_MS) {
    const due = times.map((time) => momentOf(day + time, zone));
    const within = due.filter((atMs) => atMs > afterMs && atMs <= untilMs);
    if (within.length > 0 && isDueOn(expression, day + (times[0] ?? 0))) return Math.max(...within);
  }
  return undefined;
}

/** Local times are carried as if they were UTC. node-cron itself is asked about L, W and # only: it loads the data of all languages, 5 MB. */
export function isDueOn(expression: string, localMs: number): boolean {
  const { dayOfMonth, month, dayOfWeek } = parse(expression);
  const local = new Date(localMs);
  if ([...dayOfMonth, ...dayOfWeek].every((day) => typeof day === 'number')) {
    const isInMonth = month.includes(local.getUTCMonth() + 1) && dayOfMonth.includes(local.getUTCDate());
    return isInMonth && dayOfWeek.includes(local.getUTCDay());
  }
  const schedule = createTask(expression, () => undefined, { timezone: 'Etc/UTC' });
  try {
    return schedule.match(local);
  } finally {
    schedule.destroy();
  }
}

/** Milliseconds since midnight at which the expression is due on its days. */
function timesOfDay(expression: string): readonly number[] {
  const { hour, minute } = parse(expression);
  return hour.flatMap((h) => minute.map((m) => (h * 60 + m) * MINUTE_MS));
}

/** The first moment with this local time. A time in a gap lands as far behind the gap as it lies inside. */
function momentOf(localMs: number, zone: Zone): number {
  const before = localMs - zone.offset(localMs - DAY_MS) * MINUTE_MS;
  const after = localMs - zone.offset(localMs + DAY_MS) * MINUTE_MS;
  const real = [before, after].filter((atMs) => atMs + zone.offset(atMs) * MINUTE_MS === localMs);
  return real.length > 0 ? Math.min(...real) : before;
}

function floorTo(ms: number, unitMs: number): number {
  return Math.floor(ms / unitMs) * unitMs;
}
