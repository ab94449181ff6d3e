// Wall-clock times that another process reads, or that are read after a clock was set. Clocks of processes differ, and a clock that was
// hours ahead may have been set back since. For durations within one process use `steadyClock`, which cannot be set.

/** Largest assumed difference between the clocks of processes that write and read a moment. */
export const CLOCKS_APART_MS = 60_000;

/** False if the moment is further ahead than clocks differ. The clock that wrote it was ahead, so it proves nothing about the present. */
export function canHaveBeen(atMs: number, nowMs: number): boolean {
  return atMs <= nowMs + CLOCKS_APART_MS;
}

/** How long ago it was; 0 if it is ahead. */
export function agoMs(atMs: number, nowMs: number): number {
  return Math.max(0, nowMs - atMs);
}

/** Distance from now, before or after. So a moment written by a clock that was hours ahead delays nothing for hours. */
export function distanceMs(atMs: number, nowMs: number): number {
  return Math.abs(nowMs - atMs);
}

/**
 * When a wait ends that began at `sinceMs`. Now if that is ahead: a clock that was ahead wrote it, and nothing may wait for as long as that.
 */
export function endsAt(
  sinceMs: number,
  { forMs, nowMs }: { readonly forMs: number; readonly nowMs: number },
): number {
  return canHaveBeen(sinceMs, nowMs) ? sinceMs + forMs : nowMs;
}

/** Since when something lasts, but not later than now. Now if nothing is known, or if the clock that wrote it was ahead. */
export function startedBy(sinceMs: number | undefined, nowMs: number): number {
  return Math.min(sinceMs ?? nowMs, nowMs);
}

/** What happened from `fromMs` to `untilMs`, Redis may have forgotten; epoch milliseconds. */
export interface ForgottenTime {
  readonly fromMs: number;
  readonly untilMs: number;
}

export function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
