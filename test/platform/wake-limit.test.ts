import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WakeLimit } from '../../src/platform/webhook-route.ts';

let wakes: number;
let limit: WakeLimit;

beforeEach(() => {
  vi.useFakeTimers();
  wakes = 0;
  limit = new WakeLimit(() => {
    wakes += 1;
  });
});
afterEach(() => vi.useRealTimers());

test('a wake now and then is passed on at once', () => {
  for (let time = 1; time <= 20; time += 1) {
    limit.wake();
    expect(wakes).toBe(time);
    vi.advanceTimersByTime(5_000);
  }
});

test('a flood of wakes is three at once and then one every 5 s', () => {
  for (let tenth = 0; tenth < 600; tenth += 1) {
    limit.wake();
    vi.advanceTimersByTime(100);
  }
  expect(wakes).toBeGreaterThanOrEqual(3 + 11);
  expect(wakes).toBeLessThanOrEqual(3 + 12);
});

test('the last wake of a flood is not lost: it is passed on when its turn comes', () => {
  for (let wake = 0; wake < 100; wake += 1) limit.wake();
  expect(wakes).toBe(3);
  vi.advanceTimersByTime(5_000);
  expect(wakes).toBe(4);
  vi.advanceTimersByTime(60_000);
  expect(wakes).toBe(4);
});
