import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { READ_ONLY } from '@slotbridge/rehearsal/demo/caldav/radicale';
import { Requests } from '@slotbridge/rehearsal/demo/caldav/requests';
import type { CalendarServer } from '@slotbridge/rehearsal/demo/caldav/server';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { CaldavApi } from '../../src/caldav/caldav-side.ts';
import { DavMemory } from '../../src/caldav/calendar-requests.ts';
import { listDavCalendars } from '../../src/caldav/discovery.ts';
import { eventIdOf } from '../../src/engine/ids.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { BERLIN_ZONE } from './contract/caldav-staff.ts';
import { behindRelay } from './relay.ts';
import { describeOn } from './servers/describe.ts';
import { END, icalendar, openStand, START, type Stand } from './stand.ts';

const PAGE = '<html><body>Sign in</body></html>';
const BODY = {
  ...({ summary: 'Cut', start: START, end: END, status: 'confirmed' } as const),
  extendedProperties: { private: { slotbridge: '1' } },
} as const;

describeOn('radicale', (start) => {
  let redis: TestRedis;
  let server: CalendarServer;
  let stand: Stand;
  let calendar: string;
  let nth = 0;
  beforeAll(async () => {
    [redis, server] = await Promise.all([startTestRedis(), start()]);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([redis.stop(), server.stop()]);
  });
  beforeEach(async () => {
    stand = await openStand(redis.url, server);
    nth += 1;
    calendar = await stand.calendar(`bad${nth}`);
    return () => stand.close();
  });
  const problems = async () =>
    (await stand.store.problems.list()).map(({ code, target }) => ({ code, target }));

  it('a wrong or expired password is a problem of the account, and names neither it nor the user', async () => {
    const account = { ...stand.account, password: 'hunter2' };
    const api = new CaldavApi({ ...stand.parts, accountOf: () => account });
    const error = await api.get(calendar, eventIdOf(randomUUID())).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'caldav-unauthenticated',
      family: 'deferred',
      target: 'caldav:office',
    });
    expect(JSON.stringify([error, String(error)])).not.toMatch(/hunter2|anna/);
    expect(await problems()).toEqual([{ code: 'caldav-unauthenticated', target: 'caldav:office' }]);
  });

  it('a calendar that may only be read refuses writes, and is read', async () => {
    const readOnly = new URL(`${READ_ONLY}/`, server.accounts[0].home).href;
    expect(await stand.api.accessRole(readOnly)).toBe('reader');
    await expect(stand.api.insert(readOnly, eventIdOf(randomUUID()), BODY)).rejects.toMatchObject({
      code: 'calendar-read-only',
    });
    await expect(stand.api.assertWritable(readOnly)).rejects.toMatchObject({ code: 'calendar-read-only' });
    expect(await stand.changes(readOnly)).toEqual([]);
  });

  it.each([
    ['Europe/Berlin', '09:00:00+01:00'],
    ['/freeassociation.sourceforge.net/Europe/Berlin', '09:00:00+01:00'],
    ['W. Europe Standard Time', '09:00:00+01:00'],
    ['Our office', '09:00:00+03:00'],
    ['My own\r\nX-LIC-LOCATION:Europe/Berlin', '09:00:00+01:00'],
  ])('a time without a zone is read where the calendar calls its zone %s (P4)', async (tzid, shown) => {
    const zone = BERLIN_ZONE.replace('TZID:Europe/Berlin', `TZID:${tzid}`);
    const requests = new Requests(server.accounts[0]);
    await requests.set(calendar, `<C:calendar-timezone><![CDATA[${zone}]]></C:calendar-timezone>`);
    const floating = ['DTSTART:20261203T090000', 'DTEND:20261203T100000', 'SUMMARY:Floating'];
    await stand.hands.put(`${calendar}one.ics`, icalendar('one@people', floating));
    expect(await stand.changes(calendar)).toMatchObject([{ start: { dateTime: `2026-12-03T${shown}` } }]);
    expect(await problems()).toEqual([]);
  });

  it('an event that no program can read is reported, untouched, and no deletion of what it was', async () => {
    const good = icalendar('one@people', [
      'DTSTART:20261203T090000Z',
      'DTEND:20261203T100000Z',
      'SUMMARY:Good',
    ]);
    await stand.hands.put(`${calendar}one.ics`, good);
    const [event] = await stand.changes(calendar);
    const entry = (await stand.parts.index.entry(calendar, new URL(`${calendar}one.ics`).pathname)) ?? {
      ids: [],
    };
    expect(entry.ids).toEqual([event?.id]);
    // Radicale stores nothing odd, so the server's file is broken beside it.
    const object = {
      href: new URL(`${calendar}one.ics`).pathname,
      etag: '"x"',
      text: 'BEGIN:VCALENDAR\r\nBROKEN',
    };
    const { CaldavCalendars } = await import('../../src/caldav/caldav-side.ts');
    const calendars = new CaldavCalendars(stand.parts);
    const { read } = await calendars.note(calendars.at(calendar), object, { by: 'sync' });
    expect(read).toBeUndefined();
    expect((await stand.parts.index.entry(calendar, object.href))?.odd).toBe('unreadable');
    const broken = { ...stand.parts, memory: new DavMemory() };
    broken.memory.keep(calendar, object, 0);
    const hidden = new CaldavCalendars(broken).find(calendars.at(calendar), event?.id ?? '', {
      mayBeKept: true,
    });
    await expect(hidden).rejects.toMatchObject({ code: 'caldav-events-odd', family: 'deferred' });
    await stand.hands.put(
      `${calendar}two.ics`,
      icalendar('two@people', ['DTSTART:20261204T090000Z', 'DTEND:20261204T100000Z']),
    );
    expect((await stand.changes(calendar)).filter(({ status }) => status === 'cancelled')).toEqual([]);
    expect(await problems()).toEqual([{ code: 'caldav-events-odd', target: `caldav-events:${calendar}` }]);
  });

  it('an event with guests is left to its organizer', async () => {
    const id = eventIdOf(randomUUID());
    const made = await stand.api.insert(calendar, id, BODY);
    if (made === 'taken') throw new Error(made);
    const [file = ''] = await stand.hands.names(calendar);
    const text = await stand.hands.get(`${calendar}${file}`);
    const guests = 'ORGANIZER:mailto:anna@clinic.example\r\nATTENDEE:mailto:vera@example.com\r\nEND:VEVENT';
    await stand.hands.put(`${calendar}${file}`, text.replace('END:VEVENT', guests));
    const seen = await stand.api.get(calendar, id);
    if (seen === 'absent') throw new Error(seen);
    await expect(stand.api.patch(calendar, seen, { summary: 'New' })).rejects.toMatchObject({
      code: 'event-forbidden',
    });
    await expect(stand.api.remove(calendar, seen)).rejects.toMatchObject({ code: 'event-forbidden' });
    expect(await stand.hands.get(`${calendar}${file}`)).toContain('vera@example.com');
  });

  it('the account leads to its calendars from the bare server', async () => {
    const listed = await listDavCalendars(stand.parts, stand.account);
    expect(listed.map(({ id }) => id)).toContain(calendar);
    expect(listed.find(({ id }) => id === calendar)).toMatchObject({
      mayWrite: true,
      takesEvents: true,
      hasSync: true,
    });
  });

  it.each([
    ['a page with 200', { status: 200, body: PAGE, code: 'caldav-not-caldav' }],
    ['a page with 207', { status: 207, body: PAGE, code: 'caldav-not-caldav' }],
    ['an error of its own', { status: 500, body: 'oops', code: 'caldav-unavailable' }],
    ['a pause', { status: 429, body: '', code: 'caldav-busy' }],
    ['a redirect', { status: 302, body: '', code: 'calendar-not-shared' }],
    ['nothing', { status: 404, body: '', code: 'calendar-not-shared' }],
  ])('%s proves no deletion', async (_, { status, body, code }) => {
    const proxy = createServer((request, response) => {
      request.resume();
      response
        .writeHead(status, { 'content-type': 'text/html', location: 'https://other.example/' })
        .end(body);
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    const { port } = proxy.address() as AddressInfo;
    try {
      const there = `http://127.0.0.1:${port}/cal/`;
      await expect(stand.api.get(there, eventIdOf(randomUUID()))).rejects.toMatchObject({ code });
      // Two refusals in a row pause the account.
      const orPaused = expect.stringMatching(new RegExp(`^(?:${code}|caldav-paused)$`));
      await expect(
        stand.watch.changes(`${there}other/`, { syncToken: undefined, pageToken: undefined }),
      ).rejects.toMatchObject({ code: orPaused });
    } finally {
      await new Promise((done) => proxy.close(done));
    }
  });

  it.each([
    ['413', { status: 413, type: 'text/html', body: PAGE }],
    [
      'max-resource-size',
      {
        status: 403,
        type: 'application/xml',
        body: '<D:error xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><C:max-resource-size/></D:error>',
      },
    ],
  ])('an event over the size limit (%s) ends its write, and the stored event stays', async (_, said) => {
    const relay = await behindRelay({ ...server, stop: async () => undefined });
    try {
      const account = { ...stand.account, url: relay.url };
      const api = new CaldavApi({ ...stand.parts, accountOf: () => account });
      const there = calendar.replace(server.url, relay.url);
      const id = eventIdOf(randomUUID());
      const made = await api.insert(there, id, BODY);
      if (made === 'taken') throw new Error(made);
      relay.instead = ({ method }) => (method === 'PUT' ? said : undefined);
      await expect(api.patch(there, made, { summary: 'Long' })).rejects.toMatchObject({
        ...{ code: 'caldav-too-large', family: 'terminal' },
      });
      await expect(api.insert(there, eventIdOf(randomUUID()), BODY)).rejects.toMatchObject({
        code: 'caldav-too-large',
      });
      relay.instead = () => undefined;
      expect(await api.get(there, id)).toMatchObject({ summary: 'Cut' });
      expect(await stand.hands.names(calendar)).toHaveLength(1);
      // One event is refused: the calendar is not.
      expect(await problems()).toEqual([]);
    } finally {
      await relay.stop();
    }
  });

  it('a calendar that is only for tasks takes no mirror', async () => {
    const relay = await behindRelay({ ...server, stop: async () => undefined });
    try {
      relay.change = (body) => body.replaceAll('name="VEVENT"', 'name="VTODO"');
      const account = { ...stand.account, url: relay.url };
      const api = new CaldavApi({ ...stand.parts, accountOf: () => account });
      const there = calendar.replace(server.url, relay.url);
      await expect(api.assertWritable(there)).rejects.toMatchObject({ family: 'deferred' });
      const listed = await listDavCalendars(stand.parts, account);
      expect(listed.find(({ id }) => id === there)).toMatchObject({ takesEvents: false });
    } finally {
      await relay.stop();
    }
  });
});
