import type { ClassMove } from './class-move.ts';
import type { ClassSplit } from './class-slot.ts';
import { TEXT_FIELDS, type TextHashes, WRITTEN_MARK } from './event-texts.ts';
import { calendarMark, calendarPlace, sheetPlace } from './ids.ts';
import { valuesOf, withoutUndefined } from './object.ts';
import {
  answerOf,
  type BookingAnswer,
  type BookingRecord,
  type BookingState,
  type CarriedWish,
  type KnownWish,
  ownOf,
  type Told,
  wishedOf,
} from './outside-booking.ts';
import type { ShownCells } from './row-edit.ts';
import type { SheetSpot } from './sheet-row.ts';

/**
 * One event in one calendar that mirrors one appointment. The link says what is known of the event, what its absence would mean, and
 * whether a change by people waits for a decision. All other fields are facts about it, or absent.
 */
export interface CalendarLink {
  readonly calendarId: string;
  readonly eventId: string;
  /** True while the event has a colour that the mirror set: the mirror may remove it again. */
  readonly coloured: boolean;
  readonly event: LinkedEvent;
  /** The event named the guests of a class when it was last written: it must be rewritten if it may no longer name them. */
  readonly namesGuests?: true;
  /**
   * - `wish`: people have deleted it.
   * - `leaving`: the worker was about to delete it, and no answer is known.
   * - `doubled`: the worker has decided to put it back. Or the worker deleted an event of the same id elsewhere while this one existed;
   * people may have moved it there before.
   */
  readonly absence: 'wish' | 'leaving' | 'doubled';
  readonly edit: EditState;
  /** Resources of the appointment for which the event is in this calendar. */
  readonly resourceIds?: readonly string[];
  /** Hash of what the event was made from, without the mapping: unchanged while only the YAML has changed. */
  readonly sourceHash?: string;
  /**
   * Hash of the content lines of `where` that took the appointment when the event was last right. If they now refuse it, the appointment
   * itself has changed.
   */
  readonly takenBy?: string;
  /** What the event says to its readers, in addition to what the mapping shows. */
  readonly note?: EventNote;
  /** People deleted or moved the event, and the mapping leaves it so while the appointment keeps this placement (`placementOf`). */
  readonly leftAt?: string;
  /** Start of the event, ISO 8601, when people's change was let be. While it shows this start, that decision stands under any mapping. */
  readonly letBe?: string;
  /** A person has approved that the event may go if the mapping no longer takes the appointment there. */
  readonly released?: true;
}

/**
 * What is known of an event.
 *
 * | `is` | written by the worker | what it says | leaves by |
 * |---|---|---|---|
 * | `intended` | perhaps: an insert left, and no answer arrived | in doubt | `written`, or the link is removed |
 * | `found` | unknown: adopted, claimed, brought back | in doubt | `written` |
 * | `strayed` | no: people brought it here from another calendar | in doubt | `found`, or the link is removed |
 * | `written` | yes | `hash` | `doubtful` |
 * | `doubtful` | yes; a write is under way, or it is to be put right | in doubt | `written` |
 *
 * The worker reads an event in doubt before it writes it.
 */
export type LinkedEvent =
  /** `sinceMs`: when the insert was about to leave; epoch milliseconds. */
  | (Seen & { readonly is: 'intended'; readonly sinceMs: number })
  | (Seen & { readonly is: 'found' })
  /** The worker may delete the event if the appointment does not belong in this calendar. */
  | (Seen & { readonly is: 'strayed' })
  | (Seen & Wrote & { readonly is: 'doubtful' })
  /**
   * `hash`: of the owned fields last written. `content`: hash of what an event of a series says in this state. A change of another event
   * of the series changes its etag, too.
   */
  | (Seen & Wrote & { readonly is: 'written'; readonly hash: string; readonly content?: string });

interface Seen {
  /** Quoted, as Google sent it; empty until the event has been seen. */
  readonly etag: string;
  readonly hour: KnownTimes;
}

/** Shows who has moved or resized the event since. */
export interface KnownTimes {
  /** Start of the appointment when the event was last written, or when both sides last agreed; ISO 8601. */
  readonly startsAt?: string;
  /** End of the appointment when the event was last written, ISO 8601. */
  readonly endsAt?: string;
  /** Starts whose write to the event got no answer. An event that shows one of them was not moved by people. */
  readonly tried?: readonly string[];
}

