import { isRowId, isSaidNew, rowOfOrigin } from '../domain/ids.ts';
import type { BookWish, Refusal } from '../domain/outside-booking.ts';
import {
  type CarriedWish,
  type OwnAppointment,
  type SeenRowBooking,
  type SeenTypedBooking,
  wishedOf,
} from '../domain/outside-booking.ts';
import { type CustomerMarks, type CustomerMatch, compareCustomers } from '../domain/person.ts';
import type { IsFormer } from '../ports/bookings.ts';
import type { Clock } from '../ports/runtime.ts';
import type { ObjectView } from '../ports/work.ts';
import { bookedAppointment } from './booked-appointment.ts';
import type { BookingPlace, PlaceFacts } from './booking-place.ts';
import { type BookedAppointment, carriedWish, whoOf } from './decide.ts';
import { extractCustomer } from './extract.ts';
import { extractSeen } from './extract-seen.ts';
import type { BookingTurnParts } from './turn-parts.ts';

/** How soon people see a decision in their row: the flush of its spreadsheet comes first. */
const ANSWERED_WITHIN_MS = 30_000;

/** A booking made by a row: people type, sort, copy and overwrite it, and read its answer in a cell. */
export class RowPlace implements BookingPlace {
  readonly kind = 'row';
  readonly answersInWords = true;
  readonly #parts: BookingTurnParts;
  readonly #seen: SeenTypedBooking;

  constructor(parts: BookingTurnParts, seen: SeenTypedBooking) {
    this.#parts = parts;
    this.#seen = seen;
  }

  get paceMs(): number {
    const { mapping } = this.#parts;
    return mapping.kind === 'sheet' ? mapping.everyMs : 0;
  }

  get zone(): string | undefined {
    const { mapping } = this.#parts;
    return mapping.kind === 'sheet' ? mapping.timezone : undefined;
  }

  facts(appointment: BookedAppointment | undefined, own: OwnAppointment | undefined): PlaceFacts {
    const { mapping } = this.#parts;
    const typed = own === undefined || own.wish.is !== 'unknown' ? undefined : this.#typed();
    return {
      place: 'row',
      saysWhenReady: mapping.kind === 'sheet' && mapping.columns.ready !== undefined,
      ...(typed && { typed }),
      customer: this.#customer(appointment, own),
      rules: { stillForMs: mapping.stillForMs, ...this.#rules() },
    };
  }

  isFormer(): IsFormer | undefined {
    const seen = this.#seen;
    if (seen.place !== 'row' || isSaidNew(seen.row_id)) return undefined;
    return ofLostRow(this.#parts, seen, this.#who());
  }

  /** Whether the row names another customer than its appointment's. A row that names no customer does not. */
  isTypedOver(appointment: BookedAppointment, own: OwnAppointment | undefined): boolean {
    return this.#customer(appointment, own) === 'other' && Object.keys(this.#who()).length > 0;
  }

  /** What the row says, ignoring whether it is ready or cancelled. */
  typedWish(): BookWish | undefined {
    const extracted = extractSeen(this.#parts, { ...this.#seen, ready: true, cancel: false });
    return extracted.as === 'wish' ? extracted.wish : undefined;
  }

  /**
   * The refusal as this row can answer it. Without a column for the appointment, the row cannot take over the one that the refusal names.
   */
  nameable(refusal: Refusal): Refusal {
    const { mapping } = this.#parts;
    const isNamed = mapping.kind !== 'sheet' || mapping.columns.appointment !== undefined;
    return refusal.standing === undefined || isNamed
      ? refusal
      : { code: 'perhaps-booked-unnamed', slots: [] };
  }

  #rules(): Omit<PlaceFacts['rules'], 'stillForMs'> {
    const { mapping } = this.#parts;
    if (mapping.kind !== 'sheet') return {};
    const { conflict = 'platform', everyMs } = mapping;
    return { conflict, seenWithinMs: everyMs + ANSWERED_WITHIN_MS };
  }

  #typed(): CarriedWish | undefined {
    const wish = this.typedWish();
    return wish && carriedWish(wish);
  }

  /** Whether the row names its appointment's customer, as wished or as the platform shows it. An id alone proves nothing. */
  #customer(appointment: BookedAppointment | undefined, own: OwnAppointment | undefined): CustomerMatch {
    if (appointment === undefined) return 'unknown';
    const typed = extractCustomer(this.#seen, this.#parts);
    if (typed === undefined) return 'unknown';
    const booked = [wishedOf(own)?.who, appointment.customer].filter((marks) => marks !== undefined);
    const matches = booked.map((marks) => compareCustomers(whoOf(typed), marks));
    return (['same', 'other'] as const).find((match) => matches.includes(match)) ?? 'unknown';
  }

  #who() {
    return whoOf(extractCustomer(this.#seen, this.#parts) ?? {});
  }
}

// After a loss of Redis, only the rows and the platform remain. A row that also loses its id looks like a new wish. Only the platform knows
// what was booked: the appointment's origin names a row that no longer exists.

/**
 * Whether an appointment may be the row's: upcoming, for the same customer, and booked by an unknown row of the same spreadsheet. All
 * existing rows are known before a new one is booked. Deleted rows stay known until Redis is lost.
 */
export function ofLostRow(
  { view, clock }: { readonly view: Pick<ObjectView, 'peek'>; readonly clock: Clock },
  seen: SeenRowBooking,
  who: CustomerMarks,
): IsFormer {
  return async (mark, appointment, isCustomers) => {
    const id = rowOfOrigin(mark);
    if (id === undefined || !isRowId(id, seen.spreadsheet_id)) return false;
    const { startsAt, customer } = bookedAppointment(appointment);
    if (Date.parse(startsAt) <= clock.now()) return false;
    // The platform may omit the name and number of a customer with a card.
    if (!isCustomers && compareCustomers(who, customer ?? {}) !== 'same') return false;
    const known = await view.peek({ kind: 'booking', id });
    // Redis keeps the decision about a row longer than the row's content.
    const isDecided = Object.values(known?.links ?? {}).some(({ booking }) => booking !== undefined);
    return known?.snapshot === undefined && !isDecided ? 'perhaps' : false;
  };
}
