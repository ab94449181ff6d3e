import { isZone, offsetAt as sandboxOffset } from '@slotbridge/sandbox/zones/local';
import moment from 'moment-timezone';
import { describe, expect, test } from 'vitest';
import { isZoneName, offsetAt, ZONES_VERSION, zoneNamed, zoneNames } from '../../../src/engine/zone-rules.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const offset = (name: string, ms: number) => {
  const zone = zoneNamed(name);
  return zone === undefined ? undefined : offsetAt(zone, ms);
};

/** Every zone of the sandbox: its table comes from other files than the worker's. */
const names = zoneNames().filter(isZone);

/** Moments of a day on which the clock changes, else the day's beginning. */
function momentsOf(name: string, dayMs: number): readonly number[] {
  const at = (ms: number) => `${offset(name, ms)} ${sandboxOffset(ms, name)}`;
  if (at(dayMs) === at(dayMs + DAY_MS)) return [dayMs];
  return Array.from({ length: 96 }, (_, quarter) => dayMs + quarter * (HOUR_MS / 4));
}

test.each([
  [2026, 2027],
  [2036, 2036],
  [2045, 2045],
])('the worker and the sandbox have the same rules at every change of the years %d to %d', (from, to) => {
  expect(names.length).toBeGreaterThan(590);
  // From 2038 the worker repeats rules, which do not know that these go by the moon.
  const compared = from < 2038 ? names : names.filter((name) => !/^Asia\/(?:Gaza|Hebron)$/.test(name));
  const different: unknown[] = [];
  for (const name of compared) {
    for (let dayMs = Date.UTC(from, 0, 1); dayMs < Date.UTC(to + 1, 0, 1); dayMs += DAY_MS)
      for (const ms of momentsOf(name, dayMs))
        if (offset(name, ms) !== sandboxOffset(ms, name)) different.push([name, new Date(ms).toISOString()]);
  }
  expect(different).toEqual([]);
});

/** Offsets in hours: before the last change of 2026, from it on, on 15 December 2026, and a year later. */
test.each([
  ['America/Vancouver', '2026-03-08T10:00Z', [-8, -7, -7, -7]],
  ['America/Edmonton', '2026-03-08T09:00Z', [-7, -6, -6, -6]],
  ['America/Winnipeg', '2026-03-08T08:00Z', [-6, -5, -5, -5]],
  ['America/Inuvik', '2026-03-08T09:00Z', [-7, -6, -6, -6]],
  ['America/Havana', '2026-03-08T05:00Z', [-5, -4, -4, -5]],
  ['Africa/Casablanca', '2026-09-20T01:00Z', [1, 0, 0, 0]],
  ['Africa/El_Aaiun', '2026-09-20T01:00Z', [1, 0, 0, 0]],
  ['Europe/Chisinau', '2026-10-25T01:00Z', [3, 2, 2, 2]],
])('%s is as decided in 2026, here and in the sandbox', (name, change, hours) => {
  const changeMs = Date.parse(change);
  const moments = [changeMs - 1, changeMs, Date.UTC(2026, 11, 15), Date.UTC(2027, 11, 15)];
  expect(moments.map((ms) => offset(name, ms))).toEqual(hours.map((each) => each * 60));
  expect(moments.map((ms) => sandboxOffset(ms, name))).toEqual(hours.map((each) => each * 60));
});

test('the table is that of the moment-timezone installed: npm run zones was run after it was raised', () => {
  expect(ZONES_VERSION).toBe(moment.tz.dataVersion);
  const known = moment.tz.names().filter((name) => !isZoneName(name));
  expect(known).toEqual([]);
  const yearMs = Date.UTC(2027, 0, 1);
  const hours = Array.from({ length: 53 }, (_, week) => yearMs + week * 7 * DAY_MS);
  const west = (name: string, ms: number) => moment.tz.zone(name)?.utcOffset(ms);
  const different = moment.tz
    .names()
    .filter((name) => hours.some((ms) => (offset(name, ms) ?? Number.NaN) + (west(name, ms) ?? 0) !== 0));
  expect(different).toEqual([]);
});

describe('a zone', () => {
  test.each([
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['US/Mountain', 'America/Denver'],
    ['europe/berlin', 'Europe/Berlin'],
    ['Etc/GMT+6', 'UTC-06:00'],
    ['Zulu', 'UTC'],
    ['JST', 'Asia/Tokyo'],
  ])('is known as %s too', (name, same) => {
    for (const ms of [Date.UTC(2026, 0, 1), Date.UTC(2026, 6, 1)]) {
      expect(offset(name, ms)).toBeDefined();
      expect(offset(name, ms)).toBe(offset(same, ms));
    }
  });

  test.each(['Mars/Olympus', '', 'UTC+99', '+3', '__proto__', 'Europe', ' Europe/Berlin'])(
    'is not known as %j',
    (name) => {
      expect([isZoneName(name), name === '+3' ? undefined : zoneNamed(name)]).toEqual([false, undefined]);
    },
  );

  test('has every name that Node has', () => {
    expect(Intl.supportedValuesOf('timeZone').filter((name) => !isZoneName(name))).toEqual([]);
  });

  test('keeps its last rules after the years of the table, and has those of Node before', () => {
    expect(offset('Europe/Berlin', Date.parse('2061-03-27T00:59:59Z'))).toBe(60);
    expect(offset('Europe/Berlin', Date.parse('2061-03-27T01:00:00Z'))).toBe(120);
    expect(offset('America/Edmonton', Date.parse('2099-01-01T00:00:00Z'))).toBe(-360);
    expect(offset('Europe/Moscow', Date.parse('2012-01-01T00:00:00Z'))).toBe(240);
    expect(offset('Europe/Berlin', Date.UTC(275_760, 6, 1))).toBe(120);
  });
});