/** What was recorded when the event was last written. Version 0.1.0 recorded none of it, and 0.2.0 only the status. */
interface Wrote {
  readonly status?: string;
  /**
   * Hashes of the texts without the note: they show who has rewritten them since. If present, no one outside organizes the event, so the
   * worker may write it unread until its etag changes.
   */
  readonly shown?: TextHashes;
}

/**
 * What happens to a change that people made.
 *
 * | `is` | waits for | the mirror |
 * |---|---|---|
 * | `settled` | nothing | writes what differs |
 * | `open` | a decision | leaves the event alone |
 * | `asked` | the platform's verdict, to be recorded | leaves the event alone |
 * | `dropped` | nothing: Google closed the calendar to the worker before the verdict | writes what differs |
 */
export type EditState =
  | { readonly is: 'settled' }
  | (OpenEdit & { readonly is: 'open' })
  | (OpenEdit & { readonly is: 'asked'; readonly wish: AskedWish })
  | { readonly is: 'dropped'; readonly wish: AskedWish };

export interface OpenEdit {
  /** Epoch milliseconds. */
  readonly sinceMs: number;
  /** By machine: since when it knows of the deletion, by its own clock. A machine counts the grace only by its own entry. */
  readonly missedSinceMs: Readonly<Record<string, number>>;
  /** By calendar: when a search for the missing event did not find it there; epoch milliseconds. */
  readonly looks: Readonly<Record<string, number>>;
}

/** What the worker requested from the platform for a changed event. */
export interface AskedWish {
  /** A start, ISO 8601; or `cancel`. */
  readonly for: string;
  /** The appointment's start before the requested one, unknown to the author of the change. Events that show it get a note. */
  readonly overrules?: string;
  /** Class events only: how far each appointment of the class got. */
  readonly classMove?: ClassMove;
}

/** A link that knows only where the event is, and perhaps its start and end. */
export function linkTo(
  at: { readonly calendarId: string; readonly eventId: string },
  known: { readonly etag?: string; readonly coloured?: boolean; readonly hour?: KnownTimes } = {},
): CalendarLink & { readonly event: { readonly is: 'found' } } {
  const { calendarId, eventId } = at;
  const { etag = '', coloured = false, hour = {} } = known;
  const event = { is: 'found', etag, hour } as const;
  return { calendarId, eventId, coloured, event, absence: 'wish', edit: { is: 'settled' } };
}

/** Puts the event's content in doubt from now on. */
export function doubted(event: LinkedEvent): LinkedEvent {
  if (event.is !== 'written') return event;
  const { hash: _, content: __, ...known } = event;
  return { ...known, is: 'doubtful' };
}

/** It is unknown who wrote the event last, so it is read before anything is concluded from it, and its hour is nobody's wish. */
export function unread(link: CalendarLink): CalendarLink {
  const { sourceHash: _, ...rest } = link;
  return { ...rest, event: { ...doubted(link.event), hour: {} } };
}

/** Undefined if it is unknown whether the worker wrote the event. */
export function writtenAs({ event }: CalendarLink): Wrote | undefined {
  return event.is === 'written' || event.is === 'doubtful' ? event : undefined;
}

/** Starts that the worker has written or tried to write. */
export function startsOf({ event: { hour } }: CalendarLink): readonly string[] {
  return hour.startsAt === undefined ? triedOf(hour) : [hour.startsAt, ...triedOf(hour)];
}

export function triedOf({ tried = [] }: KnownTimes): readonly string[] {
  return tried;
}

/** Undefined while no change by people waits for a decision. */
export function openEdit({ edit }: CalendarLink): OpenEdit | undefined {
  return edit.is === 'open' || edit.is === 'asked' ? edit : undefined;
}

/** Undefined if nothing was requested from the platform, or its verdict is recorded. */
export function askedWish({ edit }: CalendarLink): AskedWish | undefined {
  return edit.is === 'asked' || edit.is === 'dropped' ? edit.wish : undefined;
}

/** The link with a change that waits for a decision: since now, or since an earlier change. */
export function opened(link: CalendarLink, nowMs: number, more: Partial<OpenEdit> = {}): CalendarLink {
  const wish = askedWish(link);
  const known = openEdit(link) ?? { sinceMs: nowMs, missedSinceMs: {}, looks: {} };
  const { sinceMs, missedSinceMs, looks } = { ...known, ...more };
  const open = { sinceMs, missedSinceMs, looks };
  return { ...link, edit: wish === undefined ? { is: 'open', ...open } : { is: 'asked', ...open, wish } };
}

