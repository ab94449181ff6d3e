import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NEW_BOOKING } from '../../../src/engine/outside-booking.ts';
import type { OutboxRow } from '../../../src/engine/sheet-row.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { type MortalRedis, startMortalRedis } from '../../stand/mortal-redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const KEY = { kind: 'contact', id: '7' } as const;
const NAME = 'contact/7';

let redis: MortalRedis;
let store: TestStore;
beforeEach(async () => {
  redis = await startMortalRedis();
  store = openTestStore(redis.url);
  await store.ready();
});
afterEach(async () => {
  store.close();
  await redis.stop();
});

async function claimed(): Promise<Claim> {
  const seen = { as: 'snapshot', snapshot: { id: '7', updated_at: '2026-11-01T00:00:00Z' } } as const;
  await store.intake.observe({ key: KEY, source: 'webhook', occurredAtMs: 1, force: true, seen });
  const claim = await store.work.claim(KEY);
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
}

const row = (name: string): OutboxRow => ({
  ...{ mirror: 'contacts', spreadsheetId: 'book', tab: 'Contacts', occurredAtMs: 1, rowKey: '7', key: NAME },
  ...{ cells: { Name: name }, hash: name },
});

async function restart(from?: string): Promise<void> {
  await redis.kill();
  await redis.revive(from === undefined ? {} : { from });
  await store.ready();
}

test('P1: an object whose row was in the lost second stays to be done, though its handler came to its end (case 10)', async () => {
  const claim = await claimed();
  const from = redis.copyDisk();
  expect(await store.outbox.put(claim, row('Vera'))).toBe('queued');
  await restart(from);
  expect(await store.outbox.pending('book', 10)).toEqual([]);
  expect(await store.work.settle(claim)).toBe('fenced');
  expect(await store.work.due(Date.now(), 10)).toEqual([NAME]);
});

test('P3: a handler from before a restart of Redis writes nothing more: no link, no row, no letter, no snapshot', async () => {
  const claim = await claimed();
  await restart();
  await expect(store.links.write(claim, 'contacts', { booking: NEW_BOOKING })).rejects.toMatchObject({
    code: 'fenced',
  });
  await expect(store.outbox.put(claim, row('Vera'))).rejects.toMatchObject({ code: 'fenced' });
  await store.work.deadLetter(claim, { key: NAME, atMs: 1, attempts: 1, reasons: [] });
  expect(await store.deadLetters.all()).toEqual([]);
  await expect(store.work.refresh(claim, { found: undefined })).rejects.toMatchObject({ code: 'fenced' });
  expect(await store.work.settle((await store.work.claim(KEY)) ?? claim)).toBe('settled');
});

test('P3: a handler from before a wipe is not taken for one of those after it (case 33)', async () => {
  const before = await claimed();
  await redis.wipe();
  // A fence holds the millisecond of its claim. No wipe of a real Redis fits between two claims of one.
  await sleep(2);
  const after = await claimed();
  expect(await store.work.settle(before)).toBe('fenced');
  expect(await store.work.settle(after)).toBe('settled');
});

test('P3: a flush that read its rows before a wipe takes none of the newer ones for its own (case 33)', async () => {
  await store.outbox.put(await claimed(), row('Vera'));
  const read = await store.outbox.pending('book', 10);
  await redis.wipe();
  // As above: not within the millisecond of the former claim.
  await sleep(2);
  await store.outbox.put(await claimed(), row('Vera Orlova'));
  await store.outbox.confirm(read);
  expect(await store.outbox.pending('book', 10)).toMatchObject([{ cells: { Name: 'Vera Orlova' } }]);
});
