import type { calendar_v3 } from 'googleapis/build/src/apis/calendar/index.js';
import * as z from 'zod';
import type { KeptBecause, KeptSearch } from '../engine/calendar-events.ts';
import { RetryableError, TerminalError } from '../engine/errors.ts';
import { APPOINTMENT_MARK } from '../engine/event-texts.ts';
import { isNoteId } from '../engine/ids.ts';
import { distanceMs } from '../engine/moments.ts';
import type { Clock } from '../engine/runtime.ts';
import type { GoogleAuthClient } from './auth.ts';
import {
  CALENDAR_EVENT,
  type CalendarEvent,
  EVENT_PAGE,
  type EventInsert,
  type EventMoment,
  type EventPatch,
  type EventPatching,
  isCopyOf,
  type PeoplesFields,
  RecentEvents,
  WHOLE_EVENT,
  type WholeEvent,
} from './calendar-event.ts';
import {
  type Direction,
  type GoogleApiOptions,
  GoogleCaller,
  type KnownProblems,
  NOT_FOUND,
} from './call.ts';
import {
  classifyGoogleError,
  codeOf,
  DUPLICATE_ID,
  ETAG_MISMATCH,
  GONE,
  GOOGLE_QUOTA,
  GoogleFailure,
} from './errors.ts';

export interface CalendarApiOptions extends GoogleApiOptions {
  /** Shared by all callers of Google in this process; default: its own. */
  readonly recent?: RecentEvents;
}

/** What the worker does with a calendar, wherever it is kept: `src/caldav` has the other kind. */
export type CalendarApi = Pick<GoogleCalendarApi, keyof GoogleCalendarApi>;

/** Page size of a walk through a calendar; Google's own limit is 2,500. */
const PAGE_EVENTS_MAX = 250;
/** Google's roles without write access (Calendar API, Events: list, `accessRole`). */
const READING_ROLES = new Set(['none', 'freeBusyReader', 'reader']);
const WRITABLE_FOR_MS = 5 * 60_000;
/** Age up to which an event of a series is written as it was read: the write names its etag. */
const SERIES_FRESH_MS = 60_000;
/** How far ahead a series is listed when one of its events is read. */
const SERIES_WINDOW_MS = 400 * 86_400_000;
/** What Google answers to a write without the right to it (Calendar API, errors). */
const READ_ONLY = {
  response: { status: 403, data: { error: { errors: [{ reason: 'requiredAccessLevel' }] } } },
};

/**
 * The Google Calendar calls that mirrors and outside bookings need. Each call makes one request without retries and never causes mail.
 * Outcomes that the caller decides by are returned as words; everything else rejects with one of the three error families. `absent` is
 * proof: the calendar itself answered, and the event is not in it.
 */
export class GoogleCalendarApi {
  readonly #google: GoogleCaller<EventCalls>;
  readonly #options: CalendarApiOptions;
  readonly #recent: RecentEvents;
  readonly #zones: UnknownZones;
  /** Lists of series that are on their way. */
  readonly #listed = new Map<string, Promise<unknown>>();
  /** When a calendar was last seen to be writable, so that not every booking asks Google. */
  readonly #writableAtMs = new Map<string, number>();

  constructor(options: CalendarApiOptions) {
    this.#options = options;
    this.#google = new GoogleCaller(options, (auth) => eventCalls(auth, options.rootUrl));
    this.#recent = options.recent ?? new RecentEvents();
    this.#zones = new UnknownZones({ problems: this.#google.problems, clock: options.clock });
  }

