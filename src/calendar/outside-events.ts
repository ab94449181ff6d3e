// Takes every changed event of a calendar in which people book. Observes each one that is, or was, a booking. Anybody who may send one
// invitation may send many: rules look at short fields, and only what they take is read in full. Level-based: only what an event says now
// matters, whatever happened to it.

import { setImmediate } from 'node:timers/promises';
import { type RuledEvent, takesEvent } from '../engine/event-rule.ts';
import { APPOINTMENT_MARK, hashTexts, MARK, withoutAnswer } from '../engine/event-texts.ts';
import {
  bookingIdOf,
  calendarOrigin,
  continuedSeries,
  isNoteId,
  objectOf,
  seriesOfInstance,
} from '../engine/ids.ts';
import type { Intake } from '../engine/intake.ts';
import type { LeaseProof } from '../engine/leases.ts';
import type { Ledger } from '../engine/ledger.ts';
import { writtenAs } from '../engine/link.ts';
import type { RedisMemory } from '../engine/memory.ts';
import {
  contentHash,
  type EntityKey,
  given,
  inParts,
  parseKey,
  type Snapshot,
  withoutUndefined,
} from '../engine/object.ts';
import { type CalendarBookings, ownOf, type SeenEventBooking } from '../engine/outside-booking.ts';
import { decodeReferences, headOf, plainText } from '../engine/plain-text.ts';
import { shownUntil } from '../engine/poll-pace.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Claim } from '../engine/work.ts';
import {
  ATTENDEES_READ_MAX,
  type CalendarEvent,
  invitedPeople,
  otherOrganizer,
} from '../google/calendar-event.ts';
import type { ChangeListener } from './calendar-sync.ts';
import type { CalendarCursors } from './stores.ts';

/** Events noted in parallel: each may cost two round trips to Redis. */
const EVENTS_AT_ONCE = 20;
/** Longest title, place or description; Google keeps 8,192 characters. */
const TEXT_CHARS_MAX = 20_000;
/** From a day's midnight in UTC until it is over in the last zone. */
const DAY_EVERYWHERE_MS = 36 * 3_600_000;
/** The worker's own private properties. */
const OWN_PROPERTY = /^slotbridge/;

export interface OutsideEventsParts {
  /** In the order of the YAML: the first entry that takes an event gets it. */
  readonly mappings: readonly CalendarBookings[];
  readonly intake: Pick<Intake, 'observe'>;
  readonly view: Pick<Ledger, 'peek'>;
  /** Up to which moment a calendar has been read; absent where lateness does not matter. */
  readonly cursors?: Pick<CalendarCursors, 'read'>;
  readonly clock: Clock;
}

export interface OutsideWatchParts extends OutsideEventsParts {
  readonly cursors: Pick<CalendarCursors, 'read'>;
  /** Holds under which rules a calendar was read. */
  readonly memory: Pick<RedisMemory, 'get' | 'setUnder'>;
}

export function watchOutsideEvents(parts: OutsideWatchParts): ChangeListener {
  return async (calendarId, events, { askedAtMs, lease }) => {
    const mappings = mappingsAt(parts, calendarId);
    const readBeforeMs = await readUnderOtherRules(parts, { calendarId, mappings, lease });
    if (mappings.length === 0) return;
    // The worker's own events have ids that only it can assign.
    const others = events.filter(({ id }) => objectOf(id) === undefined && !isNoteId(id));
    for (const rank of [0, 1, 2]) {
      const ranked = others.filter((event) => rankOf(event) === rank);
      for (const some of inParts(ranked, EVENTS_AT_ONCE)) {
        await Promise.all(
          some.map((event) =>
            noteOutsideEvent(parts, { calendarId, event, seenAtMs: askedAtMs, lease, readBeforeMs }),
          ),
        );
        // Leases and probes get their turn, however many events there are.
        await setImmediate();
      }
    }
  };
}

/** A series comes before the series that continues it, and both before their events. */
function rankOf({ id, recurrence, extendedProperties }: CalendarEvent): number {
  if (recurrence === undefined) return 2;
  const isMarked = extendedProperties?.private?.[MARK.key] !== undefined;
  return isMarked || continuedSeries(id) !== undefined ? 1 : 0;
}

