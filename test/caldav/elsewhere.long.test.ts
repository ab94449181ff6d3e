import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventIdOf } from '../../src/engine/ids.ts';
import type { EventBody } from '../../src/google/calendar-event.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { behindRelay, type Relay } from './relay.ts';
import { describeOn, type ServerName } from './servers/describe.ts';
import { END, icalendar, openStand, START, type Stand } from './stand.ts';

const APPOINTMENT = {
  id: '0d3b2f6a-91c4-4f0e-8a56-000000000001',
  startMs: Date.parse(START.dateTime),
};
const ID = eventIdOf(APPOINTMENT.id);
const BODY: EventBody = {
  ...{ summary: 'Haircut', start: START, end: END, status: 'confirmed' },
  extendedProperties: { private: { slotbridge: '1', slotbridge_appointment: APPOINTMENT.id } },
};

const SERVERS: readonly ServerName[] = ['radicale', 'xandikos'];
const LARGE: readonly ServerName[] = ['davical', 'cyrus', 'sogo'];
const isSoak = process.env['SLOTBRIDGE_TESTS'] === 'soak';

for (const name of [...SERVERS, ...(isSoak ? LARGE : [])])
  describeOn(name, (start) => {
    let redis: TestRedis;
    let relay: Relay;
    let stand: Stand;
    beforeAll(async () => {
      redis = await startTestRedis();
      relay = await behindRelay(await start());
      stand = await openStand(redis.url, relay);
    }, 120_000);
    afterAll(async () => {
      stand.close();
      await Promise.all([redis.stop(), relay.stop()]);
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
        stand.api.keptElsewhere(calendar, ID, {
          searched: ['anna@clinic.example', ...searched],
          appointment: APPOINTMENT,
        });
      await stand.hands.remove(`${calendar}${file}`);
      // A calendar that was searched is not asked again, however its address is written.
      await stand.hands.put(`${mapped}${file}`, text);
      expect(await isThere([calendar, mapped.slice(0, -1)])).toBeUndefined();
      await stand.hands.remove(`${mapped}${file}`);
      await stand.hands.put(`${own}x.ics`, icalendar('other', ['DTSTART:20261203T090000Z', 'SUMMARY:Own']));
      // A server may find parts of a UID.
      await stand.hands.put(`${own}y.ics`, text.replace(/(?<=^UID:.*)$/m, '-copy'));
      expect(await isThere()).toBeUndefined();
      await stand.hands.put(`${own}renamed.ics`, text);
      expect(await isThere()).toBe('nobodys-calendar');
      await stand.hands.put(
        `${own}renamed.ics`,
        text.replace(/STATUS:CONFIRMED\r?\n/, '').replace('SUMMARY:', 'STATUS:CANCELLED\r\nSUMMARY:'),
      );
      expect(await isThere()).toBeUndefined();
    });

    it('P3: an event that a program made anew under another UID was deleted by nobody, as long as its copy has its hour', async () => {
      const [calendar, other] = [await stand.calendar('desk'), await stand.calendar('colleague')];
      await stand.api.insert(calendar, ID, BODY);
      const [file = ''] = await stand.hands.names(calendar);
      const text = await stand.hands.get(`${calendar}${file}`);
      await stand.hands.remove(`${calendar}${file}`);
      const search = { searched: [calendar, other], appointment: APPOINTMENT };
      const kept = () => stand.api.keptElsewhere(calendar, ID, search);
      expect(await kept()).toBeUndefined();
      const copy = text.replace(/^UID:.*$/m, 'UID:5f0f8a0e-made-anew');
      const hourLater = copy.replace(/(?<=^DT(?:START|END);.*T)\d\d/gm, (hour) => String(Number(hour) + 1));
      expect(hourLater).not.toBe(copy);
      await stand.hands.put(`${other}later.ics`, hourLater);
      expect(await kept()).toBeUndefined();
      await stand.hands.remove(`${other}later.ics`);
      for (const place of [other, calendar]) {
        expect(await stand.hands.put(`${place}anew.ics`, copy)).toBeLessThan(300);
        expect(await kept()).toBe('copy-stands');
        await stand.hands.remove(`${place}anew.ics`);
        expect(await kept()).toBeUndefined();
      }
    });

    it('a calendar that the server names on another host gets no request, and so no password (P9)', async () => {
      const [calendar, own] = [await stand.calendar('here'), await stand.calendar('moved')];
      const path = new URL(own).pathname;
      let named = 0;
      relay.change = (body) =>
        body.replaceAll(`>${path}<`, () => {
          named += 1;
          return `>http://127.0.0.1:1${path}<`;
        });
      const search = { searched: [], appointment: APPOINTMENT };
      expect(await stand.api.keptElsewhere(calendar, ID, search)).toBeUndefined();
      expect(named).toBeGreaterThan(0);
    });
  });
