// What a server does where servers differ. Each ability is asked of a new calendar, in plain requests. What a worker must do about it stands
// beside it.

import { type Answer, Requests } from '@slotbridge/rehearsal/demo/caldav/requests';
import type { CalendarServer } from '@slotbridge/rehearsal/demo/caldav/server';
import { eventText } from './event-text.ts';

export interface Ability {
  readonly name: string;
  /** Why a worker has to know. */
  readonly because: string;
  readonly ask: (at: Place) => Promise<string>;
}

interface Place {
  readonly server: CalendarServer;
  readonly requests: Requests;
  /** A new calendar, and a second one of the same person. */
  readonly calendar: string;
  readonly second: () => Promise<string>;
  /** No other ability uses it: some servers allow a UID once per person. */
  readonly uid: string;
}

let made = 0;

/** The answers by the ability's name. */
export async function abilitiesOf(server: CalendarServer): Promise<Readonly<Record<string, string>>> {
  const answers: Record<string, string> = {};
  const requests = new Requests(server.accounts[0]);
  const newCalendar = () => {
    made += 1;
    return requests.makeCalendar(`ability${made}`);
  };
  for (const { name, ask } of ABILITIES)
    answers[name] = await ask({
      ...{ server, requests, calendar: await newCalendar(), second: newCalendar },
      uid: `event-${made}@shop.example`,
    });
  return answers;
}

