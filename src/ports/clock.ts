/** Where time comes from. */
export interface Clock {
  /** Milliseconds: since 1970 for a wall clock, since any moment for a steady one. */
  now(): number;
}

/** For durations within one process: the wall clock may be set back or forward by hours, this one never is. */
export const steadyClock: Clock = { now: () => performance.now() };
