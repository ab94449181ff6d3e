import type { CalendarServer } from '@slotbridge/rehearsal/demo/caldav/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventIdOf } from '../../src/engine/ids.ts';
import type { EventBody } from '../../src/google/calendar-event.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { describeOn, type ServerName } from './servers/describe.ts';
import { END, icalendar, openStand, START, type Stand } from './stand.ts';

const ID = eventIdOf('0d3b2f6a-91c4-4f0e-8a56-000000000001');
const BODY: EventBody = {
  ...{ summary: 'Haircut', start: START, end: END, status: 'confirmed' },
  extendedProperties: { private: { slotbridge: '1' } },
};

const SERVERS: readonly ServerName[] = ['radicale', 'xandikos'];
const LONG: readonly ServerName[] = ['davical', 'cyrus', 'sogo'];
const isLong = process.env['SLOTBRIDGE_TESTS'] === 'long';

for (const name of [...SERVERS, ...(isLong ? LONG : [])])
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
      expect(await stand.api.isMissed(calendar, ID)).toBe(true);
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
      expect(await stand.api.isMissed(calendar, ID)).toBe(false);
    });

    it('P7: an event that people dragged to a calendar outside the mapping is found there, under another name as well', async () => {
      const [calendar, mapped, own] = [
        await stand.calendar('chair'),
        await stand.calendar('mapped'),
        await stand.calendar('own'),
      ];
      await stand.api.insert(calendar, ID, BODY);
      const [file = ''] = await stand.hands.names(calendar);
      const text = await stand.hands.get(`${calendar}${file}`);
      const isThere = (searched = [calendar, mapped]) =>
        stand.api.isKeptElsewhere(calendar, ID, ['anna@clinic.example', ...searched]);
      await stand.hands.remove(`${calendar}${file}`);
      // A calendar that was searched is not asked again, however its address is written.
      await stand.hands.put(`${mapped}${file}`, text);
      expect(await isThere([calendar, mapped.slice(0, -1)])).toBe(false);
      await stand.hands.remove(`${mapped}${file}`);
      await stand.hands.put(`${own}x.ics`, icalendar('other', ['DTSTART:20261203T090000Z', 'SUMMARY:Own']));
      expect(await isThere()).toBe(false);
      await stand.hands.put(`${own}renamed.ics`, text);
      expect(await isThere()).toBe(true);
      await stand.hands.put(
        `${own}renamed.ics`,
        text.replace(/STATUS:CONFIRMED\r?\n/, '').replace('SUMMARY:', 'STATUS:CANCELLED\r\nSUMMARY:'),
      );
      expect(await isThere()).toBe(false);
    });
  });
