// Calendars on CalDAV servers, for everything that the worker does with Google Calendars. In: the same calls. Out: the same events, which are
// read from iCalendar and written into it.
import { randomUUID } from 'node:crypto';
import type { KeptBecause, KeptSearch } from '../engine/calendar-events.ts';
import { TerminalError } from '../engine/errors.ts';
import { isNoteId, seriesOfInstance } from '../engine/ids.ts';
import type { BudgetRank } from '../engine/quotas.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import {
  type CalendarEvent,
  type EventInsert,
  type EventPatching,
  isCopyOf,
  type NoteBody,
  type PeoplesFields,
  type WholeEvent,
} from '../google/calendar-event.ts';
import { EVENT_FORBIDDEN } from '../google/errors.ts';
import type { CalendarIndex, IndexEntry } from './calendar-index.ts';
import { DavCalendar, type DavObject, type DavParts } from './calendar-requests.ts';
import type { DavAccount } from './call.ts';
import { componentsOf, parseObject, propertyText } from './content-lines.ts';
import { isBeside } from './discovery.ts';
import { HIDDEN, oddEvent, TAKES_NO_EVENTS } from './errors.ts';
import {
  type EditAbout,
  editedObject,
  type Fields,
  isAsWritten,
  newObject,
  renamedObject,
  withInstance,
  withoutInstance,
} from './event-edit.ts';
import { aroundOf, foreignId, idOfUid, isNative, resourceNameOf, uidOf } from './event-ids.ts';
import {
  hasKnownRule,
  type InstanceSpan,
  instancesIn,
  type ReadEvent,
  type ReadObject,
  readObject,
} from './event-read.ts';
import { foreignMarks } from './marks.ts';

export interface CaldavParts extends DavParts {
  /** The account of `calendar:<address>`. */
  readonly accountOf: (target: string) => DavAccount;
  readonly index: CalendarIndex;
  /** For times without a zone in a calendar without one. */
  readonly companyZone: () => Promise<string>;
}

export interface FoundObject {
  readonly object: DavObject;
  readonly read: ReadObject;
}

/** An event in its object. `master`: of the series, if the event is one of its instances. */
interface FoundEvent extends FoundObject {
  readonly event: WholeEvent;
  readonly own: ReadEvent | undefined;
  readonly master: ReadEvent | undefined;
}

/** Enough to tell two writes of one address between two syncs. */
const NOTED_CHARS = 8;
/** How often an event may change while the worker writes it. */
const TRIES_MAX = 3;

/** What all parts of this folder share: objects by event, and events by object. */
export class CaldavCalendars {
  readonly #parts: CaldavParts;
  readonly #rank: BudgetRank | undefined;

  constructor(parts: CaldavParts, rank?: BudgetRank) {
    this.#parts = parts;
    this.#rank = rank;
  }

