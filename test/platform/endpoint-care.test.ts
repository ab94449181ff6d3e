import { SandboxClock } from '@slotbridge/sandbox/clock';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import {
  careForEndpoint,
  type EndpointCareParts,
  endpointUnseen,
  eventTypesFor,
  isProvedSince,
} from '../../src/platform/endpoint-care.ts';
import { startTestPlatform, type TestPlatform } from '../stand/platform.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore, SILENT_LOG, type TestStore } from '../stand/store.ts';

const ADDRESS = 'https://bridge.example/webhooks/platform';
const HOUR = 3_600_000;

let redis: TestRedis;
let platform: TestPlatform;
let store: TestStore;
let clock: SandboxClock;
let parts: EndpointCareParts;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  clock = new SandboxClock();
  clock.freeze();
  platform = await startTestPlatform({ clock });
  store = openTestStore(redis.url, { now: () => clock.now() });
  await store.ready();
  parts = {
    endpoints: platform.client().endpoints,
    coverage: store.coverage,
    problems: store.problems,
    memory: store.memory,
    url: ADDRESS,
    kinds: ['appointment', 'contact'],
    projects: () => [platform.projectId],
    reenable: false,
    clock,
    log: SILENT_LOG,
  };
});
afterEach(async () => {
  store.close();
  await platform.close();
});

/** In the dashboard, or by whoever else has a key. */
async function narrowTo(projectIds: readonly string[]): Promise<void> {
  const [endpoint] = await parts.endpoints.list();
  await parts.endpoints.change(endpoint?.id ?? '', { projectIds });
}

const codes = async () => (await store.problems.list()).map((problem) => problem.code);

test('an endpoint that is there, enabled and subscribed to enough is no problem', async () => {
  await platform.subscribe(ADDRESS, eventTypesFor(['appointment', 'contact']));
  expect(await careForEndpoint(parts)).toBe('healthy');
  expect(await careForEndpoint(parts)).toBe('healthy');
  expect(await codes()).toEqual([]);
  expect(await store.coverage.holes()).toEqual([]);
});

test('an endpoint for all events is subscribed to enough', async () => {
  await platform.subscribe(ADDRESS, ['*']);
  expect(await careForEndpoint(parts)).toBe('healthy');
});

test('a missing endpoint is told, and what happens until there is one is a hole', async () => {
  await platform.subscribe('https://elsewhere.example/hook');
  expect(await careForEndpoint(parts)).toBe('missing');
  expect(await codes()).toEqual(['endpoint-missing']);
  expect(await store.coverage.holes()).toMatchObject([{ cause: 'endpoint-missing', toMs: undefined }]);
  await platform.subscribe(ADDRESS);
  clock.advance(HOUR);
  expect(await careForEndpoint(parts)).toBe('healthy');
  expect(await codes()).toEqual([]);
  expect(await store.coverage.holes()).toMatchObject([{ cause: 'endpoint-missing', toMs: clock.now() }]);
});

test('an endpoint that is subscribed to too little is told', async () => {
  await platform.subscribe(ADDRESS, ['appointment.created']);
  expect(await careForEndpoint(parts)).toBe('narrow');
  const [problem] = await store.problems.list();
  expect(problem?.message).toContain('contact.deleted');
  expect(problem?.message).not.toContain('appointment.created,');
});

test('a disabled endpoint is told, and the hole reaches from before it was disabled to when it was enabled (case 11)', async () => {
  const { id } = await platform.subscribe(ADDRESS);
  await careForEndpoint(parts);
  clock.advance(HOUR);
  platform.dashboard.disableEndpoint(id);
  const disabledAt = clock.now();
  clock.advance(5 * HOUR);
  expect(await careForEndpoint(parts)).toBe('disabled');
  expect(await codes()).toEqual(['endpoint-disabled']);
  platform.dashboard.enableEndpoint(id);
  expect(await careForEndpoint(parts)).toBe('healthy');
  const hole = (await store.coverage.holes()).find((each) => each.cause === 'endpoint-disabled');
  expect(hole?.fromMs).toBeLessThan(disabledAt);
  expect(hole?.toMs).toBe(clock.now());
  expect(await codes()).toEqual([]);
});

test('an endpoint that somebody switched off by hand is not switched on against their will (case 11)', async () => {
  const { id } = await platform.subscribe(ADDRESS);
  platform.dashboard.disableEndpoint(id);
  expect(await careForEndpoint({ ...parts, reenable: true })).toBe('disabled');
  expect((await parts.endpoints.list())[0]?.status).toBe('disabled');
});

