// What staff booked outside during the day, and the required result of each: an appointment, a refusal, or nothing. Every booking has its
// own phone number, which identifies it on the platform.
import { type Wire, wireText } from '../judge/company.ts';

/** A booking that staff made outside the platform. */
export interface OutsideBooking {
  readonly where: 'calendar' | 'sheet';
  /** E.164, unique to this booking. */
  readonly phone: string;
  /** Calendar bookings only. */
  readonly calendarId?: string;
  readonly eventId?: string;
  /**
   * `wanted`: it is complete. `dropped`: people removed or cancelled it. `half-typed`: it was never completed. `copy`: a copied row, which
   * is no booking of its own.
   */
  fate: 'wanted' | 'dropped' | 'half-typed' | 'copy';
}

/** What a booking's place shows. */
export interface Answered {
  /** Its author got an answer. */
  readonly isAnswered: boolean;
}

export interface OutsideVerdict {
  readonly made: number;
  readonly booked: number;
  readonly refused: number;
  /** Several appointments for one booking, or one for a half-typed booking. */
  readonly doubled: number;
  /** Bookings with neither an appointment nor an answer, and dropped ones whose appointment is still live. */
  readonly unanswered: number;
  /** One line each, without content. */
  readonly wrong: readonly string[];
}

/** Compares the outside bookings with the platform's appointments. */
export function judgeOutside(
  bookings: readonly OutsideBooking[],
  platform: { appointments(): readonly Wire[]; contacts(): readonly Wire[] },
  about: {
    /** Whether its author got an answer. */
    readonly answered: (booking: OutsideBooking) => boolean;
    /** Whether someone else deleted the event during the day. The deletion cancels the appointment if it can still be cancelled. */
    readonly deleted: (booking: OutsideBooking) => boolean;
    /**
     * Whether someone else moved the appointment by another of its events before the deletion was carried. The platform's hour then wins, and
     * the event comes back and says so; or it is now in a colleague's calendar.
     */
    readonly overruled: (booking: OutsideBooking, appointment: Wire) => boolean;
  },
): OutsideVerdict {
  const contacts = new Map(platform.contacts().map((one) => [wireText(one['id']), wireText(one['phone'])]));
  const ofPhone = new Map<string, Wire[]>();
  for (const appointment of platform.appointments()) {
    const phone =
      wireText(appointment['customer_phone']) || (contacts.get(wireText(appointment['contact_id'])) ?? '');
    ofPhone.set(phone, [...(ofPhone.get(phone) ?? []), appointment]);
  }
  const told = {
    made: bookings.length,
    booked: 0,
    refused: 0,
    doubled: 0,
    unanswered: 0,
    wrong: [] as string[],
  };
  for (const booking of bookings) {
    if (booking.fate === 'copy') continue;
    const all = ofPhone.get(booking.phone) ?? [];
    const live = all.filter((one) => one['status'] !== 'cancelled');
    const say = (what: string) =>
      told.wrong.push(
        [`${nameOf(booking)}: ${what}`, ...all.map(({ id }) => `appointment ${wireText(id)}`)].join(', '),
      );
    const isOverruled = booking.fate === 'dropped' && live.some((one) => about.overruled(booking, one));
    const mayBe = booking.fate === 'wanted' || isOverruled ? 1 : 0;
    if (all.length > 1 || (booking.fate === 'half-typed' && all.length > 0)) {
      told.doubled += 1;
      say(`${all.length} appointments`);
    } else if (live.length > mayBe) {
      told.unanswered += 1;
      say('its appointment still stands');
    } else if (live.length === 1) told.booked += 1;
    else if (booking.fate === 'wanted' && about.answered(booking)) told.refused += 1;
    else if (booking.fate === 'wanted' && !about.deleted(booking)) {
      told.unanswered += 1;
      say(all.length === 0 ? 'neither booked nor refused' : 'its appointment is cancelled without an answer');
    }
  }
  return told;
}

function nameOf({ where, calendarId, eventId, phone }: OutsideBooking): string {
  return where === 'calendar' ? `event ${eventId} in ${calendarId}` : `the row of …${phone.slice(-4)}`;
}