/** A sentence in an event, until the appointment changes. */
export interface EventNote {
  /** `slot-unavailable`, `past`, …: for logs and operators. */
  readonly code: string;
  /** Plain text for people. */
  readonly text: string;
  /** `visibleState` of the appointment when the note was written. */
  readonly of: string;
}

/** One row in one tab that mirrors one object. */
export interface SheetLink {
  readonly spreadsheetId: string;
  readonly tab: string;
  /** Hash of the last confirmed cells. `cleared`: the row was removed. `left`: the row was not there and must stay away. */
  readonly hash: string;
  /** With `left`: even the first write did not find the row, so no one has seen an answer in it. */
  readonly unshown?: true;
  /** Header to the number format last given to its cell; absent if there was none. */
  readonly formats?: Readonly<Record<string, string>>;
  /** `filterMark` of the object when the row was last put. It shows whether the object or the YAML has changed since. */
  readonly standing?: string;
  /** The row's place before it moved here. The row may still be there, and is emptied there. */
  readonly former?: SheetSpot & { readonly forced?: true };
  /** The row's next place. The row may already be there, although no one has seen it. */
  readonly bound?: SheetSpot;
  /** Content of the cells that people may change, as last confirmed. */
  readonly shown?: ShownCells;
  /** Booking rows only: `cellsPart` of the answers that it showed before, newest first. */
  readonly answered?: readonly string[];
  /** People have cells of their own beside the row, so it does not move before this moment; epoch milliseconds. */
  readonly staysUntilMs?: number;
  /** A person has approved that the row may go if the mapping no longer takes the object there. */
  readonly released?: true;
}

/** What one mirror holds of one object. Stored before an insert, and right after every other remote write. */
export interface MirrorLinks {
  readonly calendars?: readonly CalendarLink[];
  readonly sheet?: SheetLink;
  /** Outside bookings only: the decision. */
  readonly booking?: BookingRecord;
  /** Appointments only: the classes to notify when it changes, as `classSlotText`. */
  readonly slots?: readonly string[];
  /** Appointments only: the revision about which these classes were notified. */
  readonly rung?: number;
  /** Classes only: ids of the appointments notified that the class shows them. */
  readonly told?: readonly string[];
  /** Classes only: the appointments that could not be moved back after a move of the class was refused. */
  readonly split?: ClassSplit;
}

/** Per mirror name. */
export type ObjectLinks = Readonly<Record<string, MirrorLinks>>;

/** The places that hold something of an object, by mirror. */
export function spotsOf(links: ObjectLinks): readonly { readonly mirror: string; readonly place: string }[] {
  return Object.entries(links).flatMap(([mirror, { calendars = [], sheet }]) => [
    ...calendars.map(({ calendarId }) => ({ mirror, place: calendarPlace(calendarId) })),
    ...(sheet === undefined || sheet.hash === 'cleared' ? [] : [{ mirror, place: sheetPlace(sheet) }]),
  ]);
}

const WRITTEN = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) ([0-9a-f]{16})$/;

/** Where the worker last wrote an event, by the event itself. */
interface WrittenPlace {
  /** ISO 8601, UTC. */
  readonly startsAt: string;
  readonly calendarId: string;
}

/** The mark of an event that is written now. A copy or a dragged event keeps it. */
export function writtenMark({ startsAt, calendarId }: WrittenPlace): Readonly<Record<string, string>> {
  return { [WRITTEN_MARK]: `${startsAt} ${calendarMark(calendarId)}` };
}

/** Undefined for an event of an earlier version, or if it was written in none of these calendars. */
export function writtenPlace(
  marks: Readonly<Record<string, string | null>>,
  calendarIds: Iterable<string>,
): WrittenPlace | undefined {
  const [, startsAt, hash] = WRITTEN.exec(marks[WRITTEN_MARK] ?? '') ?? [];
  if (startsAt === undefined || Number.isNaN(Date.parse(startsAt))) return undefined;
  for (const calendarId of calendarIds)
    if (calendarMark(calendarId) === hash) return { startsAt, calendarId };
  return undefined;
}

/** An event as its calendar shows it. */
interface Shown {
  readonly calendarId: string;
  readonly eventId: string;
  readonly etag: string;
  readonly coloured: boolean;
  /** Epoch milliseconds; undefined for an all-day event. */
  readonly startMs: number | undefined;
}

/**
 * The link to where the worker wrote the event. If people have moved it since, that change is open. An event of the past is moved no more,
 * so nothing is said about it.
 */
