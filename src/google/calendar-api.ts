import { calendar, type calendar_v3 } from 'googleapis/build/src/apis/calendar/index.js';
import * as z from 'zod';
import { DeferredError, RetryableError } from '../domain/errors.ts';
import { isNoteId } from '../domain/event-id.ts';
import type { ProblemBoard } from '../ports/operator.ts';
import type { Budget, BudgetRank } from '../ports/quotas.ts';
import { type Clock, steadyClock } from '../ports/runtime.ts';
import { TargetBreakers } from './breaker.ts';
import {
  CALENDAR_EVENT,
  type CalendarEvent,
  EVENT_PAGE,
  type EventBody,
  type EventPatch,
  type NoteBody,
} from './calendar-event.ts';
import { type GoogleCall, googleCall, NOT_FOUND } from './call.ts';
import { type Access, accessBy, type CredentialChoice } from './credentials.ts';
import { DENIALS } from './denials.ts';
import { DUPLICATE_ID, ETAG_MISMATCH, GONE } from './errors.ts';
import { KnownProblems } from './known-problems.ts';
import { codeOf } from './outcome.ts';
import { RecentEvents } from './recent-events.ts';

export interface CalendarApiOptions {
  readonly credential: CredentialChoice;
  /** `https://www.googleapis.com/`, or whatever stands in its place. */
  readonly rootUrl: string;
  readonly budget: Budget;
  /** Shared by all that call Google in this process; default: its own. */
  readonly breakers?: TargetBreakers;
  /** The same. */
  readonly recent?: RecentEvents;
  /** Rank of every call; default `live`. */
  readonly rank?: BudgetRank;
  readonly problems: ProblemBoard;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Page of a walk through a calendar; Google's own limit is 2,500. */
const PAGE_EVENTS_MAX = 250;
/** Google's roles that write nothing (Calendar API, Events: list, `accessRole`). */
const READING_ROLES = new Set(['none', 'freeBusyReader', 'reader']);
const WRITABLE_FOR_MS = 5 * 60_000;
/** Access is given by people. */
const READ_ONLY_PAUSE_MS = 20_000;

/**
 * The calls to Google Calendar that a mirror and outside bookings need. One request per call and no retry; nobody is ever mailed. What
 * the caller has to decide by comes back as a word, everything else rejects with one of the three error families.
 * `absent` is proof: the calendar itself answered, and the event is not in it.
 */
export class CalendarApi {
  readonly #access: (target: string) => Access<calendar_v3.Resource$Events>;
  readonly #options: CalendarApiOptions;
  readonly #problems: KnownProblems;
  readonly #breakers: TargetBreakers;
  readonly #recent: RecentEvents;
  /** A right that was there a moment ago is not asked about at every booking. */
  readonly #writableUntilMs = new Map<string, number>();

  constructor(options: CalendarApiOptions) {
    this.#options = options;
    this.#problems = new KnownProblems(options.problems, steadyClock);
    this.#breakers = options.breakers ?? new TargetBreakers(options);
    this.#recent = options.recent ?? new RecentEvents();
    // Retries are the queue's: the library's would burn the quota and know nothing of a lost answer.
    const { rootUrl } = options;
    this.#access = accessBy(
      options.credential,
      (auth) => calendar({ version: 'v3', auth, rootUrl, retry: false }).events,
    );
  }