export const ABILITIES: readonly Ability[] = [
  {
    name: 'well-known address',
    because:
      'Only a redirect leads on; a page or a 404 says that the address of the calendars must be named.',
    async ask({ server, requests }) {
      const { status, headers } = await requests.send('GET', `${server.url}.well-known/caldav`);
      const isPage = headers.get('content-type')?.startsWith('text/html') === true;
      const location = headers.get('location')?.replace(server.url, '/') ?? '';
      return `${status} ${status === 200 && isPage ? 'a page' : location}`.trim();
    },
  },
  {
    name: 'first write of an event',
    because: 'The ETag of the answer is the one of the next read; without one, read.',
    async ask({ uid, requests, calendar }) {
      const put = await requests.put(`${calendar}a.ics`, eventText(uid), { 'if-none-match': '*' });
      const got = await requests.get(`${calendar}a.ics`);
      const isSame = put.headers.get('etag') === got.headers.get('etag');
      return `${put.status}, ${isSame ? 'ETag' : 'no ETag'}`;
    },
  },
  {
    name: 'good update',
    because: '201 does not prove that the event is new.',
    async ask({ uid, requests, calendar }) {
      const put = await requests.put(`${calendar}a.ics`, eventText(uid));
      const again = await requests.put(`${calendar}a.ics`, eventText(uid, ['SUMMARY:Again']), ifMatch(put));
      return String(again.status);
    },
  },
  {
    name: 'update with a stale If-Match',
    because: 'A lost race must be seen.',
    async ask({ uid, requests, calendar }) {
      const old = await requests.put(`${calendar}a.ics`, eventText(uid));
      await requests.put(`${calendar}a.ics`, eventText(uid, ['SUMMARY:By people']));
      return String((await requests.put(`${calendar}a.ics`, eventText(uid), ifMatch(old))).status);
    },
  },
  {
    name: 'deletion with a stale If-Match',
    because: 'Without it, read and compare before a deletion.',
    async ask({ uid, requests, calendar }) {
      const old = await requests.put(`${calendar}a.ics`, eventText(uid));
      await requests.put(`${calendar}a.ics`, eventText(uid, ['SUMMARY:By people']));
      return String((await requests.remove(`${calendar}a.ics`, ifMatch(old))).status);
    },
  },
  {
    name: 'update of a deleted event',
    because: 'Where it succeeds, it revives what people deleted.',
    async ask({ uid, requests, calendar }) {
      const old = await requests.put(`${calendar}a.ics`, eventText(uid));
      await requests.remove(`${calendar}a.ics`);
      return String((await requests.put(`${calendar}a.ics`, eventText(uid), ifMatch(old))).status);
    },
  },
  {
    name: 'If-None-Match: * on an event',
    because: 'Where it is not obeyed, read before the first write.',
    async ask({ uid, requests, calendar }) {
      await requests.put(`${calendar}a.ics`, eventText(uid));
      const put = await requests.put(`${calendar}a.ics`, eventText(uid), { 'if-none-match': '*' });
      return String(put.status);
    },
  },
  {
    name: 'one UID under two names',
    because: '2xx does not mean that the event is stored, and two events may have one UID.',
    async ask({ uid, requests, calendar }) {
      await requests.put(`${calendar}a.ics`, eventText(uid));
      const put = await requests.put(`${calendar}b.ics`, eventText(uid));
      return `${put.status}, ${(await requests.list(calendar)).length} stored`;
    },
  },
  {
    name: 'one UID in two calendars',
    because: 'A UID per calendar, not per appointment.',
    async ask({ uid, requests, calendar, second }) {
      await requests.put(`${calendar}a.ics`, eventText(uid));
      return String((await requests.put(`${await second()}a.ics`, eventText(uid))).status);
    },
  },
  {
    name: 'name without .ics',
    because: 'People have such events; they are listed as any other.',
    async ask({ uid, requests, calendar }) {
      await requests.put(`${calendar}plain`, eventText(uid));
      const { live } = await requests.sync(calendar, '');
      return live.includes('plain') ? 'told' : 'not told';
    },
  },
  {
    name: 'event without an end',
    because: 'Always write an end.',
    async ask({ uid, requests, calendar }) {
      const put = await requests.put(`${calendar}a.ics`, eventText(uid, ['DTSTART:20261215T100000Z']));
      const end = /^(?:DTEND|DURATION)[^\r\n]*/m.exec((await requests.get(`${calendar}a.ics`)).text)?.[0];
      return `${put.status}${end === undefined ? '' : `, ${end}`}`;
    },
  },
  {
    name: 'X- value with a comma',
    because: 'Own data only in letters, digits, - and _.',
    async ask({ uid, requests, calendar }) {
      await requests.put(`${calendar}a.ics`, eventText(uid, ['X-SHOP-NOTE:one,two;three']));
      return /^X-SHOP-NOTE:([^\r\n]*)/m.exec((await requests.get(`${calendar}a.ics`)).text)?.[1] ?? 'lost';
    },
  },
  {
    name: 'unknown sync-token',
    because: 'A refusal asks for a full list, and so may a list without a word.',
    async ask({ uid, requests, calendar }) {
      await requests.put(`${calendar}a.ics`, eventText(uid));
      const { token } = await requests.sync(calendar, '');
      const { status, live, text } = await requests.sync(calendar, token.replaceAll(/\d/g, '1'));
      const word = text.includes('valid-sync-token') ? ' valid-sync-token' : '';
      return `${status}${status === 207 ? `, ${live.length} told` : word}`;
    },
  },
  {
    name: 'old token after the calendar was made anew',
    because: 'Deletions may never be told: compare with a full list.',
    async ask({ uid, requests, calendar }) {
      await requests.put(`${calendar}gone.ics`, eventText(uid));
      const { token } = await requests.sync(calendar, '');
      await requests.remove(calendar);
      await requests.makeCalendar(calendar.split('/').at(-2) ?? '');
      await requests.put(`${calendar}new.ics`, eventText(`new-${uid}`));
      const { status, live, gone } = await requests.sync(calendar, token);
      return status === 207
        ? `207, told: ${[...live, ...gone.map((name) => `no ${name}`)].join(' ')}`
        : String(status);
    },
  },
  {
    name: 'event deleted and made anew',
    because: 'An ETag names no content for ever.',
    async ask({ uid, requests, calendar }) {
      const first = await requests.put(`${calendar}a.ics`, eventText(uid));
      await requests.remove(`${calendar}a.ics`);
      const other = await requests.put(`${calendar}a.ics`, eventText(uid, ['SUMMARY:Other']));
      return first.headers.get('etag') === other.headers.get('etag') ? 'the same ETag' : 'another ETag';
    },
  },
  {
    name: 'multiget of a missing event',
    because: 'A missing answer is no deletion.',
    async ask({ requests, calendar }) {
      const href = `${new URL(calendar).pathname}missing.ics`;
      const body = `<?xml version="1.0"?><C:calendar-multiget xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/></D:prop><D:href>${href}</D:href></C:calendar-multiget>`;
      const { text } = await requests.send('REPORT', calendar, {
        body,
        headers: { 'content-type': 'application/xml; charset=utf-8', depth: '1' },
      });
      return text.includes('missing.ics') && / 404 /.test(text) ? '404' : 'left out';
    },
  },
  {
    name: 'window in the third week of a series',
    because: 'Read by name, never by a window of time.',
    async ask({ uid, requests, calendar }) {
      await requests.put(`${calendar}a.ics`, eventText(uid, ['RRULE:FREQ=WEEKLY;COUNT=5']));
      const body = `<?xml version="1.0"?><C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/></D:prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range start="20261228T000000Z" end="20261230T000000Z"/></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`;
      const { text } = await requests.send('REPORT', calendar, {
        body,
        headers: { 'content-type': 'application/xml; charset=utf-8', depth: '1' },
      });
      return text.includes('a.ics') ? 'found' : 'not found';
    },
  },
  {
    name: 'MOVE to another calendar',
    because: 'Write there, look, then delete here; list the target after a MOVE.',
    async ask({ uid, requests, calendar, second }) {
      const other = await second();
      await requests.put(`${calendar}a.ics`, eventText(uid));
      const { status } = await requests.send('MOVE', `${calendar}a.ics`, {
        headers: { destination: `${other}a.ics` },
      });
      const names = (await requests.list(other)).map((href) => href.split('/').at(-1));
      return status < 300
        ? `${status} as ${names.join().replace(uid, 'its UID').replace('its UID.ics', 'its UID')}`
        : String(status);
    },
  },
  {
    name: 'guest with SCHEDULE-AGENT=CLIENT',
    because: 'The worker names neither guests nor an organizer.',
    async ask({ uid, server, requests, calendar }) {
      const [, guest] = server.accounts;
      if (guest === undefined) return 'knows one person';
      // A home is made when its owner first looks at it.
      await hasEvent(new Requests(guest), guest.home);
      const people = [
        `ORGANIZER:mailto:${server.accounts[0].user}@shop.example`,
        `ATTENDEE;PARTSTAT=NEEDS-ACTION;SCHEDULE-AGENT=CLIENT:mailto:${guest.user}@shop.example`,
      ];
      await requests.put(`${calendar}guest.ics`, eventText(uid, people));
      return (await hasEvent(new Requests(guest), guest.home)) ? 'is in his calendar' : 'is told nothing';
    },
  },
];

/** Whether any calendar of the home has an event. */
async function hasEvent(requests: Requests, home: string): Promise<boolean> {
  const { text } = await requests.propfind(home, '1', '<D:resourcetype/>');
  const hrefs = [...text.matchAll(/<(?:\w+:)?href[^>]*>([^<]*)</g)].map(
    ([, href = '']) => new URL(href, home).href,
  );
  for (const href of new Set(hrefs)) {
    if (href === home || !href.endsWith('/')) continue;
    if ((await requests.list(href)).length > 0) return true;
  }
  return false;
}

function ifMatch({ headers }: Answer): Readonly<Record<string, string>> {
  return { 'if-match': headers.get('etag') ?? '""' };
}
