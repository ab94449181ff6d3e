import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { calendarWatchLoops, PING_PATH } from '../../../src/calendar/calendar-watch.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { NO_METER, openTestStore, SILENT_LOG, type TestStore } from '../../stand/store.ts';

const ANNA = 'anna@clinic.example';
const BORIS = 'boris@clinic.example';
const CARLA = 'carla@branch.example';

let redis: TestRedis;
let store: TestStore;
let app: FastifyInstance;
let stopped: string[];
/** The calendar whose account was used to stop the last channel. */
let by: string | undefined;

beforeEach(async () => {
  redis = await startTestRedis();
  store = openTestStore(redis.url);
  await store.ready();
  stopped = [];
  const unused = undefined as never;
  const { plugin } = calendarWatchLoops({
    ...{ watch: unused, poller: unused, channels: unused, isCurrent: unused, pollEveryMs: 60_000, ears: [] },
    calendars: [ANNA, BORIS, CARLA],
    accountOf: (target) => (target === `calendar:${CARLA}` ? 'branch' : undefined),
    ...{ cursors: store.calendars, channelStore: store.channels, leases: store.leases },
    ...{ clock: { now: Date.now }, log: SILENT_LOG, meter: NO_METER },
    api: {
      async stop(calendarId, { id }) {
        by = calendarId;
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

const ping = async (id: string, uri?: string) => {
  const headers = {
    ...{ 'x-goog-channel-id': id, 'x-goog-resource-id': 'r', 'x-goog-channel-token': 't' },
    ...(uri !== undefined && { 'x-goog-resource-uri': uri }),
  };
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

test.each([
  [
    'a watched calendar',
    `https://www.googleapis.com/calendar/v3/calendars/${encodeURIComponent(BORIS)}/events?alt=json`,
    BORIS,
  ],
  ['it in capitals', 'https://www.googleapis.com/calendar/v3/calendars/Boris@Clinic.Example/events', BORIS],
  [
    'a calendar of somebody else',
    'https://www.googleapis.com/calendar/v3/calendars/eve%40evil.example/events',
    ANNA,
  ],
  ['no calendar', 'https://www.googleapis.com/calendar/v3/calendars/%zz/events', ANNA],
  ['nothing', undefined, ANNA],
])(
  'P9: if a ping of an unknown channel names %s, the account of a watched calendar stops the channel',
  async (_, uri, expected) => {
    await ping('left-behind', uri);
    expect(stopped).toEqual(['left-behind']);
    expect(by).toBe(expected);
  },
);

test('P9: an unknown channel of a calendar that is no longer mapped is stopped, whichever account opened it', async () => {
  let nowMs = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const tried: (string | undefined)[] = [];
  for (let nth = 0; nth < 4; nth += 1) {
    await ping(
      'left-behind',
      'https://www.googleapis.com/calendar/v3/calendars/gone%40clinic.example/events',
    );
    tried.push(by);
    nowMs += 10_000;
  }
  expect(tried).toEqual([ANNA, CARLA, ANNA, CARLA]);
});
