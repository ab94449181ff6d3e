import { expect, test } from 'vitest';
import { agoMs, CLOCKS_APART_MS, canHaveBeen, distanceMs, startedBy } from '../../../src/engine/moments.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const HOURS = 3_600_000;

test('what a clock that was hours ahead has written proves nothing, and one that differs a little is believed', () => {
  expect(canHaveBeen(NOW - 3 * HOURS, NOW)).toBe(true);
  expect(canHaveBeen(NOW + CLOCKS_APART_MS, NOW)).toBe(true);
  expect(canHaveBeen(NOW + CLOCKS_APART_MS + 1, NOW)).toBe(false);
});

test('a moment ahead is no time ago, and as far away as one behind', () => {
  expect([agoMs(NOW - 5, NOW), agoMs(NOW + 3 * HOURS, NOW)]).toEqual([5, 0]);
  expect([distanceMs(NOW - 5, NOW), distanceMs(NOW + 5, NOW)]).toEqual([5, 5]);
});

test('what began ahead, or at a moment that nobody knows, begins now', () => {
  expect([startedBy(NOW - 5, NOW), startedBy(NOW + 3 * HOURS, NOW), startedBy(undefined, NOW)]).toEqual([
    NOW - 5,
    NOW,
    NOW,
  ]);
});
