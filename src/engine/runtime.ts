// What nearly every part needs of its process: time, log, metrics.

/** Where time comes from. */
export interface Clock {
  /** Milliseconds: since 1970 for a wall clock, since any moment for a steady one. */
  now(): number;
}

/** For durations within one process: the wall clock may jump by hours in either direction, this one never does. */
export const steadyClock: Clock = { now: () => performance.now() };

/** For moments that two processes of one machine compare: it never jumps, and counts from the same moment in both. */
export const machineClock: Clock = { now: () => Number(process.hrtime.bigint() / 1_000_000n) };

/** Structured logging: a constant message, fields beside it. Fields hold ids and codes, never a secret, phone, e-mail or name. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Counts and measures; `operate/metric-list.ts` explains the names. Label values are ids of the mapping and codes, never personal data. */
export interface Meter {
  add(counter: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Seconds. */
  observe(histogram: string, seconds: number, labels?: Readonly<Record<string, string>>): void;
}

/** For commands: their output goes to the terminal, and they serve no metrics. */
export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
export const UNCOUNTED: Meter = { add() {}, observe() {} };

export interface Runtime {
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** Smallest clock setback that counts: time servers correct less, and that delays nothing for long. */
const PUT_BACK_MS_MIN = 30_000;
/** Longest retry delay. A quota may delay longer, but an early turn costs it nothing. */
const PUT_OFF_MS_MAX = 10 * 60_000;
/** How often what lies further ahead is recalled. Another host whose clock was ahead may have put it off. */
const RECALL_EVERY_MS = 10 * 60_000;

interface WatchedClock extends Clock {
  /** Whether the clock was set back since the last call. */
  wasSetBack(): boolean;
}

/**
 * Judges each reading by a clock that cannot be set. So a clock that was ahead for a moment is noticed if anybody read it meanwhile.
 * `steadyMs`: milliseconds since any moment.
 */
export function watchedClock(clock: Clock, steadyMs = () => performance.now()): WatchedClock {
  let aheadMs = clock.now() - steadyMs();
  let isSetBack = false;
  const now = (): number => {
    const nowMs = clock.now();
    const before = aheadMs;
    aheadMs = nowMs - steadyMs();
    if (aheadMs < before - PUT_BACK_MS_MIN) isSetBack = true;
    return nowMs;
  };
  return {
    now,
    wasSetBack() {
      now();
      const was = isSetBack;
      isSetBack = false;
      return was;
    },
  };
}

/**
 * Returns a function that says from how far ahead on, in milliseconds, what was put off has its turn now. Infinity: nothing has.
 */
export function recallRule(wasSetBack: () => boolean, steadyMs = () => performance.now()): () => number {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const isTime = steadyMs() >= nextAtMs;
    if (isTime) nextAtMs = steadyMs() + RECALL_EVERY_MS;
    if (wasSetBack()) return 0;
    return isTime ? PUT_OFF_MS_MAX : Number.POSITIVE_INFINITY;
  };
}
