import { expect, test } from 'vitest';
import { Attempts, KnownAddresses } from '../../src/console/attempts.ts';
import { HandClock } from '../doubles/hand-clock.ts';

test('one address has ten attempts a minute, strangers together as many as were said, and a minute later anew', () => {
  const clock = new HandClock(0);
  const attempts = new Attempts({ clock, known: new KnownAddresses(), togetherMax: 25 });
  const tries = (address: string, count: number) =>
    Array.from({ length: count }, () => attempts.mayTry(address)).filter((may) => may).length;
  expect([tries('a', 12), tries('b', 12), tries('c', 12), tries('d', 1)]).toEqual([10, 10, 5, 0]);
  clock.advance(60_000);
  expect(tries('d', 12)).toBe(10);
});

test('strangers of any number of addresses leave attempts for others where no call goes out', () => {
  const attempts = new Attempts({ clock: new HandClock(0), known: new KnownAddresses() });
  for (let nth = 0; nth < 50_000; nth += 1) attempts.mayTry(`stranger-${nth % 5_000}`);
  expect(attempts.mayTry('anna')).toBe(true);
});

test('P9: who has signed in before has attempts that strangers cannot use up', () => {
  const known = new KnownAddresses();
  const attempts = new Attempts({ clock: new HandClock(0), known, togetherMax: 60 });
  known.add('office');
  for (let nth = 0; nth < 200; nth += 1) attempts.mayTry(`stranger-${nth % 20}`);
  expect([attempts.mayTry('stranger-new'), attempts.mayTry('office')]).toEqual([false, true]);
});

test('a thousand addresses are remembered, those of the last sign-ins', () => {
  const known = new KnownAddresses();
  for (let nth = 0; nth < 1_001; nth += 1) {
    known.add(`a${nth}`);
    known.add('office');
  }
  expect([known.has('a0'), known.has('a1000'), known.has('office')]).toEqual([false, true, true]);
});