export function linkAsWritten(shown: Shown, written: WrittenPlace, nowMs: number): CalendarLink | undefined {
  const startMs = Date.parse(written.startsAt);
  if (startMs <= nowMs) return undefined;
  const { calendarId, eventId, etag, coloured } = shown;
  const hour = { startsAt: written.startsAt };
  if (written.calendarId === calendarId && startMs === shown.startMs)
    return linkTo({ calendarId, eventId }, { etag, coloured, hour });
  return opened(linkTo({ calendarId: written.calendarId, eventId }, { coloured, hour }), nowMs);
}

// Links as Redis stores them, and as the program knows them. The stored form is that of version 0.2.0 with more fields; the values of those
// that no script touches stand without their names (docs/decisions/0036). Apart from scripts, only this file reads and writes it.

/** One event of one appointment. Any optional field may be absent, in any combination that some version has left. */
export interface StoredLink {
  readonly calendarId: string;
  readonly eventId: string;
  readonly etag: string;
  /** Empty: what the event says is in doubt. */
  readonly hash: string;
  readonly coloured: boolean;
  readonly status?: string;
  readonly intendedAtMs?: number;
  readonly leaving?: true;
  readonly doubled?: true;
  readonly isOwn?: true;
  readonly startsAt?: string;
  readonly endsAt?: string;
  readonly tried?: readonly string[];
  readonly shown?: TextHashes;
  readonly strayed?: true;
  readonly editSeenAtMs?: number;
  readonly missedSinceMs?: Readonly<Record<string, number>>;
  readonly looks?: Readonly<Record<string, number>>;
  readonly asked?: string;
  readonly overrules?: string;
  readonly classMove?: ClassMove;
  readonly resourceIds?: readonly string[];
  /** The link's `sourceHash`, under the name that 0.2.0 stored. */
  readonly visitHash?: string;
  readonly takenBy?: string;
  readonly note?: EventNote;
  readonly leftAt?: string;
  readonly letBe?: string;
  readonly released?: true;
  readonly namesGuests?: true;
  readonly content?: string;
}

/** One outside booking; the same holds for its optional fields. */
export interface StoredRecord {
  readonly state: BookingState;
  readonly decided?: string;
  readonly code?: string;
  readonly appointmentId?: string;
  readonly wished?: CarriedWish;
  readonly asked?: CarriedWish;
  readonly answer?: BookingAnswer;
  readonly answered?: string;
  readonly unready?: true;
  readonly overruled?: string;
  readonly said?: CarriedWish;
  readonly movedThereMs?: number;
  readonly mirrored?: true;
  readonly series?: Readonly<Record<string, number>>;
}

interface StoredLinks extends Omit<MirrorLinks, 'calendars' | 'booking'> {
  readonly calendars?: readonly CompactLink[];
  readonly booking?: StoredRecord;
}

/** Fields that hold lists in a stored link, at any depth. */
const LISTS: ReadonlySet<string> = new Set([
  ...['calendars', 'tried', 'resourceIds', 'members', 'slots', 'told', 'ids'],
]);

/** A script that changes a link writes empty lists as empty objects, because Lua cannot distinguish them. */
function withLists(name: string, value: unknown): unknown {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return isEmpty && LISTS.has(name) ? [] : value;
}

export function parseLinks(text: string): MirrorLinks {
  const stored = text.includes(':{}') ? JSON.parse(text, withLists) : JSON.parse(text);
  const { calendars, booking, ...others } = stored as StoredLinks;
  return {
    ...others,
    ...(calendars && { calendars: calendars.map((link) => toLink(expanded(link))) }),
    ...(booking && { booking: toRecord(booking) }),
  };
}

export function linksText({ calendars, booking, ...others }: MirrorLinks): string {
  return JSON.stringify({
    ...others,
    ...(calendars && { calendars: calendars.map(compacted) }),
    ...(booking && { booking: toStoredRecord(booking) }),
  });
}

export function linkText(link: CalendarLink): string {
  return JSON.stringify(compacted(link));
}

/** Fields that no script reads or changes. What is stored depends on the order: only add at the end. */
const UNNAMED = [
  ...(['startsAt', 'endsAt', 'status', 'shown', 'isOwn', 'visitHash', 'resourceIds', 'takenBy'] as const),
  'coloured',
] as const;

/** `k`: the values of `UNNAMED`. */
type CompactLink = Omit<StoredLink, 'coloured'> & { readonly k?: readonly unknown[] };

