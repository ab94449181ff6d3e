import type { CalendarServer } from '@slotbridge/rehearsal/demo/caldav/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventIdOf } from '../../src/engine/ids.ts';
import type { EventBody } from '../../src/google/calendar-event.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { behindRelay } from './relay.ts';
import { describeOn } from './servers/describe.ts';
import { END, icalendar, openStand, START, type Stand } from './stand.ts';

const ID = eventIdOf('0d3b2f6a-91c4-4f0e-8a56-000000000001');
const BODY: EventBody = {
  ...{ summary: 'Haircut', start: START, end: END, status: 'confirmed' },
  extendedProperties: { private: { slotbridge: '1' } },
};

for (const name of ['radicale', 'xandikos'] as const)
  describeOn(name, (start) => {
    let redis: TestRedis;
    let server: CalendarServer;
    let stand: Stand;
    beforeAll(async () => {
      [redis, server] = await Promise.all([startTestRedis(), start()]);
      stand = await openStand(redis.url, server);
    }, 120_000);
    afterAll(async () => {
      stand.close();
      await Promise.all([redis.stop(), server.stop()]);
    });

    it('a calendar that is made anew before a sync has told of the first write is noticed by the next sync', async () => {
      const calendar = await stand.calendar('anew');
      stand.forgetToken();
      // The token of an empty calendar: the new one has it, too.
      expect(await stand.changes(calendar)).toEqual([]);
      await stand.api.insert(calendar, ID, BODY);
      expect(await stand.hands.remove(calendar)).toBeLessThan(300);
      await stand.calendar('anew');
      await stand.changes(calendar);
      expect(await stand.api.isNobodys(calendar, ID)).toBe(true);
    });

    it('an event that people delete before a sync has told of it is told as deleted', async () => {
      const calendar = await stand.calendar('deleted');
      stand.forgetToken();
      await stand.hands.put(
        `${calendar}a.ics`,
        icalendar('a', ['DTSTART:20261203T090000Z', 'SUMMARY:People']),
      );
      await stand.changes(calendar);
      await stand.api.insert(calendar, ID, BODY);
      const [file = ''] = (await stand.hands.names(calendar)).filter((each) => each !== 'a.ics');
      await stand.hands.remove(`${calendar}${file}`);
      const told = await stand.changes(calendar);
      expect(told.find(({ id }) => id === ID)).toMatchObject({ status: 'cancelled' });
      expect(await stand.api.isNobodys(calendar, ID)).toBe(false);
    });

    it('an event that was removed, is there again and is deleted by people before the next sync is told as deleted (P1)', async () => {
      const calendar = await stand.calendar('again');
      stand.forgetToken();
      await stand.hands.put(
        `${calendar}a.ics`,
        icalendar('a', ['DTSTART:20261203T090000Z', 'SUMMARY:People']),
      );
      await stand.changes(calendar);
      await stand.api.insert(calendar, ID, BODY);
      await stand.changes(calendar);
      await stand.api.remove(calendar, { id: ID, etag: '' });
      expect(await stand.changes(calendar)).toMatchObject([{ id: ID, status: 'cancelled' }]);
      await stand.api.insert(calendar, ID, BODY);
      const [file = ''] = (await stand.hands.names(calendar)).filter((each) => each !== 'a.ics');
      await stand.hands.remove(`${calendar}${file}`);
      const told = await stand.changes(calendar);
      expect(told.find(({ id }) => id === ID)).toMatchObject({ status: 'cancelled' });
      expect(await stand.changes(calendar)).toEqual([]);
    });

    it('an event whose answer was lost, and that people delete before a sync has told of it, is told as deleted', async () => {
      const calendar = await stand.calendar('lost');
      stand.forgetToken();
      await stand.hands.put(
        `${calendar}a.ics`,
        icalendar('a', ['DTSTART:20261203T090000Z', 'SUMMARY:People']),
      );
      await stand.changes(calendar);
      await stand.api.insert(calendar, ID, BODY);
      // What the worker noted of its write, it would not have noted without an answer.
      await stand.forgetIndexOf(calendar, ID);
      expect(await stand.api.get(calendar, ID)).toMatchObject({ id: ID });
      const [file = ''] = (await stand.hands.names(calendar)).filter((each) => each !== 'a.ics');
      await stand.hands.remove(`${calendar}${file}`);
      const told = await stand.changes(calendar);
      expect(told.find(({ id }) => id === ID)).toMatchObject({ status: 'cancelled' });
    });

    it('what the worker itself removes, and what a sync has told, costs no list', async () => {
      const calendar = await stand.calendar('quiet');
      stand.forgetToken();
      await stand.changes(calendar);
      await stand.api.insert(calendar, ID, BODY);
      await stand.changes(calendar);
      const before = stand.budget.ranks.length;
      await stand.changes(calendar);
      expect(stand.budget.ranks.length - before).toBe(1);
      await stand.api.remove(calendar, { id: ID, etag: '' });
      const removed = stand.budget.ranks.length;
      await stand.changes(calendar);
      expect(stand.budget.ranks.length - removed).toBe(1);
    });

    it('P7: what is missing or different after the server has refused its own token is nobody’s wish, until people change it again', async () => {
      const calendar = await stand.calendar('restored');
      const other = eventIdOf('0d3b2f6a-91c4-4f0e-8a56-000000000002');
      stand.forgetToken();
      await stand.changes(calendar);
      for (const id of [ID, other]) await stand.api.insert(calendar, id, BODY);
      await stand.changes(calendar);
      const [gone = '', changed = ''] = await stand.hands.names(calendar);
      const text = await stand.hands.get(calendar + changed);
      await stand.hands.remove(calendar + gone);
      await stand.hands.put(calendar + changed, text.replace('SUMMARY:Haircut', 'SUMMARY:Earlier'));
      stand.useUnknownToken();
      const told = await stand.changes(calendar);
      const missing = told.find(({ status }) => status === 'cancelled')?.id ?? '';
      const back = [ID, other].find((id) => id !== missing) ?? '';
      expect([ID, other]).toContain(missing);
      expect(await stand.api.isNobodys(calendar, missing)).toBe(true);
      expect(await stand.api.isNobodys(calendar, back)).toBe(true);
      await stand.hands.put(calendar + changed, text.replace('SUMMARY:Haircut', 'SUMMARY:Later'));
      await stand.changes(calendar);
      expect(await stand.api.isNobodys(calendar, back)).toBe(false);
      await stand.api.insert(calendar, missing, BODY);
      expect(await stand.api.isNobodys(calendar, missing)).toBe(false);
    });
  });

