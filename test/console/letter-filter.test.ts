import { afterAll, beforeAll, expect, test } from 'vitest';
import { chooseLetters, type LetterFilter, readFilter, toQuery, untilOf } from '../../src/console/letters.ts';
import type { KeptLetter } from '../../src/engine/work.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore, type TestStore } from '../stand/store.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');
const HOUR_MS = 3_600_000;

const letter = (name: string, ageMs: number, ...reasons: [string, string, string?][]): KeptLetter => ({
  ...{ name, key: `appointment/${name}`, atMs: NOW - ageMs, attempts: 1 },
  reasons: reasons.map(([mirror, code, target]) => ({
    ...{ mirror, code, message: code },
    ...(target === undefined ? {} : { target }),
  })),
});
const LETTERS = [
  letter('new', 0, ['staff', 'template-failed']),
  letter('hour', HOUR_MS, ['staff', 'event-forbidden', 'calendar:anna']),
  letter('both', 2 * HOUR_MS, ['staff', 'template-failed'], ['sheet', 'cells-not-kept', 'spreadsheet:b/T']),
  letter('week', 8 * 24 * HOUR_MS, ['sheet', 'template-failed']),
];

let redis: TestRedis;
let store: TestStore;
beforeAll(async () => {
  redis = await startTestRedis();
  store = openTestStore(redis.url);
  // As an earlier version stored them.
  const rows = LETTERS.map(({ name, ...letter }) => [letter.key, JSON.stringify(letter)] as const);
  await store.redis.hset(store.keys.dead, Object.fromEntries(rows));
});
afterAll(async () => {
  store.close();
  await redis.stop();
});

/** Names of the letters that are meant, by each way of reading them. */
async function meant(filter: LetterFilter, untilMs: number): Promise<readonly string[]> {
  const chosen = await chooseLetters(store, { filter, untilMs });
  const names = (await chosen.newest(10)).map(({ key }) => key.slice('appointment/'.length));
  const each: string[] = [];
  for await (const letters of chosen.each())
    each.push(...letters.map(({ key }) => key.slice('appointment/'.length)));
  expect(each.sort()).toEqual([...names].sort());
  expect(chosen.count).toBe(names.length);
  return names;
}

test.each([
  ['', ['new', 'hour', 'both', 'week']],
  ['code=template-failed', ['new', 'both', 'week']],
  ['mirror=sheet', ['both', 'week']],
  ['mirror=sheet&code=template-failed', ['week']],
  ['place=calendar:anna', ['hour']],
  ['key=appointment/both', ['both']],
  ['age=1h', ['hour', 'both', 'week']],
  ['age=7d&mirror=sheet', ['week']],
  ['age=1h&code=cells-not-kept&place=spreadsheet:b/T', ['both']],
  ['code=nothing-such', []],
])('?%s means %j', async (query, names) => {
  const filter = readFilter(new URLSearchParams(query));
  expect(await meant(filter, untilOf(filter, NOW))).toEqual(names);
  expect(readFilter(new URLSearchParams(toQuery(filter)))).toEqual(filter);
});

test.each(['age=5y', 'age=__proto__', 'code=*', `code=${'x'.repeat(10_000)}`, 'mirror=%00'])(
  '?%s is not understood, and matches nothing rather than everything',
  async (query) => {
    const filter = readFilter(new URLSearchParams(query));
    expect(await meant(filter, untilOf(filter, NOW))).toEqual([]);
  },
);

test('letters that came after the page was shown are not meant', async () => {
  expect(await meant({}, NOW - 1)).toEqual(['hour', 'both', 'week']);
});