test('an endpoint that was off and on again between two looks leaves a hole as well (case 11)', async () => {
  const { id } = await platform.subscribe(ADDRESS);
  await careForEndpoint(parts);
  clock.advance(HOUR);
  platform.dashboard.disableEndpoint(id);
  clock.advance(HOUR);
  platform.dashboard.enableEndpoint(id);
  clock.advance(HOUR);
  expect(await careForEndpoint(parts)).toBe('healthy');
  expect(await store.coverage.holes()).toMatchObject([{ cause: 'endpoint-changed', toMs: clock.now() }]);
  expect(await careForEndpoint(parts)).toBe('healthy');
  expect((await store.coverage.holes()).length).toBe(1);
});

test('what a narrow endpoint does not bring is a hole until it is subscribed to: the feed has only what is subscribed to', async () => {
  const { id } = await platform.subscribe(ADDRESS, ['appointment.created']);
  await careForEndpoint(parts);
  expect(await store.coverage.holes()).toMatchObject([{ cause: 'endpoint-narrow', toMs: undefined }]);
  await parts.endpoints.change(id, { enabledEvents: ['*'] });
  expect(await careForEndpoint(parts)).toBe('healthy');
  expect((await store.coverage.holes()).every((hole) => hole.toMs !== undefined)).toBe(true);
});

test('without an address of its own the worker still asks whether any endpoint feeds the feed', async () => {
  const nameless = { ...parts, url: undefined };
  expect(await careForEndpoint(nameless)).toBe('missing');
  expect((await store.coverage.holes()).length).toBe(1);
  await platform.subscribe('https://elsewhere.example/hook', ['*']);
  expect(await careForEndpoint(nameless)).toBe('healthy');
  expect(await codes()).toEqual([]);
});

test('an endpoint that failed is enabled again when asked, and its hole reaches back over the 72 hours of failing (case 11)', async () => {
  const failing = {
    id: 'e',
    url: ADDRESS,
    enabledEvents: ['*'],
    projectIds: null,
    status: 'disabled',
    disabledReason: 'failing',
    disabledAt: new Date(clock.now() - HOUR).toISOString(),
    updatedAt: new Date(clock.now() - HOUR).toISOString(),
  };
  const enabled: string[] = [];
  const endpoints = {
    ...parts.endpoints,
    list: async () => [failing],
    async change(id: string) {
      enabled.push(id);
      return { ...failing, status: 'enabled', disabledReason: null, disabledAt: null };
    },
  } as unknown as EndpointCareParts['endpoints'];
  expect(await careForEndpoint({ ...parts, endpoints, reenable: true })).toBe('healthy');
  expect(enabled).toEqual(['e']);
  const [hole] = await store.coverage.holes();
  expect(hole?.fromMs).toBeLessThanOrEqual(clock.now() - 73 * HOUR);
  expect(hole?.toMs).toBe(clock.now());
});

test.each(['endpoint-narrow', 'endpoint-unseen'] as const)(
  'an endpoint that failed while a hole was open already (%s): the hole reaches back over the 72 hours of failing (P1, case 11)',
  async (cause) => {
    const { id } = await platform.subscribe(ADDRESS, eventTypesFor(['appointment', 'contact']));
    await careForEndpoint(parts);
    clock.advance(HOUR);
    if (cause === 'endpoint-narrow') {
      await parts.endpoints.change(id, { enabledEvents: ['contact.created'] });
      await careForEndpoint(parts);
    } else {
      const failure = new RetryableError('platform-unavailable', 'the platform failed with 503');
      await endpointUnseen(parts, failure, async () => undefined);
    }
    const [narrow] = await store.coverage.holes();
    expect(narrow).toMatchObject({ cause, toMs: undefined });
    clock.advance(HOUR);
    const disabledAtMs = clock.now();
    const [shown] = await parts.endpoints.list();
    const failing = {
      ...{ ...shown, status: 'disabled', disabledReason: 'failing' },
      disabledAt: new Date(disabledAtMs).toISOString(),
    };
    const endpoints = {
      ...parts.endpoints,
      list: async () => [failing],
    } as unknown as EndpointCareParts['endpoints'];
    expect(await careForEndpoint({ ...parts, endpoints })).toBe('disabled');
    const fromMs = disabledAtMs - 72 * HOUR;
    expect(await store.coverage.holes()).toEqual([{ ...narrow, fromMs }]);
    // What is found later never makes it smaller.
    await parts.endpoints.change(id, { enabledEvents: ['contact.created'] });
    expect(await careForEndpoint(parts)).toBe('narrow');
    expect(await store.coverage.holes()).toEqual([{ ...narrow, fromMs }]);
  },
);

