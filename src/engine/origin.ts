import { type BlockRule, ORIGIN_PREFIX } from './block.ts';
import type { CalendarEvents } from './calendar-events.ts';
import { isLive } from './carry-write.ts';
import { DeferredError } from './errors.ts';
import { APPOINTMENT_MARK } from './event-texts.ts';
import type { Action, Handler, MirrorTarget, WorkQueue } from './handler.ts';
import { bookingIdOf, eventIdInOrigin, eventOfOrigin, rowOfOrigin } from './ids.ts';
import type { Intake } from './intake.ts';
import type { Ledger } from './ledger.ts';
import { type CalendarLink, linkTo } from './link.ts';
import type { Memory } from './memory.ts';
import type { StaffEdits } from './mirror.ts';
import { distanceMs } from './moments.ts';
import { type EntityKey, formatKey, originOf, type Snapshot } from './object.ts';
import {
  type BookingRecord,
  type BookingSource,
  type CalendarBookings,
  isGoneUnbooked,
  isInvitation,
  ownOf,
  type SeenBooking,
  wishedOf,
} from './outside-booking.ts';
import type { PlatformReader } from './platform.ts';
import type { ProblemBoard } from './problem-board.ts';
import { nextRun, storeWholeUntil, wholeUntil } from './redis-lost.ts';
import type { Clock } from './runtime.ts';
import type { DirtyMarks } from './sweep.ts';
import type { Claim } from './work.ts';

/** How soon to check again whether the handler of a booking has finished. */
const LINKED_LOOK_MS = 1_000;

export interface OriginParts {
  readonly view: Pick<Ledger, 'peek' | 'dueAt'>;
  readonly events: Pick<CalendarEvents, 'read'>;
}

/**
 * The event in this calendar by which an appointment was booked. It becomes the mirror, so that no second event is created. This also holds
 * when the platform's event arrives before the booking's answer (case 40), and after a loss of Redis. A dragged event is recognized by its
 * mark, because the origin names the calendar of the booking. An event linked where it was booked was not dragged.
 */
export async function originLink(
  { view, events }: OriginParts,
  snapshot: Snapshot,
  { calendarId, isShown }: { readonly calendarId: string; readonly isShown: (eventId: string) => boolean },
): Promise<CalendarLink | undefined> {
  const origin = originOf(snapshot);
  if (origin === undefined) return undefined;
  const eventId = eventOfOrigin(origin, calendarId);
  if (eventId === undefined) {
    const bookedAs = eventIdInOrigin(origin);
    if (bookedAs === undefined || isShown(bookedAs)) return undefined;
    return draggedLink(events, { eventId: bookedAs, calendarId, id: snapshot.id });
  }
  const key: EntityKey = { kind: 'booking', id: bookingIdOf(origin) };
  const booking = await view.peek(key);
  const records = Object.values(booking?.links ?? {}).flatMap((links) => links.booking ?? []);
  const wasMirror = records.some((record) => ownOf(record)?.mirrored);
  if (!wasMirror && (await isOfOthers(events, { seen: booking?.snapshot, calendarId, eventId })))
    return undefined;
  // The booking's handler links the event and records that. The record later distinguishes a deletion by people from one by the mirror.
  if (booking !== undefined && !wasMirror && (await view.dueAt(key)) !== undefined)
    throw notLinkedYet(calendarId);
  const deletedHour = wasMirror ? undefined : hourOfDeleted(booking?.snapshot, records);
  if (deletedHour !== undefined) return linkTo({ calendarId, eventId }, { hour: { startsAt: deletedHour } });
  // If it was linked before, its absence is no deletion by people: the mirror removed it, perhaps without recording that.
  const [wished] = records.flatMap((record) => record.asked ?? wishedOf(ownOf(record)) ?? []);
  const tried = wished === undefined || wasMirror ? [] : [wished.startsAt];
  return linkTo({ calendarId, eventId }, { hour: { tried } });
}

/**
 * The hour of an event that people deleted while the request for it was under way, and which the platform carried out late. No mirror has
 * linked the event, so its absence is their deletion. Undefined for any other event.
 */
function hourOfDeleted(seen: Snapshot | undefined, records: readonly BookingRecord[]): string | undefined {
  const isDeleted = seen?.['state'] === 'gone' && records.some(isGoneUnbooked);
  const startMs = isDeleted ? Date.parse(String(seen['starts_at'])) : Number.NaN;
  return Number.isNaN(startMs) ? undefined : new Date(startMs).toISOString();
}

