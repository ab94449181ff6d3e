import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Poller } from '../../../src/calendar/calendar-watch.ts';
import type { CalendarState } from '../../../src/calendar/stores.ts';
import { HandClock } from '../../doubles/hand-clock.ts';

const MINUTE = 60_000;
const SECOND = 1_000;

let clock: HandClock;
let covered: Map<string, number>;
let turns: { how: 'look' | 'poll'; calendarId: string; untilMs: number }[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  clock = new HandClock(Date.parse('2026-11-22T12:00:00Z'));
  covered = new Map();
  turns = [];
});
afterEach(() => void vi.useRealTimers());

/** What is asked for is read at once, unless `fails` says otherwise. */
function open(
  calendars: readonly string[],
  fails: (calendarId: string) => boolean = () => false,
  accountOf: (target: string) => string | undefined = () => undefined,
): Poller {
  const read = (how: 'look' | 'poll') => (calendarId: string, untilMs: number) => {
    turns.push({ how, calendarId, untilMs });
    if (!fails(calendarId)) covered.set(calendarId, clock.now());
  };
  return new Poller({
    calendars,
    cursors: { states: async (ids) => ids.map((id) => [id, state(covered.get(id))] as const) },
    channels: { all: async () => [] },
    address: undefined,
    pace: { everyMs: MINUTE, quietEveryMs: 15 * MINUTE, perMinute: 150 },
    accountOf,
    watch: { look: read('look'), poll: read('poll') },
    clock,
  });
}

function state(coveredUntilMs: number | undefined): CalendarState {
  return {
    ...{ open: undefined, coveredUntilMs, provedAtMs: coveredUntilMs, listedAtMs: undefined },
    ...{ changedAtMs: undefined, pingedAtMs: undefined, missedAtMs: undefined },
  };
}

async function pass(poller: Poller, ms: number, stepMs = 10 * SECOND): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
    clock.advance(stepMs);
    vi.advanceTimersByTime(stepMs);
    await poller.round();
  }
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `calendar-${at}`);
const polled = () => turns.map(({ calendarId }) => calendarId);

test('what was read a whole interval ago has a turn, the longest unseen first', async () => {
  const nowMs = clock.now();
  covered = new Map([
    ['a', nowMs - 2 * MINUTE],
    ['b', nowMs - 59 * SECOND],
    ['c', nowMs - 5 * MINUTE],
  ]);
  await open(['a', 'b', 'c', 'd']).round();
  expect(polled()).toEqual(['d', 'c', 'a']);
  // What another process reads meanwhile is young enough for this turn.
  expect(turns[0]).toEqual({ how: 'poll', calendarId: 'd', untilMs: nowMs - MINUTE / 2 });
});

test('2,000 calendars use a quarter of the quota, and none is forgotten', async () => {
  const poller = open(numbered(2_000));
  await poller.round();
  expect(turns).toHaveLength(150);
  await pass(poller, 28 * MINUTE, 30 * SECOND);
  expect(turns.length).toBeLessThanOrEqual(150 + 28 * 150);
  const counts = new Map<string, number>();
  for (const calendarId of polled()) counts.set(calendarId, (counts.get(calendarId) ?? 0) + 1);
  expect(counts.size).toBe(2_000);
  expect(Math.min(...counts.values())).toBeGreaterThanOrEqual(2);
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(3);
});

test('each account has a quarter of its own quota: many calendars of one make no others wait', async () => {
  const ofBranch = (target: string) => (target === 'calendar:lone' ? 'branch' : undefined);
  const poller = open([...numbered(600), 'lone'], undefined, ofBranch);
  await poller.round();
  expect(turns).toHaveLength(151);
  await pass(poller, 12 * MINUTE, 30 * SECOND);
  const count = (of: string) => polled().filter((calendarId) => calendarId === of).length;
  expect(count('lone')).toBeGreaterThanOrEqual(12);
  expect(turns.length - count('lone')).toBeLessThanOrEqual(150 + 12 * 150);
});

test('a calendar that cannot be read does not keep the others from their turns', async () => {
  const poller = open(['broken', 'a', 'b'], (calendarId) => calendarId === 'broken');
  await pass(poller, 10 * MINUTE);
  const count = (of: string) => polled().filter((calendarId) => calendarId === of).length;
  expect(count('a')).toBeGreaterThanOrEqual(9);
  expect(count('broken')).toBeGreaterThanOrEqual(9);
  expect(count('broken')).toBeLessThanOrEqual(11);
});

test('two processes share the rounds of one', async () => {
  const [one, two] = [open(['a', 'b']), open(['a', 'b'])];
  for (let round = 0; round < 60; round += 1) {
    await pass(one, 10 * SECOND);
    await two.round();
  }
  expect(turns.length).toBeLessThanOrEqual(2 * 11);
});

test('a look at all reads what was read just now as well, each once', async () => {
  const poller = open(['a', 'b']);
  covered = new Map([
    ['a', clock.now() - 2 * SECOND],
    ['b', clock.now() - SECOND],
  ]);
  await poller.round();
  expect(turns).toEqual([]);
  poller.lookAtAll();
  const askedMs = clock.now();
  await pass(poller, 30 * SECOND);
  expect(turns).toEqual([
    { how: 'look', calendarId: 'a', untilMs: askedMs },
    { how: 'look', calendarId: 'b', untilMs: askedMs },
  ]);
});

test('a clock that is set back by a day stops nothing, and asks for nothing without end', async () => {
  const poller = open(['a', 'b']);
  poller.lookAtAll();
  await poller.round();
  clock.advance(-24 * 60 * MINUTE);
  poller.lookAtAll();
  clock.advance(-60 * MINUTE);
  turns = [];
  await pass(poller, 3 * MINUTE);
  expect(turns.length).toBeGreaterThanOrEqual(6);
  expect(turns.length).toBeLessThanOrEqual(8);
});
