import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { homeLooks } from '../../src/caldav/home-looks.ts';
import { eventIdOf } from '../../src/engine/ids.ts';
import { SILENT } from '../../src/engine/runtime.ts';
import type { CalendarEvent, EventBody } from '../../src/google/calendar-event.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { behindRelay, type Relay } from './relay.ts';
import { describeOn } from './servers/describe.ts';
import { END, icalendar, openStand, START, type Stand } from './stand.ts';

const CALENDARS = 5;
const OWN = eventIdOf('0d3b2f6a-91c4-4f0e-8a56-000000000001');
const BODY: EventBody = {
  ...{ summary: 'Haircut', start: START, end: END, status: 'confirmed' },
  extendedProperties: { private: { slotbridge: '1' } },
};

for (const name of ['radicale', 'xandikos'] as const)
  describeOn(name, (start) => {
    let redis: TestRedis;
    let server: Relay;
    let stand: Stand;
    let calendars: string[];
    let rung: string[];
    let firstRung: string[];
    /** Requests that came to the homes. */
    let asked: number;
    let stop: () => Promise<unknown>;
    const put = (calendar: string, uid: string) =>
      stand.hands.put(
        `${calendar}${uid}.ics`,
        icalendar(uid, ['DTSTART:20261203T090000Z', 'SUMMARY:People']),
      );
    /** Two whole looks from now: what was there when this began has been told. */
    const looked = async () => {
      const from = asked;
      await vi.waitFor(() => expect(asked).toBeGreaterThan(from + 2), { timeout: PATIENCE_MS, interval: 10 });
    };

    beforeEach(async () => {
      redis = await startTestRedis();
      server = await behindRelay(await start());
      stand = await openStand(redis.url, server);
      calendars = await Promise.all(
        Array.from({ length: CALENDARS }, (_, nth) => stand.calendar(`looked-${nth}`)),
      );
      [rung, asked] = [[], 0];
      server.instead = ({ method, url = '' }) => {
        if (method === 'PROPFIND' && calendars.some((each) => new URL('..', each).pathname === url))
          asked += 1;
        return undefined;
      };
      const ends = new AbortController();
      const { leases } = stand.store;
      const parts = homeLooks(
        { ...stand.parts, lookEveryMs: 20 },
        {
          ...{ calendars, leases, log: SILENT, isCurrent: async () => true },
          ring: async (calendar) => void rung.push(calendar),
        },
      );
      expect(parts).toHaveLength(1);
      const running = parts.map((part) => part.run(ends.signal));
      stop = () => {
        ends.abort();
        return Promise.all(running);
      };
      await looked();
      firstRung = rung.splice(0);
    });
    afterEach(async () => {
      await stop();
      stand.close();
      await server.stop();
      await redis.stop();
    });

    test('the first look has each calendar read once, because it cannot tell what people changed before', () => {
      expect(firstRung.sort()).toEqual([...calendars].sort());
    });

    test('one request tells which calendar of an account people changed, and the own writes of the worker ring nothing', async () => {
      const [first = '', second = '', third = ''] = calendars;
      expect(await put(first, 'people')).toBeLessThan(300);
      await looked();
      expect(rung).toEqual([first]);

      const made = (await stand.api.insert(second, OWN, BODY)) as CalendarEvent;
      await looked();
      await stand.api.patch(second, made, { summary: 'Colouring' });
      await looked();
      await stand.api.remove(second, { id: OWN, etag: '' });
      await looked();
      expect(rung).toEqual([first]);

      await stand.hands.remove(`${first}people.ics`);
      await put(third, 'others');
      await looked();
      expect(rung.slice(1).sort()).toEqual([first, third].sort());
    });

    test('a home that may not be listed is no problem of the account', async () => {
      const { instead } = server;
      let refused = 0;
      server.instead = (request) => {
        instead(request);
        if (request.method !== 'PROPFIND' || request.headers['depth'] !== '1') return undefined;
        refused += 1;
        return { status: 403, type: 'text/plain', body: 'no' };
      };
      // By the one version, then by the other; then it is left alone.
      await vi.waitFor(() => expect(refused).toBe(2), { timeout: PATIENCE_MS, interval: 10 });
      await put(calendars[0] ?? '', 'unseen');
      expect(rung).toEqual([]);
      expect(await stand.store.problems.list()).toEqual([]);
    });
  });

describeOn('radicale', (start) => {
  test('a server without getctag is asked for its sync tokens', async () => {
    const redis = await startTestRedis();
    const server = await behindRelay(await start());
    server.change = (body) => body.replaceAll(/<[^<>]*getctag[^<>]*>[^<]*(?:<\/[^<>]*getctag>)?/g, '');
    const stand = await openStand(redis.url, server);
    const calendar = await stand.calendar('tokens');
    const ends = new AbortController();
    const rung: string[] = [];
    let looks = 0;
    server.instead = ({ method }) => {
      if (method === 'PROPFIND') looks += 1;
      return undefined;
    };
    const running = homeLooks(
      { ...stand.parts, lookEveryMs: 20 },
      {
        ...{ calendars: [calendar], leases: stand.store.leases, log: SILENT, isCurrent: async () => true },
        ring: async (each) => void rung.push(each),
      },
    ).map((part) => part.run(ends.signal));
    await vi.waitFor(() => expect(looks).toBeGreaterThan(3), { timeout: PATIENCE_MS });
    expect(rung.splice(0)).toEqual([calendar]);
    await stand.hands.put(`${calendar}a.ics`, icalendar('a', ['DTSTART:20261203T090000Z', 'SUMMARY:People']));
    await vi.waitFor(() => expect(rung).toEqual([calendar]), { timeout: PATIENCE_MS });
    ends.abort();
    await Promise.all(running);
    stand.close();
    await server.stop();
    await redis.stop();
  });
});