  at(calendarId: string): DavCalendar {
    const account = this.#parts.accountOf(`calendar:${calendarId}`);
    return new DavCalendar(this.#parts, { id: calendarId, account, rank: this.#rank });
  }

  async zone(calendar: DavCalendar): Promise<string> {
    return (await calendar.info()).zone ?? this.#parts.companyZone();
  }

  async about(calendar: DavCalendar): Promise<EditAbout> {
    const zone = await this.zone(calendar);
    const own = await calendar.own();
    return { zone, own, nowMs: this.#parts.clock.now() };
  }

  /** The object with its events under their ids. Undefined if nobody can read it. `isGone`: the addresses that no longer exist. */
  async read(
    calendar: DavCalendar,
    object: DavObject,
    isGone: (href: string) => boolean = () => false,
  ): Promise<ReadObject | undefined> {
    const about = await this.about(calendar);
    const ids = await this.#idsOf(calendar, object, isGone);
    return readObject(object.text, { ...about, idOf: (uid) => ids.get(uid) ?? idOfUid(uid) });
  }

  /** The worker's event of another calendar keeps its id here, unless this calendar's own event has it. */
  async #idsOf(
    calendar: DavCalendar,
    { href, text }: DavObject,
    isGone: (href: string) => boolean,
  ): Promise<ReadonlyMap<string, string>> {
    const ids = new Map<string, string>();
    for (const uid of uidsOf({ text })) {
      const id = idOfUid(uid);
      if (ids.has(uid) || id === foreignId(uid) || isNative(uid, calendar.id)) continue;
      const at = await this.#parts.index.hrefOf(calendar.id, id);
      ids.set(uid, at === undefined || at === href || isGone(at) ? id : foreignId(uid));
    }
    return ids;
  }

  /** Reads an object and notes where its events are. A sync tells what changed; a search or a write tells nobody. */
  async note(
    calendar: DavCalendar,
    object: DavObject,
    { by, isGone }: { readonly by: 'sync' | 'search' | 'write'; readonly isGone?: (href: string) => boolean },
  ): Promise<{ readonly read: ReadObject | undefined; readonly before: IndexEntry | undefined }> {
    const { index } = this.#parts;
    const before = await index.entry(calendar.id, object.href);
    const read = await this.read(calendar, object, isGone);
    const ids = read?.events.map(({ event }) => event.id) ?? [];
    const bases = [...new Set(ids.map((id) => seriesOfInstance(id) ?? id))];
    const owned: string[] = [];
    for (const id of bases) {
      const at = await index.hrefOf(calendar.id, id);
      const uid = read?.events.find(({ event }) => event.id === id)?.uid;
      const isOwn =
        at === undefined ||
        at === object.href ||
        isGone?.(at) === true ||
        (uid !== undefined && isNative(uid, calendar.id) && !(await this.#holds(calendar, at, uid)));
      if (isOwn) owned.push(id);
    }
    const odd = oddIn(read, { isDoubled: owned.length < bases.length });
    const known = new Set(ids);
    const marked = foreignMarks(read?.events.map(({ event }) => event) ?? []);
    const lost = [...(before?.ids ?? []), ...(before?.lost ?? [])].filter((id) => !known.has(id));
    const isNews = by === 'search' && before?.etag !== object.etag;
    const isUntold = by !== 'sync' && (isNews || before?.isUntold === true);
    await index.put(calendar.id, object.href, {
      ...{ etag: object.etag, ids, owned },
      ...(by !== 'sync' && { noted: randomUUID().slice(0, NOTED_CHARS) }),
      ...(isUntold && { isUntold }),
      ...(lost.length > 0 && { lost }),
      ...(marked.length > 0 && { marked }),
      ...(odd !== undefined && { odd }),
    });
    return { read, before };
  }

  /** Whether the object at this address has an event with this UID. */
  async #holds(calendar: DavCalendar, href: string, uid: string): Promise<boolean> {
    const object = this.#parts.memory.object(calendar.id, href) ?? (await calendar.get(href));
    return object !== 'absent' && uidsOf(object).includes(uid);
  }

  /**
   * The event as its calendar shows it now. `absent` is proof: the calendar itself answered with all its addresses, and the event is at none
   * of them (rules 14 and 15).
   */
  async find(
    calendar: DavCalendar,
    eventId: string,
    { mayBeKept = false }: { readonly mayBeKept?: boolean } = {},
  ): Promise<FoundEvent | undefined> {
    const base = seriesOfInstance(eventId) ?? eventId;
    const tried = new Set<string>();
    let there: ReadonlyMap<string, string> | undefined;
    const isGone = (href: string) => there?.has(href) === false;
    const look = async (href: string | undefined): Promise<FoundEvent | 'not-in-it' | undefined> => {
      if (href === undefined || tried.has(href)) return undefined;
      tried.add(href);
      const kept = mayBeKept ? this.#parts.memory.object(calendar.id, href) : undefined;
      const object = kept ?? (await calendar.get(href));
      if (object === 'absent') {
        if (there?.has(href) === true) throw oddEvent(calendar.id, HIDDEN);
        return undefined;
      }
      const read = await this.read(calendar, object, isGone);
      if (read === undefined && (await this.#mayHold(calendar, href, base)))
        throw oddEvent(calendar.id, 'another program wrote it so');
      if (
        read === undefined ||
        !read.events.some(({ event }) => (event.recurringEventId ?? event.id) === base)
      )
        return undefined;
      return (await this.#eventIn({ object, read }, eventId, calendar)) ?? 'not-in-it';
    };
    const { index } = this.#parts;
    const named = /^dh/.test(base)
      ? undefined
      : calendar.hrefOfName(resourceNameOf(uidOf(base, calendar.id)));
    const known = await index.hrefOf(calendar.id, base);
    for (const href of [known, named]) {
      const found = await look(href);
      if (found === 'not-in-it') return undefined;
      if (found === undefined) continue;
      if (href !== known) {
        // Stored by a write whose answer was lost: a sync tells the end only of what is noted.
        await this.note(calendar, found.object, { by: 'search', isGone });
        await index.noteWrite(calendar.id, found.object.href);
      }
      return found;
    }
    there = await this.refresh(calendar);
    // A 404 of before may have been about a calendar that was hidden just then.
    tried.clear();
    for (const [href, { ids, lost = [], odd }] of await index.all(calendar.id)) {
      const known = odd === 'unreadable' ? [...ids, ...lost] : ids;
      if (!known.some((id) => mayBe(seriesOfInstance(id) ?? id, base))) continue;
      const found = await look(href);
      if (found === 'not-in-it') return undefined;
      if (found === undefined) continue;
      await this.note(calendar, found.object, { by: 'search', isGone });
      return found;
    }
    return undefined;
  }

  /** Whether the event was at this address, or has its name: then it is hidden, not gone. */
  async #mayHold(calendar: DavCalendar, href: string, base: string): Promise<boolean> {
    const { ids = [], lost = [] } = (await this.#parts.index.entry(calendar.id, href)) ?? {};
    const isKnown = [...ids, ...lost].some((id) => (seriesOfInstance(id) ?? id) === base);
    if (isKnown || base.startsWith('dh')) return isKnown;
    return href === calendar.hrefOfName(resourceNameOf(uidOf(base, calendar.id)));
  }

  async #eventIn(
    found: FoundObject,
    eventId: string,
    calendar: DavCalendar,
  ): Promise<FoundEvent | undefined> {
    const { events } = found.read;
    const own = events.find(({ event }) => event.id === eventId);
    const base = seriesOfInstance(eventId) ?? eventId;
    const master = events.find(({ event }) => event.id === base);
    if (own !== undefined)
      return { ...found, event: own.event, own, master: own === master ? undefined : master };
    if (master === undefined) return undefined;
    const series = await this.instancesOf(calendar, { read: found.read, master, ...aroundOf(eventId) });
    if (series === undefined) throw oddEvent(calendar.id, 'its series cannot be followed');
    const event = series.find(({ id }) => id === eventId);
    return event && { ...found, event, own: undefined, master };
  }

  async instancesOf(
    calendar: DavCalendar,
    { read, ...span }: { readonly read: ReadObject } & Omit<InstanceSpan, 'about'>,
  ): Promise<readonly WholeEvent[] | undefined> {
    return instancesIn(read, { ...span, about: await this.about(calendar) });
  }

  /** Reads what is new since the index was written. Proves that the calendar answers. Returns all its addresses. */
  async refresh(calendar: DavCalendar): Promise<ReadonlyMap<string, string>> {
    const { etags } = await calendar.list();
    const known = await this.#parts.index.all(calendar.id);
    const fresh = [...etags].filter(([href, etag]) => known.get(href)?.etag !== etag || etag === '');
    const objects = await this.fetchAll(calendar, new Map(fresh));
    const isGone = (href: string) => !etags.has(href);
    for (const object of objects) await this.note(calendar, object, { by: 'search', isGone });
    return etags;
  }

  /** The objects at these addresses, with the versions that the server tells. Each by itself where it leaves one out. */
  async fetchAll(
    calendar: DavCalendar,
    versions: ReadonlyMap<string, string>,
  ): Promise<readonly DavObject[]> {
    const { memory } = this.#parts;
    const found: DavObject[] = [];
    const wanted: string[] = [];
    for (const [href, etag] of versions) {
      const object = memory.object(calendar.id, href);
      const isSame =
        object !== undefined && object.etag === etag && etag !== '' && calendar.quirks.keepsPreconditions;
      if (isSame) found.push(object);
      else wanted.push(href);
    }
    found.push(...(await calendar.getAll(wanted)));
    const there = new Set(found.map(({ href }) => href));
    for (const href of wanted) {
      if (there.has(href)) continue;
      const object = await calendar.get(href);
      if (object !== 'absent') found.push(object);
    }
    return found;
  }

  /** Whether a program made the appointment's event anew here, under another UID. */
  async hasCopy(calendarId: string, appointment: KeptSearch['appointment']): Promise<boolean> {
    const calendar = this.at(calendarId);
    const there = await this.refresh(calendar);
    for (const [href, { marked = [] }] of await this.#parts.index.all(calendar.id)) {
      if (!marked.includes(appointment.id) || !there.has(href)) continue;
      const object = await calendar.get(href);
      const read = object === 'absent' ? undefined : await this.read(calendar, object);
      if (read?.events.some(({ event }) => isCopyOf(event, appointment))) return true;
    }
    return false;
  }

  /** Every object of the calendar that can be read, each whole: a server that searches by time leaves out series. */
  async everything(calendar: DavCalendar): Promise<Everything> {
    const { etags } = await calendar.list();
    const objects = await this.fetchAll(calendar, etags);
    const found: FoundObject[] = [];
    for (const object of objects) {
      const read = await this.read(calendar, object, (href) => !etags.has(href));
      if (read !== undefined) found.push({ object, read });
    }
    const there = new Set(objects.map(({ href }) => href));
    const missing = [...etags.keys()].filter((href) => !there.has(href));
    return { found, missing, unreadable: objects.length - found.length };
  }
}

interface Everything {
  readonly found: readonly FoundObject[];
  readonly unreadable: number;
  /** Addresses that were listed and then had no object. */
  readonly missing: readonly string[];
}

/** An event that was second to one with this id may have it now. */
function mayBe(id: string, base: string): boolean {
  return id === base || idOfUid(uidOf(id, '')) === base;
}

function oddIn(
  read: ReadObject | undefined,
  { isDoubled }: { readonly isDoubled: boolean },
): IndexEntry['odd'] {
  if (read === undefined) return 'unreadable';
  if (isDoubled) return 'doubled';
  return read.events.every(hasKnownRule) ? undefined : 'unfollowed';
}

/** One for each event; empty if nobody can read the object. */
function uidsOf({ text }: Pick<DavObject, 'text'>): readonly string[] {
  const parsed = parseObject(text);
  const events = parsed === undefined ? [] : componentsOf(parsed, 'VEVENT');
  return events.map((event) => propertyText(event, 'UID')?.trim() ?? '');
}

/** Share of names that two addresses of one calendar have in common, however many events come and go between their lists. */
const SAME_SHARE_MIN = 0.9;

/** The calls that mirrors and outside bookings need (`CalendarApi`). */
export class CaldavApi implements CalendarApi {
  readonly #parts: CaldavParts;
  readonly #calendars: CaldavCalendars;

  constructor(parts: CaldavParts, rank?: BudgetRank) {
    this.#parts = parts;
    this.#calendars = new CaldavCalendars(parts, rank);
  }

  async insert(...[calendarId, id, body, after]: EventInsert): Promise<CalendarEvent | 'taken'> {
    await after;
    const calendar = this.#calendars.at(calendarId);
    const uid = uidOf(id, calendarId);
    const href = calendar.hrefOfName(resourceNameOf(uid));
    const about = await this.#calendars.about(calendar);
    // Some servers take an event into a calendar for tasks, where no program shows it.
    await this.#assertTakesEvents(calendar);
    // The event may have been dragged here from another calendar, under its id.
    const known = await this.#parts.index.hrefOf(calendarId, id);
    if (known !== undefined && known !== href && (await this.#calendars.find(calendar, id)) !== undefined)
      return 'taken';
    // A server may overwrite in spite of If-None-Match (rule 11).
    const isCareful = !calendar.quirks.keepsPreconditions;
    if (isCareful && (await calendar.get(href)) !== 'absent') return 'taken';
    const { reminders: _, ...fields } = body as NoteBody;
    const text = newObject(uid, fields as Fields, about);
    const put = await calendar.put(href, text, 'new');
    if (put.is !== 'stored') return 'taken';
    const stored = await this.#stored(calendar, { href, text, etag: put.etag, eventId: id });
    return stored === 'changed' ? 'taken' : stored;
  }

  async get(calendarId: string, eventId: string): Promise<CalendarEvent | 'absent'> {
    return this.getWhole(calendarId, eventId);
  }

  async getWhole(calendarId: string, eventId: string): Promise<WholeEvent | 'absent'> {
    return (await this.#calendars.find(this.#calendars.at(calendarId), eventId))?.event ?? 'absent';
  }

  /** The version is the event's content, so what is in memory under this version need not be read again. */
  async getIn(calendarId: string, eventId: string, etag: string): Promise<CalendarEvent | 'absent'> {
    const calendar = this.#calendars.at(calendarId);
    if (etag !== '' && calendar.quirks.keepsPreconditions) {
      const kept = await this.#calendars.find(calendar, eventId, { mayBeKept: true });
      if (kept?.event.etag === etag) return kept.event;
    }
    return this.get(calendarId, eventId);
  }

  async readWithin(
    calendarId: string,
    eventId: string,
    _withinMs: number,
  ): Promise<CalendarEvent | 'absent'> {
    return this.get(calendarId, eventId);
  }

  /** A version here is one event's own, so no sibling makes it stale. */
  knownInSeries(): undefined {
    return undefined;
  }

  async patch(
    ...[calendarId, event, body, after]: EventPatching
  ): Promise<CalendarEvent | 'absent' | 'changed'> {
    await after;
    return this.#write(calendarId, event, body as Fields);
  }

  isNobodys(calendarId: string, eventId: string): Promise<boolean> {
    return this.#parts.index.isNobodys(calendarId, eventId);
  }

  /** A UID that is too long for an event id is not looked for in other calendars. */
  async keptElsewhere(
    calendarId: string,
    eventId: string,
    { searched, appointment }: KeptSearch,
  ): Promise<KeptBecause | undefined> {
    for (const id of new Set([calendarId, ...searched])) {
      if (URL.canParse(id) && (await this.#calendars.hasCopy(id, appointment))) return 'copy-stands';
    }
    const base = seriesOfInstance(eventId) ?? eventId;
    if (base.startsWith('dh')) return undefined;
    const about = { calendarId, uid: uidOf(base, calendarId), searched };
    const isThere = await isBeside(this.#parts, this.#calendars.at(calendarId).account, about);
    return isThere ? 'nobodys-calendar' : undefined;
  }

  /** Whether two addresses lead to one event, as when its server got another name. A copy of an event stands among other names. */
  async isSameObject(eventId: string, calendarId: string, otherId: string): Promise<boolean> {
    const [one, other] = [this.#calendars.at(calendarId), this.#calendars.at(otherId)];
    const here = (await this.#calendars.find(one, eventId))?.object.text;
    if (here === undefined || here !== (await this.#calendars.find(other, eventId))?.object.text)
      return false;
    const [names, others] = [await one.names(), await other.names()];
    const shared = [...names].filter((name) => others.has(name)).length;
    return shared >= Math.max(names.size, others.size) * SAME_SHARE_MIN;
  }

  isSameAccount(calendarId: string, otherId: string): boolean {
    try {
      const nameOf = (id: string) => this.#parts.accountOf(`calendar:${id}`).name;
      return nameOf(calendarId) === nameOf(otherId);
    } catch {
      // Without an account nothing can be moved.
      return false;
    }
  }

  /** Stored there before it is removed here. A server that allows a UID once only refuses that; then the fields are copied instead. */
  async move(calendarId: string, eventId: string, destination: string): Promise<CalendarEvent | 'refused'> {
    const [from, to] = [this.#calendars.at(calendarId), this.#calendars.at(destination)];
    const found = await this.#calendars.find(from, eventId);
    if (found === undefined || found.own === undefined || found.master !== undefined) return 'refused';
    const { event, object, read } = found;
    if (event.recurrence !== undefined || hasGuests(event) || read.events.length > 1) return 'refused';
    const uid =
      idOfUid(found.own.uid) === foreignId(found.own.uid) ? found.own.uid : uidOf(eventId, destination);
    const href = to.hrefOfName(resourceNameOf(uid));
    if (!to.quirks.keepsPreconditions && (await to.get(href)) !== 'absent') return 'refused';
    const text = renamedObject(read, uid);
    await to.info();
    const put = await to.put(href, text, 'new');
    if (put.is !== 'stored') return 'refused';
    const stored = await this.#stored(to, { href, text, etag: put.etag, eventId });
    if (stored === 'changed') return 'refused';
    const left = await from.remove(object.href, object.etag);
    if (left === 'removed') return stored;
    // People changed or deleted it meanwhile: that counts, and the copy goes.
    await to.remove(href, put.etag);
    return 'refused';
  }

  async addFields(
    calendarId: string,
    event: { readonly id: string; readonly etag: string },
    fields: PeoplesFields,
  ): Promise<CalendarEvent | 'refused'> {
    // Servers mail guests of an event, and know no conferences.
    if ('attendees' in fields || 'guestsCanModify' in fields || 'conferenceData' in fields) return 'refused';
    const written = await this.#write(calendarId, event, fields as Fields);
    return typeof written === 'string' ? 'refused' : written;
  }

  async remove(
    calendarId: string,
    { id, etag }: { readonly id: string; readonly etag: string },
  ): Promise<'removed' | 'absent' | 'changed'> {
    const calendar = this.#calendars.at(calendarId);
    const about = await this.#calendars.about(calendar);
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const mayBeKept = tries === 0 && calendar.quirks.keepsPreconditions;
      const found = await this.#calendars.find(calendar, id, { mayBeKept });
      if (found === undefined) return 'absent';
      const { event, object, read, master } = found;
      if (etag !== '' && event.etag !== etag) {
        if (!mayBeKept) return 'changed';
        this.#parts.memory.forget(calendarId, object.href);
        continue;
      }
      assertMayWrite(event, calendarId);
      if (master !== undefined) {
        const text = withoutInstance(read, { master, instance: event, about });
        const put = await calendar.put(object.href, text, { ifMatch: object.etag });
        if (put.is === 'stored') return 'removed';
        continue;
      }
      const removed = await calendar.remove(object.href, object.etag);
      if (removed === 'removed') return removed;
      this.#parts.memory.forget(calendarId, object.href);
    }
    return 'changed';
  }

  async *marked(
    calendarId: string,
    { key, value }: { key: string; value: string },
  ): AsyncGenerator<CalendarEvent> {
    const { found } = await this.#calendars.everything(this.#calendars.at(calendarId));
    for (const { read } of found)
      for (const { event } of read.events)
        if (event.status !== 'cancelled' && event.extendedProperties?.private?.[key] === value) yield event;
  }

  /** `writer` or `reader`; undefined when the server does not say. */
  async accessRole(calendarId: string): Promise<string | undefined> {
    const { mayWrite } = await this.#calendars.at(calendarId).info({ fresh: true });
    return mayWrite === undefined ? undefined : mayWrite ? 'writer' : 'reader';
  }

  async zone(calendarId: string): Promise<string> {
    return this.#calendars.zone(this.#calendars.at(calendarId));
  }

  async assertWritable(calendarId: string): Promise<void> {
    const calendar = this.#calendars.at(calendarId);
    await this.#assertTakesEvents(calendar);
    if ((await calendar.info()).mayWrite === false) throw calendar.refusal('need-privileges');
  }

  async #assertTakesEvents(calendar: DavCalendar): Promise<void> {
    if ((await calendar.info()).takesEvents) return;
    const error = calendar.refusal(TAKES_NO_EVENTS);
    const { code, message, advice = '' } = error;
    const problem = { target: `calendar:${calendar.id}`, code, message, advice, refuses: 'writes' as const };
    await this.#parts.problems.raise(problem).catch(() => undefined);
    throw error;
  }

  async countUpcoming(
    calendarId: string,
    {
      property,
      fromMs,
    }: { readonly property: { readonly key: string; readonly value: string }; readonly fromMs: number },
  ): Promise<number> {
    let count = 0;
    for await (const { id, end } of this.marked(calendarId, property))
      if (!isNoteId(id) && Date.parse(end?.dateTime ?? end?.date ?? '') > fromMs) count += 1;
    return count;
  }

  async instances(
    calendarId: string,
    masterId: string,
    window: { readonly fromMs: number; readonly untilMs: number; readonly limit: number },
  ): Promise<readonly CalendarEvent[] | 'absent' | 'too-many'> {
    const calendar = this.#calendars.at(calendarId);
    const found = await this.#calendars.find(calendar, masterId);
    if (found?.own === undefined || found.event.status === 'cancelled') return 'absent';
    const events = await this.#calendars.instancesOf(calendar, {
      read: found.read,
      master: found.own,
      ...window,
    });
    if (events === undefined || events.length > window.limit) return 'too-many';
    return events;
  }

  /** Writes the fields into the event, whole series or single instance, as long as it is in the state that the caller knows. */
  async #write(
    calendarId: string,
    { id, etag = '' }: { readonly id: string; readonly etag?: string },
    fields: Fields,
  ): Promise<CalendarEvent | 'absent' | 'changed'> {
    const calendar = this.#calendars.at(calendarId);
    const about = await this.#calendars.about(calendar);
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const mayBeKept = tries === 0 && calendar.quirks.keepsPreconditions;
      const found = await this.#calendars.find(calendar, id, { mayBeKept });
      if (found === undefined) return 'absent';
      const { event, object } = found;
      if (etag !== '' && event.etag !== etag) {
        if (!mayBeKept) return 'changed';
        // What is in memory may be old.
        this.#parts.memory.forget(calendarId, object.href);
        continue;
      }
      assertMayWrite(event, calendarId);
      const text = editOf(found, {
        fields,
        about,
        idOf: (uid) => (uid === found.own?.uid ? id : idOfUid(uid)),
      });
      if (text === undefined) return 'absent';
      const put = await calendar.put(object.href, text, { ifMatch: object.etag });
      if (put.is !== 'stored') continue;
      if (put.isMade && !calendar.quirks.keepsPreconditions) {
        // People had deleted it, and the server made it anew (rule 16).
        await calendar.remove(object.href, put.etag);
        return 'absent';
      }
      return this.#stored(calendar, { href: object.href, text, etag: put.etag, eventId: id });
    }
    return 'changed';
  }

  /**
   * The event as it is stored. A server that gave no version, or whose preconditions do not hold, is read again: `changed` if it shows
   * something else (rules 17 and 18).
   */
  async #stored(
    calendar: DavCalendar,
    written: DavObject & { readonly eventId: string },
  ): Promise<CalendarEvent | 'changed'> {
    const { href, eventId, etag, text } = written;
    // xandikos unescapes a text twice, and says 201: a path such as C:\new gets a line break.
    const isSure = etag !== '' && calendar.quirks.keepsPreconditions && !text.includes(ESCAPED_BACKSLASH);
    const object = isSure ? { href, etag, text } : await calendar.get(href);
    if (object === 'absent') return 'changed';
    const wanted = await this.#eventOf(calendar, { href, etag, text }, eventId);
    const shown = isSure ? wanted : await this.#eventOf(calendar, object, eventId);
    if (wanted === undefined || shown === undefined || !isAsWritten(wanted, shown)) return 'changed';
    await this.#calendars.note(calendar, object, { by: 'write' });
    return shown;
  }

  async #eventOf(calendar: DavCalendar, object: DavObject, eventId: string): Promise<WholeEvent | undefined> {
    const read = await this.#calendars.read(calendar, object);
    const found = read?.events.find(({ event }) => event.id === eventId);
    return found?.event;
  }
}

/** Undefined for an instance of a series that cannot be written. */
function editOf(
  found: FoundEvent,
  {
    fields,
    about,
    idOf,
  }: { readonly fields: Fields; readonly about: EditAbout; readonly idOf: (uid: string) => string },
): string | undefined {
  const { own, master, event, read } = found;
  if (own !== undefined) return editedObject(read, { of: own, fields, about });
  if (master === undefined) return undefined;
  const known = { ...about, idOf };
  const split = withInstance(read, { master, instance: event, about: known });
  const added = split?.events.find((each) => each.event.id === event.id);
  return split && added && editedObject(split, { of: added, fields, about });
}

function hasGuests({ attendees = [], organizer }: CalendarEvent): boolean {
  return attendees.length > 0 || organizer !== undefined;
}

/** A server mails the guests of each event that is changed or removed. That is for its organizer alone. */
function assertMayWrite(event: CalendarEvent, calendarId: string): void {
  if (!hasGuests(event)) return;
  throw new TerminalError(EVENT_FORBIDDEN, 'the event has guests, whom the CalDAV server would mail', {
    target: `calendar:${calendarId}`,
    status: 403,
    advice: 'Change the event in the calendar yourself, or remove its guests there. Then retry.',
  });
}

/** RFC 5545, 3.3.11. */
const ESCAPED_BACKSLASH = '\\\\';
