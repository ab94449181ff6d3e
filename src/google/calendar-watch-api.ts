import { calendar, type calendar_v3 } from 'googleapis/build/src/apis/calendar/index.js';
import * as z from 'zod';
import { RetryableError, TerminalError, WorkerError } from '../domain/errors.ts';
import { steadyClock } from '../ports/runtime.ts';
import { TargetBreakers } from './breaker.ts';
import type { CalendarApiOptions } from './calendar-api.ts';
import { CALENDAR_EVENT, type CalendarEvent } from './calendar-event.ts';
import { googleCall } from './call.ts';
import { type Access, accessBy } from './credentials.ts';
import { FULL_SYNC_REQUIRED } from './errors.ts';
import { GoogleFailure } from './failure.ts';
import { KnownProblems } from './known-problems.ts';
import { codeOf } from './outcome.ts';

/** Part of the query that a sync token is bound to: another number makes every token worthless. */
const CHANGES_PER_PAGE = 250;

const CHANGE_PAGE = z.object({
  items: z.array(CALENDAR_EVENT).default([]),
  nextPageToken: z.string().optional(),
  nextSyncToken: z.string().optional(),
});
const CHANNEL = z.object({
  resourceId: z.string(),
  /** Epoch milliseconds as text; absent where a channel does not expire. */
  expiration: z.string().optional(),
});

/** A page may be empty although others follow. The last one has the sync token. */
export interface ChangePage {
  readonly events: readonly CalendarEvent[];
  readonly nextPageToken: string | undefined;
  readonly nextSyncToken: string | undefined;
}

/** Where a listing goes on: none is a full list from its beginning. */
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

/** What Google says of a channel that it has opened. */
export interface OpenedChannel {
  readonly resourceId: string;
  readonly expiresAtMs: number | undefined;
}

/** Google will not ping this address, or not for this calendar. Polling goes on. */
export const PUSH_REFUSED = 'push-refused';

/**
 * What the calendar watch asks of Google: what has changed, and to be pinged when something does. One request per call and no retry,
 * paid from the budget of the calendars; what goes wrong comes as one of the three error families.
 */
export class CalendarWatchApi {
  readonly #access: (target: string) => Access<calendar_v3.Calendar>;
  readonly #options: CalendarApiOptions;
  readonly #problems: KnownProblems;
  readonly #breakers: TargetBreakers;

