import { expect, test } from 'vitest';
import { dayIn, momentOf, offeredTime } from '../../src/google/shown-cells.ts';

const BERLIN = { zone: 'Europe/Berlin', formats: [] };
/** 2026-03-03 10:00 as Google keeps it. */
const SERIAL = 46_084 + 10 / 24;

test.each([
  [SERIAL, '2026-03-03T10:00:00+01:00'],
  // Google keeps 15 digits: a second is never lost in the dust.
  [46_084.416_666_666_6, '2026-03-03T10:00:00+01:00'],
  ['3.3.2026 10:00', '2026-03-03T10:00:00+01:00'],
  ['03.03.2026, 10:00', '2026-03-03T10:00:00+01:00'],
  ['3.3.26 9:05', '2026-03-03T09:05:00+01:00'],
  ['2026-03-03 10:00', '2026-03-03T10:00:00+01:00'],
  ['2026-03-03T10:00:30', '2026-03-03T10:00:30+01:00'],
  ['2026-03-03T09:00:00Z', '2026-03-03T09:00:00Z'],
  ['2026-03-03T09:00+03:00', '2026-03-03T09:00:00+03:00'],
  ['2026-03-03T10:00-11:00', '2026-03-03T10:00:00-11:00'],
  ['2026-03-03 10:00:00-05:00', '2026-03-03T10:00:00-05:00'],
  ['03.03.2026 24:00', '2026-03-04T00:00:00+01:00'],
])('%s is %s on a clock in Berlin', (cell, moment) => {
  expect(momentOf(cell, BERLIN)).toBe(moment);
});

test.each([
  46_084,
  0.5,
  '2026-03-03',
  '10:00',
  'tomorrow',
  '31.02.2026 10:00',
  '03/04/2026 10:00',
  // From ten to eleven: not ten by a clock eleven hours behind.
  '2026-03-03 10:00-11:00',
  '2026-03-03 10:00 - 11',
  '2026-03-03 1000-1130',
  '2026-03-03T10:00[Europe/Berlin]',
  '2026-03-03T10:00+03:00[Europe/Berlin]',
  '03.03.2026 10:00 PM',
  '2026-03-03 10:00 30',
  '',
  null,
  true,
  Number.NaN,
])('%s is no moment: nobody guesses', (cell) => {
  expect(momentOf(cell, BERLIN)).toBeUndefined();
});

test('an hour that the clocks skip is none, and of one that comes twice the first is meant (case 44)', () => {
  expect(momentOf('29.03.2026 02:30', BERLIN)).toBeUndefined();
  expect(momentOf(46_110 + 2.5 / 24, BERLIN)).toBeUndefined();
  expect(momentOf('29.03.2026 03:30', BERLIN)).toBe('2026-03-29T03:30:00+02:00');
  expect(momentOf('25.10.2026 02:30', BERLIN)).toBe('2026-10-25T02:30:00+02:00');
});

test.each([
  ['M/d/yyyy h:mm a', '3/4/2026 2:30 PM', '2026-03-04T14:30:00+01:00'],
  ['d/M/yyyy H:mm', '3/4/2026 14:30', '2026-04-03T14:30:00+02:00'],
  ['d MMM yyyy, H:mm', '3 Apr 2026, 9:00', '2026-04-03T09:00:00+02:00'],
  ['M.d.yyyy H:mm', '4.3.2026 9:00', '2026-04-03T09:00:00+02:00'],
])('by %s, %s is %s', (format, cell, moment) => {
  expect(momentOf(cell, { ...BERLIN, formats: [format] })).toBe(moment);
});

test.each([
  [46_084, '2026-03-03'],
  [46_084.5, '2026-03-03'],
  ['03.03.2026', '2026-03-03'],
  ['2026-03-03', '2026-03-03'],
  ['3.3.2026 23:30', '2026-03-03'],
  ['2026-03-03T23:30:00Z', '2026-03-04'],
  ['29.03.2026', '2026-03-29'],
])('the day of %s is %s', (cell, date) => {
  expect(dayIn(cell, BERLIN)?.date).toBe(date);
});

test.each([0.5, '10:00', 'tomorrow', '31.02.2026', '', null, true])('%s has no day', (cell) => {
  expect(dayIn(cell, BERLIN)).toBeUndefined();
});

test('a day in which the clocks change has 23 or 25 hours', () => {
  const hoursOf = (cell: string) => {
    const day = dayIn(cell, BERLIN);
    return day === undefined ? undefined : (day.toMs - day.fromMs) / 3_600_000;
  };
  expect([hoursOf('28.03.2026'), hoursOf('29.03.2026'), hoursOf('25.10.2026')]).toEqual([24, 23, 25]);
});

test('what is offered is read as the very time that was meant', () => {
  for (
    let atMs = Date.parse('2026-10-24T22:00:00Z');
    atMs < Date.parse('2026-10-25T04:00:00Z');
    atMs += 900_000
  ) {
    const text = offeredTime(atMs, BERLIN);
    if (text === undefined) expect(new Date(atMs).toISOString()).toMatch(/T01:/);
    else expect(Date.parse(momentOf(text, BERLIN) ?? '')).toBe(atMs);
  }
  expect(offeredTime(Date.parse('2026-03-03T09:00:00Z'), BERLIN)).toBe('2026-03-03 10:00');
});
