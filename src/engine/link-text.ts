// Links as Redis stores them, and as the program knows them. The stored form is that of version 0.2.0 with more fields, so that workers of
// both versions can share one Redis: docs/decisions/0036. Apart from scripts that touch single fields, only this file reads and writes it.
import type { ClassMove } from './class-move.ts';
import type { TextHashes } from './event-texts.ts';
import {
  askedWish,
  type CalendarLink,
  type EditState,
  type EventNote,
  type LinkedEvent,
  type MirrorLinks,
  openEdit,
  writtenAs,
} from './link.ts';
import { withoutUndefined } from './object.ts';
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
  readonly calendars?: readonly StoredLink[];
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
    ...(calendars && { calendars: calendars.map(toLink) }),
    ...(booking && { booking: toRecord(booking) }),
  };
}

export function linksText({ calendars, booking, ...others }: MirrorLinks): string {
  return JSON.stringify({
    ...others,
    ...(calendars && { calendars: calendars.map(toStored) }),
    ...(booking && { booking: toStoredRecord(booking) }),
  });
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
  const flags = {
    leaving: absence === 'leaving' || undefined,
    doubled: absence === 'doubled' || undefined,
    isOwn: shown !== undefined || undefined,
    strayed: event.is === 'strayed' || undefined,
  };
  return {
    ...{ calendarId, eventId, etag: event.etag, hash: event.is === 'written' ? event.hash : '', coloured },
    ...withoutUndefined({ status, startsAt, endsAt, tried, shown, ...flags }),
    ...withoutUndefined({ content: event.is === 'written' ? event.content : undefined }),
    ...withoutUndefined({ intendedAtMs: event.is === 'intended' ? event.sinceMs : undefined }),
    ...withoutUndefined({ editSeenAtMs: open?.sinceMs, asked: wish?.for, overrules: wish?.overrules }),
    ...withoutUndefined({ classMove: wish?.classMove }),
    ...withoutUndefined({ missedSinceMs: unlessEmpty(open?.missedSinceMs), looks: unlessEmpty(open?.looks) }),
    ...withoutUndefined({ resourceIds, visitHash, takenBy, note, leftAt, letBe, released, namesGuests }),
  };
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
