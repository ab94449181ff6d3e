import { NOTE_WORDS } from './booking-answer.ts';
import type { BookingTurnParts } from './booking-turn-parts.ts';
import type { CalendarEvents } from './calendar-events.ts';
import type { AnswerPlace, IsFormer } from './carriers.ts';
import { type BookedAppointment, carriedWish, type DecideInput, whoOf } from './decide-booking.ts';
import { DeferredError } from './errors.ts';
import { extractCustomer, extractSeen } from './extract-booking.ts';
import { bookingIdOf, calendarOrigin, isRowId, isSaidNew, rowOfOrigin } from './ids.ts';
import { originMark } from './intent.ts';
import type { Ledger } from './ledger.ts';
import { type EventNote, type KnownTimes, linkTo, opened } from './link.ts';
import type { LinkStore } from './link-store.ts';
import {
  contentHash,
  contentOf,
  type EntityKey,
  formatKey,
  originOf,
  type Snapshot,
  visibleState,
} from './object.ts';
import {
  type BookingAnswer,
  type BookingLanguage,
  type BookingRecord,
  type BookingSource,
  type BookWish,
  type CalendarBookings,
  isInvitation,
  NEW_BOOKING,
  type OwnAppointment,
  ownOf,
  type Refusal,
  ROW_INPUTS,
  type SeenBooking,
  type SeenEventBooking,
  type SeenRowBooking,
  type SeenTypedBooking,
  type Told,
  wishedOf,
  withOwn,
  withoutLoss,
} from './outside-booking.ts';
import { type CustomerMarks, type CustomerMatch, compareCustomers, customerMarks } from './person.ts';
import type { PlatformReader } from './platform.ts';
import type { Clock } from './runtime.ts';
import type { Claim } from './work.ts';

interface BookedParts {
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly view: Pick<Ledger, 'peek'>;
}

/** Reads the current appointment of an outside booking; undefined when the platform does not show it. */
export async function readBooked(
  parts: BookedParts,
  seen: SeenBooking,
  own: OwnAppointment | undefined,
): Promise<BookedAppointment | undefined> {
  if (own === undefined) return undefined;
  const { id, mirrored } = own;
  const key: EntityKey = { kind: 'appointment', id };
  // The mirror and staff edits take care of this appointment, so it is not read. A missing event may have been removed by the mirror.
  if ((seen.state === 'gone' && mirrored) || (await isMirrored(parts, seen, key)))
    return { status: '', startsAt: '', isMirrored: true };
  const found = await parts.reader.get(key);
  return found && bookedAppointment(found);
}

