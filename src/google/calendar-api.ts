import { calendar, type calendar_v3 } from 'googleapis/build/src/apis/calendar/index.js';
import * as z from 'zod';
import { RetryableError } from '../domain/errors.ts';
import { isNoteId } from '../domain/event-id.ts';
import { distanceMs } from '../domain/moments.ts';
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
import { codeOf } from './error-code.ts';
import { DUPLICATE_ID, ETAG_MISMATCH, GONE } from './errors.ts';
import { GoogleFailure } from './failure.ts';
import { type Direction, KnownProblems } from './known-problems.ts';
import { RecentEvents } from './recent-events.ts';

export interface CalendarApiOptions {
  readonly credential: CredentialChoice;
  /** `https://www.googleapis.com/`, or a replacement for it. */
  readonly rootUrl: string;
  readonly budget: Budget;
  /** Shared by all callers of Google in this process; default: its own. */
  readonly breakers?: TargetBreakers;
  /** Shared in the same way; default: its own. */
  readonly recent?: RecentEvents;
  /** Rank of every call; default `live`. */
  readonly rank?: BudgetRank;
  readonly problems: ProblemBoard;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Page size of a walk through a calendar; Google's own limit is 2,500. */
const PAGE_EVENTS_MAX = 250;
/** Google's roles without write access (Calendar API, Events: list, `accessRole`). */
const READING_ROLES = new Set(['none', 'freeBusyReader', 'reader']);
const WRITABLE_FOR_MS = 5 * 60_000;
/** What Google answers to a write without the right to it (Calendar API, errors). */
const READ_ONLY = {
  response: { status: 403, data: { error: { errors: [{ reason: 'requiredAccessLevel' }] } } },
};

/**
 * The Google Calendar calls that mirrors and outside bookings need. Each call makes one request without retries and never causes mail.
 * Outcomes that the caller decides by are returned as words; everything else rejects with one of the three error families. `absent` is
 * proof: the calendar itself answered, and the event is not in it.
 */
export class CalendarApi {
  readonly #access: (target: string) => Access<calendar_v3.Resource$Events>;
  readonly #options: CalendarApiOptions;
  readonly #problems: KnownProblems;
  readonly #breakers: TargetBreakers;
  readonly #recent: RecentEvents;
  /** When a calendar was last seen to be writable, so that not every booking asks Google. */
  readonly #writableAtMs = new Map<string, number>();

  constructor(options: CalendarApiOptions) {
    this.#options = options;
    this.#problems = new KnownProblems(options.problems, steadyClock);
    this.#breakers = options.breakers ?? new TargetBreakers(options);
    this.#recent = options.recent ?? new RecentEvents();
    // The queue retries: the library's retries would waste quota and do not handle a lost answer.
    const { rootUrl } = options;
    this.#access = accessBy(
      options.credential,
      (auth) => calendar({ version: 'v3', auth, rootUrl, retry: false }).events,
    );
  }

  /** `taken`: an event or its tombstone already uses the id. */
  async insert(calendarId: string, id: string, body: EventBody | NoteBody): Promise<CalendarEvent | 'taken'> {
    const requestBody: calendar_v3.Schema$Event = { ...body, id };
    try {
      return await this.#call(
        { calendarId, direction: 'write', about: 'target', schema: CALENDAR_EVENT },
        (events, options) => events.insert({ calendarId, requestBody, sendUpdates: 'none' }, options),
      );
    } catch (error) {
      if (codeOf(error) === DUPLICATE_ID) return 'taken';
      throw error;
    }
  }

  /** May return a deleted event, with status `cancelled`. */
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

  /**
   * Returns the event without a call if this state of it was just read; otherwise as `get`. The caller must write it only with its etag.
   */
  async getIn(calendarId: string, eventId: string, etag: string): Promise<CalendarEvent | 'absent'> {
    return this.#recent.take(calendarId, eventId, etag) ?? this.get(calendarId, eventId);
  }

  /** `changed`: the event no longer has this etag. Fields that `body` leaves out stay as they are. */
  async patch(
    calendarId: string,
    event: { readonly id: string; readonly etag?: string },
    body: Partial<EventPatch>,
  ): Promise<CalendarEvent | 'absent' | 'changed'> {
    const headers = event.etag === undefined || event.etag === '' ? {} : { 'If-Match': event.etag };
    // Google's types allow no null in a map.
    const requestBody = body as calendar_v3.Schema$Event;
    try {
      return await this.#call(
        { calendarId, direction: 'write', about: 'item', schema: CALENDAR_EVENT },
        (events, options) =>
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

  /** `changed`: the event no longer has this etag, and still exists. */
  async remove(
    calendarId: string,
    { id: eventId, etag }: { readonly id: string; readonly etag: string },
  ): Promise<'removed' | 'absent' | 'changed'> {
    const headers = { 'If-Match': etag };
    try {
      await this.#call({ calendarId, direction: 'write', about: 'item' }, (events, options) =>
        events.delete({ calendarId, eventId, sendUpdates: 'none' }, { ...options, headers }),
      );
      return 'removed';
    } catch (error) {
      if (codeOf(error) === ETAG_MISMATCH) return 'changed';
      return this.#absent(calendarId, error);
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
   * Google answers 404 both for a missing event and for a calendar that is no longer shared. Only a calendar that answers proves the
   * absence of an event; otherwise this rejects with the calendar's error.
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
    { calendarId, direction = 'read', about, schema }: Asked & { readonly schema?: z.ZodType<T> },
    request: EventRequest,
  ): Promise<T | undefined> {
    const { budget, timeoutMs, rank, clock } = this.#options;
    const target = `calendar:${calendarId}`;
    const { credential, client } = this.#access(target);
    const budgetName = `google-calendar:${credential.name}`;
    const [problems, breakers] = [this.#problems, this.#breakers];
    const call: GoogleCall = {
      target,
      direction,
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
    // Perhaps a proxy's page with status 200. Whether a write was made is unknown, so the call is retried.
    throw new RetryableError('google-unreadable', "Google's answer is not an event", { target });
  }
}

interface Asked {
  readonly calendarId: string;
  /** Default `read`. */
  readonly direction?: Direction;
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
