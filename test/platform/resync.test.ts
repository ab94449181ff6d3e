import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { TerminalError } from '../../src/engine/errors.ts';
import { Intake } from '../../src/engine/intake.ts';
import type { Mirror } from '../../src/engine/mirror.ts';
import { ENTITY_KINDS } from '../../src/engine/object.ts';
import type { PageRequest, PlatformReader } from '../../src/engine/platform.ts';
import { type ResyncParts, resyncHoles } from '../../src/platform/resync.ts';
import { requestResync } from '../../src/platform/resync-walk.ts';
import { startTestPlatform, type TestPlatform } from '../stand/platform.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { NO_METER, openTestStore, SILENT_LOG, type TestStore } from '../stand/store.ts';

const DAY = 24 * 3_600_000;

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
const APPOINTMENTS: Mirror = {
  ...CONTACTS,
  name: 'visits',
  from: 'appointment',
  tab: 'Visits',
  where: { sinceMs: DAY },
};

let redis: TestRedis;
let platform: TestPlatform;
let store: TestStore;
let parts: ResyncParts;
let pages: { kind: string; request: PageRequest }[];

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  platform = await startTestPlatform();
  store = openTestStore(redis.url);
  await store.ready();
  pages = [];
  const reader = platform.client().reader;
  const counting: PlatformReader = {
    get: (key) => reader.get(key),
    isProjectVisible: (id) => reader.isProjectVisible(id),
    directory: () => reader.directory(),
    eventPage: (request) => reader.eventPage(request),
    messages: (id, request) => reader.messages(id, request),
    page(kind, request) {
      pages.push({ kind, request });
      return reader.page(kind, request);
    },
  };
  const clock = { now: Date.now };
  parts = {
    reader: counting,
    intake: new Intake({
      store: store.intake,
      queue: { add() {} },
      kinds: ENTITY_KINDS,
      clock,
      log: SILENT_LOG,
      meter: NO_METER,
    }),
    coverage: store.coverage,
    memory: store.memory,
    problems: store.problems,
    known: store.known,
    dirtyMarks: store.dirtyMarks,
    queue: { add() {} },
    mirrors: [CONTACTS, APPOINTMENTS],
    clock,
    log: SILENT_LOG,
  };
});
afterEach(async () => {
  store.close();
  await platform.close();
});

const resync = (over: Partial<ResyncParts> = {}) =>
  store.under('resync', (lease) => resyncHoles({ ...parts, ...over }, lease));
const taken = () => store.work.due(Date.now() + 1e12, 10_000);

async function hole(fields: Partial<Parameters<TestStore['coverage']['putHole']>[0]> = {}): Promise<void> {
  const now = Date.now();
  await store.coverage.putHole({
    id: `hole-${now}`,
    source: 'feed',
    fromMs: undefined,
    toMs: now,
    cause: 'first-start',
    foundAtMs: now,
    ...fields,
  });
}

function book(daysAhead: number): string {
  const noon = new Date(Date.now() + daysAhead * DAY);
  noon.setUTCHours(9, 0, 0, 0);
  return platform.dashboard.bookAs('lk', {
    serviceId: platform.serviceId,
    resourceId: platform.resourceId,
    startsAt: noon.toISOString(),
    customerName: 'Vera',
    customerPhone: '+74950001101',
  });
}

test('without a hole nothing is asked', async () => {
  expect(await resync()).toBe(false);
  expect(pages).toEqual([]);
});

test('what two people ask for in the same millisecond is read for both (P1)', async () => {
  const asked = { coverage: store.coverage, clock: { now: () => 1_700_000_000_000 } };
  const requests = [{ kinds: ['contact'] }, { kinds: ['appointment'], force: true }] as const;
  for (const request of requests) await requestResync(asked, { cause: 'operator', request });
  expect((await store.coverage.holes()).map(({ request }) => request)).toEqual(
    expect.arrayContaining([...requests]),
  );
});

test('a hole is closed once both lists were walked to their end', async () => {
  const contacts = Array.from({ length: 130 }, () => platform.createContact());
  const appointment = book(2);
  await hole();
  expect(await resync()).toBe(true);
  expect(new Set(await taken())).toEqual(
    new Set([...contacts.map((id) => `contact/${id}`), `appointment/${appointment}`]),
  );
  expect(await store.coverage.holes()).toEqual([]);
});

test('a hole that is still growing waits for its end (case 11)', async () => {
  await hole({ toMs: undefined, cause: 'endpoint-disabled' });
  expect(await resync()).toBe(false);
  expect((await store.coverage.holes()).length).toBe(1);
});