function notLinkedYet(calendarId: string): DeferredError {
  return new DeferredError(
    'booking-unlinked',
    'the event by which people booked is linked by its booking first',
    {
      target: `calendar:${calendarId}`,
      retryAfterMs: LINKED_LOOK_MS,
    },
  );
}

/** An invitation gets no mirror texts: they would show the customer in an event that somebody else reads. */
async function isOfOthers(
  events: OriginParts['events'],
  at: { readonly seen: Snapshot | undefined; readonly calendarId: string; readonly eventId: string },
): Promise<boolean> {
  // The watch's note decides. After a loss of Redis, the calendar is read.
  if (at.seen !== undefined) return isInvitation(at.seen as unknown as SeenBooking);
  const event = await events.read(at.calendarId, at.eventId);
  return event !== 'absent' && event.isGuestCopy;
}

async function draggedLink(
  events: OriginParts['events'],
  { eventId, calendarId, id }: { eventId: string; calendarId: string; id: string },
): Promise<CalendarLink | undefined> {
  const event = await events.read(calendarId, eventId);
  if (event === 'absent' || !event.isLive || event.isGuestCopy) return undefined;
  if (event.marks[APPOINTMENT_MARK] !== id) return undefined;
  // If the colour is one of the mapping's, the mirror itself may have set it.
  return linkTo({ calendarId, eventId }, { coloured: event.isColoured });
}

/**
 * The entry through which an appointment was booked in a calendar; undefined for all others. If two entries share the calendar, the first
 * one's rules hold.
 */
export function entryOf(
  mappings: readonly BookingSource[],
  snapshot: Snapshot,
): CalendarBookings | undefined {
  const origin = originOf(snapshot);
  if (origin === undefined) return undefined;
  return mappings.find((mapping): mapping is CalendarBookings => {
    if (mapping.kind !== 'calendar') return false;
    return mapping.calendars.some(({ calendarId }) => eventOfOrigin(origin, calendarId) !== undefined);
  });
}

/** Special rules for appointments that people booked in a calendar, for one mirror. */
export type EventOrigins = ReturnType<typeof eventOrigins>;

export function eventOrigins(
  parts: OriginParts & { readonly bookings: readonly BookingSource[]; readonly mirror: string },
) {
  return {
    /**
     * The event in this calendar by which the appointment was booked, if any: it becomes the mirror instead of a new one. If the event
     * `isShown` in another calendar, it is not looked for in this one. Needed even when no entry of `bookings` is left in the YAML.
     */
    bookedBy: (
      snapshot: Snapshot,
      calendarId: string,
      isShown: (eventId: string) => boolean,
    ): Promise<CalendarLink | undefined> => originLink(parts, snapshot, { calendarId, isShown }),
    /** How changes to the appointment's events are treated; undefined: as the mirror says. */
    editsFor: (snapshot: Snapshot): StaffEdits | undefined =>
      entryOf(parts.bookings, snapshot)?.staffEdits[parts.mirror],
  };
}

// What a lost primary booked last, its successor may book again. So the platform is searched for doubles whenever Redis was started again
// or failed over.

/** How often the moment up to which Redis is whole is stored. */
const STORE_EVERY_MS = 60_000;
/** For differences between the clocks of hosts and platform. */
const MARGIN_MS = 5 * 60_000;
/** The rows and events that Redis forgot are read and booked again within this time. */
const AGAIN_AFTER_MS = 2 * 60_000;
const PAGE = 100;
const PAGES_MAX = 50;
/** How long a double stays a problem, unless one of its appointments is cancelled. */
const KEPT_FOR_MS = 30 * 86_400_000;