test('an endpoint that the key may not enable again is told as what it is, and the feed is walked meanwhile (case 11)', async () => {
  const { id } = await platform.subscribe(ADDRESS, ['*']);
  await careForEndpoint(parts);
  clock.advance(HOUR);
  platform.dashboard.disableEndpoint(id);
  // Rights are held against all events of the endpoint, also when only its status is changed.
  const key = platform.sandbox.createKey({
    scopes: ['appointments:read', 'contacts:read', 'webhooks:manage'],
  });
  const narrow = platform.client(key).endpoints;
  const endpoints: Partial<EndpointCareParts['endpoints']> = {
    list: async () => (await parts.endpoints.list()).map((each) => ({ ...each, disabledReason: 'failing' })),
    change: (...asked) => narrow.change(...asked),
  };
  const refused = { ...parts, endpoints: endpoints as EndpointCareParts['endpoints'] };
  expect(await careForEndpoint({ ...refused, reenable: true })).toBe('disabled');
  const [problem] = await store.problems.list();
  expect(problem).toMatchObject({
    code: 'endpoint-disabled',
    message: expect.stringContaining('forbidden'),
    advice: expect.stringContaining('webhooks:manage'),
  });
  expect(await store.coverage.holes()).toMatchObject([{ cause: 'endpoint-disabled', toMs: undefined }]);
});

test('an endpoint that was narrowed to other projects is told, and what it does not bring is a hole', async () => {
  const other = platform.dashboard.createProject({ name: 'Elsewhere' });
  await platform.subscribe(ADDRESS);
  expect(await careForEndpoint(parts)).toBe('healthy');
  const healthyAt = clock.now();
  clock.advance(HOUR);
  await narrowTo([other]);
  clock.advance(HOUR);
  expect(await careForEndpoint(parts)).toBe('narrow');
  const [problem] = await store.problems.list();
  expect(problem).toMatchObject({
    code: 'endpoint-narrow',
    message: expect.stringContaining(platform.projectId),
  });
  const [hole] = await store.coverage.holes();
  expect(hole).toMatchObject({ cause: 'endpoint-narrow', toMs: undefined });
  expect(hole?.fromMs).toBeLessThanOrEqual(healthyAt);
  clock.advance(HOUR);
  await narrowTo([other, platform.projectId]);
  expect(await careForEndpoint(parts)).toBe('healthy');
  expect(await codes()).toEqual([]);
  expect(await store.coverage.holes()).toMatchObject([
    { cause: 'endpoint-narrow', fromMs: hole?.fromMs, toMs: clock.now() },
  ]);
});

test('an endpoint for other projects beside ours is subscribed to enough', async () => {
  const other = platform.dashboard.createProject({ name: 'Elsewhere' });
  await platform.subscribe(ADDRESS);
  await narrowTo([other, platform.projectId]);
  expect(await careForEndpoint(parts)).toBe('healthy');
});

test('with reenable, projects and events that were taken from it are subscribed to again', async () => {
  const other = platform.dashboard.createProject({ name: 'Elsewhere' });
  const { id } = await platform.subscribe(ADDRESS);
  await careForEndpoint(parts);
  await narrowTo([other]);
  await parts.endpoints.change(id, { enabledEvents: ['contact.created'] });
  clock.advance(HOUR);
  expect(await careForEndpoint({ ...parts, reenable: true })).toBe('healthy');
  const [endpoint] = await parts.endpoints.list();
  expect([...(endpoint?.projectIds ?? [])].sort()).toEqual([other, platform.projectId].sort());
  expect(endpoint?.enabledEvents).toEqual(expect.arrayContaining([...eventTypesFor(parts.kinds)]));
  expect(await codes()).toEqual([]);
  expect(await store.coverage.holes()).toMatchObject([{ cause: 'endpoint-narrow', toMs: clock.now() }]);
  // Its own change is none that somebody else has made.
  clock.advance(HOUR);
  expect(await careForEndpoint({ ...parts, reenable: true })).toBe('healthy');
  expect((await store.coverage.holes()).length).toBe(1);
});

