import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NOTHING_ERASED } from '../../../src/engine/erasure.ts';
import type { EntityKey } from '../../../src/engine/object.ts';
import { type PrivateRedis, startPrivateRedis } from '../../../src/engine/private-redis.ts';
import { WriteProbe } from '../../../src/engine/redis-fitness.ts';
import { retain } from '../../../src/engine/retention.ts';
import { SILENT } from '../../../src/engine/runtime.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const REWRITTEN_WITHIN_MS = 45_000;
const NAME = 'Zinaida Kholmogorova';
const PHONE = '+74957778899';

let dir: string;
let redis: PrivateRedis;
let store: TestStore;
let aheadMs: number;
let contact: EntityKey;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sb-file-'));
  redis = await startPrivateRedis(dir);
  aheadMs = 0;
  store = openTestStore(redis.url, { now: () => Date.now() + aheadMs });
  await store.ready();
  contact = { kind: 'contact', id: randomUUID() };
  const snapshot = { id: contact.id, name: NAME, phone: PHONE, updated_at: '2026-01-01T00:00:00Z' };
  const seen = { as: 'snapshot', snapshot } as const;
  await store.intake.observe({
    key: contact,
    source: 'webhook',
    eventId: randomUUID(),
    occurredAtMs: 1,
    seen,
  });
});
afterEach(async () => {
  store.close();
  await redis.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** All that stands in the data folder. */
const onDisk = () =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

const untilGone = (...secrets: readonly string[]) =>
  vi.waitFor(() => expect(secrets.filter((secret) => onDisk().includes(secret))).toEqual([]), {
    timeout: REWRITTEN_WITHIN_MS,
    interval: 100,
  });

test('P1: a person who was erased stands in no file of the private Redis', async () => {
  expect(onDisk()).toContain(NAME);
  const terms = { ids: [contact.id], phones: [PHONE], emails: [], names: [NAME], hashes: [] };
  const order = { contactId: contact.id, keys: [`contact/${contact.id}`], terms };
  const begun = { ...order, begunAtMs: Date.now(), erased: NOTHING_ERASED };
  // One that is under way has forked before the end.
  await store.redis.bgrewriteaof();
  await store.erasures.begin(begun);
  await store.erasures.eraseState(begun);
  expect(
    await store.erasures.end(begun, {
      version: 1,
      ...{ person: 'p', begun: '', verified: '', erased: NOTHING_ERASED, left: [] },
      ...{ recognisedBy: ['id'], outOfReach: [] },
    }),
  ).toBe(true);
  await untilGone(NAME, PHONE, contact.id);
});

test('what retention has taken away is in no file of the private Redis either', async () => {
  const claim = await store.work.claim(contact);
  if (claim === undefined) throw new Error('nothing to claim');
  await store.links.write(claim, 'm', { sheet: { spreadsheetId: 's', tab: 't', hash: 'h' } });
  expect(await store.work.settle(claim)).toBe('settled');
  aheadMs = 91 * 86_400_000;
  await retain({ ...store, log: SILENT });
  await untilGone(NAME, PHONE);
});

test('what Redis forgot by itself, or a pass that was killed took away, leaves the file with the next retention', async () => {
  await store.redis.del(store.keys.object(`contact/${contact.id}`));
  expect(onDisk()).toContain(NAME);
  await retain({ ...store, log: SILENT });
  await untilGone(NAME, PHONE);
});

/** Counts a rewrite that is scheduled or under way, too. */
const rewrites = async () =>
  (await store.redis.info('persistence')).match(/^aof_rewrite(?:s|_in_progress|_scheduled):\d+/gm);

test('a Redis without such a file is asked for none', async () => {
  await store.redis.config('SET', 'appendonly', 'no');
  const before = await rewrites();
  await store.retention.rewriteFile();
  expect(await rewrites()).toEqual(before);
});

test('P1: after its disk was full, Redis writes a new file: it may never start again from the old one', async () => {
  const files = () => readdirSync(join(dir, 'redis/appendonlydir')).sort();
  const before = files();
  const probe = new WriteProbe({ redis: store.redis, keys: store.keys, clock: { now: () => 0 } });
  // Its snapshot cannot be written where a folder stands, which Redis answers as a full disk.
  const inTheWay = join(dir, 'redis/dump.rdb');
  mkdirSync(inTheWay);
  await store.redis.config('SET', 'save', '900 1');
  const save = async () => {
    await store.redis.bgsave();
    await vi.waitFor(async () =>
      expect(await store.redis.info('persistence')).toContain('rdb_bgsave_in_progress:0'),
    );
  };
  await save();
  expect(await probe.problem()).toMatchObject({ message: expect.stringContaining('MISCONF') });
  rmdirSync(inTheWay);
  await save();
  expect(files()).toEqual(before);
  expect(await probe.problem()).toBeUndefined();
  await vi.waitFor(() => expect(files().filter((file) => before.includes(file))).toEqual([MANIFEST]), {
    timeout: REWRITTEN_WITHIN_MS,
    interval: 100,
  });
});
const MANIFEST = 'appendonly.aof.manifest';