/** Notes the event if a rule takes it, or if it was a booking. Repeating it changes nothing. */
export async function noteOutsideEvent(
  parts: OutsideEventsParts,
  about: {
    readonly calendarId: string;
    readonly event: CalendarEvent;
    /** When the event was requested. */
    readonly seenAtMs: number;
    /** Absent: a handler read the event outside a sync. */
    readonly lease?: LeaseProof;
    /** Up to when the calendar was read under other rules. */
    readonly readBeforeMs?: number | undefined;
  },
): Promise<void> {
  const { calendarId, event, seenAtMs: nowMs, lease, readBeforeMs } = about;
  const mappings = mappingsAt(parts, calendarId);
  const origin = calendarOrigin(calendarId, event.id);
  const key: EntityKey = { kind: 'booking', id: bookingIdOf(origin) };
  const isLive = event.status !== 'cancelled';
  const itself = isLive ? mappings.find((each) => takes(each, event, calendarId)) : undefined;
  const continued = isLive
    ? await continuedBy({ mappings, view: parts.view }, { calendarId, event, taking: itself })
    : undefined;
  const taking = mappings.find(({ name }) => name === continued?.mapping) ?? itself;
  const isOld = readBeforeMs !== undefined && taking !== undefined;
  if (isOld && (await isLeftAlone(parts.view, { calendarId, event }, readBeforeMs))) return;
  // Looked up before any filter: a tombstone may hold no more than its id (case 29).
  const known = taking === undefined ? (await parts.view.peek(key))?.snapshot : undefined;
  const mapping = taking?.name ?? known?.['mapping'];
  if (typeof mapping !== 'string') return;
  // Take only instances within the series' horizon; the series' own turn finds the rest in time.
  if (taking !== undefined && isBeyond(taking, event, nowMs) && (await parts.view.peek(key)) === undefined)
    return;
  const fields = isLive ? fieldsOf(event, calendarId) : undefined;
  const base = {
    id: key.id,
    origin,
    mapping,
    place: 'calendar',
    calendar_id: calendarId,
    event_id: event.id,
  } as const;
  const seen_at = new Date(nowMs).toISOString();
  const snapshot: SeenEventBooking =
    fields === undefined
      ? {
          ...(known as Partial<SeenEventBooking>),
          is_matching: true,
          is_copy: false,
          ...base,
          seen_at,
          state: 'gone',
        }
      : {
          ...{ ...base, seen_at, state: 'live' as const, ...withWords(fields, continued) },
          ...given('continues', continued?.continues),
          ...given(SHOWN_TITLE, continued?.words && event.recurrence && (event.summary ?? '')),
          ...given('guest_copy', guestCopyOf(event, calendarId, taking)),
          ...(taking && (await latenessOf(parts, key, about))),
          is_matching: taking !== undefined,
          is_copy: continued === undefined && event.extendedProperties?.private?.[MARK.key] === MARK.value,
        };
  await parts.intake.observe({
    ...{ key, source: 'calendar', occurredAtMs: Date.parse(event.updated ?? '') || nowMs },
    ...(lease !== undefined && { under: { name: lease.name, proof: lease.proof } }),
    seen: { as: 'snapshot', snapshot: snapshot as unknown as Snapshot },
  });
}

type Lateness = Pick<SeenEventBooking, 'read_late' | 'written_late'>;

/**
 * For an event that is over when the calendar is read. `read_late`: written before its hour and after the calendar was last read, so it
 * could not be seen in time. `written_late`: written after its hour. What was there before the calendar was ever read is history. The flag
 * stays once it is set, because the worker's own answer also changes the event.
 */
async function latenessOf(
  { cursors, view, clock }: OutsideEventsParts,
  key: EntityKey,
  { calendarId, event, seenAtMs }: Parameters<typeof noteOutsideEvent>[1],
): Promise<Lateness> {
  const { dateTime, date } = event.start ?? {};
  // An all-day event is over once its day has ended everywhere.
  const startMs = dateTime === undefined ? Date.parse(date ?? '') + DAY_EVERYWHERE_MS : Date.parse(dateTime);
  if (cursors === undefined || event.recurringEventId !== undefined || !(startMs <= seenAtMs)) return {};
  const known = (await view.peek(key))?.snapshot;
  if (known !== undefined && known['starts_at'] === dateTime && known['date'] === date) {
    if (known['read_late'] === true) return { read_late: true };
    if (known['written_late'] === true) return { written_late: true };
  }
  const writtenMs = Date.parse(event.updated ?? '');
  const untilMs = shownUntil(await cursors.read(calendarId), clock.now());
  if (untilMs === undefined || !(writtenMs >= untilMs - CLOCKS_APART_MS)) return {};
  return writtenMs < startMs ? { read_late: true } : { written_late: true };
}