  /** `taken`: an event or its tombstone already uses the id. */
  async insert(...[calendarId, id, body, after]: EventInsert): Promise<CalendarEvent | 'taken'> {
    try {
      return await this.#zones.write({ ...body, id }, (requestBody) =>
        this.#call(
          { calendarId, direction: 'write', about: 'target', schema: CALENDAR_EVENT, after },
          (events, options) => events.insert({ calendarId, requestBody, sendUpdates: 'none' }, options),
        ),
      );
    } catch (error) {
      if (codeOf(error) === DUPLICATE_ID) return 'taken';
      throw error;
    }
  }

  /** May return a deleted event, with status `cancelled`. */
  async get(calendarId: string, eventId: string): Promise<CalendarEvent | 'absent'> {
    const asOf = this.#recent.series.writes;
    const event = await this.#unlessAbsent(calendarId, () =>
      this.#call({ calendarId, about: 'item', schema: CALENDAR_EVENT }, (events, options) =>
        events.get({ calendarId, eventId }, options),
      ),
    );
    if (event === 'absent') return 'absent';
    this.#recent.keep(calendarId, event);
    this.#keepInSeries(calendarId, [event], asOf);
    return event;
  }

  /** As `get`, with the fields that only people give. */
  async getWhole(calendarId: string, eventId: string): Promise<WholeEvent | 'absent'> {
    return this.#unlessAbsent(calendarId, () =>
      this.#call({ calendarId, about: 'item', schema: WHOLE_EVENT }, (events, options) =>
        events.get({ calendarId, eventId }, options),
      ),
    );
  }

  /**
   * Returns the event without a call if this state of it was just read, or if its series was read lately; otherwise as `get`. The caller
   * must write it only with its etag.
   */
  async getIn(calendarId: string, eventId: string, etag: string): Promise<CalendarEvent | 'absent'> {
    const recent = this.#recent.take(calendarId, eventId, etag);
    return recent ?? this.readWithin(calendarId, eventId, SERIES_FRESH_MS);
  }

  /** As `get`, but an event of a series may have been read up to `withinMs` ago. One list then reads all its siblings as well. */
  async readWithin(calendarId: string, eventId: string, withinMs: number): Promise<CalendarEvent | 'absent'> {
    const { series } = this.#recent;
    const master = series.masterOf(calendarId, eventId);
    if (master === undefined) return this.get(calendarId, eventId);
    const fromMs = this.#options.clock.now() - withinMs;
    const known = series.since(calendarId, eventId, fromMs);
    if (known !== undefined) return known;
    await this.#listSeries(calendarId, master);
    // A list proves no absence: an event may have been moved out of it.
    return series.since(calendarId, eventId, fromMs) ?? this.get(calendarId, eventId);
  }

  /** The event of a series as it was last read, with its etag of now. Undefined if it was not read, or belongs to no series. */
  knownInSeries(calendarId: string, eventId: string): CalendarEvent | undefined {
    return this.#recent.series.since(calendarId, eventId, Number.NEGATIVE_INFINITY);
  }

  /** Callers that need several events of one series share one list. */
  async #listSeries(calendarId: string, masterId: string): Promise<void> {
    const key = `${calendarId} ${masterId}`;
    const fromMs = this.#options.clock.now();
    const window = { fromMs, untilMs: fromMs + SERIES_WINDOW_MS, limit: PAGE_EVENTS_MAX };
    const listed = this.#listed.get(key) ?? this.instances(calendarId, masterId, window);
    this.#listed.set(key, listed);
    await listed.finally(() => this.#listed.delete(key));
  }

  #keepInSeries(calendarId: string, events: readonly CalendarEvent[], asOf: number): void {
    const read = { atMs: this.#options.clock.now(), asOf };
    for (const event of events) this.#recent.series.keep(calendarId, event, read);
  }

  /** `changed`: the event no longer has this etag. Fields that `body` leaves out stay as they are. Writes of one series take turns. */
  async patch(
    ...[calendarId, event, body, after]: EventPatching
  ): Promise<CalendarEvent | 'absent' | 'changed'> {
    const { series } = this.#recent;
    return series.inTurn(calendarId, event.id, async () => {
      const former = { id: event.id, etag: series.etagNow(calendarId, event.id, event.etag ?? '') };
      const patched = await this.#patch(calendarId, former, body, after).catch((error: unknown) => {
        series.forget(calendarId, event.id);
        throw error;
      });
      if (typeof patched === 'string') series.forget(calendarId, event.id);
      else series.wrote(calendarId, former, patched);
      return patched;
    });
  }

  async #patch(
    ...[calendarId, event, body, after]: EventPatching
  ): Promise<CalendarEvent | 'absent' | 'changed'> {
    const headers = event.etag ? { 'If-Match': event.etag } : {};
    const patch = (written: Partial<EventPatch>) => {
      // Google's types allow no null in a map.
      const requestBody = written as calendar_v3.Schema$Event;
      return this.#call(
        { calendarId, direction: 'write', about: 'item', schema: CALENDAR_EVENT, after },
        (events, options) =>
          events.patch(
            { calendarId, eventId: event.id, requestBody, sendUpdates: 'none' },
            { ...options, headers },
          ),
      );
    };
    try {
      return await this.#unlessAbsent(calendarId, () => this.#zones.write(body, patch));
    } catch (error) {
      if (codeOf(error) === ETAG_MISMATCH) return 'changed';
      throw error;
    }
  }

  /** Whether the event is missing because its calendar was made anew. Google gives a new calendar a new id. */
  async isNobodys(_calendarId: string, _eventId: string): Promise<boolean> {
    return false;
  }

  /**
   * Google's "Copy to" and "Duplicate" make another id with the same private properties. Google lists no calendars of other people, so only
   * the searched ones are asked. A part of a series is no copy: splitting a series gives the second part the properties of its first event.
   */
  async keptElsewhere(
    calendarId: string,
    eventId: string,
    { searched, appointment }: KeptSearch,
  ): Promise<KeptBecause | undefined> {
    const property = { key: APPOINTMENT_MARK, value: appointment.id };
    for (const id of new Set([calendarId, ...searched])) {
      if (URL.canParse(id)) continue;
      for await (const event of this.marked(id, property)) {
        const isSingle = event.recurrence === undefined && event.recurringEventId === undefined;
        if (isSingle && event.id !== eventId && isCopyOf(event, appointment)) return 'copy-stands';
      }
    }
    return undefined;
  }

  /** Whether two ids name one calendar, as the addresses of a person before and after a new one. No two events share id and version. */
  async isSameObject(eventId: string, calendarId: string, otherId: string): Promise<boolean> {
    const here = await this.get(calendarId, eventId);
    const there = here === 'absent' ? here : await this.get(otherId, eventId);
    return here !== 'absent' && there !== 'absent' && here.etag === there.etag;
  }

  /** Whether one account serves both calendars. */
  isSameAccount(calendarId: string, otherId: string): boolean {
    const nameOf = (id: string) => this.#google.credentialOf(`calendar:${id}`).name;
    return nameOf(calendarId) === nameOf(otherId);
  }

  /**
   * Moves the event to another calendar under the same id (Events: move). `refused`: it stays, or was not there. Google knows no If-Match
   * for it.
   */
  async move(calendarId: string, eventId: string, destination: string): Promise<CalendarEvent | 'refused'> {
    return this.#call(
      { calendarId, direction: 'write', about: 'item', schema: z.literal('refused').or(CALENDAR_EVENT) },
      async (events, options) => {
        try {
          return await events.move({ calendarId, eventId, destination, sendUpdates: 'none' }, options);
        } catch (thrown) {
          return refusedWrite(thrown, calendarId);
        }
      },
    );
  }

  /** Gives the event fields that only people give, and mails nobody. `refused`: it stays as it is, or is gone or has changed. */
  async addFields(
    calendarId: string,
    { id: eventId, etag }: { readonly id: string; readonly etag: string },
    fields: PeoplesFields,
  ): Promise<CalendarEvent | 'refused'> {
    const requestBody = fields as calendar_v3.Schema$Event;
    const request = { calendarId, eventId, requestBody, sendUpdates: 'none' } as const;
    const supports = { conferenceDataVersion: 1, supportsAttachments: true };
    return this.#call(
      { calendarId, direction: 'write', about: 'item', schema: z.literal('refused').or(CALENDAR_EVENT) },
      async (events, options) => {
        try {
          return await events.patch(
            { ...request, ...supports },
            { ...options, headers: { 'If-Match': etag } },
          );
        } catch (thrown) {
          return refusedWrite(thrown, calendarId);
        }
      },
    );
  }

  /** `changed`: the event no longer has this etag, and still exists. */
  async remove(
    calendarId: string,
    { id, etag }: { readonly id: string; readonly etag: string },
  ): Promise<'removed' | 'absent' | 'changed'> {
    const { series } = this.#recent;
    return series.inTurn(calendarId, id, async () => {
      try {
        return await this.#remove(calendarId, { id, etag: series.etagNow(calendarId, id, etag) });
      } finally {
        // A deletion is answered without the new version of the series.
        series.forget(calendarId, id);
      }
    });
  }

  async #remove(
    calendarId: string,
    { id: eventId, etag }: { readonly id: string; readonly etag: string },
  ): Promise<'removed' | 'absent' | 'changed'> {
    const headers = { 'If-Match': etag };
    try {
      const removed = await this.#unlessAbsent(calendarId, () =>
        this.#call({ calendarId, direction: 'write', about: 'item' }, (events, options) =>
          events.delete({ calendarId, eventId, sendUpdates: 'none' }, { ...options, headers }),
        ),
      );
      return removed ?? 'removed';
    } catch (error) {
      if (codeOf(error) === ETAG_MISMATCH) return 'changed';
      throw error;
    }
  }

  /**
   * Live events that have the private property `key=value`. Takes only one constraint, because Google's reference and guide disagree on
   * what several mean.
   */
  async *marked(calendarId: string, property: { key: string; value: string }): AsyncGenerator<CalendarEvent> {
    let pageToken: string | undefined;
    do {
      const params: calendar_v3.Params$Resource$Events$List = {
        calendarId,
        privateExtendedProperty: [`${property.key}=${property.value}`],
        maxResults: PAGE_EVENTS_MAX,
        ...(pageToken === undefined ? {} : { pageToken }),
      };
      const page = await this.#call({ calendarId, about: 'target', schema: EVENT_PAGE }, (events, options) =>
        events.list(params, options),
      );
      yield* page.items;
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
  }

  /** The worker's role in the calendar: `owner`, `writer`, `reader`, `freeBusyReader`, …; undefined when Google does not say. */
  async accessRole(calendarId: string): Promise<string | undefined> {
    const params = { calendarId, maxResults: 1, fields: 'accessRole' };
    const page = await this.#call({ calendarId, about: 'target', schema: ACCESS }, (events, options) =>
      events.list(params, options),
    );
    return page.accessRole;
  }

  /** The calendar's time zone, IANA. */
  async zone(calendarId: string): Promise<string> {
    const params = { calendarId, maxResults: 1, fields: 'timeZone' };
    const page = await this.#call({ calendarId, about: 'target', schema: ZONE }, (events, options) =>
      events.list(params, options),
    );
    return page.timeZone;
  }

  /** Rejects with `DeferredError` `calendar-read-only` when the worker may only read the calendar. */
  async assertWritable(calendarId: string): Promise<void> {
    const nowMs = this.#options.clock.now();
    const seenAtMs = this.#writableAtMs.get(calendarId);
    if (seenAtMs !== undefined && distanceMs(seenAtMs, nowMs) < WRITABLE_FOR_MS) return;
    const params = { calendarId, maxResults: 1, fields: 'accessRole' };
    // Counts as a write, because the answer says whether one would be refused.
    const asked = { calendarId, direction: 'write', about: 'target', schema: ACCESS } as const;
    await this.#call(asked, async (events, options) => {
      const answer = await events.list(params, options);
      const access = ACCESS.safeParse(answer.data);
      if (READING_ROLES.has(access.data?.accessRole ?? '')) throw new GoogleFailure(READ_ONLY);
      return answer;
    });
    this.#writableAtMs.set(calendarId, nowMs);
  }

  /** The number of live events with this private property that end after `fromMs`, without notes. Counts at most one page. */
  async countUpcoming(
    calendarId: string,
    about: { readonly property: { readonly key: string; readonly value: string }; readonly fromMs: number },
  ): Promise<number> {
    const { property, fromMs } = about;
    const params: calendar_v3.Params$Resource$Events$List = {
      calendarId,
      privateExtendedProperty: [`${property.key}=${property.value}`],
      timeMin: new Date(fromMs).toISOString(),
      maxResults: PAGE_EVENTS_MAX,
    };
    const page = await this.#call({ calendarId, about: 'target', schema: EVENT_PAGE }, (events, options) =>
      events.list(params, options),
    );
    return page.items.filter(({ id, status }) => status !== 'cancelled' && !isNoteId(id)).length;
  }

  /**
   * The events of one series that end after `fromMs` and begin before `untilMs`, including exceptions but not deleted ones (Events:
   * instances). `absent`: there is no such series. `too-many`: more than `limit`.
   */
  async instances(
    calendarId: string,
    masterId: string,
    window: { readonly fromMs: number; readonly untilMs: number; readonly limit: number },
  ): Promise<readonly CalendarEvent[] | 'absent' | 'too-many'> {
    const found: CalendarEvent[] = [];
    const asOf = this.#recent.series.writes;
    let pageToken: string | undefined;
    do {
      const params: calendar_v3.Params$Resource$Events$Instances = {
        ...{ calendarId, eventId: masterId, showDeleted: false, maxResults: PAGE_EVENTS_MAX },
        timeMin: new Date(window.fromMs).toISOString(),
        timeMax: new Date(window.untilMs).toISOString(),
        ...(pageToken === undefined ? {} : { pageToken }),
      };
      const page = await this.#unlessAbsent(calendarId, () =>
        this.#call({ calendarId, about: 'item', schema: EVENT_PAGE }, (events, options) =>
          events.instances(params, options),
        ),
      );
      if (page === 'absent') return 'absent';
      found.push(...page.items);
      this.#keepInSeries(calendarId, page.items, asOf);
      pageToken = page.nextPageToken;
      if (found.length > window.limit) return 'too-many';
    } while (pageToken !== undefined);
    return found;
  }

  /**
   * Google answers 404 both for a missing event and for a calendar that is no longer shared. Only a calendar that answers proves the
   * absence of an event; otherwise this rejects with the calendar's error. Asks once more then: the calendar may just have been shared.
   */
  async #unlessAbsent<T>(calendarId: string, ask: () => Promise<T>): Promise<T | 'absent'> {
    const orNotFound = (error: unknown) => {
      const code = codeOf(error);
      if (code === GONE) return 'absent';
      if (code === NOT_FOUND) return 'not-found';
      throw error;
    };
    const first = await ask().catch(orNotFound);
    if (first !== 'not-found') return first;
    await this.#call({ calendarId, about: 'target' }, (events, options) =>
      events.list({ calendarId, maxResults: 1, fields: 'kind' }, options),
    );
    const again = await ask().catch(orNotFound);
    return again === 'not-found' ? 'absent' : again;
  }

  #call(asked: Asked & { readonly schema?: never }, request: EventRequest): Promise<undefined>;
  #call<T>(asked: Asked & { readonly schema: z.ZodType<T> }, request: EventRequest): Promise<T>;
  async #call<T>(
    { calendarId, direction = 'read', about, schema, after }: Asked & { readonly schema?: z.ZodType<T> },
    request: EventRequest,
  ): Promise<T | undefined> {
    const target = `calendar:${calendarId}`;
    const asked = { target, direction, about, after, quota: 'google-calendar' } as const;
    const { data } = await this.#google.call(asked, (client, signal) => request(client, { signal }));
    if (schema === undefined) return undefined;
    const parsed = schema.safeParse(data);
    if (parsed.success) return parsed.data;
    // Perhaps a proxy's page with status 200. Whether a write was made is unknown, so the call is retried.
    throw new RetryableError('google-unreadable', "Google's answer is not an event", { target });
  }
}

