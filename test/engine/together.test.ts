import { expect, test } from 'vitest';
import { togetherMs } from '../../src/engine/runtime.ts';

test('loops of a process wake at the same moments, and as often as they want', () => {
  const wakes = (everyMs: number, firstMs: number) => {
    let nowMs = firstMs;
    return Array.from({ length: 4 }, () => {
      // The work took two milliseconds, and the timer fired one early.
      nowMs += togetherMs(everyMs, nowMs) - 1;
      const at = nowMs;
      nowMs += 2;
      return Math.round(at / 1_000);
    });
  };
  expect(wakes(1_000, 300)).toEqual([1, 2, 3, 4]);
  expect(wakes(1_000, 2_999.6)).toEqual([4, 5, 6, 7]);
  expect(wakes(2_000, 700)).toEqual([3, 5, 7, 9]);
  expect(wakes(5_000, 1_200)).toEqual([6, 11, 16, 21]);
});

test('a short wait stays as it is', () => {
  expect(togetherMs(999, 12_345)).toBe(999);
});
