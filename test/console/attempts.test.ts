import { afterAll, beforeAll, expect, test } from 'vitest';
import { Attempts, KnownAddresses } from '../../src/console/attempts.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore } from '../stand/store.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

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

test('P9: who has signed in before is known to every worker and after a restart, and Redis has no address', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  await new KnownAddresses(store.consoleAccess).add('198.51.100.7');
  const known = new KnownAddresses(store.consoleAccess);
  const attempts = new Attempts({ clock: new HandClock(0), known, togetherMax: 5 });
  await known.read();
  for (let nth = 0; nth < 9; nth += 1) attempts.mayTry(`stranger-${nth}`);
  expect([attempts.mayTry('stranger-new'), attempts.mayTry('198.51.100.7')]).toEqual([false, true]);
  expect([...(await store.consoleAccess.known())]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  store.close();
});

test('while Redis does not answer, sign-ins go on and those of the last reading are known', async () => {
  const away = {
    know: async () => Promise.reject(new Error('away')),
    known: async () => Promise.reject(new Error('away')),
  };
  const known = new KnownAddresses(away);
  await known.add('office');
  await known.read();
  expect([known.has('office'), known.has('stranger')]).toEqual([true, false]);
});