function mappingsAt({ mappings }: OutsideEventsParts, calendarId: string): readonly CalendarBookings[] {
  const id = calendarId.toLowerCase();
  return mappings.filter(({ calendars }) => calendars.some((each) => each.calendarId.toLowerCase() === id));
}

function isBeyond({ series }: CalendarBookings, event: CalendarEvent, nowMs: number): boolean {
  if (series === undefined || event.recurringEventId === undefined) return false;
  return Date.parse(event.start?.dateTime ?? '') > nowMs + series.horizonMs;
}

function takes(mapping: CalendarBookings, event: CalendarEvent, calendarId: string): boolean {
  const organizer = otherOrganizer(event, calendarId);
  const isColleague = organizer !== undefined && isOfEntry(mapping, organizer);
  return takesEvent(mapping.when, {
    ...ruledOf(event),
    invitedBy: isColleague ? undefined : organizer,
  });
}

function isOfEntry({ calendars }: CalendarBookings, address: string): boolean {
  return calendars.some(({ calendarId }) => calendarId.toLowerCase() === address);
}

function withWords(own: ReturnType<typeof fieldsOf>, continued: Continued | undefined) {
  if (continued?.words === undefined) return own;
  const { title: _, description: __, location: ___, ...fields } = own;
  return { ...fields, ...continued.words };
}

/** An event without write access cannot be answered, and a meeting of colleagues is one booking (case 51). */
function guestCopyOf(
  event: CalendarEvent,
  calendarId: string,
  mapping: CalendarBookings | undefined,
): SeenEventBooking['guest_copy'] {
  const organizer = otherOrganizer(event, calendarId);
  if (organizer === undefined) return undefined;
  if (mapping !== undefined && isOfEntry(mapping, organizer)) return 'colleague';
  return event.guestsCanModify === true ? 'writable' : 'read-only';
}

function ruledOf(event: CalendarEvent): RuledEvent {
  const { attendees = [] } = event;
  return {
    title: titleOf(event),
    creator: event.creator?.email,
    // A rule may name a room.
    attendees: attendees.slice(0, ATTENDEES_READ_MAX).flatMap(({ email }) => email ?? []),
    properties: event.extendedProperties?.private,
  };
}

/** Senders of invitations and forms leave character references in titles, which are no HTML. */
function titleOf({ summary }: CalendarEvent): string | undefined {
  return summary && decodeReferences(headOf(summary, TEXT_CHARS_MAX));
}

/** What people wrote, as templates and rules see it. Fields that Google omits stay absent. */
function fieldsOf(event: CalendarEvent, calendarId: string) {
  const properties = Object.entries(event.extendedProperties?.private ?? {}).filter(
    ([name]) => !OWN_PROPERTY.test(name),
  );
  const attendees = invitedPeople(event, calendarId);
  const response = (event.attendees ?? []).find(({ self }) => self === true)?.responseStatus;
  const timezone = event.start?.timeZone;
  const description = headOf(plainText(withoutAnswer(event.description ?? '')), TEXT_CHARS_MAX);
  return {
    status: event.status,
    ...given('event_type', event.eventType),
    ...given('title', titleOf(event)),
    ...given('description', description === '' ? undefined : description),
    ...given('location', event.location && decodeReferences(headOf(event.location, TEXT_CHARS_MAX))),
    ...given('starts_at', event.start?.dateTime),
    ...given('ends_at', event.end?.dateTime),
    ...given('date', event.start?.date),
    ...given('timezone', timezone),
    ...given('recurrence', event.recurrence),
    ...given('recurring_event_id', event.recurringEventId),
    ...given('creator', event.creator?.email),
    ...given('organizer', event.organizer?.email),
    ...(attendees.length > 0 && { attendees }),
    ...given('response', response),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
  };
}

// A decision about an event stands when the YAML changes. What was read under earlier rules, and booked by none of them, is no wish under
// later rules until a person changes the event.

