import { afterEach, beforeEach, expect, test } from 'vitest';
import { Intake } from '../../src/engine/intake.ts';
import type { Mirror } from '../../src/engine/mirror.ts';
import { ENTITY_KINDS } from '../../src/engine/object.ts';
import type { PlatformReader } from '../../src/engine/platform.ts';
import { type ResyncParts, resyncHoles } from '../../src/platform/resync.ts';
import { type MortalRedis, startMortalRedis } from '../stand/mortal-redis.ts';
import { startTestPlatform, type TestPlatform } from '../stand/platform.ts';
import { NO_METER, openTestStore, SILENT_LOG, type TestStore } from '../stand/store.ts';

const CONTACTS: Mirror = {
  ...{ kind: 'sheet', name: 'contacts', from: 'contact', where: {}, spreadsheetId: 'book', tab: 'Contacts' },
  ...{ timezone: undefined, columns: [{ header: 'ID', template: '{{ id }}' }], keyHeader: 'ID' },
  ...{ unmatched: 'clear', deleted: 'keep' },
};

let redis: MortalRedis;
let platform: TestPlatform;
let store: TestStore;
let parts: ResyncParts;
beforeEach(async () => {
  redis = await startMortalRedis();
  platform = await startTestPlatform();
  store = openTestStore(redis.url);
  await store.ready();
  const clock = { now: Date.now };
  const common = { queue: { add() {} }, clock, log: SILENT_LOG };
  parts = {
    ...{ ...common, mirrors: [CONTACTS], reader: platform.client().reader },
    intake: new Intake({ ...common, store: store.intake, kinds: ENTITY_KINDS, meter: NO_METER }),
    ...{ coverage: store.coverage, memory: store.memory, problems: store.problems },
    ...{ known: store.known, dirtyMarks: store.dirtyMarks },
  };
});
afterEach(async () => {
  store.close();
  await platform.close();
  await redis.stop();
});

/** As whoever notices a wiped Redis does: always under the same name. */
async function lost(): Promise<void> {
  const toMs = Date.now();
  const hole = { id: 'redis-lost', source: 'feed', fromMs: undefined, toMs, foundAtMs: toMs } as const;
  await store.coverage.putHole({ ...hole, cause: 'redis-lost' });
}

const resync = (over: Partial<ResyncParts> = {}) =>
  store.under('resync', (lease) => resyncHoles({ ...parts, ...over }, lease));
const taken = () => store.work.due(Date.now() + 1e12, 10_000);

function whenPage(number: number, happens: () => Promise<void>): PlatformReader {
  const { reader } = parts;
  let pages = 0;
  return {
    ...reader,
    async page(kind, request) {
      const page = await reader.page(kind, request);
      pages += 1;
      if (pages === number) await happens();
      return page;
    },
  };
}

test('P1, P8: Redis is wiped again while the resync after a wipe is under way: the new hole stays open until all is read again (case 33)', async () => {
  const ids = Array.from({ length: 250 }, () => platform.createContact());
  await lost();
  const reader = whenPage(2, async () => {
    await redis.wipe();
    await lost();
  });
  await expect(resync({ reader })).rejects.toMatchObject({ code: 'lease-lost' });
  expect(await store.coverage.holes()).toMatchObject([{ id: 'redis-lost' }]);
  // What was read before the wipe is gone with it: the next walk does not go on in the middle.
  expect((await taken()).length).toBeLessThan(ids.length);
  expect(await resync()).toBe(true);
  expect(await store.coverage.holes()).toEqual([]);
  expect((await taken()).toSorted()).toEqual(ids.map((id) => `contact/${id}`).toSorted());
});

test('P8: the last page of a resync, read just before a wipe, closes nothing', async () => {
  platform.createContact();
  await lost();
  const reader = whenPage(1, async () => {
    await redis.wipe();
    await lost();
  });
  await expect(resync({ reader })).rejects.toMatchObject({ code: 'lease-lost' });
  expect(await store.coverage.holes()).toMatchObject([{ id: 'redis-lost' }]);
});

test('P1: Redis is started again without its last second: the resync goes on where Redis knows that it was (case 10)', async () => {
  const ids = Array.from({ length: 250 }, () => platform.createContact());
  await lost();
  let from: string | undefined;
  const reader = whenPage(2, async () => {
    from = redis.copyDisk();
  });
  const dying = {
    ...reader,
    page: async (...asked: Parameters<PlatformReader['page']>) => {
      const page = await reader.page(...asked);
      if (from !== undefined && asked[1].startingAfter !== undefined && !page.hasMore) {
        await redis.kill();
        await redis.revive({ from });
        await store.ready();
      }
      return page;
    },
  };
  await expect(resync({ reader: dying })).rejects.toMatchObject({ code: 'lease-lost' });
  await store.redis.del(store.keys.lease('resync'));
  expect(await resync()).toBe(true);
  expect((await taken()).toSorted()).toEqual(ids.map((id) => `contact/${id}`).toSorted());
});