  constructor(options: CalendarApiOptions) {
    this.#options = options;
    this.#problems = new KnownProblems(options.problems, steadyClock);
    this.#breakers = options.breakers ?? new TargetBreakers(options);
    const { rootUrl } = options;
    this.#access = accessBy(options.credential, (auth) =>
      calendar({ version: 'v3', auth, rootUrl, retry: false }),
    );
  }

  /**
   * One page of what has changed since the sync token, deleted events included; without a token, of everything there is. The query is the
   * same at every call, because a token is worth nothing under another one. So it has no window, which a token does not remember anyhow
   * (Calendar API, Events: list). `lost`: the token is no longer valid. `place-refused`: Google does not take the page token, or not with
   * this query.
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
    try {
      const data = await this.#call(calendarId, (client, options) => client.events.list(params, options));
      const page = CHANGE_PAGE.safeParse(data);
      if (!page.success) throw unreadable(calendarId);
      const { items, nextPageToken, nextSyncToken } = page.data;
      return { events: items, nextPageToken, nextSyncToken };
    } catch (error) {
      if (codeOf(error) === FULL_SYNC_REQUIRED) return 'lost';
      const hasPlace = syncToken !== undefined || pageToken !== undefined;
      if (hasPlace && error instanceof TerminalError && error.status === 400) return 'place-refused';
      throw error;
    }
  }

  /** Asks to be pinged. `id-taken`: the id was used before. Rejects with `TerminalError` `push-refused` when Google will not ping. */
  async watch(calendarId: string, channel: ChannelRequest): Promise<OpenedChannel | 'id-taken'> {
    const { id, token, address, ttlMs } = channel;
    const params = { ttl: String(Math.floor(ttlMs / 1000)) };
    const requestBody: calendar_v3.Schema$Channel = { id, token, address, type: 'web_hook', params };
    const data = await this.#call(calendarId, async (client, options) => {
      try {
        return await client.events.watch({ calendarId, requestBody }, options);
      } catch (thrown) {
        return refusedPush(thrown);
      }
    });
    if (data === 'id-taken') return data;
    const opened = CHANNEL.safeParse(data);
    if (!opened.success) throw unreadable(calendarId);
    const expiresAtMs = Number(opened.data.expiration ?? Number.NaN);
    return {
      resourceId: opened.data.resourceId,
      expiresAtMs: Number.isFinite(expiresAtMs) ? expiresAtMs : undefined,
    };
  }

  /** Both answers mean that this worker is no longer pinged by the channel; it may also never have been its own. */
  async stop(calendarId: string, channel: { id: string; resourceId: string }): Promise<'stopped' | 'absent'> {
    const data = await this.#call(calendarId, async (client, options) => {
      try {
        return await client.channels.stop({ requestBody: channel }, options);
      } catch (thrown) {
        if (thrown instanceof WorkerError) throw thrown;
        const failure = new GoogleFailure(thrown);
        // A refusal here says nothing about the calendar, which may be unshared by now. A channel that may not be stopped is not this worker's.
        if (isAboutChannel(failure)) return { data: 'absent' };
        throw failure;
      }
    });
    return data === 'absent' ? 'absent' : 'stopped';
  }

  async #call(calendarId: string, request: CalendarRequest): Promise<unknown> {
    const { budget, rank, clock, timeoutMs } = this.#options;
    const target = `calendar:${calendarId}`;
    const { credential, client } = this.#access(target);
    const { data } = await googleCall(
      {
        target,
        credential: credential.problems,
        budgetName: `google-calendar:${credential.name}`,
        budget,
        rank,
        clock,
        breakers: this.#breakers,
        problems: this.#problems,
        timeoutMs,
      },
      (signal) => request(client, { timeout: timeoutMs, retry: false, signal }),
    );
    return data;
  }
}

type RequestOptions = { timeout: number; retry: boolean; signal: AbortSignal };
type CalendarRequest = (client: calendar_v3.Calendar, options: RequestOptions) => Promise<{ data: unknown }>;

/**
 * A refused address comes as 400, as 403, or as a 401 (`push.webhookUrlUnauthorized`). That 401 says nothing about the credential, and must
 * not stop the worker's other calls with it.
 */
function refusedPush(thrown: unknown): { data: 'id-taken' } {
  // The credential's own word: nothing was asked of Google.
  if (thrown instanceof WorkerError) throw thrown;
  const failure = new GoogleFailure(thrown);
  const { status, reason = '' } = failure;
  if (reason === 'channelIdNotUnique') return { data: 'id-taken' };
  const isAboutPush = /^push/i.test(reason) || status === 400 || (status === 403 && reason === 'forbidden');
  if (!isAboutPush) throw failure;
  throw new TerminalError(PUSH_REFUSED, `Google will not send pings for the calendar (${reason || status})`, {
    cause: failure,
    ...(status === undefined ? {} : { status }),
    advice:
      'Changes are found by polling meanwhile. See that platform.webhook.public_url is an https address with a valid certificate that Google can reach, or set google.watch.push to false.',
  });
}

function isAboutChannel({ status, reason = '' }: GoogleFailure): boolean {
  return [400, 404, 410].includes(status ?? 0) || (status === 403 && !/limit|quota|exhausted/i.test(reason));
}

function unreadable(calendarId: string): RetryableError {
  return new RetryableError('google-unreadable', 'Google answered something that is no list of events', {
    target: `calendar:${calendarId}`,
  });
}