/** A refusal may be about the event, its fields or another calendar, so it is no problem of this calendar. */
function refusedWrite(thrown: unknown, calendarId: string): { data: 'refused' } {
  const { code, cause, status = 0 } = classifyGoogleError(thrown, `calendar:${calendarId}`);
  const isAboutEvent = cause instanceof GoogleFailure && !cause.ofToken && code !== GOOGLE_QUOTA;
  if (isAboutEvent && [400, 403, 404, 409, 410, 412].includes(status)) return { data: 'refused' };
  throw thrown;
}

interface Asked {
  readonly calendarId: string;
  /** Default `read`. */
  readonly direction?: Direction;
  /** As in `GoogleCall`. */
  readonly about: 'target' | 'item';
  readonly after?: Promise<unknown> | undefined;
}

const ACCESS = z.object({ accessRole: z.string().optional() });
const ZONE = z.object({ timeZone: z.string().default('UTC') });

interface RequestOptions {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

type EventRequest = (events: EventCalls, options: RequestOptions) => Promise<{ data: unknown }>;
type Ask<Params> = (params: Params, options: RequestOptions) => Promise<{ data: unknown }>;
type EventCalls = ReturnType<typeof eventCalls>;

/**
 * Google's Calendar API, Events. The library's own methods, which build each request from copies of all its options, cost a third of a
 * call's processor time. The library's credential sends.
 */
function eventCalls(auth: GoogleAuthClient, rootUrl: string) {
  const own = { 'accept-encoding': 'gzip', 'user-agent': 'slotbridge (gzip)' };
  const call =
    <Params extends { calendarId?: string; eventId?: string }>(method: string, after = ''): Ask<Params> =>
    ({ calendarId = '', eventId, ...rest }, { signal, headers }) => {
      const { requestBody: data, ...params } = rest as Readonly<Record<string, unknown>>;
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(params))
        for (const each of [value].flat()) if (each !== undefined) query.append(name, String(each));
      const path = ['calendars', calendarId, 'events', ...(eventId === undefined ? [] : [eventId])];
      const url = new URL(`/calendar/v3/${path.map(encodeURIComponent).join('/')}${after}?${query}`, rootUrl);
      const request = { url, method, data, signal, headers: { ...own, ...headers } };
      return auth.request(request as Parameters<GoogleAuthClient['request']>[0]);
    };
  return {
    insert: call<calendar_v3.Params$Resource$Events$Insert>('POST'),
    get: call<calendar_v3.Params$Resource$Events$Get>('GET'),
    patch: call<calendar_v3.Params$Resource$Events$Patch>('PATCH'),
    delete: call<calendar_v3.Params$Resource$Events$Delete>('DELETE'),
    list: call<calendar_v3.Params$Resource$Events$List>('GET'),
    instances: call<calendar_v3.Params$Resource$Events$Instances>('GET', '/instances'),
    move: call<calendar_v3.Params$Resource$Events$Move>('POST', '/move'),
  };
}

