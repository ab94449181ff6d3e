import { describe, expect, test } from 'vitest';
import {
  type PolledCalendar,
  type PollPace,
  pollTurns,
  shownUntil,
  withChannels,
} from '../../../src/engine/poll-pace.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const NOW = Date.parse('2026-11-22T12:00:00Z');
const PACE: PollPace = { everyMs: MINUTE, quietEveryMs: 15 * MINUTE, perMinute: 150 };

/** Read just now, pinged an hour ago over a channel of yesterday, and quiet for a day. */
function calendar(over: Partial<PolledCalendar> = {}): PolledCalendar {
  return {
    coveredUntilMs: NOW,
    changedAtMs: NOW - DAY,
    pingedAtMs: NOW - 60 * MINUTE,
    missedAtMs: undefined,
    channelSinceMs: NOW - DAY,
    ...over,
  };
}

const minutes = (calendars: readonly PolledCalendar[], pace = PACE) =>
  pollTurns(calendars, pace, NOW).map(({ everyMs }) => everyMs / MINUTE);

describe('the interval of one calendar, in minutes', () => {
  const table: readonly [what: string, over: Partial<PolledCalendar>, expected: number][] = [
    ['quiet for long', {}, 15],
    ['changed just now', { changedAtMs: NOW }, 1],
    ['quiet for half a minute', { changedAtMs: NOW - MINUTE / 2 }, 1],
    ['quiet for four minutes', { changedAtMs: NOW - 4 * MINUTE }, 4],
    ['never read', { coveredUntilMs: undefined, changedAtMs: undefined }, 1],
    ['read by a version that noted no changes', { changedAtMs: undefined }, 1],
    ['no channel', { channelSinceMs: undefined }, 1],
    ['a channel that has never pinged', { pingedAtMs: undefined }, 1],
    ['only a former channel has pinged', { pingedAtMs: NOW - 2 * DAY }, 1],
    ['a change came without its ping', { missedAtMs: NOW - 5 * MINUTE }, 1],
    ['pings came again since', { missedAtMs: NOW - 90 * MINUTE }, 15],
    ['the ping came in the same moment as the finding', { missedAtMs: NOW - 60 * MINUTE }, 1],
    ['changed in the future of a clock that was ahead', { changedAtMs: NOW + DAY }, 1],
    ['pinged in the future of a clock that was ahead', { pingedAtMs: NOW + DAY }, 1],
    ['read in the future of a clock that was ahead', { coveredUntilMs: NOW + DAY }, 1],
    ['changed after it was read, by another clock', { changedAtMs: NOW + 1_000 }, 1],
  ];
  test.each(table)('%s', (_, over, expected) => {
    expect(minutes([calendar(over)])).toEqual([expected]);
  });

  test('is never below the shortest, whatever the longest is', () => {
    expect(minutes([calendar()], { ...PACE, quietEveryMs: 10_000 })).toEqual([1]);
  });
});

test('a door that is closed to Google is closed for all calendars, until one of them is pinged again', () => {
  const missed = calendar({ missedAtMs: NOW - 5 * MINUTE });
  expect(minutes([missed, calendar()])).toEqual([1, 1]);
  expect(minutes([missed, calendar({ pingedAtMs: NOW - MINUTE })])).toEqual([1, 15]);
});

test('a calendar that nobody pings neither closes that door nor opens it', () => {
  const unpinged = { channelSinceMs: undefined };
  expect(minutes([calendar({ ...unpinged, missedAtMs: NOW }), calendar()])).toEqual([1, 15]);
  const missed = calendar({ missedAtMs: NOW - 5 * MINUTE });
  expect(minutes([calendar({ ...unpinged, pingedAtMs: NOW }), missed, calendar()])).toEqual([1, 1, 1]);
});

describe('many calendars', () => {
  const many = (count: number, over: Partial<PolledCalendar> = {}) =>
    Array.from({ length: count }, () => calendar(over));
  const callsAMinute = (intervals: readonly number[]) => intervals.reduce((sum, each) => sum + 1 / each, 0);

  test('2,000 quiet ones that ping fit into a quarter of the default quota at the longest interval', () => {
    const intervals = minutes(many(2_000));
    expect(new Set(intervals)).toEqual(new Set([15]));
    expect(callsAMinute(intervals)).toBeLessThan(150);
  });

  test('2,000 without pings are read in turn, in 13 minutes and 20 seconds', () => {
    const intervals = minutes(many(2_000, { channelSinceMs: undefined }));
    expect(callsAMinute(intervals)).toBeCloseTo(150, 1);
    expect(new Set(intervals.map((each) => each.toFixed(2)))).toEqual(new Set(['13.33']));
  });

  test('of which some are busy wait longer by the same factor', () => {
    const intervals = minutes([...many(1_800), ...many(200, { changedAtMs: NOW })]);
    expect(callsAMinute(intervals)).toBeCloseTo(150, 1);
    expect((intervals[0] ?? 0) / (intervals.at(-1) ?? 1)).toBeCloseTo(15, 3);
  });
});

describe('the channel of a calendar', () => {
  const row = { calendarId: 'a', address: 'https://here', requestedAtMs: NOW - DAY, expiresAtMs: NOW + DAY };
  const since = (...channels: (typeof row)[]) =>
    withChannels([['a', {}]], { channels, address: 'https://here' }, NOW)[0]?.channelSinceMs;

  test('counts since the older one of two was asked for: the newer may not have pinged yet', () => {
    expect(since({ ...row, requestedAtMs: NOW - 1 }, row)).toBe(NOW - DAY);
  });

  test('does not count when it has expired, pings elsewhere, or is of another calendar', () => {
    const useless = [{ expiresAtMs: NOW }, { address: 'https://there' }, { calendarId: 'b' }];
    for (const over of useless) expect(since({ ...row, ...over })).toBeUndefined();
  });
});

test.each([
  [
    'Google’s time counts, whatever the worker’s clock said',
    { coveredUntilMs: NOW + DAY, shownUntilMs: NOW - 1 },
    NOW - 1,
  ],
  ['without one, the worker’s counts', { coveredUntilMs: NOW - 1, shownUntilMs: undefined }, NOW - 1],
  ['but not if its clock was ahead', { coveredUntilMs: NOW + DAY, shownUntilMs: undefined }, undefined],
  ['never read', { coveredUntilMs: undefined, shownUntilMs: undefined }, undefined],
])('up to when changes were taken in: %s', (_, cursor, untilMs) => {
  expect(shownUntil(cursor, NOW)).toBe(untilMs);
});
