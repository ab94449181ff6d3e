import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { SandboxClock } from '../../src/sandbox/clock.ts';
import { careForEndpoint, type EndpointCareParts, eventTypesFor } from '../../src/upkeep/endpoint-care.ts';
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
    reenable: false,
    clock,
    log: SILENT_LOG,
  };
});
afterEach(async () => {
  store.close();
  await platform.close();
});

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
  } as EndpointCareParts['endpoints'];
  expect(await careForEndpoint({ ...parts, endpoints, reenable: true })).toBe('healthy');
  expect(enabled).toEqual(['e']);
  const [hole] = await store.coverage.holes();
  expect(hole?.fromMs).toBeLessThanOrEqual(clock.now() - 73 * HOUR);
  expect(hole?.toMs).toBe(clock.now());
});

test('every kind brings its event types, none twice', () => {
  expect(eventTypesFor(['lead'])).toEqual(['lead.created', 'lead.updated']);
  const types = eventTypesFor(['conversation', 'message']);
  expect(types).toEqual([...new Set(types)]);
  // The count and the last moment of a conversation move with its messages alone.
  expect(eventTypesFor(['conversation'])).toContain('message.created');
});
