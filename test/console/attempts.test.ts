import { expect, test } from 'vitest';
import { Attempts } from '../../src/console/attempts.ts';
import { HandClock } from '../doubles/hand-clock.ts';

test('one address has ten attempts a minute, all together as many as were said, and a minute later anew', () => {
  const clock = new HandClock(0);
  const attempts = new Attempts(clock, 25);
  const tries = (address: string, count: number) =>
    Array.from({ length: count }, () => attempts.mayTry(address)).filter((may) => may).length;
  expect([tries('a', 12), tries('b', 12), tries('c', 12), tries('d', 1)]).toEqual([10, 10, 5, 0]);
  clock.advance(60_000);
  expect(tries('d', 12)).toBe(10);
});

test('strangers of fifty addresses leave attempts for others', () => {
  const attempts = new Attempts(new HandClock(0));
  for (let nth = 0; nth < 500; nth += 1) attempts.mayTry(`stranger-${nth % 50}`);
  expect(attempts.mayTry('anna')).toBe(true);
});