test('a hole begins when the endpoint was last seen healthy, not when somebody looked', async () => {
  const { id } = await platform.subscribe(ADDRESS);
  await careForEndpoint(parts);
  clock.advance(HOUR);
  await careForEndpoint(parts);
  const healthyAt = clock.now();
  clock.advance(20 * HOUR);
  await parts.endpoints.change(id, { enabledEvents: ['contact.created'] });
  clock.advance(20 * HOUR);
  await careForEndpoint(parts);
  const [hole] = await store.coverage.holes();
  expect(hole?.fromMs).toBeLessThanOrEqual(healthyAt);
  expect(hole?.fromMs).toBeGreaterThan(healthyAt - HOUR);
});

test('off, on and off again between two looks: the hole reaches back over both', async () => {
  const { id } = await platform.subscribe(ADDRESS);
  await careForEndpoint(parts);
  const healthyAt = clock.now();
  clock.advance(HOUR);
  platform.dashboard.disableEndpoint(id);
  clock.advance(HOUR);
  platform.dashboard.enableEndpoint(id);
  clock.advance(48 * HOUR);
  platform.dashboard.disableEndpoint(id);
  clock.advance(HOUR);
  await careForEndpoint(parts);
  expect((await store.coverage.holes())[0]?.fromMs).toBeLessThanOrEqual(healthyAt);
});

test('when nothing is remembered of the endpoint, the worst is assumed: the hole has no beginning', async () => {
  const { id } = await platform.subscribe(ADDRESS);
  await careForEndpoint(parts);
  await parts.endpoints.change(id, { enabledEvents: ['contact.created'] });
  await store.memory.forget('endpoint-healthy-at');
  await store.memory.forget('endpoint-updated-at');
  expect(await careForEndpoint(parts)).toBe('narrow');
  expect((await store.coverage.holes()).map(({ fromMs }) => fromMs)).toEqual([undefined]);
});

test('every kind brings its event types, none twice', () => {
  expect(eventTypesFor(['lead'])).toEqual(['lead.created', 'lead.updated']);
  const types = eventTypesFor(['conversation', 'message']);
  expect(types).toEqual([...new Set(types)]);
  // The count and the last moment of a conversation move with its messages alone.
  expect(eventTypesFor(['conversation'])).toContain('message.created');
});

test('an endpoint that cannot be looked at for a moment is waited for; after ten minutes its time is a hole until it is seen again', async () => {
  await platform.subscribe(ADDRESS, eventTypesFor(['appointment', 'contact']));
  await careForEndpoint(parts);
  const healthyMs = clock.now();
  const failure = new RetryableError('platform-unavailable', 'the platform failed with 503');
  clock.advance(60_000);
  const feed = () => platform.client().reader.eventPage({ limit: 1 });
  await expect(endpointUnseen(parts, failure, feed)).rejects.toBe(failure);
  clock.advance(600_000);
  // Where the feed does not answer either, nothing is taken for covered, and there is nothing to tell.
  const away = new RetryableError('platform-unreachable', 'nobody answers');
  await expect(endpointUnseen(parts, failure, () => Promise.reject(away))).rejects.toBe(away);
  expect(await store.coverage.holes()).toEqual([]);
  await endpointUnseen(parts, failure, feed);
  const [hole] = await store.coverage.holes();
  expect(hole).toMatchObject({ cause: 'endpoint-unseen', toMs: undefined });
  expect(hole?.fromMs).toBeLessThan(healthyMs);
  expect(await codes()).toEqual(['endpoint-unseen']);
  await careForEndpoint(parts);
  expect(await store.coverage.holes()).toMatchObject([{ cause: 'endpoint-unseen', toMs: clock.now() }]);
  expect(await codes()).toEqual([]);
});

test('an endpoint that was seen by a clock that was hours ahead is not taken for seen now', async () => {
  await platform.subscribe(ADDRESS, eventTypesFor(['appointment', 'contact']));
  await careForEndpoint(parts);
  expect(await isProvedSince(parts, clock.now() - 5_000)).toBe(true);
  const earlier = { now: () => clock.now() - 3 * HOUR };
  expect(await isProvedSince({ ...parts, clock: earlier }, earlier.now() - 5_000)).toBe(false);
});

