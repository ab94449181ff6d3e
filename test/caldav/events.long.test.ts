import { randomUUID } from 'node:crypto';
import type { CalendarServer } from '@slotbridge/rehearsal/demo/caldav/server';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { eventIdOf } from '../../src/engine/ids.ts';
import type { EventBody } from '../../src/google/calendar-event.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { describeOn, type ServerName } from './servers/describe.ts';
import { END, icalendar, openStand, START, type Stand } from './stand.ts';

const SERVERS: readonly ServerName[] = ['radicale', 'xandikos'];
const LARGE: readonly ServerName[] = ['davical', 'cyrus', 'sogo'];
const isSoak = process.env['SLOTBRIDGE_TESTS'] === 'soak';

function bodyOf(summary: string, extra: Partial<EventBody> = {}): EventBody {
  return {
    ...{ summary, start: START, end: END, status: 'confirmed' },
    extendedProperties: { private: { slotbridge: '1', note: 'a, b; c\\d' } },
    ...extra,
  };
}

for (const name of [...SERVERS, ...(isSoak ? LARGE : [])])
  describeOn(name, (start) => {
    let redis: TestRedis;
    let server: CalendarServer;
    let stand: Stand;
    let calendar: string;
    let other: string;
    let nth = 0;
    beforeAll(async () => {
      [redis, server] = await Promise.all([startTestRedis(), start()]);
    }, 120_000);
    afterAll(async () => {
      await Promise.all([redis.stop(), server.stop()]);
    });
    beforeEach(async () => {
      stand = await openStand(redis.url, server);
      nth += 1;
      calendar = await stand.calendar(`cal${nth}`);
      other = await stand.calendar(`other${nth}`);
      return () => stand.close();
    });

    it('an event is made once, read, changed and removed', async () => {
      const id = eventIdOf(randomUUID());
      const made = await stand.api.insert(
        calendar,
        id,
        bodyOf('Стрижка, окраска; и ещё', { description: 'a &lt;b&gt;\nc' }),
      );
      expect(made).toMatchObject({ id, summary: 'Стрижка, окраска; и ещё', description: 'a &lt;b&gt;\nc' });
      expect(await stand.api.insert(calendar, id, bodyOf('Twice'))).toBe('taken');
      const seen = await stand.api.get(calendar, id);
      expect(seen).toEqual(made);
      if (typeof seen === 'string' || typeof made === 'string') throw new Error('not there');
      expect(seen.extendedProperties?.private).toEqual({ slotbridge: '1', note: 'a, b; c\\d' });
      const patched = await stand.api.patch(calendar, made, {
        ...bodyOf('Later'),
        start: { ...START, dateTime: '2026-12-03T09:30:00Z' },
      });
      expect(patched).toMatchObject({ id, summary: 'Later' });
      expect(await stand.api.patch(calendar, made, bodyOf('Stale'))).toBe('changed');
      expect(await stand.api.remove(calendar, made)).toBe('changed');
      if (typeof patched === 'string') throw new Error(patched);
      expect(Date.parse(patched.start?.dateTime ?? '')).toBe(Date.parse('2026-12-03T09:30:00Z'));
      expect(await stand.api.remove(calendar, patched)).toBe('removed');
      expect(await stand.api.get(calendar, id)).toBe('absent');
      expect(await stand.api.insert(calendar, id, bodyOf('Again'))).toMatchObject({ id, summary: 'Again' });
    });

    it('a text that an erasure empties is nowhere in the stored event', async () => {
      const id = eventIdOf(randomUUID());
      const texts = { description: 'Call <b>+49 30 900-10-20</b>', location: 'Her flat' };
      const made = await stand.api.insert(calendar, id, bodyOf('Anna', texts));
      if (typeof made === 'string') throw new Error(made);
      await stand.api.patch(calendar, made, { summary: '', description: '', location: '' });
      const [file = ''] = await stand.hands.names(calendar);
      const stored = await stand.hands.get(`${calendar}${file}`);
      expect(stored).not.toMatch(/Anna|900-10-20|Her flat/);
      const left = await stand.api.get(calendar, id);
      if (typeof left === 'string') throw new Error(left);
      expect(left.description).toBeUndefined();
    });

    it('an own write is no change for the watch, and that of people is', async () => {
      const id = eventIdOf(randomUUID());
      await stand.changes(calendar);
      const made = await stand.api.insert(calendar, id, bodyOf('Cut'));
      if (typeof made === 'string') throw new Error(made);
      const [own] = await stand.changes(calendar);
      expect(own?.etag).toBe(made.etag);
      const [file = ''] = await stand.hands.names(calendar);
      const text = await stand.hands.get(`${calendar}${file}`);
      await stand.hands.put(
        `${calendar}${file}`,
        text.replace(/T090000Z|T100000(?=\r)/g, (found) => found.replace('T10', 'T11').replace('T09', 'T10')),
      );
      const changed = (await stand.changes(calendar)).filter((event) => event.id === id);
      expect(changed[0]?.etag).not.toBe(made.etag);
      expect(await stand.hands.remove(`${calendar}${file}`)).toBeLessThan(300);
      expect(await stand.changes(calendar)).toContainEqual(
        expect.objectContaining({ id, status: 'cancelled' }),
      );
      expect(await stand.api.get(calendar, id)).toBe('absent');
    });

    it('what people added keeps its bytes', async () => {
      const id = eventIdOf(randomUUID());
      const made = await stand.api.insert(calendar, id, bodyOf('Cut'));
      if (typeof made === 'string') throw new Error(made);
      const [file = ''] = await stand.hands.names(calendar);
      const text = await stand.hands.get(`${calendar}${file}`);
      const added = [
        'CATEGORIES:Work',
        'X-PEOPLE;X-P="a;b":some-value',
        'BEGIN:VALARM',
        'ACTION:DISPLAY',
        'DESCRIPTION:Soon',
        'TRIGGER:-PT20M',
        'END:VALARM',
      ];
      await stand.hands.put(
        `${calendar}${file}`,
        text.replace('END:VEVENT', `${added.join('\r\n')}\r\nEND:VEVENT`),
      );
      const seen = await stand.api.getWhole(calendar, id);
      if (typeof seen === 'string') throw new Error(seen);
      expect(seen.reminders).toEqual({ useDefault: false, overrides: [{ method: 'popup', minutes: 20 }] });
      expect(await stand.api.patch(calendar, seen, bodyOf('Other'))).toMatchObject({ summary: 'Other' });
      const after = await stand.hands.get(`${calendar}${file}`);
      for (const line of ['CATEGORIES:Work', 'TRIGGER:-PT20M', 'some-value', 'SUMMARY:Other'])
        expect(after).toContain(line);
    });

    it('an event that people rename or move keeps its id', async () => {
      const id = eventIdOf(randomUUID());
      const made = await stand.api.insert(calendar, id, bodyOf('Cut'));
      if (typeof made === 'string') throw new Error(made);
      await stand.changes(calendar);
      const [file = ''] = await stand.hands.names(calendar);
      const text = await stand.hands.get(`${calendar}${file}`);
      await stand.hands.remove(`${calendar}${file}`);
      expect(await stand.hands.put(`${calendar}other-name.ics`, text)).toBeLessThan(300);
      expect(await stand.api.get(calendar, id)).toMatchObject({ id, summary: 'Cut' });
      const events = await stand.changes(calendar);
      expect(events.filter((event) => event.id === id && event.status === 'cancelled')).toEqual([]);
      await stand.hands.remove(`${calendar}other-name.ics`);
      await stand.hands.put(`${other}${file}`, text);
      expect(await stand.api.get(calendar, id)).toBe('absent');
      expect(await stand.api.get(other, id)).toMatchObject({ id, summary: 'Cut' });
    });

    it('an event that people dragged here keeps its id when it gets another address', async () => {
      const id = eventIdOf(randomUUID());
      const made = await stand.api.insert(calendar, id, bodyOf('Cut'));
      if (typeof made === 'string') throw new Error(made);
      const [file = ''] = await stand.hands.names(calendar);
      const text = await stand.hands.get(`${calendar}${file}`);
      await stand.hands.remove(`${calendar}${file}`);
      await stand.hands.put(`${other}first.ics`, text);
      await stand.changes(other);
      expect(await stand.api.get(other, id)).toMatchObject({ id });
      await stand.hands.remove(`${other}first.ics`);
      expect(await stand.hands.put(`${other}second.ics`, text)).toBeLessThan(300);
      expect(await stand.api.get(other, id)).toMatchObject({ id, summary: 'Cut' });
      const seen = await stand.changes(other);
      expect(seen.map((event) => [event.id, event.status])).toEqual([[id, 'confirmed']]);
      await stand.hands.remove(`${other}second.ics`);
      expect(await stand.hands.put(`${other}third.ics`, text)).toBeLessThan(300);
      const again = await stand.changes(other);
      expect(again.map((event) => [event.id, event.status])).toEqual([[id, 'confirmed']]);
      expect(await stand.api.get(other, id)).toMatchObject({ id, summary: 'Cut' });
    });

    it('an event moves to another calendar of the account', async () => {
      const id = eventIdOf(randomUUID());
      const made = await stand.api.insert(calendar, id, bodyOf('Cut'));
      if (typeof made === 'string') throw new Error(made);
      expect(await stand.api.move(calendar, id, other)).toMatchObject({
        id,
        summary: 'Cut',
        etag: made.etag.length > 0 ? expect.any(String) : '',
      });
      expect(await stand.api.get(calendar, id)).toBe('absent');
      expect(await stand.api.get(other, id)).toMatchObject({ id });
    });

    it('a series is one event with instances', async () => {
      const series = icalendar('series@people', [
        'DTSTART;TZID=Europe/Berlin:20261201T100000',
        'DTEND;TZID=Europe/Berlin:20261201T110000',
        'RRULE:FREQ=WEEKLY;COUNT=4',
        'SUMMARY:#book Cut',
      ]);
      expect(await stand.hands.put(`${calendar}series.ics`, series)).toBeLessThan(300);
      const [master] = await stand.changes(calendar);
      if (master === undefined) throw new Error('no master');
      const window = {
        fromMs: Date.parse('2026-12-01T00:00:00Z'),
        untilMs: Date.parse('2027-02-01T00:00:00Z'),
        limit: 10,
      };
      const found = await stand.api.instances(calendar, master.id, window);
      if (typeof found === 'string') throw new Error(found);
      expect(found.map(({ start }) => new Date(start?.dateTime ?? '').toISOString())).toEqual([
        '2026-12-01T09:00:00.000Z',
        '2026-12-08T09:00:00.000Z',
        '2026-12-15T09:00:00.000Z',
        '2026-12-22T09:00:00.000Z',
      ]);
      const [, second, third] = found;
      if (second === undefined || third === undefined) throw new Error('too few');
      const patched = await stand.api.patch(calendar, second, { description: 'Booked' });
      expect(patched).toMatchObject({ id: second.id, description: 'Booked' });
      expect(await stand.api.remove(calendar, third)).toBe('removed');
      const again = await stand.api.instances(calendar, master.id, window);
      expect(again).toHaveLength(3);
      expect(await stand.api.get(calendar, third.id)).toBe('absent');
      expect(await stand.api.get(calendar, second.id)).toMatchObject({
        description: 'Booked',
        recurringEventId: master.id,
      });
      await stand.hands.remove(`${calendar}series.ics`);
      const ended = (await stand.changes(calendar)).map(({ id, status }) => `${id === master.id} ${status}`);
      expect(ended).toContain('true cancelled');
    });

    it('a calendar that is gone is no proof that its events are', async () => {
      const id = eventIdOf(randomUUID());
      const made = await stand.api.insert(calendar, id, bodyOf('Cut'));
      if (typeof made === 'string') throw new Error(made);
      await stand.hands.remove(calendar);
      await expect(stand.api.get(calendar, id)).rejects.toMatchObject({ code: 'calendar-not-shared' });
    });

    it('what cannot be read is a problem, and hides nothing else', async () => {
      await stand.hands.put(
        `${calendar}good.ics`,
        icalendar('good@people', ['DTSTART:20261201T100000Z', 'DTEND:20261201T110000Z', 'SUMMARY:Good']),
      );
      await stand.changes(calendar);
      const marked: string[] = [];
      for await (const event of stand.api.marked(calendar, { key: 'slotbridge', value: '1' }))
        marked.push(event.id);
      expect(marked).toEqual([]);
      expect(await stand.api.accessRole(calendar)).not.toBe('reader');
      expect(typeof (await stand.api.zone(calendar))).toBe('string');
    });
  });