describeOn('radicale', (start) => {
  it('P7: a server whose count of changes went back was restored, although it refuses nothing', async () => {
    const [redis, server] = await Promise.all([startTestRedis(), start()]);
    const relay = await behindRelay(server);
    const stand = await openStand(redis.url, relay);
    const calendar = await stand.calendar('counted');
    const told = (count: number) => ({
      ...{ status: 207, type: 'application/xml' },
      body: `<D:multistatus xmlns:D="DAV:"><D:sync-token>http://sabre.io/ns/sync/${count}</D:sync-token></D:multistatus>`,
    });
    const placeAt = (count: number) => ({
      syncToken: JSON.stringify({ token: `http://sabre.io/ns/sync/${count}`, listedAtMs: stand.clock.nowMs }),
      pageToken: undefined,
    });
    relay.instead = ({ method }) => (method === 'REPORT' ? told(100) : undefined);
    expect(await stand.watch.changes(calendar, placeAt(99))).toMatchObject({ events: [] });
    expect(await stand.parts.index.isRefused(calendar)).toBe(false);
    relay.instead = ({ method }) =>
      method === 'REPORT' ? { status: 403, type: 'text/plain', body: 'No access' } : undefined;
    expect(await stand.watch.changes(calendar, placeAt(100))).toBe('lost');
    relay.instead = ({ method }) =>
      method === 'REPORT' ? { status: 500, type: 'text/plain', body: 'Try again' } : undefined;
    expect(await stand.watch.changes(calendar, placeAt(100))).toBe('lost');
    // Whoever may not read for a while, or meets a failure, has been told nothing of a backup: what people do meanwhile counts.
    expect(await stand.parts.index.isRefused(calendar)).toBe(false);
    relay.instead = ({ method }) => (method === 'REPORT' ? told(100) : undefined);
    expect(await stand.watch.changes(calendar, placeAt(101))).toBe('lost');
    expect(await stand.parts.index.isRefused(calendar)).toBe(true);
    stand.close();
    await Promise.all([redis.stop(), relay.stop()]);
  });
});
