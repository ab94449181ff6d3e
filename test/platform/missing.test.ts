import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Intake } from '../../src/engine/intake.ts';
import type { Mirror } from '../../src/engine/mirror.ts';
import { ENTITY_KINDS } from '../../src/engine/object.ts';
import type { PlatformReader } from '../../src/engine/platform.ts';
import { approveParked } from '../../src/operate/approvals.ts';
import { type ResyncParts, resyncHoles } from '../../src/platform/resync.ts';
import { requestResync } from '../../src/platform/resync-walk.ts';
import { startTestPlatform, type TestPlatform } from '../stand/platform.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { NO_METER, openTestStore, SILENT_LOG, type TestStore } from '../stand/store.ts';

const CONTACTS: Mirror = {
  kind: 'sheet',
  name: 'contacts',
  from: 'contact',
  where: {},
  spreadsheetId: 'book',
  tab: 'Contacts',
  timezone: undefined,
  columns: [{ header: 'ID', template: '{{ id }}' }],
  keyHeader: 'ID',
  unmatched: 'clear',
  deleted: 'keep',
};

let redis: TestRedis;
let platform: TestPlatform;
let store: TestStore;
let parts: ResyncParts;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  platform = await startTestPlatform();
  store = openTestStore(redis.url);
  await store.ready();
  const clock = { now: Date.now };
  const queue = { add() {} };
  parts = {
    reader: platform.client().reader,
    intake: new Intake({
      ...{ store: store.intake, queue, kinds: ENTITY_KINDS, clock, log: SILENT_LOG, meter: NO_METER },
    }),
    ...{ coverage: store.coverage, memory: store.memory, problems: store.problems },
    ...{
      known: store.known,
      dirtyMarks: store.dirtyMarks,
      queue,
      mirrors: [CONTACTS],
      clock,
      log: SILENT_LOG,
    },
  };
});
afterEach(async () => {
  store.close();
  await platform.close();
});

const resync = (over: Partial<ResyncParts> = {}) =>
  store.under('resync', (lease) => resyncHoles({ ...parts, ...over }, lease));

/** Reads the whole list of contacts, as the schedule does. */
async function walk(reader: PlatformReader = parts.reader): Promise<void> {
  await requestResync(parts, { cause: 'operator', request: { kinds: ['contact'] } });
  await resync({ reader });
}

/** Every object that is to be done is taken as done. */
async function settleAll(): Promise<void> {
  for (const key of await store.work.due(Date.now() + 1e12, 10_000)) {
    const claim = await store.work.claim({ kind: 'contact', id: key.slice('contact/'.length) });
    if (claim !== undefined) await store.work.settle(claim);
  }
}

/** Contacts that are to be read from the platform before anything is done about them. */
async function toBeRead(): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const key of await store.work.due(Date.now() + 1e12, 10_000)) {
    const claim = await store.ledger.peek({ kind: 'contact', id: key.slice('contact/'.length) });
    if (claim?.verify === true) ids.push(claim.key.id);
  }
  return ids.sort();
}

async function known(count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => platform.createContact());
  await walk();
  await settleAll();
  return ids;
}

const problems = async () => (await store.problems.list()).map(({ code }) => code);

test('a contact that the whole list does not show any more is read on its own', async () => {
  const [gone = '', ...others] = await known(5);
  platform.dashboard.deleteContact(gone);
  await walk();
  expect(await toBeRead()).toEqual([gone]);
  expect(others.length).toBe(4);
  expect(await problems()).toEqual([]);
});

test('nobody is missed by a walk that was interrupted before its end (case 23)', async () => {
  const ids = await known(130);
  platform.dashboard.deleteContact(ids[0] ?? '');
  let left = 1;
  const dying: PlatformReader = {
    ...parts.reader,
    page(kind, request) {
      left -= 1;
      if (left < 0) throw new Error('the process dies here');
      return parts.reader.page(kind, request);
    },
  };
  await expect(walk(dying)).rejects.toThrow('dies');
  expect(await toBeRead()).toEqual([]);
  await resync();
  expect(await toBeRead()).toEqual([ids[0]]);
});

test('a list that breaks off with an empty page proves nothing (case 23)', async () => {
  await known(130);
  const losing: PlatformReader = {
    ...parts.reader,
    page: (kind, request) =>
      request.startingAfter === undefined
        ? parts.reader.page(kind, request)
        : Promise.resolve({ data: [], hasMore: false }),
  };
  await walk(losing);
  expect(await toBeRead()).toEqual([]);
  expect(await problems()).toEqual([]);
});

