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
