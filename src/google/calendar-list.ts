import { calendar } from 'googleapis/build/src/apis/calendar/index.js';
import * as z from 'zod';
import { RetryableError } from '../engine/domain/errors.ts';
import { createGoogleAuth, type GoogleAuthOptions } from './auth.ts';
import { classifyGoogleError, GoogleFailure } from './errors.ts';

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
