import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PING_PATH } from '../../../src/sources/calendar/ping-route.ts';
import { calendarWatchLoops } from '../../../src/sources/calendar/watch-loops.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { NO_METER, openTestStore, SILENT_LOG, type TestStore } from '../../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
let app: FastifyInstance;
let stopped: string[];

beforeEach(async () => {
  redis = await startTestRedis();
  store = openTestStore(redis.url);
  await store.ready();
  stopped = [];
  const unused = undefined as never;
  const { plugin } = calendarWatchLoops({
    ...{ watch: unused, poller: unused, channels: unused, isCurrent: unused, pollEveryMs: 60_000 },
    ...{ cursors: store.calendars, channelStore: store.channels, leases: store.leases },
    ...{ clock: { now: Date.now }, log: SILENT_LOG, meter: NO_METER },
    api: {
      async stop(_, { id }) {
        stopped.push(id);
        return 'absent';
      },
    },
  });
  app = Fastify();
  await app.register(plugin);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await app.close();
  store.close();
  await redis.stop();
});

const ping = async (id: string) => {
  const headers = { 'x-goog-channel-id': id, 'x-goog-resource-id': 'r', 'x-goog-channel-token': 't' };
  const { statusCode } = await app.inject({ method: 'POST', url: PING_PATH, headers });
  expect(statusCode).toBe(204);
};

test('P9: however many channels strangers make up, Google is asked to stop one every ten seconds', async () => {
  let nowMs = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  for (let nth = 0; nth < 20; nth += 1) await ping(`made-up-${nth}`);
  expect(stopped).toEqual(['made-up-0']);
  nowMs += 9_999;
  await ping('too-soon');
  nowMs += 1;
  await ping('later');
  expect(stopped).toEqual(['made-up-0', 'later']);
});
