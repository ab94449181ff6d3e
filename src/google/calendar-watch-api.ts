import { calendar, type calendar_v3 } from 'googleapis/build/src/apis/calendar/index.js';
import * as z from 'zod';
import { RetryableError, TerminalError, WorkerError } from '../engine/errors.ts';
import type { Leases } from '../engine/leases.ts';
import { steadyClock } from '../engine/runtime.ts';
import type { repeat } from '../engine/supervisor.ts';
import { createGoogleAuth, type GoogleAuthOptions } from './auth.ts';
import type { CalendarApiOptions } from './calendar-api.ts';
import { CALENDAR_EVENT, type CalendarEvent, RecentEvents } from './calendar-event.ts';
import { GoogleCaller, TargetBreakers, type TargetProblems } from './call.ts';
import { classifyGoogleError, codeOf, FULL_SYNC_REQUIRED, GONE, GoogleFailure, headerOf } from './errors.ts';

/** Page size, part of the query that a sync token is bound to: another number invalidates every stored token. */
const CHANGES_PER_PAGE = 250;

const CHANGE_PAGE = z.object({
  items: z.array(CALENDAR_EVENT).default([]),
  nextPageToken: z.string().optional(),
  nextSyncToken: z.string().optional(),
});
const CHANNEL = z.object({
  resourceId: z.string(),
  /** Epoch milliseconds as text; absent if the channel does not expire. */
  expiration: z.string().optional(),
});

/** A page may be empty although more follow. The last one has the sync token. */
export interface ChangePage {
  readonly events: readonly CalendarEvent[];
  readonly nextPageToken: string | undefined;
  readonly nextSyncToken: string | undefined;
  /** When Google answered, by its own clock. Epoch milliseconds; undefined if the answer does not say. */
  readonly answeredAtMs: number | undefined;
}

/** Where a listing continues; without tokens it is a full list from the start. */
export interface ListingPlace {
  readonly syncToken: string | undefined;
  readonly pageToken: string | undefined;
}

export interface ChannelRequest {
  readonly id: string;
  readonly token: string;
  readonly address: string;
  readonly ttlMs: number;
}

export type WatchApi = Pick<CalendarWatchApi, 'changes' | 'watch' | 'stop'>;

/** For parts of the worker that tell of changed calendars whose account sends no pings. */
export interface Listening {
  readonly calendars: readonly string[];
  /** The calendar has changed, and not by the worker alone. */
  readonly ring: (calendarId: string) => Promise<void>;
  readonly leases: Leases;
  /** False when another worker runs with a newer mapping: this one then asks no more. */
  readonly isCurrent: () => Promise<boolean>;
  readonly log: Parameters<typeof repeat>[0]['log'];
}

export interface OpenedChannel {
  readonly resourceId: string;
  readonly expiresAtMs: number | undefined;
}

/** Google will not ping this address, or not for this calendar; the error's `target` says which. Polling continues. */
export const PUSH_REFUSED = 'push-refused';
/** Target of refusals of the address, which concern every calendar. */
export const PUSH_ADDRESS = 'calendar-push';
/** Target of refusals of one calendar. */
export const pushTarget = (calendarId: string) => `${PUSH_ADDRESS}:${calendarId}`;

/**
 * The calls of the calendar watch: it reads changes, and subscribes to pings. Each call makes one request without retries and spends the
 * calendar budget. Rejects with one of the three error families.
 */
export class CalendarWatchApi {
  readonly #google: GoogleCaller<calendar_v3.Calendar>;
  readonly #options: CalendarApiOptions;
  readonly #recent: RecentEvents;
  /** For stopping channels. That proves nothing about a calendar, and must not open or close the breaker of its other calls. */
  readonly #aside: Conduct;

