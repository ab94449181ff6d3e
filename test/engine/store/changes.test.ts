import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHANGES_MAX } from '../../../src/engine/history.ts';
import { formatKey } from '../../../src/engine/object.ts';
import { giveUp, observe, VERA } from '../../console/objects.ts';
import { HandClock } from '../../doubles/hand-clock.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore } from '../../stand/store.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

async function open() {
  const store = openTestStore(redis.url);
  await store.ready();
  return store;
}

test('whatever stands in a history stands among the changes of all objects, numbered, the oldest first', async () => {
  const store = await open();
  const clock = new HandClock(Date.now());
  const claim = await observe({ store, clock }, 'appointment', VERA);
  const key = formatKey(claim.key);
  await giveUp({ store, clock }, claim, { mirror: 'staff', code: 'template-failed', message: 'm' });
  const [letter] = await store.deadLetters.all();
  if (letter === undefined) throw new Error('no letter');
  await store.deadLetters.discard(letter, 'Vera asked for it');
  store.history.note(key, { what: 'mirrored', atMs: 1, rev: 1, actions: { staff: 'created' } });
  await expect.poll(async () => (await store.changes.newest(10)).at(-1)?.entry.what).toBe('mirrored');
  const changes = await store.changes.newest(10);
  expect(changes.map(({ at }) => at.nth)).toEqual(changes.map((_, nth) => nth + 1));
  expect(changes.map((change) => change.key)).toEqual(changes.map(() => key));
  const history = await store.history.of(key);
  expect(changes.map(({ entry }) => entry.what)).toEqual(history.map(({ what }) => what));
  expect(JSON.stringify(history)).toContain('Vera asked for it');
  // Why somebody gave an object up is in their own words.
  expect(JSON.stringify(changes)).not.toContain('Vera asked for it');
  const [first] = changes;
  expect(await store.changes.after(first?.at.id ?? '')).toEqual(changes.slice(1));
  await store.close();
});

test('what was looked at and stays as it is stands in its history alone', async () => {
  const store = await open();
  store.history.note('contact/a', { what: 'mirrored', atMs: 1, rev: 1, actions: {} });
  store.history.note('contact/a', { what: 'mirrored', atMs: 2, rev: 2, actions: { contacts: 'updated' } });
  await expect.poll(async () => (await store.changes.newest(10)).length).toBe(1);
  expect((await store.changes.newest(10))[0]?.entry.atMs).toBe(2);
  expect(await store.history.of('contact/a')).toHaveLength(2);
  await store.close();
});

test('the same failure again is no news', async () => {
  const store = await open();
  const reasons = [{ mirror: 'staff', code: 'busy' }];
  for (let attempt = 1; attempt <= 3; attempt += 1)
    store.history.note('contact/a', { what: 'failed', atMs: attempt, attempt, reasons, next: 'retry' });
  await expect.poll(async () => (await store.history.of('contact/a')).at(-1)?.atMs).toBe(3);
  expect((await store.changes.newest(10)).filter(({ key }) => key === 'contact/a')).toHaveLength(1);
  await store.close();
});

test('there are about a thousand changes, and the numbers tell how many went', async () => {
  const store = await open();
  const key = `contact/${randomUUID()}`;
  for (let atMs = 0; atMs < CHANGES_MAX + 500; atMs += 1)
    store.history.note(key, { what: 'mirrored', atMs, rev: atMs, actions: { a: 'updated' } });
  await expect.poll(async () => (await store.changes.newest(1)).at(-1)?.entry.atMs).toBe(CHANGES_MAX + 499);
  const kept = await store.changes.after('0-0');
  expect(kept.length).toBeGreaterThanOrEqual(CHANGES_MAX);
  expect(kept.length).toBeLessThan(CHANGES_MAX + 200);
  const [first, last] = [kept[0]?.at.nth ?? 0, kept.at(-1)?.at.nth ?? 0];
  expect(last - first + 1).toBe(kept.length);
  await store.close();
});
