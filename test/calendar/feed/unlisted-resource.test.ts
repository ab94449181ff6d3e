// P1 and P3: a feed follows its resource even while the platform does not list the name in the YAML.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createFeedHandler } from '../../../src/calendar/feed-handler.ts';
import type { Feed } from '../../../src/engine/feed.ts';
import type { Handler } from '../../../src/engine/handler.ts';
import type { Directory } from '../../../src/engine/mirror.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';
import { appointment as appointmentOf, directory, NOW_MS } from '../stand.ts';

const FEED: Feed = {
  name: 'anna',
  from: 'appointment',
  resource: 'Anna Petrova',
  where: { statuses: ['pending', 'confirmed'], sinceMs: 7 * 86_400_000 },
  event: { title: '{{ service_name }}', description: undefined, location: undefined },
};
const NINE = '2026-11-03T09:00:00Z';
const NOON = { starts_at: '2026-11-03T12:00:00Z', ends_at: '2026-11-03T13:00:00Z' };
const ANNA = '00000000-0000-4000-8000-000000000007';
const BORIS = { resource_id: 'r-boris', resource_ids: ['r-boris'] };

let redis: TestRedis;
let store: TestStore;
let lists: Directory;
let handler: Handler;
let updates: number;
let reads: number;
let id: string;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  [updates, reads, id] = [0, 0, randomUUID()];
  annaIsNow('Anna Petrova');
  handler = handlerOf(FEED);
  return () => store.close();
});

/** Like a process that was just started. */
function handlerOf(feed: Feed): Handler {
  return createFeedHandler({
    ...{ feed, classes: [], store: store.feeds },
    memory: {
      get(name) {
        reads += 1;
        return store.memory.get(name);
      },
      set: (name, value) => store.memory.set(name, value),
    },
    directory: { current: () => lists },
    clock: { now: () => NOW_MS },
  });
}

/** The platform shows this state of the appointment, and the feed has its turn. */
async function shown(change: Record<string, unknown> = {}, of = id): Promise<void> {
  updates += 1;
  const key = { kind: 'appointment', id: of } as const;
  const updatedAt = new Date(NOW_MS + updates * 1_000).toISOString();
  const snapshot = {
    ...appointmentOf({ resource_id: ANNA, resource_ids: [ANNA], ...change }),
    id: of,
    updated_at: updatedAt,
  };
  const seen = { as: 'snapshot', snapshot } as const;
  await store.intake.observe({ key, source: 'list', occurredAtMs: NOW_MS + updates, seen });
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('nothing to claim');
  await handler.reconcile(claim);
}
const starts = async () => (await store.feeds.events('anna')).map(({ startsAt }) => startsAt);

/** The platform lists the resource under this name, or not at all. */
function annaIsNow(name: string | undefined): void {
  const others = [...directory.resources].filter(([key]) => key !== 'r-anna');
  const anna = { id: ANNA, name: name ?? '', branchId: 'b-1', projectId: 'p-1' };
  lists = { ...directory, resources: new Map(name === undefined ? others : [...others, [ANNA, anna]]) };
}

test.each([
  ['renamed', 'Anna Weber'],
  ['deactivated', undefined],
])('the resource is %s: its appointments move, leave and enter as before', async (_, name) => {
  await shown();
  expect(await starts()).toEqual([NINE]);
  annaIsNow(name);
  await shown(NOON);
  expect(await starts()).toEqual([NOON.starts_at]);
  await shown({ ...NOON, ...BORIS });
  expect(await starts()).toEqual([]);
  await shown({}, randomUUID());
  expect(await starts()).toEqual([NINE]);
});

test('the same after a restart of the worker', async () => {
  await shown();
  annaIsNow('Anna Weber');
  handler = handlerOf(FEED);
  await shown(BORIS);
  expect(await starts()).toEqual([]);
});

test('a new resource of the same name takes the feed over', async () => {
  await shown();
  annaIsNow('Anna Weber');
  const namesake = { id: 'r-new', name: 'Anna Petrova', branchId: 'b-1', projectId: 'p-1' };
  lists = { ...lists, resources: new Map([...lists.resources, ['r-new', namesake]]) };
  await shown();
  expect(await starts()).toEqual([]);
  await shown({ resource_id: 'r-new', resource_ids: ['r-new'] });
  expect(await starts()).toEqual([NINE]);
});

test('if a name was never listed, existing feed events move, and nothing is added', async () => {
  await shown();
  annaIsNow(undefined);
  handler = handlerOf({ ...FEED, resource: 'Nobody' });
  await shown(NOON);
  expect(await starts()).toEqual([NOON.starts_at]);
  await shown({}, randomUUID());
  expect(await starts()).toEqual([NOON.starts_at]);
});

test.each([
  ['name', 'Nobody', 1],
  ['id', '00000000-0000-4000-8000-000000000099', 0],
])(
  'an unlisted %s is looked up once per reading of the lists, not for every appointment',
  async (_, resource, once) => {
    handler = handlerOf({ ...FEED, resource });
    for (let turn = 0; turn < 3; turn += 1) await shown();
    expect(reads).toBe(once);
    lists = { ...lists };
    await shown();
    expect(reads).toBe(2 * once);
  },
);