/** An answer of Google may have been written that long before it was read, or by a clock that differs that much. */
const CLOCKS_APART_MS = 60_000;

interface RuleChangeParts {
  readonly memory: Pick<RedisMemory, 'get' | 'setUnder'>;
  readonly cursors: Pick<CalendarCursors, 'read'>;
  readonly clock: Clock;
}

interface Ruled {
  /** Hash of the rules at the calendar. */
  readonly rules: string;
  /** Up to when the calendar was read under other rules; epoch milliseconds. Absent: it was never. */
  readonly untilMs?: number;
}

/**
 * Up to when the calendar was read under other rules than these; undefined if it never was. Call it with every reading, also an empty one:
 * a first reading that is noted later counts as one under other rules.
 */
async function readUnderOtherRules(
  { memory, cursors, clock }: RuleChangeParts,
  at: {
    readonly calendarId: string;
    readonly mappings: readonly CalendarBookings[];
    readonly lease: LeaseProof;
  },
): Promise<number | undefined> {
  const fact = `booking-rules ${at.calendarId}`;
  const rules = contentHash(at.mappings.map(({ name, when, calendars }) => [name, when, calendars]));
  const text = await memory.get(fact);
  const known = text === undefined ? undefined : (JSON.parse(text) as Ruled);
  if (known?.rules === rules) return known.untilMs;
  // A calendar that loses its rules is read under none. One that never had any needs no note: all before its first rule counts as that.
  if (known === undefined && at.mappings.length === 0) return undefined;
  const untilMs = shownUntil(await cursors.read(at.calendarId), clock.now());
  const ruled: Ruled = { rules, ...(untilMs !== undefined && { untilMs }) };
  await memory.setUnder(at.lease, { [fact]: JSON.stringify(ruled) });
  return untilMs;
}

/** Whether the event was left alone under earlier rules, and nobody has changed it since. */
async function isLeftAlone(
  view: Pick<Ledger, 'peek'>,
  { calendarId, event }: { readonly calendarId: string; readonly event: CalendarEvent },
  untilMs: number,
): Promise<boolean> {
  if (!(Date.parse(event.updated ?? '') <= untilMs - CLOCKS_APART_MS)) return false;
  const known = (id: string) =>
    view.peek({ kind: 'booking', id: bookingIdOf(calendarOrigin(calendarId, id)) });
  const own = await known(event.id);
  if (isKnown(own) || event.recurringEventId === undefined) return isWithoutBooking(own);
  return isWithoutBooking(await known(event.recurringEventId));
}

function isKnown(claim: Claim | undefined): boolean {
  return claim?.snapshot !== undefined || recordsOf(claim).length > 0;
}

function isWithoutBooking(claim: Claim | undefined): boolean {
  if (!isKnown(claim)) return true;
  const records = recordsOf(claim);
  return (
    records.length > 0 &&
    records.every(
      (record) => record.state === 'refused' || (record.state === 'ignored' && record.series === undefined),
    )
  );
}

function recordsOf(claim: Claim | undefined) {
  return Object.values(claim?.links ?? {}).flatMap(({ booking }) => booking ?? []);
}

// A series that people have split ("this and following events") goes on in a second master. Google copies into it what the event showed from
// which people split. These may be the mirror's texts and marks. So the second master and its events mean what the first one said, unless
// people wrote a booking into them.

/** What an event of a split series means. */
interface Continued {
  /** Id of the first master. */
  readonly continues: string;
  /** Name of the `bookings` entry that takes the series. */
  readonly mapping: string;
  /** What the series said first; absent if the event's own words count. */
  readonly words?: Words;
}

type Words = Readonly<Partial<Record<'title' | 'description' | 'location', string>>>;

/** The title that a second master really shows: an event of it with another title has words of its own. */
const SHOWN_TITLE = 'shown_title';

interface Parts {
  readonly mappings: readonly CalendarBookings[];
  readonly view: Pick<Ledger, 'peek'>;
}

interface At {
  readonly calendarId: string;
  readonly event: CalendarEvent;
  /** The entry that takes the event by its own words. */
  readonly taking: CalendarBookings | undefined;
}