  /** `taken`: the id is in use, be it by an event or by the tombstone of one. */
  async insert(calendarId: string, id: string, body: EventBody | NoteBody): Promise<CalendarEvent | 'taken'> {
    const requestBody: calendar_v3.Schema$Event = { ...body, id };
    try {
      return await this.#call({ calendarId, about: 'target', schema: CALENDAR_EVENT }, (events, options) =>
        events.insert({ calendarId, requestBody, sendUpdates: 'none' }, options),
      );
    } catch (error) {
      if (codeOf(error) === DUPLICATE_ID) return 'taken';
      throw error;
    }
  }

  /** A deleted event may still come, with status `cancelled`. */
  async get(calendarId: string, eventId: string): Promise<CalendarEvent | 'absent'> {
    try {
      const event = await this.#call(
        { calendarId, about: 'item', schema: CALENDAR_EVENT },
        (events, options) => events.get({ calendarId, eventId }, options),
      );
      this.#recent.keep(calendarId, event);
      return event;
    } catch (error) {
      return this.#absent(calendarId, error);
    }
  }

  /** The event in the state of this etag when it was read just now, without a call; otherwise as `get`. To be written with its etag only. */
  async getIn(calendarId: string, eventId: string, etag: string): Promise<CalendarEvent | 'absent'> {
    return this.#recent.take(calendarId, eventId, etag) ?? this.get(calendarId, eventId);
  }

  /** `changed`: the event is no longer the one with this etag. Fields that `body` leaves out stay as they are. */
  async patch(
    calendarId: string,
    event: { readonly id: string; readonly etag?: string },
    body: Partial<EventPatch>,
  ): Promise<CalendarEvent | 'absent' | 'changed'> {
    const headers = event.etag === undefined || event.etag === '' ? {} : { 'If-Match': event.etag };
    // Google's types know of no null in a map.
    const requestBody = body as calendar_v3.Schema$Event;
    try {
      return await this.#call({ calendarId, about: 'item', schema: CALENDAR_EVENT }, (events, options) =>
        events.patch(
          { calendarId, eventId: event.id, requestBody, sendUpdates: 'none' },
          { ...options, headers },
        ),
      );
    } catch (error) {
      if (codeOf(error) === ETAG_MISMATCH) return 'changed';
      return this.#absent(calendarId, error);
    }
  }

  /** `changed`: the event is no longer the one with this etag, and still stands. */
  async remove(
    calendarId: string,
    { id: eventId, etag }: { readonly id: string; readonly etag: string },
  ): Promise<'removed' | 'absent' | 'changed'> {
    const headers = { 'If-Match': etag };
    try {
      await this.#call({ calendarId, about: 'item' }, (events, options) =>
        events.delete({ calendarId, eventId, sendUpdates: 'none' }, { ...options, headers }),
      );
      return 'removed';
    } catch (error) {
      if (codeOf(error) === ETAG_MISMATCH) return 'changed';
      return this.#absent(calendarId, error);
    }
  }

  /**
   * Live events that carry one private property, `key=value`. One constraint only: Google's reference and its guide
   * disagree on what several mean.
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

  /** The zone in which the days of the calendar begin, IANA. */
  async zone(calendarId: string): Promise<string> {
    const params = { calendarId, maxResults: 1, fields: 'timeZone' };
    const page = await this.#call({ calendarId, about: 'target', schema: ZONE }, (events, options) =>
      events.list(params, options),
    );
    return page.timeZone;
  }

  /** Rejects with `DeferredError` `calendar-read-only` when the worker may read the calendar and not write to it. */
  async assertWritable(calendarId: string): Promise<void> {
    const nowMs = this.#options.clock.now();
    if (nowMs < (this.#writableUntilMs.get(calendarId) ?? 0)) return;
    const role = await this.accessRole(calendarId);
    if (role === undefined || !READING_ROLES.has(role)) {
      this.#writableUntilMs.set(calendarId, nowMs + WRITABLE_FOR_MS);
      return;
    }
    const { message, advice } = DENIALS['calendar-read-only'];
    const problem = { target: `calendar:${calendarId}`, code: 'calendar-read-only', message, advice };
    await this.#problems.raise(problem);
    throw new DeferredError(problem.code, message, { ...problem, retryAfterMs: READ_ONLY_PAUSE_MS });
  }

  /** How many live events with this private property, notes left aside, end after `fromMs`, counted up to one page. */
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
   * Events of one series that end after `fromMs` and begin before `untilMs`, exceptions among them, deleted ones not (Events:
   * instances). `absent`: there is no such series. `too-many`: more than `limit`.
   */
  async instances(
    calendarId: string,
    masterId: string,
    window: { readonly fromMs: number; readonly untilMs: number; readonly limit: number },
  ): Promise<readonly CalendarEvent[] | 'absent' | 'too-many'> {
    const found: CalendarEvent[] = [];
    let pageToken: string | undefined;
    do {
      const params: calendar_v3.Params$Resource$Events$Instances = {
        ...{ calendarId, eventId: masterId, showDeleted: false, maxResults: PAGE_EVENTS_MAX },
        timeMin: new Date(window.fromMs).toISOString(),
        timeMax: new Date(window.untilMs).toISOString(),
        ...(pageToken === undefined ? {} : { pageToken }),
      };
      try {
        const page = await this.#call({ calendarId, about: 'item', schema: EVENT_PAGE }, (events, options) =>
          events.instances(params, options),
        );
        found.push(...page.items);
        pageToken = page.nextPageToken;
      } catch (error) {
        return this.#absent(calendarId, error);
      }
      if (found.length > window.limit) return 'too-many';
    } while (pageToken !== undefined);
    return found;
  }

  /**
   * Google says 404 for an event that is not there and for a calendar that is not shared any more. Only a calendar that
   * answers proves the absence of an event; otherwise this rejects with what is wrong with the calendar.
   */
  async #absent(calendarId: string, error: unknown): Promise<'absent'> {
    const code = codeOf(error);
    if (code === GONE) return 'absent';
    if (code !== NOT_FOUND) throw error;
    await this.#call({ calendarId, about: 'target' }, (events, options) =>
      events.list({ calendarId, maxResults: 1, fields: 'kind' }, options),
    );
    return 'absent';
  }

  #call(asked: Asked & { readonly schema?: never }, request: EventRequest): Promise<undefined>;
  #call<T>(asked: Asked & { readonly schema: z.ZodType<T> }, request: EventRequest): Promise<T>;
  async #call<T>(
    { calendarId, about, schema }: Asked & { readonly schema?: z.ZodType<T> },
    request: EventRequest,
  ): Promise<T | undefined> {
    const { budget, timeoutMs, rank, clock } = this.#options;
    const target = `calendar:${calendarId}`;
    const { credential, client } = this.#access(target);
    const budgetName = `google-calendar:${credential.name}`;
    const [problems, breakers] = [this.#problems, this.#breakers];
    const call: GoogleCall = {
      target,
      credential: credential.problems,
      budgetName,
      budget,
      rank,
      clock,
      breakers,
      problems,
      timeoutMs,
      about,
    };
    const { data } = await googleCall(call, (signal) =>
      request(client, { timeout: timeoutMs, retry: false, signal }),
    );
    if (schema === undefined) return undefined;
    const parsed = schema.safeParse(data);
    if (parsed.success) return parsed.data;
    // A page of some proxy with status 200: whether the write was made is open, so it is asked again.
    throw new RetryableError('google-unreadable', 'Google answered something that is no event', { target });
  }
}

interface Asked {
  readonly calendarId: string;
  /** As in `GoogleCall`. */
  readonly about: 'target' | 'item';
}

const ACCESS = z.object({ accessRole: z.string().optional() });
const ZONE = z.object({ timeZone: z.string().default('UTC') });

type RequestOptions = { timeout: number; retry: boolean; signal: AbortSignal };
type EventRequest = (
  events: calendar_v3.Resource$Events,
  options: RequestOptions,
) => Promise<{ data: unknown }>;