// Writes an event in UTC if Google does not know its time zone. The zone only affects how Google shows the time.

/** How long events of a refused zone are written in UTC at once, before Google is asked again. */
const REFUSED_FOR_MS = 3_600_000;
/** Longest part of a zone's name in a message; the longest name of IANA has 32 characters. */
const NAME_CHARS_MAX = 60;

interface Body {
  readonly start?: EventPatch['start'] | { readonly date: string };
  readonly end?: EventPatch['end'] | { readonly date: string };
}

/** Zones that Google refused to this process. The problem of a zone ends with the first event that Google takes with it. */
class UnknownZones {
  readonly #problems: KnownProblems;
  readonly #clock: Clock;
  readonly #refusedAtMs = new Map<string, number>();

  constructor(parts: { problems: KnownProblems; clock: Clock }) {
    this.#problems = parts.problems;
    this.#clock = parts.clock;
  }

  /** Sends the body, and in UTC if its zone is refused. Rejects as `send` does. */
  async write<B extends Body, T>(body: B, send: (body: B) => Promise<T>): Promise<T> {
    const zone = zoneOf(body.start) ?? zoneOf(body.end);
    if (zone === undefined || zone === 'UTC') return send(body);
    const refusedAtMs = this.#refusedAtMs.get(zone);
    if (refusedAtMs !== undefined && this.#clock.now() - refusedAtMs < REFUSED_FOR_MS)
      return send(inUtc(body));
    try {
      const done = await send(body);
      this.#refusedAtMs.delete(zone);
      // Another process may have raised it. The event is written: what the board does not take now, the next event tells it.
      await this.#problems.clear(targetOf(zone), 'write').catch(() => undefined);
      return done;
    } catch (error) {
      if (!isAboutZone(error)) throw error;
    }
    const done = await send(inUtc(body));
    this.#refusedAtMs.set(zone, this.#clock.now());
    await this.#raise(zone);
    return done;
  }

  async #raise(zone: string): Promise<void> {
    const name = zone.slice(0, NAME_CHARS_MAX);
    const problem = {
      target: targetOf(zone),
      code: 'zone-unknown-to-google',
      message: `Google does not know the time zone ${name}: its events are written in UTC`,
      advice:
        "Nothing, if the zone is new: the hours are right, and Google is asked again every hour. Otherwise correct the branch's zone on the platform.",
    };
    // The event is written. The next refusal raises the problem again.
    await this.#problems.raise(problem).catch(() => undefined);
  }
}

function targetOf(zone: string): string {
  return `zone:${zone.slice(0, NAME_CHARS_MAX)}`;
}

function zoneOf(moment: Body['start']): string | undefined {
  return moment !== undefined && 'timeZone' in moment ? moment.timeZone : undefined;
}

/** Nothing was written: Google checks the content first. */
function isAboutZone(error: unknown): boolean {
  if (!(error instanceof TerminalError) || error.status !== 400) return false;
  return error.cause instanceof GoogleFailure && /time ?zone/i.test(error.cause.words());
}

function inUtc<B extends Body>(body: B): B {
  const utc = (moment: Body['start']) =>
    moment !== undefined && 'dateTime' in moment ? inZoneUtc(moment) : moment;
  return { ...body, ...(body.start && { start: utc(body.start) }), ...(body.end && { end: utc(body.end) }) };
}

function inZoneUtc(moment: EventMoment): EventMoment {
  return { ...moment, dateTime: new Date(moment.dateTime).toISOString(), timeZone: 'UTC' };
}
