import { DeferredError } from '../../domain/errors.ts';
import { isInvitation, type SeenEventBooking } from '../../domain/outside-booking.ts';
import type { IsFormer } from '../../ports/bookings.ts';
import { becomeMirror } from './become-mirror.ts';
import type { BookingPlace, PlaceFacts } from './booking-place.ts';
import { bookedBefore, formerly } from './moved-event.ts';
import type { BookingTurnParts } from './turn-parts.ts';

/** How soon to check again whether an appointment has followed its event into another calendar. */
const MOVED_LOOK_MS = 15_000;
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
    const gone = await instances.gone(this.seen.calendar_id, [this.seen.event_id]);
    if (gone.length === 0) return;
    throw new DeferredError('booking-gone', 'the event has left its calendar since it was seen', {
      retryAfterMs: GONE_LOOK_MS,
    });
  }
}
