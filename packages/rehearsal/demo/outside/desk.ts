import { setTimeout as sleep } from 'node:timers/promises';
import type { OutsideCast } from './cast.ts';
import { dropEvent } from './events.ts';
import { sortIntake, typeRow } from './rows.ts';

export const EVENTS = 100;
export const ROWS = 50;
/** Approximate length of the day. */
const WITHIN_MS = 13_000;
/** Delay until people change what they booked. */
const LATER_MS = [1_500, 6_000] as const;
const SORT_EVERY = 25;

/** Plays all bookings of the day, and people's later changes to them. */
export async function bookOutside(cast: OutsideCast, signal: AbortSignal): Promise<void> {
  const { random } = cast;
  const all = EVENTS + ROWS;
  const startedAtMs = performance.now();
  const later: { readonly atMs: number; readonly act: () => void }[] = [];
  for (let made = 0; made < all; made += 1) {
    signal.throwIfAborted();
    await sleep(Math.max(0, startedAtMs + (made / all) * WITHIN_MS - performance.now()));
    // Every third booking is a row.
    const acts = made % 3 === 2 ? typeRow(cast) : dropEvent(cast);
    for (const act of acts) {
      later.push({
        act,
        atMs: performance.now() + LATER_MS[0] + random.next() * (LATER_MS[1] - LATER_MS[0]),
      });
    }
    if (made % SORT_EVERY === SORT_EVERY - 1) sortIntake(cast);
    for (const due of later.filter(({ atMs }) => atMs <= performance.now())) {
      later.splice(later.indexOf(due), 1);
      due.act();
    }
  }
  for (const { act, atMs } of later) {
    await sleep(Math.max(0, atMs - performance.now()));
    act();
  }
}
