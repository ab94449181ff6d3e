import type { Refusal } from '../../domain/booking.ts';
import { type CustomerMatch, compareCustomers } from '../../domain/customer.ts';
import type { OwnAppointment, SeenRowBooking } from '../../domain/outside-booking.ts';
import { isSaidNew } from '../../domain/row-id.ts';
import type { IsFormer } from '../../ports/bookings.ts';
import type { BookingPlace } from './booking-place.ts';
import { carriedWish, type DecideInput, type OutsideVisit, whoOf } from './decide.ts';
import { extractCustomer } from './extract.ts';
import { extractSeen } from './extract-seen.ts';
import { ofLostRow } from './lost-row.ts';
import type { BookingTurnParts } from './turn-parts.ts';

/** After which people see in their row what has been decided: the flush of its spreadsheet comes before. */
const ANSWERED_WITHIN_MS = 30_000;

/** A booking made by a row: it is typed, sorted, copied and typed over, and reads its answer in a cell. */
export class RowPlace implements BookingPlace {
  readonly isTold = true;
  readonly day = undefined;
  readonly resourceId = undefined;
  readonly #parts: BookingTurnParts;
  readonly #seen: SeenRowBooking;

  constructor(parts: BookingTurnParts, seen: SeenRowBooking) {
    this.#parts = parts;
    this.#seen = seen;
  }

  get saysWhenReady(): boolean {
    const { mapping } = this.#parts;
    return mapping.kind === 'sheet' && mapping.columns.ready !== undefined;
  }

  get paceMs(): number {
    const { mapping } = this.#parts;
    return mapping.kind === 'sheet' ? mapping.everyMs : 0;
  }

  get rules(): BookingPlace['rules'] {
    const { mapping } = this.#parts;
    if (mapping.kind !== 'sheet') return { cancelsDeleted: false };
    const { conflict = 'platform', everyMs } = mapping;
    return { cancelsDeleted: false, conflict, seenWithinMs: everyMs + ANSWERED_WITHIN_MS };
  }

  get timezone(): string | undefined {
    const { mapping } = this.#parts;
    return mapping.kind === 'sheet' ? mapping.timezone : undefined;
  }

  typed(own: OwnAppointment | undefined): Pick<DecideInput, 'typed'> {
    if (own === undefined || own.wished !== undefined) return {};
    const extracted = extractSeen(this.#parts, { ...this.#seen, ready: true, cancel: false });
    return extracted.as === 'wish' ? { typed: carriedWish(extracted.wish) } : {};
  }

  /** As it was wished, or as the platform shows it. */
  customer(visit: OutsideVisit | undefined, own: OwnAppointment | undefined): CustomerMatch {
    if (visit === undefined) return 'unknown';
    const typed = extractCustomer(this.#seen, this.#parts);
    if (typed === undefined) return 'unknown';
    const booked = [own?.wished?.who, visit.customer].filter((marks) => marks !== undefined);
    const matches = booked.map((marks) => compareCustomers(whoOf(typed), marks));
    return (['same', 'other'] as const).find((match) => matches.includes(match)) ?? 'unknown';
  }

  /** A row that names nobody says nothing about another customer. */
  isTypedOver(visit: OutsideVisit, own: OwnAppointment | undefined): boolean {
    return this.customer(visit, own) === 'other' && Object.keys(this.#who()).length > 0;
  }

  async assertStands(): Promise<void> {}

  async isBookedBefore(): Promise<boolean> {
    return false;
  }

  isFormer(): IsFormer | undefined {
    return isSaidNew(this.#seen.row_id) ? undefined : ofLostRow(this.#parts, this.#seen, this.#who());
  }

  /** Where the row cannot name an appointment, it cannot be made that one's either. */
  nameable(refusal: Refusal): Refusal {
    const { mapping } = this.#parts;
    const isNamed = mapping.kind !== 'sheet' || mapping.columns.appointment !== undefined;
    return refusal.standing === undefined || isNamed
      ? refusal
      : { code: 'perhaps-booked-unnamed', slots: [] };
  }

  async isTooOften(): Promise<boolean> {
    return false;
  }

  #who() {
    return whoOf(extractCustomer(this.#seen, this.#parts) ?? {});
  }
}
