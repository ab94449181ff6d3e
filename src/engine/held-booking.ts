import { NOTE_WORDS } from './booking-answer.ts';
import type { AnswerPlace } from './carriers.ts';
import type { BookedAppointment } from './decide-booking.ts';
import type { Ledger } from './ledger.ts';
import { type EventNote, type KnownTimes, linkTo, opened } from './link.ts';
import { type LinkStore, storeLinks } from './link-store.ts';
import { visibleState } from './mirror.ts';
import { contentHash, contentOf, type EntityKey, formatKey, originOf, type Snapshot } from './object.ts';

import {
  type BookingAnswer,
  type BookingLanguage,
  type BookingRecord,
  type BookingSource,
  type CalendarBookings,
  NEW_BOOKING,
  type OwnAppointment,
  ownOf,
  type SeenBooking,
  type Told,
  withoutLoss,
} from './outside-booking.ts';
import { customerMarks } from './person.ts';
import type { PlatformReader } from './platform.ts';
import type { Claim } from './work.ts';

interface BookedParts {
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly view: Pick<Ledger, 'peek'>;
}

/** Reads the current appointment of an outside booking; undefined when the platform does not show it. */
export async function readBooked(
  parts: BookedParts,
  seen: SeenBooking,
  { id, mirrored }: OwnAppointment,
): Promise<BookedAppointment | undefined> {
  const key: EntityKey = { kind: 'appointment', id };
  // The mirror and staff edits take care of this appointment, so it is not read. A missing event may have been removed by the mirror.
  if ((seen.state === 'gone' && mirrored) || (await isMirrored(parts, seen, key)))
    return { status: '', startsAt: '', isMirrored: true };
  const found = await parts.reader.get(key);
  return found && bookedAppointment(found);
}

export function bookedAppointment(appointment: Snapshot): BookedAppointment {
  const { status, starts_at: startsAt, updated_at: updatedAt } = appointment;
  const resourceIds = [appointment['resource_id'], appointment['resource_ids']].flat().filter(isText);
  const standing = visibleState(appointment);
  const customer = customerMarks({
    contactId: appointment['contact_id'],
    phone: appointment['customer_phone'],
    email: appointment['customer_email'],
    name: appointment['customer_name'],
  });
  const place = { startsAt: String(startsAt), resourceIds };
  const known = { status: String(status), ...place, isMirrored: false, standing, customer };
  return typeof updatedAt === 'string' ? { ...known, updatedAt } : known;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Finds the appointment that the row itself names, as after a loss of Redis. It counts only if the appointment names this origin. */
export async function findWritten(
  { reader }: Pick<BookedParts, 'reader'>,
  seen: SeenBooking,
): Promise<string | undefined> {
  const id = seen.place === 'calendar' ? undefined : seen.known_appointment;
  if (id === undefined || !/^[0-9a-f-]{36}$/i.test(id)) return undefined;
  const found = await reader.get({ kind: 'appointment', id });
  return found !== undefined && originOf(found) === seen.origin ? id : undefined;
}

async function isMirrored(parts: BookedParts, seen: SeenBooking, appointment: EntityKey): Promise<boolean> {
  if (seen.place !== 'calendar') return false;
  const known = await parts.view.peek(appointment);
  const links = Object.values(known?.links ?? {}).flatMap(({ calendars = [] }) => calendars);
  // A link in another calendar means that the event was dragged back here. With two links, its absence there would count as a deletion.
  return links.some((link) => link.eventId === seen.event_id);
}

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
    await storeLinks(links, this.#claim, { mirror: mapping.name, links: { booking: record } });
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

  /** Makes the event or row show the answer. */
  async tellAuthor(): Promise<void> {
    const { told } = this.#record;
    if (told.is === 'nothing' || this.#seen.state === 'gone') return;
    if (this.#seen.place === 'calendar') return this.#tellEvent(told);
    // Each time, and also an empty one: people may have overwritten the answer, or copied another row's. The outbox writes what the row lacks.
    await this.#parts.place.answer(this.#seen, told.answer, this.#claim);
  }

  /** Writes the answer once, and records what was written. */
  async #tellEvent(told: Exclude<Told, { is: 'nothing' }>): Promise<void> {
    const { answer } = told;
    const stands = told.is === 'given' ? told.stands : undefined;
    const hash = contentHash(answer);
    if (stands === hash || (answer.text === '' && stands === undefined)) return;
    // Stored before the write: even if its outcome stays unknown, the answer is removed once it is no longer true.
    if (stands === undefined) await this.#stands(answer, IN_DOUBT);
    await this.#parts.place.answer(this.#seen, answer, this.#claim);
    if (answer.text === '') await this.put({ ...this.#record, told: { is: 'due', answer } });
    else await this.#stands(answer, hash);
  }

  async #stands(answer: BookingAnswer, stands: string): Promise<void> {
    await this.put({ ...this.#record, told: { is: 'given', answer, stands } });
  }
}

/** Links the event as the mirror of its appointment. Does nothing if this event, or another one there, is already linked. */
export async function becomeMirror(
  parts: { readonly entries: readonly CalendarBookings[]; readonly links: Pick<LinkStore, 'adopt'> },
  seen: SeenBooking,
  appointment: {
    readonly appointmentId: string;
    /**
     * The wished hour: a different hour shows that people moved the event since. With `startsAt`, an absence may be a deletion by people.
     */
    readonly hour: KnownTimes;
    readonly note?: EventNote;
    /** Set when the event is gone from its calendar and staff edits must find out why; epoch milliseconds. */
    readonly editSeenAtMs?: number;
  },
): Promise<void> {
  const { entries, links } = parts;
  if (seen.place !== 'calendar') return;
  const calendars = entries.flatMap((each) => each.calendars);
  const mirror = calendars.find(({ calendarId }) => calendarId === seen.calendar_id)?.mirror;
  if (mirror === undefined) return;
  const { appointmentId, hour, note, editSeenAtMs } = appointment;
  const at = { calendarId: seen.calendar_id, eventId: seen.event_id };
  const found = {
    ...linkTo(at, { hour }),
    ...(note && { note }),
  };
  const link = editSeenAtMs === undefined ? found : opened(found, editSeenAtMs);
  await links.adopt(formatKey({ kind: 'appointment', id: appointmentId }), mirror, link);
}

/** The platform decides how long an appointment lasts. The event takes that length, and this note says why. */
export function lengthNote(
  seen: SeenBooking,
  appointment: Snapshot,
  language: BookingLanguage,
): EventNote | undefined {
  if (seen.place !== 'calendar') return undefined;
  const lengthMs = Date.parse(seen.ends_at ?? '') - Date.parse(seen.starts_at ?? '');
  const givenMs = Date.parse(String(appointment['ends_at'])) - Date.parse(String(appointment['starts_at']));
  if (lengthMs === givenMs || Number.isNaN(lengthMs - givenMs)) return undefined;
  return { code: 'duration', text: NOTE_WORDS[language].duration, of: visibleState(appointment) };
}
