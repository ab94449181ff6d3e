import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WorkerError } from '../../src/domain/errors.ts';
import type { Claim } from '../../src/domain/work.ts';
import { createForgetDeleted, type ForgetDeletedParts } from '../../src/operator/forget/forget-deleted.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore, type TestStore } from '../stand/store.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

const ERASED_WITHIN_MS = 45_000;

describe('with privacy.forget_deleted', () => {
  let world: World;
  let url: string;
  beforeEach(async () => {
    world = await startWorld({ rewrite: (yaml) => `privacy: { forget_deleted: true }\n${yaml}` });
    const port = await world.door();
    await world.subscribe(port);
    ({ url } = await world.startWorker(port));
  });
  afterEach(() => world.close());

  test('P1, P5, P7: a contact that the platform deletes is gone from every place, and nobody else is', async () => {
    const { dashboard } = world.platform;
    const { projectId } = world.company;
    const contactId = dashboard.createContact({ projectId, name: 'Vera Orlova', phone: '+74950001101' });
    const otherId = dashboard.createContact({ projectId, name: 'Oleg Smirnov', phone: '+74950002202' });
    const visit = world.book();
    dashboard.linkContact(visit, contactId);
    const theirs = world.book({ hours: 30, name: 'Oleg Smirnov' });
    dashboard.linkContact(theirs, otherId);
    await world.untilIdle(url);
    expect(world.events(ANNA)).toHaveLength(2);
    dashboard.deleteContact(contactId);
    const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
    await store.ready();
    await vi.waitFor(async () => expect(await store.erasures.receipt(contactId)).toBeDefined(), {
      timeout: ERASED_WITHIN_MS,
      interval: 250,
    });
    await world.untilIdle(url);
    expect(world.events(ANNA)).toHaveLength(1);
    const rows = JSON.stringify([world.rows('Contacts'), world.rows('Visits')]);
    expect(rows).toContain(otherId);
    expect(rows).toContain(theirs);
    for (const secret of [contactId, visit, 'Vera', 'Orlova']) expect(rows).not.toContain(secret);
    const texts: string[] = [];
    for await (const { key, text } of store.search.all()) texts.push(`${key} ${text}`);
    expect(texts.filter((text) => text.includes(contactId) || text.includes('Orlova'))).toEqual([]);
    store.close();
    expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
  });
});

describe('the handler', () => {
  let redis: TestRedis;
  let store: TestStore;
  let nowMs: number;
  let memory: MapMemory;
  let raise: ReturnType<typeof vi.fn<ForgetDeletedParts['problems']['raise']>>;
  beforeEach(async () => {
    redis = await startTestRedis();
    nowMs = Date.now();
    store = openTestStore(redis.url, { now: () => nowMs });
    await store.ready();
    memory = new MapMemory();
    raise = vi.fn(async () => undefined);
    return async () => {
      store.close();
      await redis.stop();
    };
  });

  const never = () => Promise.reject(new Error('not asked for'));
  function handler(platform: { shown?: boolean; visible?: boolean } = {}) {
    const { shown = false, visible = true } = platform;
    return createForgetDeleted({
      forgetting: {
        ...{ erasures: store.erasures, view: store.ledger, known: store.known, search: store.search },
        cards: { byId: async () => undefined, byPhone: never, byEmail: never, create: never },
        appointments: { list: async () => ({ data: [], hasMore: false }) },
        ...{ queue: { forget: async () => [] }, leases: store.leases, clock: { now: () => nowMs } },
        ...{ calendars: [], spreadsheets: [], eventsOf: async function* () {} },
        calendarApi: { patch: never, remove: never },
        sheetsApi: { tabs: never, read: never, readTyped: never, replace: never, write: never },
      },
      reader: {
        get: async (key) => (shown ? { id: key.id } : undefined),
        isProjectVisible: async () => visible,
      },
      ...{ tally: store.tally, memory },
      problems: { raise, clear: async () => undefined },
    });
  }
  const deleted = (id = randomUUID()): Claim => ({
    key: { kind: 'contact', id },
    ...{ fence: '', desiredRev: 1, syncedRev: 0, snapshot: undefined, deleted: true, verify: false },
    ...{ projectId: 'p', links: {}, pendingSinceMs: undefined, sightings: [] },
  });
  const codeOf = async (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof WorkerError ? `${error.family} ${error.code}` : String(error)),
    );
  const begun = async () => (await store.erasures.open()).length;

  test('orders the erasure of a deleted contact, and of no other', async () => {
    expect(await handler().reconcile({ ...deleted(), deleted: false })).toBe('nothing');
    expect(await begun()).toBe(0);
    const claim = deleted();
    expect(await handler().reconcile(claim)).toBe('removed');
    expect(await handler().reconcile(claim)).toBe('removed');
    expect((await store.erasures.open()).map(({ contactId }) => contactId)).toEqual([claim.key.id]);
  });

  test.each([
    [{ shown: true }, 'terminal deletion-unproven'],
    [{ visible: false }, 'terminal project-not-in-key'],
  ])('P7: where the platform says %j, nothing is erased', async (platform, code) => {
    expect(await codeOf(handler(platform).reconcile(deleted()))).toBe(code);
    expect(await begun()).toBe(0);
  });

  test('P7: many at once wait for a person, however long that takes, and go on when one approves', async () => {
    const claims = Array.from({ length: 25 }, () => deleted());
    const turn = () => Promise.all(claims.map((claim) => codeOf(handler().reconcile(claim))));
    const first = await turn();
    expect(first.filter((code) => code === 'done')).toHaveLength(20);
    expect(first.filter((code) => code === 'deferred mass-erasure')).toHaveLength(5);
    expect(raise).toHaveBeenCalledWith(expect.objectContaining({ code: 'mass-erasure' }));
    expect(await begun()).toBe(20);
    const parked = claims.filter((_, at) => first[at] !== 'done');
    nowMs += 3 * 3_600_000;
    const many = [...parked, deleted()];
    for (const claim of many) expect(await codeOf(handler().reconcile(claim))).toBe('deferred mass-erasure');
    await memory.set('approved-deletions:contacts', String(nowMs + 60_000));
    for (const claim of many) expect(await codeOf(handler().reconcile(claim))).toBe('done');
    expect(await begun()).toBe(26);
    nowMs += 3 * 3_600_000;
    expect(await codeOf(handler().reconcile(deleted()))).toBe('done');
  });

  test('P7: erasures that have come to their end still count', async () => {
    for (let nth = 0; nth < 20; nth += 1) {
      expect(await codeOf(handler().reconcile(deleted()))).toBe('done');
      for (const order of await store.erasures.open()) await store.erasures.eraseState(order);
    }
    expect(await codeOf(handler().reconcile(deleted()))).toBe('deferred mass-erasure');
  });
});
