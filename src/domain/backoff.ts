/** First and longest pause after failures. */
const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;
/** Random share of a wait, so that objects that failed together do not retry together. */
const JITTER_SHARE = 0.5;

/** First and longest wait after a call was refused for quota. */
const REFUSED_FIRST_MS = 250;
const REFUSED_LONGEST_MS = 16_000;

/** How long to wait after the `refusals`th quota refusal in a row: doubles from 0.25 s to 16 s, with jitter. Milliseconds. */
export function refusedBackoffMs(refusals: number, random: () => number = Math.random): number {
  const full = Math.min(REFUSED_LONGEST_MS, REFUSED_FIRST_MS * 2 ** Math.min(Math.max(0, refusals - 1), 20));
  return Math.round(full * (1 - JITTER_SHARE * random()));
}

/** How long to wait after the `attempt`th failure (1, 2, …): doubles from 1 s to 5 min, with jitter. Milliseconds. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 20));
  return Math.round(full * (1 - JITTER_SHARE * random()));
}