test('a fresh start requests no appointments from before the mapping takes them (case 59)', async () => {
  await hole();
  const beganAtMs = Date.now();
  await resync();
  const asked = pages.find((page) => page.kind === 'appointment')?.request.filters?.['starts_at[gte]'];
  // It may be told in whole seconds.
  expect(Date.parse(asked ?? '')).toBeGreaterThan(beganAtMs - DAY - 1_000);
  expect(Date.parse(asked ?? '')).toBeLessThanOrEqual(Date.now() - DAY);
});

test('after a hole, appointments that began before it are read too: they may have been marked or moved during it', async () => {
  const fromMs = Date.now() - 3 * DAY;
  await hole({ fromMs, cause: 'feed-expired' });
  await resync();
  const asked = pages.find((page) => page.kind === 'appointment')?.request.filters?.['starts_at[gte]'];
  expect(Date.parse(asked ?? '')).toBeLessThanOrEqual(fromMs - 29 * DAY);
});

test('a resync that was interrupted keeps its hole and goes on at its position', async () => {
  const ids = Array.from({ length: 250 }, () => platform.createContact());
  await hole();
  let left = 2;
  const dying: PlatformReader = {
    ...parts.reader,
    page(kind, request) {
      left -= 1;
      if (left < 0) throw new Error('the process dies here');
      return parts.reader.page(kind, request);
    },
  };
  await expect(resync({ reader: dying })).rejects.toThrow('dies');
  expect((await store.coverage.holes()).length).toBe(1);
  pages.length = 0;
  await resync();
  expect(pages[0]?.request.startingAfter).toBeDefined();
  expect(new Set(await taken())).toEqual(new Set(ids.map((id) => `contact/${id}`)));
  expect(await store.coverage.holes()).toEqual([]);
});

test('a hole that opens while a resync is under way is not closed by it', async () => {
  platform.createContact();
  await hole({ id: 'first' });
  const interfering: PlatformReader = {
    ...parts.reader,
    async page(kind, request) {
      await hole({ id: 'second', cause: 'feed-anchor-lost' });
      return parts.reader.page(kind, request);
    },
  };
  await resync({ reader: interfering });
  expect((await store.coverage.holes()).map((each) => each.id)).toEqual(['second']);
});

test('a changed mapping looks at everything again, also at what is known and settled', async () => {
  const id = platform.createContact();
  await hole();
  await resync();
  const claim = await store.work.claim({ kind: 'contact', id });
  if (claim) await store.work.settle(claim);
  await hole({ id: 'same' });
  await resync();
  expect(await taken()).toEqual([]);
  await hole({ id: 'mapping', source: 'mapping', cause: 'mapping-changed' });
  await resync();
  expect(await taken()).toEqual([`contact/${id}`]);
});

test('each page asks for what comes after the last object of the one before', async () => {
  for (let at = 0; at < 250; at += 1) platform.createContact();
  await hole();
  await resync();
  const asked = pages.filter((page) => page.kind === 'contact').map((page) => page.request.startingAfter);
  expect(asked.length).toBe(3);
  expect(new Set(asked).size).toBe(3);
});

test('a platform that refuses every position is asked a few times, not without end, and the hole stays', async () => {
  for (let at = 0; at < 150; at += 1) platform.createContact();
  await hole();
  const refusing: PlatformReader = {
    ...parts.reader,
    async page(kind, request) {
      const page = await parts.reader.page(kind, request);
      if (request.startingAfter === undefined) return page;
      throw new TerminalError('validation', 'refused', { status: 422 });
    },
  };
  await expect(resync({ reader: refusing })).rejects.toMatchObject({
    code: 'validation',
  });
  expect(pages.filter((page) => page.kind === 'contact').length).toBe(4);
  expect((await store.coverage.holes()).length).toBe(1);
});

test.each([false, true])(
  'P3: an object that the list shows with an older time than the known one is read (forced: %s)',
  async (force) => {
    const id = book(2);
    const truth = platform.sandbox.truth.appointment(id);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const snapshot = { ...truth, customer_name: 'Nora', updated_at: later } as never;
    const key = { kind: 'appointment', id } as const;
    await store.intake.observe({
      key,
      source: 'webhook',
      occurredAtMs: Date.now(),
      seen: { as: 'snapshot', snapshot },
    });
    const first = await store.work.claim(key);
    if (first !== undefined) await store.work.settle(first);
    await hole(force ? { cause: 'mapping-changed' } : {});
    await resync();
    const claim = await store.work.claim(key);
    expect(claim).toMatchObject({ verify: true, snapshot: { customer_name: 'Nora' } });
    const found = await parts.reader.get(key);
    const refreshed = claim && found && (await store.work.refresh(claim, { found }));
    expect(refreshed).toMatchObject({ verify: false, snapshot: { customer_name: 'Vera' } });
  },
);
