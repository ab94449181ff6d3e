import { expect, test } from 'vitest';
import { Pace } from '../../src/ops/pace.ts';
import { HandClock } from '../doubles/hand-clock.ts';

const MINUTE_MS = 60_000;

test('writes are counted by the minute, with the longest lag of each', () => {
  const clock = new HandClock(10 * MINUTE_MS);
  const pace = new Pace(clock);
  pace.add(1);
  pace.add(4);
  clock.advance(2 * MINUTE_MS);
  pace.add(2);
  expect(pace.read(4, 1)).toEqual([
    { writes: 0, slowestS: null },
    { writes: 2, slowestS: 4 },
    { writes: 0, slowestS: null },
    { writes: 1, slowestS: 2 },
  ]);
  expect(pace.read(2, 3)).toEqual([
    { writes: 0, slowestS: null },
    { writes: 3, slowestS: 4 },
  ]);
});

test('what is older than a day is forgotten, and its place is used again', () => {
  const clock = new HandClock(0);
  const pace = new Pace(clock);
  pace.add(9);
  clock.advance(24 * 60 * MINUTE_MS);
  expect(pace.read(96, 15).reduce((sum, { writes }) => sum + writes, 0)).toBe(0);
  pace.add(1);
  expect(pace.read(96, 15).at(-1)).toEqual({ writes: 1, slowestS: 1 });
});
