/** A series that somebody books in on a CalDAV server (docs/bookings.md, rows R), through a whole worker. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOn, type ServerName } from '../caldav/servers/describe.ts';
import { hourFrom, icalendar, stamp } from '../caldav/stand.ts';
import { type CaldavWorld, startCaldavWorld, until, walkIns } from '../stand/caldav-world.ts';
import { slot } from '../stand/world.ts';

const SERVERS: readonly ServerName[] = process.env['ALL']
  ? ['radicale', 'xandikos', 'davical', 'cyrus', 'sogo']
  : ['radicale'];
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The start of the nth event; `laterMs` beside it. */
const day = (nth: number, laterMs = 0) =>
  new Date(Date.parse(slot(40)) + nth * DAY_MS + laterMs).toISOString();
const TEXTS = ['SUMMARY:#book Vera Orlova', 'DESCRIPTION:+7 495 000-11-01'];
const daily = (...lines: readonly string[]) => [...hourFrom(day(0)), 'RRULE:FREQ=DAILY;COUNT=4', ...lines];

for (const name of SERVERS)
  describeOn(name, (start) => {
    let at: CaldavWorld;
    beforeAll(async () => {
      at = await startCaldavWorld(await start(), {
        event: 'description: "{{ customer_phone }}"',
        rest: (calendar) => walkIns(calendar, '    recurring: each\n    horizon: 30d\n'),
      });
      await at.world.untilIdle(at.url);
    }, 180_000);
    afterAll(() => at.close());

    const booked = () =>
      at.world.platform.truth
        .appointments()
        .filter(({ status }) => status !== 'cancelled')
        .map(({ starts_at }) => new Date(String(starts_at)).toISOString())
        .sort();
    const read = async () => {
      const { readAfter, world, url } = at;
      await readAfter(Date.now() + 1_000);
      await world.untilIdle(url);
    };

    it('each of its events is booked, dragged, left out and cancelled by itself', async () => {
      const { calendar, hands, readAfter, world, url } = at;
      const file = `${calendar}weekly.ics`;
      await hands.put(file, icalendar('series-1', daily(...TEXTS)));
      await until(async () => expect(booked()).toEqual([day(0), day(1), day(2), day(3)]));
      await world.untilIdle(url);
      await read();
      expect(booked()).toHaveLength(4);
      const shown = await hands.get(file);
      expect(shown).toContain('RRULE:FREQ=DAILY;COUNT=4');
      expect(shown.match(/^RECURRENCE-ID/gm) ?? []).toHaveLength(4);
      expect(shown.match(/^SUMMARY:Haircut\\, Vera Orlova/gm) ?? []).toHaveLength(4);
      expect(await hands.names(calendar)).toEqual(['weekly.ics']);

      // One is dragged by two hours.
      const parts = shown.split(/(?=BEGIN:VEVENT)/);
      const dragged = parts.map((part) => {
        if (!/^RECURRENCE-ID[^:]*:/m.test(part) || !part.includes(stamp(day(1)).slice(0, 8))) return part;
        return part.replace(/^(DTSTART|DTEND)[^:\r\n]*:.*$/gm, (_, which: string) => {
          const to = day(1, which === 'DTSTART' ? 2 * HOUR_MS : 3 * HOUR_MS);
          return `${which}:${stamp(to)}`;
        });
      });
      expect(dragged.join('')).not.toBe(shown);
      expect(await hands.put(file, dragged.join(''))).toBeLessThan(300);
      await until(async () => expect(booked()).toEqual([day(0), day(1, 2 * HOUR_MS), day(2), day(3)]));
      await world.untilIdle(url);
      await read();

      // One is left out, as a phone deletes it: its own part goes, and the series excludes its day.
      const now = await hands.get(file);
      const without = now
        .split(/(?=BEGIN:VEVENT)/)
        .filter(
          (part) =>
            !(
              /^RECURRENCE-ID/m.test(part) &&
              new RegExp(`^RECURRENCE-ID[^:]*:${stamp(day(2)).slice(0, 8)}`, 'm').test(part)
            ),
        )
        .map((part) => part.replace(/^RRULE:.*$/m, (rule) => `${rule.trim()}\r\nEXDATE:${stamp(day(2))}`))
        .join('');
      const ended = without.includes('END:VCALENDAR') ? without : `${without}END:VCALENDAR\r\n`;
      expect(await hands.put(file, ended)).toBeLessThan(300);
      await until(async () => expect(booked()).toEqual([day(0), day(1, 2 * HOUR_MS), day(3)]));
      // The series waits two minutes before it books anew, so the worker is not idle.
      await readAfter(Date.now() + 1_000);
      expect(booked()).toHaveLength(3);

      await hands.remove(file);
      await until(async () => expect(booked()).toEqual([]));
    }, 300_000);
  });
