// What staff booked outside in the course of the day, and what has to become of each: an appointment, a refusal, or nothing. Every booking
// has a phone number of its own, by which it is found again on the platform.
import { type Wire, wireText } from '../judge/company.ts';

/** One booking made outside. */
export interface OutsideBooking {
  readonly where: 'calendar' | 'sheet';
  /** E.164, nobody else's. */
  readonly phone: string;
  /** Calendar bookings only. */
  readonly calendarId?: string;
  readonly eventId?: string;
  /**
   * `wanted`: it stands, finished. `dropped`: people took it away again or cancelled it. `half-typed`: nobody has finished it. `copy`: a
   * row that was copied, which is none of its own.
   */
  fate: 'wanted' | 'dropped' | 'half-typed' | 'copy';
}

/** What stands where a booking was made. */
export interface Answered {
  /** Something was said to whoever made it. */
  readonly isAnswered: boolean;
}

export interface OutsideVerdict {
  readonly made: number;
  readonly booked: number;
  readonly refused: number;
  /** More than one appointment for one booking, or one for what is none. */
  readonly doubled: number;
  /** Neither an appointment nor a word; or an appointment left of what people took away. */
  readonly unanswered: number;
  /** One line each, without content. */
  readonly wrong: readonly string[];
}

/** Compares what was booked outside with the platform's appointments. */
export function judgeOutside(
  bookings: readonly OutsideBooking[],
  platform: { appointments(): readonly Wire[]; contacts(): readonly Wire[] },
  about: {
    /** Something is said to whoever made it. */
    readonly answered: (booking: OutsideBooking) => boolean;
    /** Somebody else deleted the event in the course of the day: that cancels the appointment, where it still can be cancelled. */
    readonly deleted: (booking: OutsideBooking) => boolean;
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
    const mayBe = booking.fate === 'wanted' ? 1 : 0;
    if (all.length > 1 || (booking.fate === 'half-typed' && all.length > 0)) {
      told.doubled += 1;
      told.wrong.push(`${nameOf(booking)}: ${all.length} appointments`);
    } else if (live.length > mayBe) {
      told.unanswered += 1;
      told.wrong.push(`${nameOf(booking)}: its appointment still stands`);
    } else if (live.length === 1) told.booked += 1;
    else if (booking.fate === 'wanted' && about.answered(booking)) told.refused += 1;
    else if (booking.fate === 'wanted' && !about.deleted(booking)) {
      told.unanswered += 1;
      told.wrong.push(`${nameOf(booking)}: neither booked nor refused`);
    }
  }
  return told;
}

function nameOf({ where, calendarId, eventId, phone }: OutsideBooking): string {
  return where === 'calendar' ? `event ${eventId} in ${calendarId}` : `the row of …${phone.slice(-4)}`;
}
