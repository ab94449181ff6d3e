import { readLocal as sandboxLocal } from '@slotbridge/sandbox/zones/local';
import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { dayEnd, dayStart } from '../../../src/calendar/block-wanted.ts';
import { localAt, onClockOf, readLocal } from '../../../src/engine/zone-local.ts';
import { localDate, localParts } from '../../../src/engine/zone-parts.ts';
import { dayIn } from '../../../src/google/shown-cells.ts';

/** Ten at night on Monday in Edmonton; every Node before tzdata 2026b says nine. */
const LATE_MS = Date.parse('2026-12-15T04:00:00Z');
/** Midnight in Edmonton, and still Monday by the former rules. */
const MIDNIGHT_MS = Date.parse('2026-12-15T06:00:00Z');

describe('a local time', () => {
  test('is that of the newest rules', () => {
    expect(localAt(LATE_MS, 'America/Edmonton').toISO()).toBe('2026-12-14T22:00:00.000-06:00');
    expect(readLocal('2026-12-15T10:00', 'America/Edmonton').toMillis()).toBe(
      Date.parse('2026-12-15T16:00Z'),
    );
    const figures = DateTime.utc(2026, 12, 15, 10);
    expect(onClockOf('America/Edmonton', figures).toISO()).toBe('2026-12-15T10:00:00.000-06:00');
  });

  test.each([
    ['en', 'Tue, December'],
    ['en-GB', 'Tue, December'],
    ['ru', 'вт, декабря'],
    ['de', 'Di, Dezember'],
    ['fr', 'mar., décembre'],
    ['ja', '火, 12'],
  ])('has the right weekday in %s at midnight', (locale, words) => {
    const local = localAt(MIDNIGHT_MS, 'America/Edmonton').setLocale(locale);
    expect(local.toFormat('ccc, MMMM')).toBe(words);
    expect(local.toFormat('d.M.yyyy HH:mm')).toBe('15.12.2026 00:00');
  });

  test.each([
    ['UTC', 'Z'],
    ['gmt', 'Z'],
    ['Etc/UTC', '+00:00'],
    ['UTC-07:00', '-07:00'],
    ['GMT+5:30', '+05:30'],
    ['+03:00', '+03:00'],
    ['asia/kolkata', '+05:30'],
  ])('in %s ends with %s, as before the own rules', (zone, end) => {
    expect(localAt(LATE_MS, zone).toISO()?.slice(23)).toBe(end);
  });

  test('in an unknown zone is invalid', () => {
    expect(localAt(LATE_MS, 'Mars/Olympus').isValid).toBe(false);
    expect(readLocal('2026-12-15T10:00', '').toISO()).toBeNull();
  });

  test('in the hour that comes twice is the first one or the second one', () => {
    const [first, second] = onClockOf(
      'Europe/Berlin',
      DateTime.utc(2026, 10, 25, 2, 30),
    ).getPossibleOffsets();
    expect([first?.toUTC().hour, second?.toUTC().hour]).toEqual([0, 1]);
  });
});

describe('a local time that comes twice', () => {
  // luxon decides by the season of the day on which the process began. One hemisphere or the other shows that in every season.
  test.each([
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2027-04-04T02:30', 'Australia/Sydney', '2027-04-03T15:30:00.000Z'],
    ['2026-10-25', 'Atlantic/Azores', '2026-10-25T00:00:00.000Z'],
    ['2027-11-07', 'America/Havana', '2027-11-07T04:00:00.000Z'],
  ])('%s in %s is the first one', (iso, zone, instant) => {
    expect(readLocal(iso, zone).toUTC().toISO()).toBe(instant);
    expect(sandboxLocal(iso, zone).toUTC().toISO()).toBe(instant);
    expect(
      onClockOf(zone, DateTime.fromISO(iso, { zone: 'utc' }))
        .toUTC()
        .toISO(),
    ).toBe(instant);
  });

  test('with an offset is the one that it names', () => {
    expect(readLocal('2026-10-25T02:30+01:00', 'Europe/Berlin').toUTC().hour).toBe(1);
    expect(readLocal('2026-10-25T01:30Z', 'Europe/Berlin').toISO()).toBe('2026-10-25T02:30:00.000+01:00');
  });

  test.each([
    ['America/Havana', '2027-11-07T12:00-05:00', '2027-11-07T04:00:00.000Z', 25],
    ['Atlantic/Azores', '2026-10-25T12:00-01:00', '2026-10-25T00:00:00.000Z', 25],
    ['America/Havana', '2028-03-12T12:00-04:00', '2028-03-12T05:00:00.000Z', 23],
  ])('a day of %s has all its hours', (zone, noon, ...[start, hours]) => {
    const atMs = Date.parse(noon);
    expect(new Date(dayStart(atMs, zone)).toISOString()).toBe(start);
    expect((dayEnd(atMs, zone) - dayStart(atMs, zone)) / 3_600_000).toBe(hours);
    const typed = dayIn(noon.slice(0, 10), { zone, formats: [] });
    expect([typed?.fromMs, typed?.toMs]).toEqual([dayStart(atMs, zone), dayEnd(atMs, zone)]);
  });
});

describe('parts of a local time', () => {
  test('are those of the newest rules, in each language', () => {
    const options = { weekday: 'long', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    const at = (locale: string) => localParts(MIDNIGHT_MS, 'America/Edmonton', { locale, ...options });
    expect([at('en-GB')?.get('weekday'), at('en-GB')?.get('hour')]).toEqual(['Tuesday', '00']);
    expect([at('ru-RU')?.get('weekday'), at('ru-RU')?.get('hour')]).toEqual(['вторник', '00']);
  });

  test('do not exist for an unknown zone', () => {
    expect(localParts(LATE_MS, 'Mars/Olympus', { locale: 'en', day: 'numeric' })).toBeUndefined();
  });

  test('give the day, and that of UTC in an unknown zone', () => {
    expect(localDate(MIDNIGHT_MS - 1, 'America/Edmonton')).toBe('2026-12-14');
    expect(localDate(MIDNIGHT_MS, 'America/Edmonton')).toBe('2026-12-15');
    expect(localDate(LATE_MS, 'Mars/Olympus')).toBe('2026-12-15');
    expect(localDate(Number.NaN, 'Europe/Berlin')).toBe('');
  });
});