  constructor(options: CalendarApiOptions) {
    this.#options = options;
    const { rootUrl } = options;
    this.#google = new GoogleCaller(options, (auth) =>
      calendar({ version: 'v3', auth, rootUrl, retry: false }),
    );
    this.#recent = options.recent ?? new RecentEvents();
    this.#aside = {
      problems: this.#google.problems.asBystander(),
      breakers: new TargetBreakers({ clock: steadyClock }),
    };
  }

  /**
   * One page of the changes since the sync token, including deleted events; without a token, one page of everything. The query is always
   * the same, because a token is invalid under another query. So it has no time window, which a token does not remember anyway (Calendar
   * API, Events: list). `lost`: the token is no longer valid. `place-refused`: Google does not accept the page token, or not with this
   * query.
   */
  async changes(calendarId: string, place: ListingPlace): Promise<ChangePage | 'lost' | 'place-refused'> {
    const { syncToken, pageToken } = place;
    const params: calendar_v3.Params$Resource$Events$List = {
      calendarId,
      singleEvents: false,
      showDeleted: true,
      maxResults: CHANGES_PER_PAGE,
      ...(syncToken === undefined ? {} : { syncToken }),
      ...(pageToken === undefined ? {} : { pageToken }),
    };
    const { series } = this.#recent;
    const asOf = series.writes;
    try {
      const { data, headers } = await this.#call(calendarId, (client, options) =>
        client.events.list(params, options),
      );
      const page = CHANGE_PAGE.safeParse(data);
      if (!page.success) throw unreadable(calendarId);
      const { items, nextPageToken, nextSyncToken } = page.data;
      const read = { atMs: this.#options.clock.now(), asOf };
      for (const event of items) series.keep(calendarId, event, read);
      const answeredAtMs = Date.parse(headerOf(headers, 'date') ?? '') || undefined;
      return { events: items, nextPageToken, nextSyncToken, answeredAtMs };
    } catch (error) {
      const hasPlace = syncToken !== undefined || pageToken !== undefined;
      // The request names no event, so the token is gone, whatever reason Google gives.
      if (codeOf(error) === FULL_SYNC_REQUIRED || (hasPlace && codeOf(error) === GONE)) return 'lost';
      if (hasPlace && error instanceof TerminalError && error.status === 400) return 'place-refused';
      throw error;
    }
  }

  /**
   * Subscribes to pings. `id-taken`: the channel id was used before. `unable`: no calendar of this kind can ping, such as those of holidays.
   * Rejects with `TerminalError` `push-refused` when Google will not ping.
   */
  async watch(calendarId: string, channel: ChannelRequest): Promise<OpenedChannel | 'id-taken' | 'unable'> {
    const { id, token, address, ttlMs } = channel;
    const params = { ttl: String(Math.floor(ttlMs / 1000)) };
    const requestBody: calendar_v3.Schema$Channel = { id, token, address, type: 'web_hook', params };
    const { data } = await this.#call(calendarId, async (client, options) => {
      try {
        return await client.events.watch({ calendarId, requestBody }, options);
      } catch (thrown) {
        return refusedPush(thrown, calendarId);
      }
    });
    if (data === 'id-taken' || data === 'unable') return data;
    const opened = CHANNEL.safeParse(data);
    if (!opened.success) throw unreadable(calendarId);
    const expiresAtMs = Number(opened.data.expiration ?? Number.NaN);
    return {
      resourceId: opened.data.resourceId,
      expiresAtMs: Number.isFinite(expiresAtMs) ? expiresAtMs : undefined,
    };
  }

  /**
   * Both results mean that the channel no longer pings this worker; it may never have belonged to it. `calendarId` only chooses the account.
   */
  async stop(calendarId: string, channel: { id: string; resourceId: string }): Promise<'stopped' | 'absent'> {
    const request: CalendarRequest<{ data: unknown }> = async (client, options) => {
      try {
        return await client.channels.stop({ requestBody: channel }, options);
      } catch (thrown) {
        if (thrown instanceof WorkerError) throw thrown;
        const failure = new GoogleFailure(thrown);
        // A refusal here says nothing about the calendar, which may no longer be shared. A channel that Google forbids to stop is not this
        // worker's.
        if (isAboutChannel(failure)) return { data: 'absent' };
        throw failure;
      }
    };
    const { data } = await this.#call(calendarId, request, this.#aside);
    return data === 'absent' ? 'absent' : 'stopped';
  }

  async #call<Answer>(
    calendarId: string,
    request: CalendarRequest<Answer>,
    conduct: Partial<Conduct> = {},
  ): Promise<Answer> {
    const { timeoutMs: timeout } = this.#options;
    const asked = { target: `calendar:${calendarId}`, direction: 'read', quota: 'google-calendar' } as const;
    return this.#google.call({ ...asked, ...conduct }, (client, signal) =>
      request(client, { timeout, retry: false, signal }),
    );
  }
}

interface Conduct {
  readonly breakers: TargetBreakers;
  readonly problems: TargetProblems;
}