/** Undefined for an event that continues no series by which people book. */
async function continuedBy(parts: Parts, at: At): Promise<Continued | undefined> {
  const { recurrence, recurringEventId } = at.event;
  if (recurrence !== undefined) return ofMaster(parts, at);
  return recurringEventId === undefined ? undefined : ofInstance(parts, at, recurringEventId);
}

async function ofMaster(parts: Parts, at: At): Promise<Continued | undefined> {
  const { calendarId, event, taking } = at;
  const appointment = await appointmentIn(parts, at);
  const known = await bookingOf(parts, calendarId, event.id);
  // The appointment may be over by now, and its link gone.
  const before = textOf(known?.snapshot?.['continues']);
  const first = continuedSeries(event.id)?.first ?? before ?? appointment?.series;
  if (first === undefined || first === event.id) return undefined;
  const former = await bookingOf(parts, calendarId, first);
  const isKnown = before === first;
  const isFormerSeries = former?.snapshot?.['recurrence'] !== undefined;
  if (!isFormerSeries && !isKnown) return undefined;
  if (taking !== undefined && !isMirrors(at, taking, appointment?.title))
    return { continues: first, mapping: taking.name };
  // The first part may be over for so long that its content is no longer kept.
  const source = isFormerSeries ? former.snapshot : known?.snapshot;
  const mapping = parts.mappings.find(({ name }) => name === source?.['mapping']);
  return mapping?.series && source && { continues: first, mapping: mapping.name, words: wordsOf(source) };
}

async function ofInstance(parts: Parts, at: At, masterId: string): Promise<Continued | undefined> {
  const { event, taking, calendarId } = at;
  const master = (await bookingOf(parts, calendarId, masterId))?.snapshot;
  const continues = textOf(master?.['continues']);
  const mapping = textOf(master?.['mapping']);
  if (master === undefined || continues === undefined || mapping === undefined) return undefined;
  const title = textOf(master[SHOWN_TITLE]);
  if (title !== undefined && (event.summary ?? '') === title)
    return { continues, mapping, words: wordsOf(master) };
  // Its own words count.
  return taking && { continues, mapping: taking.name };
}

/** Whether the mirror wrote what the event says, not whoever made it. */
function isMirrors({ event }: At, { when }: CalendarBookings, written: string | undefined): boolean {
  const isWritten = written !== undefined && hashOf(event.summary ?? '') === written;
  if (isWritten) return true;
  const isMarked = event.extendedProperties?.private?.[MARK.key] === MARK.value;
  // Only people write a title by which a rule asks for a booking.
  const asksByTitle = (when.title ?? '*').replaceAll('*', '').trim() !== '';
  return isMarked && !asksByTitle;
}

/** The appointment at whose event people split the series: its series, and the hash of the title that the mirror wrote. */
async function appointmentIn(
  { view }: Parts,
  { calendarId, event }: At,
): Promise<{ readonly series: string | undefined; readonly title: string | undefined } | undefined> {
  const marked = event.extendedProperties?.private?.[APPOINTMENT_MARK];
  const at = continuedSeries(event.id)?.instance;
  const booked = at === undefined ? undefined : await bookingOf({ view }, calendarId, at);
  const records = Object.values(booked?.links ?? {}).flatMap(({ booking }) => booking ?? []);
  const id = marked ?? records.map((record) => ownOf(record)?.id).find((own) => own !== undefined);
  const key = id === undefined ? undefined : parseKey(`appointment/${id}`);
  const known = key && (await view.peek(key));
  const links = Object.values(known?.links ?? {})
    .flatMap(({ calendars = [] }) => calendars)
    .filter((link) => link.calendarId === calendarId);
  const link = links.find(({ eventId }) => seriesOfInstance(eventId) !== undefined);
  if (link === undefined) return undefined;
  return { series: seriesOfInstance(link.eventId), title: writtenAs(link)?.shown?.summary };
}

function bookingOf({ view }: Pick<Parts, 'view'>, calendarId: string, eventId: string) {
  const key: EntityKey = { kind: 'booking', id: bookingIdOf(calendarOrigin(calendarId, eventId)) };
  return view.peek(key);
}

function wordsOf(source: Snapshot): Words {
  return withoutUndefined({
    title: textOf(source['title']),
    description: textOf(source['description']),
    location: textOf(source['location']),
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function hashOf(summary: string): string | undefined {
  return hashTexts({ summary }, undefined).summary;
}