/** An empty list stays with its name, because a script that rewrites the link makes it an object. */
function compacted(link: CalendarLink): CompactLink {
  const { startsAt, endsAt, status, shown, isOwn, visitHash, takenBy, coloured, resourceIds, ...named } =
    toStored(link);
  const isEmpty = resourceIds?.length === 0;
  const k = valuesOf(UNNAMED, {
    ...{ startsAt: secondsOf(startsAt), endsAt: secondsOf(endsAt), status, isOwn, visitHash, takenBy },
    shown: shown && valuesOf(TEXT_FIELDS, shown),
    ...{ resourceIds: isEmpty ? undefined : resourceIds, coloured: coloured || undefined },
  });
  return { ...named, ...(isEmpty && { resourceIds }), ...(k.length > 0 && { k }) };
}

function expanded({ k = [], ...named }: CompactLink): StoredLink {
  const stored: Record<string, unknown> = { coloured: false, ...named };
  for (const [at, name] of UNNAMED.entries()) {
    const value = full(name, k[at]);
    if (value !== undefined) stored[name] = value;
  }
  return stored as unknown as StoredLink;
}

function full(name: (typeof UNNAMED)[number], value: unknown): unknown {
  if (name === 'shown' && Array.isArray(value))
    return Object.fromEntries(value.flatMap((hash, at) => (hash === null ? [] : [[TEXT_FIELDS[at], hash]])));
  return typeof value === 'number' ? isoOf(value) : (value ?? undefined);
}

/** Seconds, if the text can be made from them again. */
function secondsOf(iso: string | undefined): string | number | undefined {
  const atS = Date.parse(iso ?? '') / 1_000;
  return Number.isInteger(atS) && isoOf(atS) === iso ? atS : iso;
}

function isoOf(atS: number): string {
  return new Date(atS * 1_000).toISOString().replace('.000Z', 'Z');
}

export function toLink(stored: StoredLink): CalendarLink {
  const { calendarId, eventId, coloured, leaving, doubled } = stored;
  const { resourceIds, visitHash: sourceHash, takenBy, note, leftAt, letBe, released, namesGuests } = stored;
  return {
    ...{ calendarId, eventId, coloured, event: eventIn(stored), edit: editIn(stored) },
    absence: leaving ? 'leaving' : doubled ? 'doubled' : 'wish',
    ...withoutUndefined({ resourceIds, sourceHash, takenBy, note, leftAt, letBe, released, namesGuests }),
  };
}

export function toStored(link: CalendarLink): StoredLink {
  const { calendarId, eventId, coloured, event, absence } = link;
  const { resourceIds, sourceHash: visitHash, takenBy, note, leftAt, letBe, released, namesGuests } = link;
  const { startsAt, endsAt, tried } = event.hour;
  const { status, shown } = writtenAs(link) ?? {};
  const open = openEdit(link);
  const wish = askedWish(link);
  // JSON leaves out what is undefined.
  return {
    calendarId,
    eventId,
    etag: event.etag,
    hash: event.is === 'written' ? event.hash : '',
    coloured,
    status,
    startsAt,
    endsAt,
    tried,
    shown,
    leaving: absence === 'leaving' || undefined,
    doubled: absence === 'doubled' || undefined,
    isOwn: shown !== undefined || undefined,
    strayed: event.is === 'strayed' || undefined,
    content: event.is === 'written' ? event.content : undefined,
    intendedAtMs: event.is === 'intended' ? event.sinceMs : undefined,
    editSeenAtMs: open?.sinceMs,
    asked: wish?.for,
    overrules: wish?.overrules,
    classMove: wish?.classMove,
    missedSinceMs: unlessEmpty(open?.missedSinceMs),
    looks: unlessEmpty(open?.looks),
    resourceIds,
    visitHash,
    takenBy,
    note,
    leftAt,
    letBe,
    released,
    namesGuests,
  } as StoredLink;
}

function eventIn(stored: StoredLink): LinkedEvent {
  const { etag, hash, status, shown, isOwn, startsAt, endsAt, tried, intendedAtMs, strayed, content } =
    stored;
  const seen = { etag, hour: withoutUndefined({ startsAt, endsAt, tried }) };
  const wrote = withoutUndefined({ status, shown: isOwn ? shown : undefined });
  if (strayed) return { is: 'strayed', ...seen };
  if (hash !== '') return { is: 'written', ...seen, ...wrote, hash, ...withoutUndefined({ content }) };
  if (status !== undefined) return { is: 'doubtful', ...seen, ...wrote };
  return intendedAtMs === undefined
    ? { is: 'found', ...seen }
    : { is: 'intended', ...seen, sinceMs: intendedAtMs };
}

