import type { Refusal } from '../../domain/booking.ts';
import { DeferredError } from '../../domain/errors.ts';
import { isInvitation, type SeenEventBooking } from '../../domain/outside-booking.ts';
import type { IsFormer } from '../../ports/bookings.ts';
import { becomeMirror } from './become-mirror.ts';
import type { BookingPlace } from './booking-place.ts';
import { bookedBefore, formerly } from './moved-event.ts';
import type { BookingTurnParts } from './turn-parts.ts';

/** How soon it is looked whether an appointment has followed its event into another calendar. */
const MOVED_LOOK_MS = 15_000;
/** How soon an event that has just left its calendar has another turn, should what was noted of that not bring it. */
const GONE_LOOK_MS = 1_000;

/** A booking made by an event: it is dragged and deleted, and becomes the mirror of its appointment. */
export class EventPlace implements BookingPlace {
  readonly saysWhenReady = false;
  readonly paceMs = 0;
  readonly timezone = undefined;
  readonly #parts: BookingTurnParts;
  readonly #seen: SeenEventBooking;

  constructor(parts: BookingTurnParts, seen: SeenEventBooking) {
    this.#parts = parts;
    this.#seen = seen;
  }

  get isTold(): boolean {
    return isInvitation(this.#seen);
  }

  get rules(): BookingPlace['rules'] {
    const { mapping } = this.#parts;
    const calendars = mapping.kind === 'calendar' ? mapping.calendars : [];
    const own = calendars.find(({ calendarId }) => calendarId === this.#seen.calendar_id);
    const edits = mapping.kind === 'calendar' ? mapping.staffEdits : {};
    return { cancelsDeleted: own !== undefined && edits[own.mirror]?.deleted === 'cancel' };
  }

  get day(): string | undefined {
    return this.#seen.starts_at ?? this.#seen.date;
  }

  get resourceId(): string | undefined {
    return this.#parts.resourceAt(this.#seen.calendar_id);
  }

  typed() {
    return {};
  }

  customer() {
    return 'unknown' as const;
  }

  isTypedOver(): boolean {
    return false;
  }

  /** It is noted as gone, so that the next turn knows: dragged into another calendar, it may be booked there already. */
  async assertStands(): Promise<void> {
    const { instances } = this.#parts;
    if (instances === undefined) return;
    const gone = await instances.gone(this.#seen.calendar_id, [this.#seen.event_id]);
    if (gone.length === 0) return;
    throw new DeferredError('booking-gone', 'the event has left its calendar since it was seen', {
      retryAfterMs: GONE_LOOK_MS,
    });
  }

  async isBookedBefore(): Promise<boolean> {
    const { events } = this.#parts;
    if (events === undefined) return false;
    const before = await bookedBefore({ ...this.#parts, events }, this.#seen);
    if (before === undefined) return false;
    if (before.is === 'shown') return true;
    if (before.is === 'lost') {
      // Whose event it is stands nowhere: it becomes the mirror where it was, and is looked for from there. It was not deleted.
      const { calendarId, appointmentId, hour } = before;
      const there = { ...this.#seen, calendar_id: calendarId };
      const editSeenAtMs = this.#parts.clock.now();
      await becomeMirror(this.#parts, there, { appointmentId, hour, editSeenAtMs });
    }
    throw new DeferredError('booking-moved', 'the event was booked in another calendar, and moved since', {
      retryAfterMs: MOVED_LOOK_MS,
    });
  }

  isFormer(): IsFormer | undefined {
    const { events } = this.#parts;
    return events && formerly({ ...this.#parts, events }, this.#seen);
  }

  nameable(refusal: Refusal): Refusal {
    return refusal;
  }

  async isTooOften(key: string): Promise<boolean> {
    if (!isInvitation(this.#seen)) return false;
    return !(await this.#parts.guard.mayBeBooked(this.#seen.organizer ?? '', key));
  }
}
