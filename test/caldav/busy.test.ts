import type { CalendarServer } from '@slotbridge/rehearsal/demo/caldav/server';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { CaldavCalendars } from '../../src/caldav/caldav-side.ts';
import { DavMemory } from '../../src/caldav/calendar-requests.ts';
import { CaldavBusyEventsApi } from '../../src/caldav/watch-side.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { behindRelay, type Relay } from './relay.ts';
import { describeOn } from './servers/describe.ts';
import { hourFrom, icalendar, openStand, type Stand } from './stand.ts';

const WINDOW = { fromMs: Date.parse('2026-12-01T00:00:00Z'), untilMs: Date.parse('2026-12-31T00:00:00Z') };
const RULED = { ruled: false };
const NONE = '<multistatus xmlns="DAV:"></multistatus>';

describeOn('radicale', (start) => {
  let redis: TestRedis;
  let server: Relay;
  let stand: Stand;
  let calendar: string;
  let busy: CaldavBusyEventsApi;
  let nth = 0;
  beforeAll(async () => {
    let behind: CalendarServer;
    [redis, behind] = await Promise.all([startTestRedis(), start()]);
    server = await behindRelay(behind);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([redis.stop(), server.stop()]);
  });
  beforeEach(async () => {
    server.instead = () => undefined;
    server.change = (body) => body;
    stand = await openStand(redis.url, server);
    nth += 1;
    calendar = await stand.calendar(`busy${nth}`);
    busy = new CaldavBusyEventsApi(stand.parts);
    return () => stand.close();
  });
  const startsOf = async () =>
    (await busy.list(calendar, WINDOW, RULED)).map((event) => event.start.dateTime).sort();
  const problems = async () =>
    (await stand.store.problems.list()).map(({ code, target }) => ({ code, target }));

  /** Neither GET nor a request for several objects shows it. */
  function hide(name: string): void {
    server.instead = ({ method, url = '' }) => {
      if (method === 'REPORT') return { status: 207, type: 'application/xml', body: NONE };
      if (method === 'GET' && url.endsWith(name)) return { status: 404, type: 'text/plain', body: '' };
      return undefined;
    };
    // What a process knows of it helps no other process.
    busy = new CaldavBusyEventsApi({ ...stand.parts, memory: new DavMemory() });
  }

  it('an event that is listed and not shown just then leaves no hour free', async () => {
    await stand.hands.put(`${calendar}a.ics`, icalendar('a@p', hourFrom('2026-12-03T09:00:00Z')));
    await stand.hands.put(`${calendar}b.ics`, icalendar('b@p', hourFrom('2026-12-04T09:00:00Z')));
    expect(await startsOf()).toHaveLength(2);
    hide('b.ics');
    await expect(startsOf()).rejects.toMatchObject({ code: 'caldav-events-odd', family: 'deferred' });
    expect(await problems()).toEqual([{ code: 'caldav-events-odd', target: `caldav-busy:${calendar}` }]);
    server.instead = () => undefined;
    expect(await startsOf()).toHaveLength(2);
    expect(await problems()).toEqual([]);
  });

  it('an invitation that the owner declined or never answered is known as such, also where the login is no address', async () => {
    const principal = '<D:owner xmlns:D="DAV:"><D:href>/anna/</D:href></D:owner>';
    const addresses =
      '<C:calendar-user-address-set xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:D="DAV:"><D:href>/anna/</D:href><D:href>mailto:Anna@Clinic.example</D:href></C:calendar-user-address-set>';
    let asked = '';
    server.instead = ({ method, url = '', headers }) => {
      asked = `${method} ${url} ${String(headers.depth)}`;
      return undefined;
    };
    server.change = (body) =>
      asked === 'PROPFIND /anna/ 0'
        ? `<D:multistatus xmlns:D="DAV:"><D:response><D:href>/anna/</D:href><D:propstat><D:prop>${addresses}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>`
        : body.replace(/<(\w+:)?owner>.*?<\/(\w+:)?owner>|<(\w+:)?owner *\/>/s, principal);
    busy = new CaldavBusyEventsApi({ ...stand.parts, memory: new DavMemory() });
    const invited = (part: string) => [
      'ORGANIZER:mailto:stranger@elsewhere.example',
      `ATTENDEE;PARTSTAT=${part}:mailto:anna@clinic.example`,
      'ATTENDEE;PARTSTAT=ACCEPTED:mailto:stranger@elsewhere.example',
    ];
    for (const [at, part] of ['DECLINED', 'NEEDS-ACTION', 'ACCEPTED'].entries()) {
      const lines = [...hourFrom(`2026-12-0${at + 3}T09:00:00Z`), ...invited(part)];
      await stand.hands.put(`${calendar}i${at}.ics`, icalendar(`i${at}@people`, lines));
    }
    const found = await busy.list(calendar, WINDOW, RULED);
    expect(found.map(({ response, isInvitation }) => `${response} ${isInvitation}`).sort()).toEqual([
      ...['accepted true', 'declined true', 'needsAction true'],
    ]);
  });

  it('one that stays hidden for long holds up no other event, and stays a problem', async () => {
    await stand.hands.put(`${calendar}a.ics`, icalendar('a@p', hourFrom('2026-12-03T09:00:00Z')));
    await stand.hands.put(`${calendar}b.ics`, icalendar('b@p', hourFrom('2026-12-04T09:00:00Z')));
    hide('b.ics');
    await expect(startsOf()).rejects.toMatchObject({ code: 'caldav-events-odd' });
    stand.clock.nowMs += 15 * 60_000;
    expect(await startsOf()).toEqual(['2026-12-03T12:00:00+03:00']);
    expect(await problems()).toEqual([{ code: 'caldav-events-odd', target: `caldav-busy:${calendar}` }]);
  });

  it('one that is removed between the list and its reading is not waited for', async () => {
    await stand.hands.put(`${calendar}a.ics`, icalendar('a@p', hourFrom('2026-12-03T09:00:00Z')));
    await stand.hands.put(`${calendar}b.ics`, icalendar('b@p', hourFrom('2026-12-04T09:00:00Z')));
    hide('b.ics');
    let lists = 0;
    server.change = (body) => {
      if (!body.includes('a.ics')) return body;
      lists += 1;
      return lists === 1 ? body : body.replace(/<response>(?:(?!<\/response>).)*b\.ics.*?<\/response>/s, '');
    };
    expect(await startsOf()).toEqual(['2026-12-03T12:00:00+03:00']);
    expect(lists).toBe(2);
    expect(await problems()).toEqual([]);
  });

  it('a series that nobody can follow takes its hour on each day, is a problem, and none of it counts as deleted', async () => {
    const rule = 'RRULE:FREQ=YEARLY;BYDAY=53TH;UNTIL=20261205T000000Z';
    await stand.hands.put(`${calendar}a.ics`, icalendar('a@p', [...hourFrom('2026-12-03T09:00:00Z'), rule]));
    expect(await startsOf()).toEqual([
      ...['2026-12-03T12:00:00+03:00', '2026-12-04T12:00:00+03:00', '2026-12-05T12:00:00+03:00'],
      '2026-12-06T12:00:00+03:00',
    ]);
    expect(await problems()).toEqual([{ code: 'caldav-events-odd', target: `caldav-busy:${calendar}` }]);
    const [event] = await stand.changes(calendar);
    expect(await problems()).toContainEqual({
      ...{ code: 'caldav-events-odd', target: `caldav-events:${calendar}` },
    });
    const instance = `${event?.id}_20261204T090000Z`;
    await expect(stand.api.get(calendar, instance)).rejects.toMatchObject({ code: 'caldav-events-odd' });
    const calendars = new CaldavCalendars(stand.parts);
    expect((await calendars.find(calendars.at(calendar), event?.id ?? ''))?.event.id).toBe(event?.id);
    await stand.hands.put(`${calendar}a.ics`, icalendar('a@p', hourFrom('2026-12-03T09:00:00Z')));
    expect(await startsOf()).toEqual(['2026-12-03T12:00:00+03:00']);
    await stand.changes(calendar);
    expect(await problems()).toEqual([]);
  });
});