type RequestOptions = { timeout: number; retry: boolean; signal: AbortSignal };
type CalendarRequest<Answer> = (client: calendar_v3.Calendar, options: RequestOptions) => Promise<Answer>;

/**
 * Google refuses an address with 400, 403, or a 401 (`push.webhookUrlUnauthorized`). That 401 says nothing about the credential, and must
 * not stop the worker's other calls with it.
 */
function refusedPush(thrown: unknown, calendarId: string): { data: 'id-taken' | 'unable' } {
  // Thrown by the credential: Google was not called.
  if (thrown instanceof WorkerError) throw thrown;
  const failure = new GoogleFailure(thrown);
  const { status, reason = '', ofToken } = failure;
  if (reason === 'channelIdNotUnique') return { data: 'id-taken' };
  if (reason === 'pushNotSupportedForRequestedResource') return { data: 'unable' };
  const isAboutAddress = /^push.*webhook/i.test(reason);
  const isAboutPush = /^push/i.test(reason) || status === 400 || (status === 403 && reason === 'forbidden');
  if (ofToken || !isAboutPush) throw failure;
  throw new TerminalError(PUSH_REFUSED, `Google will not send pings for the calendar (${reason || status})`, {
    target: isAboutAddress ? PUSH_ADDRESS : pushTarget(calendarId),
    cause: failure,
    ...(status === undefined ? {} : { status }),
    advice: isAboutAddress ? ADDRESS_ADVICE : CALENDAR_ADVICE,
  });
}

const ADDRESS_ADVICE =
  'Until then, polling finds changes. Check that platform.webhook.public_url is an https address with a valid certificate that Google can reach, or set google.watch.push to false.';
const CALENDAR_ADVICE =
  "Polling finds the changes of this calendar. Check that it exists and is shared with the worker's account; Google is asked again every hour.";

function isAboutChannel({ status, reason = '', ofToken }: GoogleFailure): boolean {
  if (ofToken) return false;
  return [400, 404, 410].includes(status ?? 0) || (status === 403 && !/limit|quota|exhausted/i.test(reason));
}

function unreadable(calendarId: string): RetryableError {
  return new RetryableError('google-unreadable', "Google's answer is not a list of events", {
    target: `calendar:${calendarId}`,
  });
}

export interface ListedCalendar {
  readonly id: string;
  readonly name: string;
}

/** Only for setup: the worker itself never reads the list. */
const LIST_SCOPE = 'https://www.googleapis.com/auth/calendar.calendarlist.readonly';
const PAGE_MAX = 250;
const PAGES_MAX = 20;

const PAGE = z.object({
  items: z
    .array(z.object({ id: z.string(), summary: z.string().optional(), accessRole: z.string() }))
    .default([]),
  nextPageToken: z.string().optional(),
});

/**
 * The calendars in the account's own list that it may write to. Google does not add a calendar to a service account's list when it is
 * shared (Google, CalendarList). Undefined when the credential may not read the list: a person's sign-in covers only events.
 */
export async function listCalendars(
  options: GoogleAuthOptions & { readonly rootUrl: string },
): Promise<readonly ListedCalendar[] | undefined> {
  const { auth } = createGoogleAuth({ ...options, scopes: [LIST_SCOPE] });
  const { calendarList } = calendar({ version: 'v3', auth, rootUrl: options.rootUrl, retry: false });
  const found: ListedCalendar[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const request = { maxResults: PAGE_MAX, minAccessRole: 'writer', ...(pageToken && { pageToken }) };
    let data: unknown;
    try {
      ({ data } = await calendarList.list(request, { timeout: options.timeoutMs, retry: false }));
    } catch (thrown) {
      const failure = new GoogleFailure(thrown);
      // Delegation is granted per scope, and the worker itself needs no scope for lists (Google, domain-wide delegation).
      const isUndelegated = failure.ofToken && failure.reason === 'unauthorized_client';
      if (failure.status === 403 || isUndelegated) return undefined;
      throw classifyGoogleError(thrown, 'google');
    }
    const parsed = PAGE.safeParse(data);
    if (!parsed.success) {
      const message = "Google's answer is not a list of calendars";
      throw new RetryableError('google-unreadable', message, { target: 'google' });
    }
    const { items, nextPageToken } = parsed.data;
    found.push(...items.map(({ id, summary }) => ({ id, name: summary ?? id })));
    if (nextPageToken === undefined) break;
    pageToken = nextPageToken;
  }
  return found;
}
