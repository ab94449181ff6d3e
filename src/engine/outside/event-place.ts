import { DeferredError } from '../domain/errors.ts';
import { bookingIdOf, calendarOrigin } from '../domain/ids.ts';
import type { KnownTimes } from '../domain/link.ts';
import {
  type BookingRecord,
  type CalendarBookings,
  isInvitation,
  ownOf,
  type SeenBooking,
  type SeenEventBooking,
  wishedOf,
} from '../domain/outside-booking.ts';
import type { IsFormer } from '../ports/bookings.ts';
import type { CalendarEvents } from '../ports/calendars.ts';
import type { ObjectView } from '../ports/work.ts';
import { originMark } from '../submit/request.ts';
import { becomeMirror } from './become-mirror.ts';
import type { BookingPlace, PlaceFacts } from './booking-place.ts';
import type { BookingTurnParts } from './turn-parts.ts';

/** How soon to check again whether an appointment has followed its event into another calendar. */
const MOVED_LOOK_MS = 15_000;
/** Age up to which a look at a series proves that its event stands: an event does not leave its series for another calendar. */
const STANDS_FRESH_MS = 10_000;
/** How soon an event that has just left its calendar gets another turn, should its noted absence not cause one. */
const GONE_LOOK_MS = 1_000;

/** A booking made by an event: people drag and delete it, and it becomes the mirror of its appointment. */
export class EventPlace implements BookingPlace {
  readonly kind = 'event';
  readonly paceMs = 0;
  readonly seen: SeenEventBooking;
  readonly #parts: BookingTurnParts;

  constructor(parts: BookingTurnParts, seen: SeenEventBooking) {
    this.#parts = parts;
    this.seen = seen;
  }

  get answersInWords(): boolean {
    return isInvitation(this.seen);
  }

  get zone(): string | undefined {
    const { directory, resourceAt } = this.#parts;
    const lists = directory.current();
    const resource = lists.resources.get(resourceAt(this.seen.calendar_id) ?? '');
    return lists.branches.get(resource?.branchId ?? '')?.timezone;
  }

  facts(): PlaceFacts {
    const { stillForMs } = this.#parts.mapping;
    const { answersInWords: isInvitation } = this;
    return { place: 'calendar', isInvitation, saysWhenReady: false, rules: { stillForMs } };
  }