interface BookedTwiceSearchParts {
  /** Absent without `bookings`: then the search only stores up to which moment Redis is whole. */
  readonly reader?: Pick<PlatformReader, 'page'>;
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
    const known = await wholeUntil(memory);
    if (known?.run === run && (this.#run ?? run) === run) {
      this.#run = run;
      const isOld = Math.abs(nowMs - known.atMs) >= STORE_EVERY_MS;
      if (isOld) await storeWholeUntil(memory, { ...known, atMs: nowMs });
      // A clock that was set back does not hold the second search back.
      if (this.#again === undefined || distanceMs(this.#again.begunMs, nowMs) < AGAIN_AFTER_MS) return;
      await this.#search(this.#again.sinceMs);
      this.#again = undefined;
      return;
    }
    const next = nextRun(known, run, nowMs);
    await this.#search(next.sinceMs);
    this.#again = { sinceMs: next.sinceMs, begunMs: nowMs };
    await storeWholeUntil(memory, next);
    this.#run = run;
  }

  /** `sinceMs`: when the first of the appointments may have been booked. */
  async #search(sinceMs: number): Promise<void> {
    const { reader, problems } = this.#parts;
    if (reader === undefined) return;
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

/** The fields that templates may name. */
export function fieldsOf(seen: SeenBooking): Readonly<Record<string, unknown>> {
  return seen.place === 'calendar' ? { ...seen } : { ...seen.cells, starts_at: seen.starts_at };
}

/**
 * A mirror that shows neither blocks nor house contacts. The mark alone identifies a block, so blocks stay hidden after their entry leaves
 * the YAML. What a mirror wrote about the contact earlier stays: an edit of the YAML deletes nothing, and `audit` reports it.
 */
export function withoutBlocks(target: MirrorTarget, isHidden: (claim: Claim) => boolean): MirrorTarget {
  return {
    name: target.name,
    from: target.from,
    reconcile: async (claim, failed) => (isHidden(claim) ? 'nothing' : target.reconcile(claim, failed)),
    preview: async (claim) => (isHidden(claim) ? 'nothing' : target.preview(claim)),
    planned: async (claim) => (isHidden(claim) ? [] : target.planned(claim)),
    expected: async (claim) => (isHidden(claim) ? [] : target.expected(claim)),
    nextTurnAtMs: (claim, nowMs) => (isHidden(claim) ? undefined : target.nextTurnAtMs?.(claim, nowMs)),
  };
}

/** The same for a calendar feed. */
export function feedWithoutBlocks(handler: Handler): Handler {
  return {
    name: handler.name,
    from: handler.from,
    reconcile: async (claim, failed) => (isBlock(claim) ? 'nothing' : handler.reconcile(claim, failed)),
    nextTurnAtMs: (claim, nowMs) => (isBlock(claim) ? undefined : handler.nextTurnAtMs?.(claim, nowMs)),
  };
}

/** Recognizes blocks, and the contacts for whom they are booked. */
export function isHiddenBy({ blocks }: { readonly blocks: readonly Pick<BlockRule, 'contactId'>[] }) {
  if (blocks.length === 0) return isBlock;
  const houseContacts = new Set(blocks.map(({ contactId }) => contactId));
  return ({ key, snapshot }: Pick<Claim, 'key' | 'snapshot'>): boolean =>
    key.kind === 'contact' ? houseContacts.has(key.id) : isBlock({ key, snapshot });
}

function isBlock({ key, snapshot }: Pick<Claim, 'key' | 'snapshot'>): boolean {
  const origin = key.kind === 'appointment' && snapshot !== undefined ? originOf(snapshot) : undefined;
  return origin?.startsWith(ORIGIN_PREFIX) === true;
}

/** Gives a booking whose answer says what became of it a turn whenever its appointment changes. An event of staff shows it itself. */
export function createAnswerWaker(parts: {
  readonly dirtyMarks: DirtyMarks;
  readonly queue: WorkQueue;
  /** Outsiders may book by invitations. */
  readonly withInvitations?: boolean;
}): Handler {
  return {
    name: 'intake-rows',
    from: 'appointment',
    async reconcile({ snapshot }) {
      const origin = snapshot && originOf(snapshot);
      if (origin === undefined || (!parts.withInvitations && eventIdInOrigin(origin) !== undefined))
        return 'nothing';
      const id = rowOfOrigin(origin) ?? bookingIdOf(origin);
      const key: EntityKey = { kind: 'booking', id };
      const unknown = await parts.dirtyMarks.markDirty([key], { read: false });
      if (unknown.length === 0) parts.queue.add([formatKey(key)]);
      return 'nothing';
    },
  };
}

/**
 * A row whose turn comes while its entry is not in the YAML is judged by nobody. It is noted, so that the next reading of the row is news.
 * Once the entry is back, the row gets its turn, and its answer if that had not been written.
 */
export function createUnjudgedRows(parts: {
  readonly mappings: readonly Pick<BookingSource, 'name'>[];
  readonly intake: Pick<Intake, 'observe'>;
  readonly clock: Clock;
}): Handler {
  const named = new Set(parts.mappings.map(({ name }) => name));
  return {
    name: 'unjudged-rows',
    from: 'booking',
    async reconcile({ key, snapshot }) {
      const seen = snapshot as unknown as SeenBooking | undefined;
      if (snapshot === undefined || seen?.place !== 'row' || seen.unjudged || named.has(seen.mapping))
        return 'nothing';
      await parts.intake.observe({
        ...{ key, source: 'sheet', occurredAtMs: parts.clock.now() },
        seen: { as: 'snapshot', snapshot: { ...snapshot, unjudged: true } },
      });
      return 'nothing';
    },
  };
}