function editIn(stored: StoredLink): EditState {
  const { editSeenAtMs: sinceMs, missedSinceMs = {}, looks = {}, asked, overrules, classMove } = stored;
  const wish =
    asked === undefined ? undefined : { for: asked, ...withoutUndefined({ overrules, classMove }) };
  if (sinceMs === undefined) return wish === undefined ? { is: 'settled' } : { is: 'dropped', wish };
  const open = { sinceMs, missedSinceMs, looks };
  return wish === undefined ? { is: 'open', ...open } : { is: 'asked', ...open, wish };
}

export function toRecord(stored: StoredRecord): BookingRecord {
  const { state, code = '', decided, asked, series, appointmentId: id } = stored;
  const { unready, said, movedThereMs, mirrored } = stored;
  const every = { ...withoutUndefined({ decided, asked, series }), told: toldIn(stored) };
  const known = withoutUndefined({ unready, said, movedThereMs, mirrored });
  const own = id === undefined ? undefined : { id, wish: wishIn(stored), ...known };
  if (state === 'refused') return { ...every, state, code, ...withoutUndefined({ own }) };
  if (own !== undefined) return { ...every, state: state === 'cancelled' ? state : 'booked', own };
  return state === 'ignored' ? { ...every, state, code } : { ...every, state: 'new' };
}

/** If only the fact of an answer is known, its text counts as empty, so that the handler removes the answer. */
function toldIn({ state, answer, answered }: StoredRecord): Told {
  if (answered !== undefined) return { is: 'given', answer: answer ?? { state, text: '' }, stands: answered };
  return answer === undefined ? { is: 'nothing' } : { is: 'due', answer };
}

function wishIn({ wished, overruled }: StoredRecord): KnownWish {
  if (wished === undefined) return { is: 'unknown' };
  return overruled === undefined
    ? { is: 'carried', wished }
    : { is: 'overruled', wished, startsAt: overruled };
}

export function toStoredRecord(record: BookingRecord): StoredRecord {
  const { state, decided, asked, told, series } = record;
  const own = ownOf(record);
  const { id, wish, ...known } = own ?? {};
  const code = 'code' in record ? record.code : undefined;
  const wished = wishedOf(own);
  const overruled = wish?.is === 'overruled' ? wish.startsAt : undefined;
  const answer = answerOf(record);
  const answered = told.is === 'given' ? told.stands : undefined;
  return {
    state,
    ...withoutUndefined({ code, appointmentId: id, wished, overruled, ...known }),
    ...withoutUndefined({ decided, asked, answer, answered, series }),
  };
}

function unlessEmpty<T extends object>(fields: T | undefined): T | undefined {
  return fields === undefined || Object.keys(fields).length === 0 ? undefined : fields;
}

/**
 * For scripts: replaces what one mirror holds of the object, and keeps the index of each calendar's events. Only Redis knows which calendars
 * the `known` links named, so this builds the index keys from their common prefix. All keys share one slot. Returns the number of events.
 */
export const PUT_LINKS = `
local function place_of(link) return link.calendarId .. ' ' .. link.eventId end

local function put_links(object, key, field, known, links, index)
  local former, calendars = known and cjson.decode(known).calendars or {}, {}
  if links == '' then
    redis.call('HDEL', object, field)
  else
    redis.call('HSET', object, field, links)
    if not known then redis.call('PERSIST', object) end
    calendars = cjson.decode(links).calendars or {}
  end
  local held, was_held, gone = {}, {}, {}
  for _, link in ipairs(former) do was_held[place_of(link)] = true end
  for _, link in ipairs(calendars) do
    held[place_of(link)] = true
    if not was_held[place_of(link)] then redis.call('HSET', index .. link.calendarId, link.eventId, key) end
  end
  for _, link in ipairs(former) do
    if not held[place_of(link)] then gone[#gone + 1] = link end
  end
  if #gone == 0 then return #calendars end
  -- Another mirror of the same object may hold the event still.
  local fields = redis.call('HGETALL', object)
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 2) == 'l:' then
      for _, link in ipairs(cjson.decode(fields[i + 1]).calendars or {}) do held[place_of(link)] = true end
    end
  end
  for _, link in ipairs(gone) do
    local is_ours = redis.call('HGET', index .. link.calendarId, link.eventId) == key
    if is_ours and not held[place_of(link)] then redis.call('HDEL', index .. link.calendarId, link.eventId) end
  end
  return #calendars
end
`;