export function bookedAppointment(appointment: Snapshot): BookedAppointment {
  const { status, starts_at: startsAt, updated_at: updatedAt } = appointment;
  const resourceIds = [appointment['resource_id'], appointment['resource_ids']]
    .flat()
    .filter((id) => typeof id === 'string');
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

/** Finds the appointment that the row itself names, as after a loss of Redis. It counts only if the appointment names this origin. */
export async function findWritten(
  { reader }: Pick<BookedParts, 'reader'>,
  seen: SeenBooking,
): Promise<{ readonly id: string; readonly isCancelled: boolean } | undefined> {
  const id = seen.place === 'calendar' ? undefined : seen.known_appointment;
  if (id === undefined || !/^[0-9a-f-]{36}$/i.test(id)) return undefined;
  const found = await reader.get({ kind: 'appointment', id });
  if (found === undefined || originOf(found) !== seen.origin) return undefined;
  return { id, isCancelled: found['status'] === 'cancelled' };
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
/** A cell's hash tells no more than whether the cell has changed. */
const CELL_CHARS = 6;
const NO_CELL = contentHash('').slice(0, CELL_CHARS);

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
  /** `content` as versions up to 0.3.0 stored it: with the names of entry and tab, which are the YAML's. */
  readonly #former: string;
  /** The YAML may have changed what the row says since the last decision. */
  readonly #isReread: boolean;
  /** And, as far as known, nobody else has. */
  readonly #isUntouched: boolean;
  #record: BookingRecord;

  constructor(parts: RecordParts, claim: Claim, seen: SeenBooking) {
    this.#parts = parts;
    this.#claim = claim;
    this.#seen = seen;
    const { unjudged: _, rules, ...said } = seen as unknown as Snapshot & SeenRowBooking;
    const content = contentOf('booking', said as unknown as Snapshot);
    const { mapping: __, tab: ___, spreadsheet_id: ____, ...words } = content;
    this.content = contentHash(words);
    this.#former = contentHash(content);
    const cells: Readonly<Record<string, unknown>> = { ...words, ...Object(words['cells']) };
    const typed = ROW_INPUTS.map((input) => contentHash(cells[input] ?? '').slice(0, CELL_CHARS)).join('.');
    const judged = [
      this.content,
      contentHash(parts.mapping),
      ...(rules === undefined ? [] : [rules, typed]),
    ].join('/');
    // Two entries may have exchanged their names, or one may have got a place of the other.
    const [others] = Object.values(claim.links).flatMap(({ booking }) => booking ?? []);
    const known = claim.links[parts.mapping.name]?.booking ?? others ?? NEW_BOOKING;
    const [, , headersBefore, before, typedBefore] = known.decided?.split('/') ?? [];
    const [headers, now] = rules?.split('/') ?? [];
    this.#isReread = before !== undefined && now !== undefined && before !== now;
    // A cell whose formula has no value says nothing: what was decided stands until it has.
    const isUnfinished = seen.place === 'row' && seen.unclear === 'formula';
    this.#isUntouched =
      this.#isReread &&
      !isTouched({ headers: headersBefore, typed: typedBefore }, { headers, typed }, isUnfinished);
    this.hash = (this.#isUntouched && isUnfinished ? known.decided : undefined) ?? judged;
    this.#record = this.#isReread ? withoutWish(known) : known;
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
    const decided = this.#record.decided?.split('/')[0];
    return !this.#isUntouched && decided !== this.content && decided !== this.#former;
  }

  /** Only the rules have changed since the last decision. */
  isDecidedByOtherRules(): boolean {
    return this.isChanged() && !this.isRewritten();
  }

  /** Rejects with `RetryableError` `fenced`. */
  async put(record: BookingRecord): Promise<void> {
    const { links, mapping } = this.#parts;
    await links.write(this.#claim, mapping.name, { booking: record });
    this.#record = record;
  }

  /** Records the decision about what was seen. `tellAuthor` writes the answer, at the latest in the next turn. */
  async decide(now: Outcome, answer: BookingAnswer): Promise<void> {
    const { series, told: before } = this.#record;
    // Whoever rewrote the booking may have overwritten the answer, so it is checked again.
    const told: Told =
      before.is === 'given'
        ? { is: 'given', answer, stands: this.isChanged() ? IN_DOUBT : before.stands }
        : { is: 'due', answer };
    const every = { ...(series && { series }), decided: this.hash, told };
    await this.put(now.state === 'refused' ? { ...every, ...now, ...this.#beside() } : { ...every, ...now });
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

/** An event whose entry has this name by now: its record has moved, and nothing reads the event again before people change it. */
export function isOfFormerEntry(
  { entries, mapping }: Pick<BookingTurnParts, 'entries' | 'mapping'>,
  { snapshot, links }: Pick<Claim, 'snapshot' | 'links'>,
): boolean {
  const isNamed = entries.some(({ name }) => name === snapshot?.['mapping']);
  return snapshot?.['place'] === 'calendar' && !isNamed && links[mapping.name]?.booking !== undefined;
}

interface TypedUnder {
  /** A hash for each of `ROW_INPUTS`, with dots between. */
  readonly headers: string | undefined;
  readonly typed: string | undefined;
}

/** Whether a column that means the same before and after says something else. Of all others nobody knows what they said. */
function isTouched(before: TypedUnder, now: TypedUnder, isUnfinished: boolean): boolean {
  const [headers = [], cells = [], headersNow = [], cellsNow = []] = [
    ...[before.headers, before.typed, now.headers, now.typed],
  ].map((hashes) => hashes?.split('.'));
  return headersNow.some((header, at) => {
    const isKnown = header === headers[at] && !(isUnfinished && cellsNow[at] === NO_CELL);
    return isKnown && cellsNow[at] !== cells[at];
  });
}

/** What the row wished by other rules is unknown, as after a loss of Redis: nobody may have typed the hour that it says now. */
function withoutWish(record: BookingRecord): BookingRecord {
  const { asked: _, ...known } = record;
  return ownOf(record) === undefined ? record : withOwn(known, { wish: { is: 'unknown' } });
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

/** What a turn needs from every booking, whether an event or a row made it. What only one kind can answer is in its own class. */
export interface BookingPlace {
  /** The answer must say in words what became of the appointment, because no event of the worker shows it there. */
  readonly answersInWords: boolean;
  /** Shortest time between two changes, in milliseconds. */
  readonly paceMs: number;
  /** IANA zone in which the author reads times; undefined where nothing names one. */
  readonly zone: string | undefined;
  /** The facts about this kind of booking that the decision needs. */
  facts(appointment: BookedAppointment | undefined, own: OwnAppointment | undefined): PlaceFacts;
  /** Returns a check whether an appointment of another origin is this booking's. */
  isFormer(): IsFormer | undefined;
}

export type PlaceFacts = Pick<
  DecideInput,
  'place' | 'isInvitation' | 'saysWhenReady' | 'typed' | 'isExchanged' | 'customer' | 'rules'
>;

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
  readonly view: Pick<Ledger, 'peek'>;
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

/** How soon people see a decision in their row: the flush of its spreadsheet comes first. */
const ANSWERED_WITHIN_MS = 30_000;

/** A booking made by a row: people type, sort, copy and overwrite it, and read its answer in a cell. */
export class RowPlace implements BookingPlace {
  readonly kind = 'row';
  readonly answersInWords = true;
  readonly paceMs: number;
  readonly zone: string | undefined;
  readonly #parts: BookingTurnParts;
  readonly #seen: SeenTypedBooking;

  constructor(parts: BookingTurnParts, seen: SeenTypedBooking) {
    const { mapping } = parts;
    this.paceMs = mapping.kind === 'calendar' ? 0 : mapping.everyMs;
    this.zone = mapping.kind === 'sheet' ? mapping.timezone : undefined;
    this.#parts = parts;
    this.#seen = seen;
  }

  facts(appointment: BookedAppointment | undefined, own: OwnAppointment | undefined): PlaceFacts {
    const { mapping } = this.#parts;
    const wish = own?.wish.is === 'unknown' ? this.typedWish() : undefined;
    const typed = wish && carriedWish(wish);
    return {
      place: 'row',
      saysWhenReady: mapping.kind === 'sheet' && mapping.columns.ready !== undefined,
      ...(typed && { typed }),
      ...(this.#seen.place === 'row' && {
        isExchanged: this.#seen.exchanged !== undefined,
        isOldTick: this.#seen.exchanged?.unticked === true,
      }),
      customer: this.#customer(appointment, own),
      rules: {
        stillForMs: mapping.stillForMs,
        ...(mapping.kind === 'sheet' && {
          conflict: mapping.conflict ?? 'platform',
          seenWithinMs: mapping.everyMs + ANSWERED_WITHIN_MS,
        }),
      },
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

  /** Whether the row names its appointment's customer, as wished or as the platform shows it. An id alone proves nothing. */
  #customer(appointment: BookedAppointment | undefined, own: OwnAppointment | undefined): CustomerMatch {
    if (appointment === undefined) return 'unknown';
    const typed = extractCustomer(this.#seen, this.#parts);
    if (typed === undefined) return 'unknown';
    const who = whoOf(typed);
    let isOther = false;
    for (const marks of [wishedOf(own)?.who, appointment.customer]) {
      const match = marks && compareCustomers(who, marks);
      if (match === 'same') return 'same';
      if (match === 'other') isOther = true;
    }
    return isOther ? 'other' : 'unknown';
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
  { view, clock }: { readonly view: Pick<Ledger, 'peek'>; readonly clock: Clock },
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
    if (known?.snapshot !== undefined) return false;
    for (const { booking } of Object.values(known?.links ?? {})) if (booking !== undefined) return false;
    return 'perhaps';
  };
}