  isFormer(): IsFormer | undefined {
    const { events } = this.#parts;
    return events && formerly({ ...this.#parts, events }, this.seen);
  }

  /** The start or date from which the wished day is read. */
  get day(): string | undefined {
    return this.seen.starts_at ?? this.seen.date;
  }

  /** Whether a deleted event cancels its appointment. */
  get cancelsDeleted(): boolean {
    const { mapping } = this.#parts;
    if (mapping.kind !== 'calendar') return false;
    const own = mapping.calendars.find(({ calendarId }) => calendarId === this.seen.calendar_id);
    return own !== undefined && mapping.staffEdits[own.mirror]?.deleted === 'cancel';
  }

  /**
   * True when the event was booked elsewhere before it was moved here. Rejects with `DeferredError` `booking-gone` when it has left its
   * calendar since it was seen, and with `booking-moved` while its appointment follows it.
   */
  async isBookedBefore(): Promise<boolean> {
    await this.#assertStands();
    const { events } = this.#parts;
    if (events === undefined) return false;
    const before = await bookedBefore({ ...this.#parts, events }, this.seen);
    if (before === undefined) return false;
    if (before.is === 'shown') return true;
    if (before.is === 'lost') {
      // No link says whose event it is. Link it at its old calendar, so that staff edits search for it from there: it was not deleted.
      const { calendarId, appointmentId, hour } = before;
      const there = { ...this.seen, calendar_id: calendarId };
      const editSeenAtMs = this.#parts.clock.now();
      await becomeMirror(this.#parts, there, { appointmentId, hour, editSeenAtMs });
    }
    throw new DeferredError('booking-moved', 'the event was booked in another calendar, and moved since', {
      retryAfterMs: MOVED_LOOK_MS,
    });
  }

  /** Whether the sender has booked enough by invitations in this hour. */
  async isTooOften(key: string): Promise<boolean> {
    if (!isInvitation(this.seen)) return false;
    return !(await this.#parts.guard.mayBeBooked(this.seen.organizer ?? '', key));
  }

  /** Notes an absence for the next turn: an event dragged into another calendar may already be booked there. */
  async #assertStands(): Promise<void> {
    const { instances } = this.#parts;
    if (instances === undefined) return;
    const gone = await instances.gone(this.seen.calendar_id, [this.seen.event_id], {
      withinMs: STANDS_FRESH_MS,
    });
    if (gone.length === 0) return;
    throw new DeferredError('booking-gone', 'the event has left its calendar since it was seen', {
      retryAfterMs: GONE_LOOK_MS,
    });
  }
}

// Google's "move to another calendar" keeps an event's id (Events: move). Only its id identifies an event that was dragged away before the
// mirror marked it. Its appointment goes along: it is neither cancelled here nor booked again there (case 47).

/** Calendars whose records are read from Redis at once: one by one, hundreds of colleagues would delay every booking. */
const RECORDS_AT_ONCE = 100;

export interface MovedEventParts {
  /** All calendar entries: people drag events across all their calendars. */
  readonly entries: readonly CalendarBookings[];
  readonly events: Pick<CalendarEvents, 'read'>;
  readonly view: Pick<ObjectView, 'peek'>;
}

/** What is known of an event that was booked in another calendar. */
type Before =
  /** Its appointment, or the request for it, is on its way here. */
  | { readonly is: 'awaited' }
  /** Its appointment is linked here. */
  | { readonly is: 'shown' }
  /** No calendar is linked with it for its appointment, so nothing would look for the event here. */
  | {
      readonly is: 'lost';
      readonly calendarId: string;
      readonly appointmentId: string;
      readonly hour: KnownTimes;
    };

/**
 * Whether the event was booked in another calendar before it was moved here. An event of the same id that is still there is a different one
 * (case 51).
 */
export async function bookedBefore(parts: MovedEventParts, seen: SeenBooking): Promise<Before | undefined> {
  if (seen.place !== 'calendar') return undefined;
  const { event_id: eventId } = seen;
  const others = othersOf(parts.entries, seen.calendar_id);
  for (let at = 0; at < others.length; at += RECORDS_AT_ONCE) {
    const some = others.slice(at, at + RECORDS_AT_ONCE);
    const records = await Promise.all(some.map((calendarId) => recordAt(parts, { calendarId, eventId })));
    for (const [i, calendarId] of some.entries()) {
      const record = records[i];
      const standing = record && (await formerEvent(parts, seen, { calendarId, record }));
      if (standing === undefined) continue;
      if (standing.is === 'shown') return standing;
      const event = await parts.events.read(calendarId, eventId);
      if (event === 'absent' || !event.isLive) return standing;
    }
  }
  return undefined;
}

/**
 * Whether an appointment's `metadata` names this event in another booking calendar that no longer has it. This works even when everything
 * else was lost. If that calendar still has the event, it is a different one (case 51).
 */
export function formerly({ events, entries }: Omit<MovedEventParts, 'view'>, seen: SeenBooking): IsFormer {
  if (seen.place !== 'calendar') return async () => false;
  const { calendar_id: here, event_id: eventId } = seen;
  const formers = new Map(othersOf(entries, here).map((id) => [originMark(calendarOrigin(id, eventId)), id]));
  return async (mark) => {
    const calendarId = formers.get(mark);
    const event = calendarId && (await events.read(calendarId, eventId));
    return event === 'absent' || (typeof event === 'object' && !event.isLive);
  };
}

async function formerEvent(
  { view }: Pick<MovedEventParts, 'view'>,
  { calendar_id: here, event_id: eventId }: SeenBooking & { readonly place: 'calendar' },
  { calendarId, record }: { readonly calendarId: string; readonly record: BookingRecord },
): Promise<Before | undefined> {
  const own = ownOf(record);
  if (own === undefined) return record.asked && { is: 'awaited' };
  const { id: appointmentId, mirrored } = own;
  const wished = wishedOf(own);
  const appointment = await view.peek({ kind: 'appointment', id: appointmentId });
  const links = Object.values(appointment?.links ?? {})
    .flatMap(({ calendars = [] }) => calendars)
    .filter((each) => each.eventId === eventId);
  if (links.some((each) => each.calendarId === here)) return { is: 'shown' };
  if (links.length > 0) return { is: 'awaited' };
  // The mirror removed its event along with the cancelled appointment. Bringing it back here wishes for a new one.
  if (mirrored && appointment?.snapshot?.['status'] === 'cancelled') return undefined;
  const hour = wished === undefined ? {} : { tried: [wished.startsAt] };
  return { is: 'lost', calendarId, appointmentId, hour };
}

/** The record of the event in that calendar: one with an appointment, or else that of the entry that now takes the event. */
async function recordAt(
  { view, entries }: Pick<MovedEventParts, 'view' | 'entries'>,
  { calendarId, eventId }: { readonly calendarId: string; readonly eventId: string },
): Promise<BookingRecord | undefined> {
  const known = await view.peek({ kind: 'booking', id: bookingIdOf(calendarOrigin(calendarId, eventId)) });
  const records = entries.map(({ name }) => ({ name, record: known?.links[name]?.booking }));
  const found =
    records.find(({ record }) => ownOf(record) !== undefined) ??
    records.find(({ name }) => name === known?.snapshot?.['mapping']);
  return found?.record;
}

function othersOf(entries: readonly CalendarBookings[], calendarId: string): readonly string[] {
  const all = entries.flatMap(({ calendars }) => calendars.map((each) => each.calendarId));
  return [...new Set(all)].filter((each) => each !== calendarId);
}