test('a contact that was made while the list was walked is not missed', async () => {
  await known(3);
  const late: string[] = [];
  const meanwhile: PlatformReader = {
    ...parts.reader,
    async page(kind, request) {
      const page = await parts.reader.page(kind, request);
      const id = platform.createContact('Late');
      late.push(id);
      const snapshot = await parts.reader.get({ kind: 'contact', id });
      if (snapshot === undefined) throw new Error('the contact is not there');
      const seen = { as: 'snapshot', snapshot } as const;
      await parts.intake.observe({ key: { kind: 'contact', id }, source: 'webhook', occurredAtMs: 0, seen });
      return page;
    },
  };
  await walk(meanwhile);
  expect(late.length).toBe(1);
  expect(await toBeRead()).toEqual([]);
});

test('known deletions are not missed again and again', async () => {
  const [gone = ''] = await known(3);
  const key = { kind: 'contact', id: gone } as const;
  platform.dashboard.deleteContact(gone);
  await parts.intake.observe({ key, source: 'feed', occurredAtMs: 0, seen: { as: 'deleted' } });
  await settleAll();
  await walk();
  expect(await toBeRead()).toEqual([]);
});

test('many missing at once wait for a person, who approves them (case 50)', async () => {
  const ids = await known(60);
  const gone = ids.slice(0, 30);
  for (const id of gone) platform.dashboard.deleteContact(id);
  await walk();
  expect(await toBeRead()).toEqual([]);
  expect(await problems()).toEqual(['mass-deletion']);
  // A worker that starts anew begins with an empty board, and tells again.
  await store.problems.clear('deletions:contacts');
  await resync();
  expect(await problems()).toEqual(['mass-deletion']);
  await store.memory.set('approved-deletions:contacts', String(Date.now() + 60_000));
  await resync();
  expect(await toBeRead()).toEqual([...gone].sort());
  expect(await problems()).toEqual([]);
});

test('P7: an approval covers the contacts that were listed, and no other that the walk misses', async () => {
  const ids = await known(60);
  const gone = ids.slice(0, 30);
  for (const id of gone) platform.dashboard.deleteContact(id);
  await walk();
  const listed = async () =>
    JSON.parse((await store.memory.get('parked-missed')) ?? '[]') as readonly string[];
  const approve = (members: readonly string[]) =>
    approveParked(
      { memory: store.memory, clock: parts.clock },
      { name: 'approved-deletions:contacts', members },
    );
  expect([...(await listed())].sort()).toEqual(gone.map((id) => `contact/${id}`).sort());
  const seen = (await listed()).slice(0, 10);
  await approve(seen);
  await resync();
  expect((await toBeRead()).map((id) => `contact/${id}`)).toEqual([...seen].sort());
  expect(await problems()).toEqual(['mass-deletion']);
  const rest = await listed();
  expect([rest.length, rest.filter((contact) => seen.includes(contact))]).toEqual([20, []]);
  expect(JSON.parse((await store.memory.get('parked-deletions')) ?? '{}')).toMatchObject({ missed: 20 });
  await approve(rest);
  await resync();
  expect(await toBeRead()).toEqual([...gone].sort());
  expect(await problems()).toEqual([]);
  expect([...(await store.memory.all('parked-'))]).toEqual([]);
});

test('when the list shows them again, there is nothing left to approve', async () => {
  await known(60);
  const blind: PlatformReader = {
    ...parts.reader,
    async page(kind, request) {
      const page = await parts.reader.page(kind, request);
      return { ...page, data: page.data.slice(0, 20) };
    },
  };
  await walk(blind);
  expect(await problems()).toEqual(['mass-deletion']);
  await walk();
  expect(await problems()).toEqual([]);
  await store.memory.set('approved-deletions:contacts', String(Date.now() + 60_000));
  await resync();
  expect(await toBeRead()).toEqual([]);
});

test('P7: an approval given while the clock was hours ahead is invalid once the clock was set back', async () => {
  const ids = await known(60);
  for (const id of ids.slice(0, 30)) platform.dashboard.deleteContact(id);
  await store.memory.set('approved-deletions:contacts', String(Date.now() + 5 * 3_600_000));
  await walk();
  await resync();
  expect(await toBeRead()).toEqual([]);
});
