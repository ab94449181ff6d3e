import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RingLimit } from '../../src/platform/webhook-route.ts';

let rings: number;
let limit: RingLimit;

beforeEach(() => {
  vi.useFakeTimers();
  rings = 0;
  limit = new RingLimit(() => {
    rings += 1;
  });
});
afterEach(() => vi.useRealTimers());

test('a ring now and then is passed on at once', () => {
  for (let time = 1; time <= 20; time += 1) {
    limit.ring();
    expect(rings).toBe(time);
    vi.advanceTimersByTime(5_000);
  }
});

test('a flood of rings is three at once and then one every 5 s', () => {
  for (let tenth = 0; tenth < 600; tenth += 1) {
    limit.ring();
    vi.advanceTimersByTime(100);
  }
  expect(rings).toBeGreaterThanOrEqual(3 + 11);
  expect(rings).toBeLessThanOrEqual(3 + 12);
});

test('the last ring of a flood is not lost: it is passed on when its turn comes', () => {
  for (let ring = 0; ring < 100; ring += 1) limit.ring();
  expect(rings).toBe(3);
  vi.advanceTimersByTime(5_000);
  expect(rings).toBe(4);
  vi.advanceTimersByTime(60_000);
  expect(rings).toBe(4);
});
