import type { Account, CalendarServer } from '@slotbridge/rehearsal/demo/caldav/server';
import { CaldavApi, type CaldavParts } from '../../src/caldav/caldav-side.ts';
import { CalendarIndex } from '../../src/caldav/calendar-index.ts';
import { DavMemory } from '../../src/caldav/calendar-requests.ts';
import { CaldavWatchApi } from '../../src/caldav/watch-side.ts';
import { keySpace } from '../../src/engine/key-space.ts';
import { type CalendarEvent, RecentEvents } from '../../src/google/calendar-event.ts';
import { KnownProblems, TargetBreakers } from '../../src/google/call.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { openTestStore } from '../stand/store.ts';

export const START = { dateTime: '2026-12-03T09:00:00Z', timeZone: 'Europe/Berlin' };
export const END = { dateTime: '2026-12-03T10:00:00Z', timeZone: 'Europe/Berlin' };

/** The worker's CalDAV side over a real Redis, and hands that write to the server as a calendar program does. */
export async function openStand(redisUrl: string, server: CalendarServer) {
  const store = openTestStore(redisUrl);
  await store.ready();
  const [anna] = server.accounts;
  const account = { name: 'office', url: server.url, user: anna.user, password: anna.password };
  const clock = { nowMs: Date.now(), now: () => clock.nowMs };
  const budget = new CountingBudget();
  const steady = { now: () => performance.now() };
  const parts: CaldavParts = {
    ...{ budget, clock, timeoutMs: 20_000, memory: new DavMemory(), accountOf: () => account },
    companyZone: async () => 'Europe/Moscow',
    breakers: new TargetBreakers({ clock: steady }),
    problems: new KnownProblems(store.problems, steady),
    index: new CalendarIndex({ redis: store.redis, keys: keySpace(store.prefix) }),
  };
  let token: string | undefined;
  const watch = new CaldavWatchApi(parts);
  return {
    ...{ store, account, clock, budget, parts, watch, api: new CaldavApi(parts), hands: handsOf(anna) },
    calendar: (name: string) => makeCalendar(anna, name),
    /** All pages since the last call; a lost token begins anew. */
    async changes(calendarId: string): Promise<readonly CalendarEvent[]> {
      const events: CalendarEvent[] = [];
      let pageToken: string | undefined;
      for (let pages = 0; pages < 50; pages += 1) {
        const page = await watch.changes(calendarId, { syncToken: token, pageToken });
        if (typeof page === 'string') {
          token = undefined;
          pageToken = undefined;
          continue;
        }
        events.push(...page.events);
        if (page.nextSyncToken !== undefined) {
          token = page.nextSyncToken;
          return events;
        }
        pageToken = page.nextPageToken;
      }
      throw new Error('the pages do not end');
    },
    async forgetIndexOf(calendarId: string, eventId: string): Promise<void> {
      const href = await parts.index.hrefOf(calendarId, eventId);
      const key = keySpace(store.prefix).caldav(calendarId);
      await store.redis.hdel(key, `i ${eventId}`, `h ${href}`, 'wrote');
      parts.memory.forget(calendarId, href ?? '');
    },
    forgetToken(): void {
      token = undefined;
    },
    /** The server was put back to a state in which it had not given the token yet. */
    useUnknownToken(): void {
      token = token?.replace(/[0-9a-f]{8}(?=[^0-9a-f])/, '00000000');
    },
    recent: new RecentEvents(),
    close: () => store.close(),
  };
}

export async function makeCalendar(account: Account, name: string, component?: string): Promise<string> {
  const url = new URL(`${name}/`, account.home).href;
  const only = `<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><C:supported-calendar-component-set><C:comp name="${component}"/></C:supported-calendar-component-set></D:prop></D:set></C:mkcalendar>`;
  const body = component === undefined ? {} : { body: only, headers: { 'content-type': 'application/xml' } };
  await request(account, 'MKCALENDAR', url, body);
  return url;
}

export type Stand = Awaited<ReturnType<typeof openStand>>;

/** Writes to a server as a calendar program does. */
export function handsOf(account: Account) {
  return {
    async put(url: string, text: string, headers: Record<string, string> = {}): Promise<number> {
      const answer = await request(account, 'PUT', url, {
        body: text,
        headers: { 'content-type': 'text/calendar; charset=utf-8', ...headers },
      });
      return answer.status;
    },
    async get(url: string): Promise<string> {
      return (await request(account, 'GET', url)).text();
    },
    async remove(url: string): Promise<number> {
      return (await request(account, 'DELETE', url)).status;
    },
    async name(calendarId: string, name: string): Promise<void> {
      const body = `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><D:displayname>${name}</D:displayname></D:prop></D:set></D:propertyupdate>`;
      await request(account, 'PROPPATCH', calendarId, {
        body,
        headers: { 'content-type': 'application/xml' },
      });
    },
    async names(calendarId: string): Promise<readonly string[]> {
      const body = '<D:propfind xmlns:D="DAV:"><D:prop><D:getetag/></D:prop></D:propfind>';
      const headers = { depth: '1', 'content-type': 'application/xml' };
      const answer = await request(account, 'PROPFIND', calendarId, { body, headers });
      const text = await answer.text();
      return [...text.matchAll(/href>([^<]+)</g)]
        .map(([, href = '']) => href.trim())
        .filter((href) => href !== '' && !href.endsWith('/'))
        .map((href) => decodeURIComponent(href.split('/').at(-1) ?? ''));
    },
  };
}

async function request(
  { user, password }: Account,
  method: string,
  ...[url, init = {}]: [string, { body?: string; headers?: Record<string, string> }?]
): Promise<Response> {
  const login = Buffer.from(`${user}:${password}`).toString('base64');
  // SOGo closes connections that it has promised to keep.
  const headers = { authorization: `Basic ${login}`, connection: 'close', ...init.headers };
  const send = () => fetch(url, { ...init, method, headers });
  // And some right after it has taken them.
  return send().catch(send);
}

/** An event as a calendar program writes it. */
export function icalendar(uid: string, lines: readonly string[]): string {
  return [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Some//Program//EN', 'BEGIN:VEVENT', `UID:${uid}`],
    ...['DTSTAMP:20261101T100000Z', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''],
  ].join('\r\n');
}

/** As iCalendar writes it, in UTC. */
export const stamp = (iso: string) => iso.replace(/[-:]|\.\d+/g, '');

/** The times of an hour. */
export function hourFrom(startsAt: string): readonly string[] {
  const end = new Date(Date.parse(startsAt) + 3_600_000).toISOString();
  return [`DTSTART:${stamp(startsAt)}`, `DTEND:${stamp(end)}`];
}
