import { randomUUID } from 'node:crypto';
import { SandboxClock } from '@slotbridge/sandbox/clock';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { TerminalError } from '../../src/engine/errors.ts';
import { Intake } from '../../src/engine/intake.ts';
import { ENTITY_KINDS } from '../../src/engine/object.ts';
import type { PageRequest, PlatformReader } from '../../src/engine/platform.ts';
import { FEED, type FeedWalkParts, walkFeed } from '../../src/platform/feed-watch.ts';
import { FEED_DEFAULTS } from '../stand/defaults.ts';
import { startTestPlatform, type TestPlatform } from '../stand/platform.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { NO_METER, openTestStore, SILENT_LOG, type TestStore } from '../stand/store.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let redis: TestRedis;
let platform: TestPlatform;
let store: TestStore;
let clock: SandboxClock;
let parts: FeedWalkParts;
let reads: PageRequest[];

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  clock = new SandboxClock();
  // Lost, all of them: what arrives, arrives through the feed. Nobody listens at the address.
  platform = await startTestPlatform({ clock, delivery: { loseShare: 1 } });
  await platform.subscribe('https://bridge.example/webhooks/platform');
  store = openTestStore(redis.url, { now: () => clock.now() });
  await store.ready();
  reads = [];
  parts = {
    reader: counting(platform.client().reader),
    intake: new Intake({
      store: store.intake,
      queue: { add() {} },
      kinds: ENTITY_KINDS,
      clock,
      log: SILENT_LOG,
      meter: NO_METER,
    }),
    coverage: store.coverage,
    clock,
    log: SILENT_LOG,
    meter: NO_METER,
    ...FEED_DEFAULTS,
  };
});
afterEach(async () => {
  store.close();
  await platform.close();
});

function counting(reader: PlatformReader): PlatformReader {
  return {
    get: (key) => reader.get(key),
    isProjectVisible: (id) => reader.isProjectVisible(id),
    page: (kind, request) => reader.page(kind, request),
    messages: (id, request) => reader.messages(id, request),
    directory: () => reader.directory(),
    eventPage(request) {
      reads.push(request);
      return reader.eventPage(request);
    },
  };
}

function walk(over: Partial<FeedWalkParts> = {}, signal = new AbortController().signal) {
  return store.under('feed-walk', (lease) => walkFeed({ ...parts, ...over }, { ...lease, signal }));
}

async function changes(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => platform.createContact());
  await platform.sandbox.whenDeliveriesSettle(60_000);
  return ids;
}

const taken = async () => new Set(await store.work.due(Date.now() + 1e12, 10_000));
const keysOf = (ids: readonly string[]) => ids.map((id) => `contact/${id}`);

test('the first walk takes hold of the top and names what lies before it as a hole', async () => {
  await changes(3);
  expect(await walk()).toBe('hole');
  const coverage = await store.coverage.read(FEED);
  expect(coverage.holes).toMatchObject([{ cause: 'first-start', fromMs: undefined }]);
  expect(coverage.coveredUntilMs).toBeLessThan(clock.now());
});

test('a walk brings everything whose webhook was lost, over many pages, and stops at its floor', async () => {
  await changes(1);
  await walk();
  clock.advance(DAY);
  const missed = await changes(250);
  reads.length = 0;
  expect(await walk()).toBe('proved');
  expect(await taken()).toEqual(new Set([...(await taken()), ...keysOf(missed)]));
  expect(reads.length).toBe(3);
  clock.advance(DAY);
  reads.length = 0;
  expect(await walk()).toBe('proved');
  expect(reads.length).toBeLessThanOrEqual(3);
});

test('a walk under way says when it took its last page', async () => {
  await changes(1);
  await walk();
  clock.advance(DAY);
  await changes(250);
  const stopping = new AbortController();
  const reader: PlatformReader = {
    ...parts.reader,
    async eventPage(request) {
      clock.advance(7_000);
      const page = await parts.reader.eventPage(request);
      if (request.startingAfter !== undefined) stopping.abort();
      return page;
    },
  };
  const beganMs = clock.now();
  expect(await walk({ reader }, stopping.signal)).toBe('interrupted');
  const { open } = await store.coverage.read(FEED);
  expect(open?.pages).toBe(2);
  expect(open?.pageAtMs).toBeGreaterThanOrEqual(beganMs + 14_000);
});

test('each page asks for what comes after the last object of the one before, with the same filters (case 20)', async () => {
  await changes(1);
  await walk();
  clock.advance(DAY);
  await changes(230);
  reads.length = 0;
  await walk();
  expect(reads.every((read) => read.limit === 100 && read.filters === undefined)).toBe(true);
  expect(reads[0]?.startingAfter).toBeUndefined();
  expect(new Set(reads.map((read) => read.startingAfter)).size).toBe(reads.length);
});