test('an endpoint is seen as it was when it was asked about, not when the answer came', async () => {
  await platform.subscribe(ADDRESS, eventTypesFor(['appointment', 'contact']));
  const askedAtMs = clock.now();
  const slow: Partial<EndpointCareParts['endpoints']> = {
    async list() {
      const listed = await parts.endpoints.list();
      clock.advance(60_000);
      return listed;
    },
  };
  await careForEndpoint({ ...parts, endpoints: slow as EndpointCareParts['endpoints'] });
  expect(await isProvedSince(parts, askedAtMs)).toBe(true);
  expect(await isProvedSince(parts, askedAtMs + 1)).toBe(false);
});

test.each(['before', 'after'])(
  'P8: a disabled endpoint with the same address does not hide one that works (created %s it)',
  async (order) => {
    const off = async () => platform.dashboard.disableEndpoint((await platform.subscribe(ADDRESS)).id);
    if (order === 'before') await off();
    await platform.subscribe(ADDRESS);
    if (order === 'after') await off();
    expect(await careForEndpoint(parts)).toBe('healthy');
    expect(await codes()).toEqual([]);
    expect(await store.coverage.holes()).toEqual([]);
  },
);

/** Two endpoints with the worker's address, one for each of two projects. */
async function split() {
  const other = platform.dashboard.createProject({ name: 'Elsewhere' });
  const [ours, theirs] = [await platform.subscribe(ADDRESS), await platform.subscribe(ADDRESS)];
  await parts.endpoints.change(ours.id, { projectIds: [platform.projectId] });
  await parts.endpoints.change(theirs.id, { projectIds: [other] });
  parts = { ...parts, projects: () => [platform.projectId, other], reenable: true };
  return { ours, theirs, other };
}

test('P8: endpoints that together deliver everything suffice, and none is subscribed to what another delivers', async () => {
  const { other } = await split();
  expect(await careForEndpoint(parts)).toBe('healthy');
  const projects = (await parts.endpoints.list()).map(({ projectIds }) => projectIds);
  expect(projects).toEqual(expect.arrayContaining([[platform.projectId], [other]]));
  expect(await codes()).toEqual([]);
  expect(await store.coverage.holes()).toEqual([]);
});

test('P8: an event type that one of them does not deliver for its project is lacking, even if another delivers it for its own', async () => {
  const { theirs } = await split();
  const types = eventTypesFor(parts.kinds).filter((type) => type !== 'contact.deleted');
  await parts.endpoints.change(theirs.id, { enabledEvents: types });
  expect(await careForEndpoint({ ...parts, reenable: false })).toBe('narrow');
  expect(await store.coverage.holes()).toMatchObject([{ cause: 'endpoint-narrow', toMs: undefined }]);
  expect(await careForEndpoint(parts)).toBe('healthy');
  expect(await codes()).toEqual([]);
});

test.each(['ours', 'theirs'] as const)(
  'P8: one of them that was disabled and enabled again between two checks leaves a hole (%s)',
  async (which) => {
    const both = await split();
    expect(await careForEndpoint(parts)).toBe('healthy');
    clock.advance(HOUR);
    platform.dashboard.disableEndpoint(both[which].id);
    clock.advance(HOUR);
    platform.dashboard.enableEndpoint(both[which].id);
    clock.advance(HOUR);
    expect(await careForEndpoint(parts)).toBe('healthy');
    expect(await store.coverage.holes()).toMatchObject([{ cause: 'endpoint-changed', toMs: clock.now() }]);
  },
);

test('a failed one is enabled again, and the other is not subscribed to its projects', async () => {
  const { ours, theirs, other } = await split();
  await careForEndpoint(parts);
  clock.advance(HOUR);
  platform.dashboard.disableEndpoint(theirs.id);
  const endpoints: Partial<EndpointCareParts['endpoints']> = {
    list: async () =>
      (await parts.endpoints.list()).map((each) =>
        each.status === 'enabled' ? each : { ...each, disabledReason: 'failing' },
      ),
    change: (...asked) => parts.endpoints.change(...asked),
  };
  const failing = { ...parts, endpoints: endpoints as EndpointCareParts['endpoints'] };
  expect(await careForEndpoint({ ...failing, reenable: false })).toBe('disabled');
  expect(await careForEndpoint(failing)).toBe('healthy');
  const listed = new Map((await parts.endpoints.list()).map((each) => [each.id, each]));
  expect(listed.get(theirs.id)).toMatchObject({ status: 'enabled', projectIds: [other] });
  expect(listed.get(ours.id)?.projectIds).toEqual([platform.projectId]);
});
