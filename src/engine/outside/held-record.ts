import { RetryableError } from '../domain/errors.ts';
import { contentHash, contentOf, type Snapshot } from '../domain/object.ts';
import {
  type BookingAnswer,
  type BookingRecord,
  type BookingSource,
  NEW_BOOKING,
  type OwnAppointment,
  ownOf,
  type SeenBooking,
  type Told,
  withoutLoss,
} from '../domain/outside-booking.ts';
import type { Claim } from '../domain/work.ts';
import type { AnswerPlace } from '../ports/bookings.ts';
import type { LinkStore } from '../ports/calendars.ts';

/** Replaces the hash of an answer that may no longer be there. */
const IN_DOUBT = '';

export interface RecordParts {
  readonly mapping: BookingSource;
  readonly links: Pick<LinkStore, 'write'>;
  readonly place: AnswerPlace;
}

/** Result of a decision about a booking. */
export type Outcome =
  | { readonly state: 'ignored' | 'refused'; readonly code: string }
  | { readonly state: 'booked' | 'cancelled'; readonly own: OwnAppointment };

/** The record of one outside booking while a handler works on it. Every change is stored immediately, under the claim's fence. */
export class HeldRecord {
  readonly #parts: RecordParts;
  readonly #claim: Claim;
  readonly #seen: SeenBooking;
  /** Hash of what people wrote. `hash` adds the rules by which the booking is judged. */
  readonly content: string;
  readonly hash: string;
  #record: BookingRecord;

  constructor(parts: RecordParts, claim: Claim, seen: SeenBooking) {
    this.#parts = parts;
    this.#claim = claim;
    this.#seen = seen;
    this.content = contentHash(contentOf('booking', seen as unknown as Snapshot));
    this.hash = `${this.content}/${contentHash(parts.mapping)}`;
    this.#record = claim.links[parts.mapping.name]?.booking ?? NEW_BOOKING;
  }

  get current(): BookingRecord {
    return this.#record;
  }

  /** An edit of the YAML does not touch an existing appointment. */
  isChanged(): boolean {
    return ownOf(this.#record) === undefined ? this.#record.decided !== this.hash : this.isRewritten();
  }

  /** People have written something else since the last decision. */
  isRewritten(): boolean {
    return this.#record.decided?.split('/')[0] !== this.content;
  }

  /** Only the rules have changed since the last decision. */
  isDecidedByOtherRules(): boolean {
    return this.isChanged() && !this.isRewritten();
  }

  /** Rejects with `RetryableError` `fenced`. */
  async put(record: BookingRecord): Promise<void> {
    const { links, mapping } = this.#parts;
    if (!(await links.write(this.#claim, mapping.name, { booking: record })))
      throw new RetryableError('fenced', 'another handler took the object over');
    this.#record = record;
  }

  /** Records the decision about what was seen. `tellAuthor` writes the answer, at the latest in the next turn. */
  async decide(now: Outcome, answer: BookingAnswer): Promise<void> {
    const { series } = this.#record;
    const every = { ...(series && { series }), decided: this.hash, told: this.#toTell(answer) };
    await this.put(now.state === 'refused' ? { ...every, ...now, ...this.#beside() } : { ...every, ...now });
  }

  #toTell(answer: BookingAnswer): Told {
    const { told } = this.#record;
    if (told.is !== 'given') return { is: 'due', answer };
    // Whoever rewrote the booking may have overwritten the answer, so it is checked again.
    return { is: 'given', answer, stands: this.isChanged() ? IN_DOUBT : told.stands };
  }

  /** Keeps the cancelled appointment of a row that wished for another one. */
  #beside(): { readonly own?: OwnAppointment } {
    const own = ownOf(this.#record);
    if (own === undefined) return {};
    const { unready: _, ...kept } = own;
    return { own: { ...kept, wish: withoutLoss(own.wish) } };
  }

  /** Writes the answer once, and records what was written. */
  async tellAuthor(): Promise<void> {
    const { told } = this.#record;
    if (told.is === 'nothing' || this.#seen.state === 'gone') return;
    const { answer } = told;
    const stands = told.is === 'given' ? told.stands : undefined;
    const hash = contentHash(answer);
    // Rows get the answer each time: people may have overwritten it, and the outbox writes only what the row lacks.
    const isEvent = this.#seen.place === 'calendar';
    // A row may have been copied with another row's answer: an empty answer removes it.
    if (isEvent && (stands === hash || (answer.text === '' && stands === undefined))) return;
    // Stored before the write: even if its outcome stays unknown, the answer is removed once it is no longer true.
    if (stands === undefined) await this.#stands(answer, IN_DOUBT);
    await this.#parts.place.answer(this.#seen, answer, this.#claim);
    if (stands === hash) return;
    if (answer.text === '') await this.put({ ...this.#record, told: { is: 'due', answer } });
    else await this.#stands(answer, hash);
  }

  async #stands(answer: BookingAnswer, stands: string): Promise<void> {
    await this.put({ ...this.#record, told: { is: 'given', answer, stands } });
  }
}