test('a walk that is interrupted moves nothing, and goes on at its position, also in another process (case 1)', async () => {
  await changes(1);
  await walk();
  const before = await store.coverage.read(FEED);
  clock.advance(DAY);
  const missed = await changes(350);
  let left = 2;
  const failing: PlatformReader = {
    ...parts.reader,
    eventPage(request) {
      left -= 1;
      if (left < 0) throw new Error('the process dies here');
      return parts.reader.eventPage(request);
    },
  };
  await expect(walk({ reader: failing })).rejects.toThrow('dies');
  const during = await store.coverage.read(FEED);
  expect(during.coveredUntilMs).toBe(before.coveredUntilMs);
  expect(during.open).toMatchObject({ pages: 2 });
  // What happens meanwhile is above the open walk, and belongs to the next one.
  const later = await changes(120);
  reads.length = 0;
  expect(await walk()).toBe('proved');
  expect(reads[0]?.startingAfter).toBe(during.open?.position);
  for (const key of keysOf(missed)) expect(await taken()).toContain(key);
  expect(await walk()).toBe('proved');
  for (const key of keysOf(later)) expect(await taken()).toContain(key);
});

test('P8: a webhook never moves the coverage (case 2)', async () => {
  await changes(1);
  await walk();
  const before = await store.coverage.read(FEED);
  clock.advance(DAY);
  await parts.intake.takeEvent(
    {
      id: randomUUID(),
      type: 'contact.created',
      createdAt: new Date(clock.now()).toISOString(),
      projectId: platform.projectId,
      test: false,
      object: { object: 'contact', id: randomUUID(), updated_at: new Date(clock.now()).toISOString() },
    },
    'webhook',
  );
  expect(await store.coverage.read(FEED)).toEqual(before);
});

test('P8: a floor that has left the feed is a hole with a name, not a loop and not a proof (case 3)', async () => {
  await changes(5);
  await walk();
  for (const hole of await store.coverage.holes()) await store.coverage.removeHole(hole.id);
  const before = await store.coverage.read(FEED);
  clock.advance(31 * DAY);
  const missed = await changes(3);
  expect(await walk()).toBe('hole');
  const after = await store.coverage.read(FEED);
  expect(after.holes).toMatchObject([{ cause: 'feed-expired' }]);
  expect(after.holes[0]?.fromMs).toBeLessThanOrEqual(before.coveredUntilMs ?? 0);
  for (const key of keysOf(missed)) expect(await taken()).toContain(key);
  expect(await walk()).toBe('proved');
});

test('a floor that vanished from a young feed is a hole as well (case 3)', async () => {
  await changes(5);
  await walk();
  for (const hole of await store.coverage.holes()) await store.coverage.removeHole(hole.id);
  const page = async () => ({ data: [], hasMore: false });
  expect(await walk({ reader: { ...parts.reader, eventPage: page } })).toBe('hole');
  expect(await store.coverage.holes()).toMatchObject([{ cause: 'feed-anchor-lost' }]);
});

test('an event that becomes visible late, on the page below the last proved top, is found by the overlap (case 4)', async () => {
  platform.sandbox.switches = { ...platform.sandbox.switches, feedOrder: 'created' };
  await changes(250);
  await walk();
  clock.advance(MINUTE);
  const lateAt = new Date(clock.now() - 2 * MINUTE).toISOString();
  const late = {
    id: randomUUID(),
    type: 'contact.created',
    createdAt: lateAt,
    projectId: platform.projectId,
    test: false,
    object: { object: 'contact', id: 'late', updated_at: lateAt },
  };
  const reader: PlatformReader = {
    ...parts.reader,
    async eventPage(request) {
      const page = await parts.reader.eventPage(request);
      return request.startingAfter === undefined ? page : { ...page, data: [...page.data, late] };
    },
  };
  // With the old top they fill the first page: whoever stops there misses the late one.
  await changes(99);
  await walk({ reader });
  expect(await taken()).toContain('contact/late');
});

test('P8: no moment is claimed whose events may not be formed yet', async () => {
  await changes(1);
  await walk();
  clock.advance(MINUTE);
  const notFormedYetMs = clock.now() - 2_900;
  await walk();
  expect((await store.coverage.read(FEED)).coveredUntilMs).toBeLessThan(notFormedYetMs);
});

test('an old event high up in the feed does not end a walk before its floor (case 4)', async () => {
  await changes(1);
  await walk();
  clock.advance(DAY);
  const missed = await changes(150);
  const straggler = {
    id: randomUUID(),
    type: 'contact.created',
    createdAt: new Date(clock.now() - 5 * DAY).toISOString(),
    projectId: platform.projectId,
    test: false,
    object: { object: 'contact', id: 'straggler', updated_at: null },
  };
  const reader: PlatformReader = {
    ...parts.reader,
    async eventPage(request) {
      const page = await parts.reader.eventPage(request);
      return request.startingAfter === undefined ? { ...page, data: [straggler, ...page.data] } : page;
    },
  };
  expect(await walk({ reader })).toBe('proved');
  for (const key of keysOf(missed)) expect(await taken()).toContain(key);
});

