import { isLive } from './carry-write.ts';
import type { Action, Handler } from './handler.ts';
import { bookingIdOf } from './ids.ts';
import type { Ledger } from './ledger.ts';
import type { Memory } from './memory.ts';
import { distanceMs } from './moments.ts';
import type { Snapshot } from './object.ts';
import { originOf } from './object.ts';

import { ownOf, type SeenBooking } from './outside-booking.ts';
import type { PlatformReader } from './platform.ts';
import type { ProblemBoard } from './problem-board.ts';
import type { Clock } from './runtime.ts';
import type { Claim } from './work.ts';

// What a lost primary booked last, its successor may book again. So the platform is searched for doubles whenever Redis was started again
// or failed over.

const KNOWN = 'whole-until';
/** How often the moment up to which Redis is whole is stored. */
const STORE_EVERY_MS = 60_000;
/** For differences between the clocks of hosts and platform. */
const MARGIN_MS = 5 * 60_000;
/** Redis knows nothing of the time before. */
const UNKNOWN_MS = 24 * 3_600_000;
/** The rows and events that Redis forgot are read and booked again within this time. */
const AGAIN_AFTER_MS = 2 * 60_000;
const PAGE = 100;
const PAGES_MAX = 50;
/** How long a double stays a problem, unless one of its appointments is cancelled. */
const KEPT_FOR_MS = 30 * 86_400_000;

/** Stored in Redis, so a replica that is promoted holds the last moment that reached it. */
interface Known {
  readonly run: string;
  /** Up to here nothing is lost; epoch milliseconds. */
  readonly atMs: number;
  /** The same when this run began: a worker that comes later from another primary searches from here on. */
  readonly sinceMs: number;
}

interface BookedTwiceSearchParts {
  readonly reader: Pick<PlatformReader, 'page'>;
  readonly problems: Pick<ProblemBoard, 'raise'>;
  readonly memory: Memory;
  /** Identifies the process that serves the memory. */
  readonly redisRun: () => Promise<string>;
  readonly clock: Clock;
}

/** Raises one problem for each row or event that has two live appointments. Cancels nothing. */
export class BookedTwiceSearch {
  readonly #parts: BookedTwiceSearchParts;
  #run: string | undefined;
  #again: { readonly sinceMs: number; readonly begunMs: number } | undefined;

  constructor(parts: BookedTwiceSearchParts) {
    this.#parts = parts;
  }

  /** Call it every few seconds. A failed search is repeated by the next call. */
  async look(): Promise<void> {
    const { memory, redisRun, clock } = this.#parts;
    const nowMs = clock.now();
    const run = await redisRun();
    const known = parsed(await memory.get(KNOWN));
    if (known?.run === run && (this.#run ?? run) === run) {
      this.#run = run;
      const isOld = Math.abs(nowMs - known.atMs) >= STORE_EVERY_MS;
      if (isOld) await memory.set(KNOWN, JSON.stringify({ ...known, atMs: nowMs }));
      // A clock that was set back does not hold the second search back.
      if (this.#again === undefined || distanceMs(this.#again.begunMs, nowMs) < AGAIN_AFTER_MS) return;
      await this.#search(this.#again.sinceMs);
      this.#again = undefined;
      return;
    }
    const sinceMs = known === undefined ? nowMs - UNKNOWN_MS : known.run === run ? known.sinceMs : known.atMs;
    await this.#search(sinceMs);
    this.#again = { sinceMs, begunMs: nowMs };
    await memory.set(KNOWN, JSON.stringify({ run, atMs: nowMs, sinceMs }));
    this.#run = run;
  }

  /** `sinceMs`: when the first of the appointments may have been booked. */
  async #search(sinceMs: number): Promise<void> {
    const { reader, problems } = this.#parts;
    const isPast = (one: Snapshot) => Date.parse(String(one['created_at'])) < sinceMs - MARGIN_MS;
    const byOrigin = new Map<string, Set<string>>();
    let startingAfter: string | undefined;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const page = await reader.page('appointment', {
        limit: PAGE,
        ...(startingAfter !== undefined && { startingAfter }),
      });
      for (const one of page.data) {
        const origin = originOf(one);
        if (origin === undefined || !isLive(one) || isPast(one)) continue;
        byOrigin.set(origin, (byOrigin.get(origin) ?? new Set()).add(one.id));
      }
      const last = page.data.at(-1);
      if (!page.hasMore || last === undefined || isPast(last)) break;
      startingAfter = last.id;
    }
    for (const [origin, ids] of byOrigin)
      if (ids.size > 1) await problems.raise(bookedTwice(bookingIdOf(origin), [...ids]));
  }
}

function parsed(text: string | undefined): Known | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Known);
}

export interface BookedTwiceParts {
  readonly view: Pick<Ledger, 'peek'>;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
}

/**
 * Names two live appointments of one row or event. Workers on both sides of a split may have made them, or one whose writes a failover
 * forgot: the event feed brings the other one. Nothing is cancelled, because only people know which of them counts.
 */
export function createBookedTwice({ view, problems }: BookedTwiceParts): Handler {
  return {
    name: 'booked twice',
    from: 'appointment',
    async reconcile({ snapshot }): Promise<Action> {
      const origin = snapshot && originOf(snapshot);
      if (snapshot === undefined || origin === undefined) return 'nothing';
      const id = bookingIdOf(origin);
      const other = await recordedElse(view, id, snapshot);
      if (isLive(snapshot) && other !== undefined && isLive(other)) {
        await problems.raise(bookedTwice(id, [other.id, snapshot.id]));
      } else if (other !== undefined || !isLive(snapshot)) await problems.clear(targetOf(id));
      return 'nothing';
    },
  };
}

/** Sorted, so that whoever finds them raises the same problem. */
export function bookedTwice(bookingId: string, appointmentIds: readonly string[]) {
  return {
    target: targetOf(bookingId),
    code: 'booked-twice',
    message: `the appointments ${[...appointmentIds].sort().join(' and ')} were booked by one row or event`,
    advice: 'Look at each on the platform, and cancel what is too many. The worker cancels none of them.',
    keptForMs: KEPT_FOR_MS,
  };
}

function targetOf(bookingId: string): string {
  return `booking:${bookingId}`;
}

/** The appointment that the booking's record names, if it is another one. */
async function recordedElse(
  view: BookedTwiceParts['view'],
  bookingId: string,
  snapshot: Snapshot,
): Promise<Snapshot | undefined> {
  const booking = await view.peek({ kind: 'booking', id: bookingId });
  const own = Object.values(booking?.links ?? {}).flatMap(({ booking: record }) => ownOf(record) ?? []);
  const other = own.find(({ id }) => id !== snapshot.id);
  return other && (await view.peek({ kind: 'appointment', id: other.id }))?.snapshot;
}

/** The last sighting of the claim's booking. Undefined when it belongs to another entry of `bookings`, or nothing is known. */
export function seenBookingOf(claim: Claim, mapping: string): SeenBooking | undefined {
  const { snapshot } = claim;
  // The worker's own sources wrote it, so it has its declared type or belongs to another entry.
  return snapshot?.['mapping'] === mapping ? (snapshot as unknown as SeenBooking) : undefined;
}

/** The fields that templates may name. */
export function fieldsOf(seen: SeenBooking): Readonly<Record<string, unknown>> {
  return seen.place === 'calendar' ? { ...seen } : { ...seen.cells, starts_at: seen.starts_at };
}
