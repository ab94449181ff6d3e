// Wall times that were written down, and are read by another process or after a clock was set. Clocks of processes differ, and one that was
// hours ahead may have been set back since. For a duration within one process take `steadyClock`, which nobody sets.

/** Between the clocks of processes that write and read a moment. */
export const CLOCKS_APART_MS = 60_000;

/** False: it lies further ahead than clocks differ. The clock that wrote it was ahead, so it proves nothing of the present. */
export function canHaveBeen(atMs: number, nowMs: number): boolean {
  return atMs <= nowMs + CLOCKS_APART_MS;
}

/** How long ago it was; 0 for one that is ahead. */
export function agoMs(atMs: number, nowMs: number): number {
  return Math.max(0, nowMs - atMs);
}

/** How far it lies from now, before or after. So a moment that a clock wrote hours ahead holds nobody up for hours. */
export function awayMs(atMs: number, nowMs: number): number {
  return Math.abs(nowMs - atMs);
}

/** Since when something lasts; it begins now where nothing is known, or where the clock that wrote it was ahead. */
export function begunBy(sinceMs: number | undefined, nowMs: number): number {
  return Math.min(sinceMs ?? nowMs, nowMs);
}