test('pages are newest first, and the newest state of an object wins all the same (case 5)', async () => {
  const [id = ''] = await changes(1);
  await walk();
  for (const name of ['second', 'third', 'last']) {
    clock.advance(1_000);
    platform.dashboard.changeContact(id, { name });
    await platform.sandbox.whenDeliveriesSettle(60_000);
  }
  await walk();
  const claim = await store.work.claim({ kind: 'contact', id });
  expect(claim?.snapshot).toMatchObject({ name: 'last' });
});

test('an empty feed is proved by its end', async () => {
  expect(await walk()).toBe('hole');
  clock.advance(MINUTE);
  expect(await walk()).toBe('proved');
  const missed = await changes(2);
  expect(await walk()).toBe('proved');
  for (const key of keysOf(missed)) expect(await taken()).toContain(key);
});

test('a walk whose lease was taken over is refused its writes', async () => {
  await changes(1);
  await walk();
  await changes(150);
  const slept = await store.under('feed-walk', async (lease) => lease);
  await walk();
  await changes(150);
  const signal = new AbortController().signal;
  await expect(walkFeed(parts, { ...slept, signal })).rejects.toThrow('took the feed walk over');
});

test('only one walk goes at a time across all processes', async () => {
  let inside = 0;
  const work = async () => {
    inside += 1;
    const others = await store.leases.hold('feed-walk', async () => 'also');
    return others;
  };
  expect(await store.leases.hold('feed-walk', work)).toEqual({ result: undefined });
  expect(inside).toBe(1);
  expect(await store.leases.hold('feed-walk', async () => 'next')).toEqual({ result: 'next' });
});

test('a walk that goes on after days proves its own time first, and what came since right after (case 69)', async () => {
  await changes(1);
  await walk();
  clock.advance(DAY);
  await changes(250);
  let left = 1;
  const failing: PlatformReader = {
    ...parts.reader,
    eventPage(request) {
      left -= 1;
      if (left < 0) throw new Error('the process dies here');
      return parts.reader.eventPage(request);
    },
  };
  await expect(walk({ reader: failing })).rejects.toThrow('dies');
  clock.advance(2 * DAY);
  const later = await changes(3);
  expect(await walk()).toBe('proved');
  const { coveredUntilMs } = await store.coverage.read(FEED);
  expect(clock.now() - (coveredUntilMs ?? 0)).toBeLessThan(MINUTE);
  for (const key of keysOf(later)) expect(await taken()).toContain(key);
});

test('a position that the platform refuses for good begins the walk again at the top, down to the same floor', async () => {
  await changes(1);
  await walk();
  clock.advance(DAY);
  const missed = await changes(150);
  const open = { startedAtMs: clock.now(), top: [], topAtMs: undefined, metAnchor: false, pages: 1 };
  await store.under('feed-walk', (lease) =>
    store.coverage.saveWalk(FEED, { ...open, position: randomUUID() }, lease),
  );
  platform.sandbox.switches = { ...platform.sandbox.switches, unknownCursor: 'validation' };
  expect(await walk()).toBe('proved');
  for (const key of keysOf(missed)) expect(await taken()).toContain(key);
});

test('an event that cannot be understood is kept once, however often the walks pass over it (case 12)', async () => {
  await changes(1);
  await walk();
  const odd = {
    id: randomUUID(),
    type: 'invoice.created',
    createdAt: new Date(clock.now()).toISOString(),
    projectId: platform.projectId,
    test: false,
    object: { object: 'invoice', id: '1' },
  };
  const reader: PlatformReader = {
    ...parts.reader,
    async eventPage(request) {
      const page = await parts.reader.eventPage(request);
      return { ...page, data: [odd, ...page.data] };
    },
  };
  for (let round = 0; round < 5; round += 1) await walk({ reader });
  expect(await store.ledger.quarantined()).toBe(1);
});

test('a platform that refuses every position is asked a few times, not without end', async () => {
  await changes(1);
  await walk();
  clock.advance(DAY);
  await changes(150);
  reads.length = 0;
  const refusing: PlatformReader = {
    ...parts.reader,
    async eventPage(request) {
      const page = await parts.reader.eventPage(request);
      if (request.startingAfter === undefined) return page;
      throw new TerminalError('validation', 'refused', { status: 422 });
    },
  };
  await expect(walk({ reader: refusing })).rejects.toMatchObject({ code: 'position-refused' });
  expect(reads.length).toBe(4);
});
