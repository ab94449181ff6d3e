import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import { ZONES_VERSION } from '../../src/engine/zone-rules.ts';
import { createStatusSource, formatStatus } from '../../src/operate/status.ts';
import { StatusStores } from '../doubles/status-stores.ts';
import { double } from '../stand/double.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore } from '../stand/store.ts';

const OPEN_WALK = {
  startedAtMs: 0,
  top: [],
  topAtMs: undefined,
  position: 'evt_1',
  metAnchor: false,
  pages: 1,
};
const HOLE = {
  id: 'feed-1',
  source: 'feed',
  fromMs: undefined,
  toMs: Date.parse('2026-11-21T10:00:00Z'),
  cause: 'first-start',
  foundAtMs: Date.parse('2026-11-21T10:00:01Z'),
} as const;

async function readFrom(change: (stores: StatusStores) => void) {
  const stores = new StatusStores();
  change(stores);
  return createStatusSource(stores.parts()).read();
}

describe('the report', () => {
  test('is plain JSON with ISO times and whole seconds', async () => {
    const report = await readFrom((stores) => {
      stores.pending = { objects: 2, oldestSinceMs: stores.clock.now() - 3_400 };
      stores.rows = [{ spreadsheetId: 'office', rows: 4 }];
      stores.inFlight = 1;
      stores.holes = [HOLE];
      stores.quarantined = 6;
      const reasons = [
        { mirror: 'staff', code: 'resource-unmapped', message: 'no calendar', advice: 'Map it.' },
        { mirror: 'contacts', code: 'odd', message: 'odd', target: 'spreadsheet:x', requestId: 'req_1' },
      ];
      stores.letters = [{ key: 'appointment/1', atMs: 0, attempts: 8, reasons }];
      stores.problems = [
        {
          target: 'calendar:anna@clinic.example',
          code: 'calendar-not-shared',
          message: 'no',
          sinceMs: 0,
          lastAtMs: 1_000,
        },
      ];
      const pausedUntilMs = Date.parse('2026-11-21T14:04:00Z');
      const quota = {
        name: 'google-calendar:1',
        spent: 600,
        admitted: 420,
        limit: 600,
        pausedUntilMs,
        waiting: 7,
      };
      stores.quotas = [{ ...quota, reason: 'rateLimitExceeded' }];
    });
    expect(JSON.parse(JSON.stringify(report))).toEqual({
      version: '1.2.3',
      time_zones: { version: ZONES_VERSION, node_version: process.versions['tz'] ?? null, notices: [] },
      at: '2026-11-21T14:03:34.000Z',
      worker: 'running',
      started_at: '2026-11-21T08:00:12.000Z',
      configured_at: '2026-11-21T08:00:12.000Z',
      idle: false,
      not_idle_because: [
        '2 objects pending',
        '1 in flight',
        '4 sheet rows waiting to be written',
        '1 hole in the coverage',
      ],
      coverage: {
        feed: {
          covered_until: '2026-11-21T14:03:22.000Z',
          proved_at: '2026-11-21T14:03:22.000Z',
          proved_ago_s: 12,
          fresh: true,
          reading: 'proved',
          walk_open: false,
        },
        intake_sheets: [],
        calendars: [],
      },
      holes: [
        {
          id: 'feed-1',
          source: 'feed',
          from: null,
          to: '2026-11-21T10:00:00.000Z',
          cause: 'first-start',
          found_at: '2026-11-21T10:00:01.000Z',
        },
      ],
      pending: { objects: 2, oldest_age_s: 3, in_flight: 1, sheet_rows: 4 },
      dead_letters: {
        count: 1,
        by_code: { 'resource-unmapped': 1 },
        recent: [
          {
            key: 'appointment/1',
            at: '1970-01-01T00:00:00.000Z',
            attempts: 8,
            reasons: [
              { mirror: 'staff', code: 'resource-unmapped', message: 'no calendar', advice: 'Map it.' },
              { mirror: 'contacts', code: 'odd', message: 'odd', advice: null },
            ],
          },
        ],
      },
      quarantined: 6,
      quotas: [
        {
          name: 'google-calendar:1',
          target: null,
          spent: 600,
          admitted: 420,
          limit: 600,
          paused_until: '2026-11-21T14:04:00.000Z',
          reason: 'rateLimitExceeded',
          waiting: 7,
        },
      ],
      lag_s: { p50: null, p99: null, samples: 0 },
      problems: [
        {
          target: 'calendar:anna@clinic.example',
          code: 'calendar-not-shared',
          message: 'no',
          advice: null,
          since: '1970-01-01T00:00:00.000Z',
          last_at: '1970-01-01T00:00:01.000Z',
        },
      ],
    });
  });

  test('shows the newest 20 dead letters and counts all', async () => {
    const report = await readFrom((stores) => {
      stores.letters = Array.from({ length: 57 }, (_, at) => ({
        key: `contact/${at}`,
        atMs: 0,
        attempts: 8,
        reasons: [],
      }));
    });
    expect(report.dead_letters.count).toBe(57);
    expect(report.dead_letters.recent).toHaveLength(20);
  });

  test('tells the lag of the process that measured one', async () => {
    const lag = { p50: 0.4, p99: 1.2, samples: 10 };
    const report = await createStatusSource({ ...new StatusStores().parts(), lag: async () => lag }).read();
    expect(report.lag_s).toEqual(lag);
  });
});

describe('idle', () => {
  test('is true when nothing is pending, in flight or waiting and the coverage is fresh and whole', async () => {
    expect(await readFrom(() => undefined)).toMatchObject({ idle: true, not_idle_because: [] });
  });

  test.each<[string, (stores: StatusStores) => void]>([
    [
      'an object is pending',
      (stores) => {
        stores.pending = { objects: 1, oldestSinceMs: 0 };
      },
    ],
    [
      'something is in flight',
      (stores) => {
        stores.inFlight = 1;
      },
    ],
    [
      'a row waits for its sheet',
      (stores) => {
        stores.rows = [{ spreadsheetId: 'a', rows: 1 }];
      },
    ],
    [
      'a walk has not met its floor',
      (stores) => {
        stores.coverage = { ...stores.coverage, open: OPEN_WALK };
      },
    ],
    [
      'there is a hole',
      (stores) => {
        stores.holes = [HOLE];
      },
    ],
    [
      'a hole of another source',
      (stores) => {
        stores.holes = [{ ...HOLE, source: 'webhook-endpoint' }];
      },
    ],
    [
      'nothing was ever proved',
      (stores) => {
        stores.coverage = { ...stores.coverage, provedAtMs: undefined, coveredUntilMs: undefined };
      },
    ],
    ['the proof is too old', (stores) => stores.clock.advance(2 * 60_000 + 15_000 + 5_000 - 12_000 + 1)],
  ])('is false when %s, and says so in one sentence', async (_fact, change) => {
    const report = await readFrom(change);
    expect(report.idle).toBe(false);
    expect(report.not_idle_because).toHaveLength(1);
  });

  test('a proof is fresh for two rounds of the walk and 15 s beyond what an event takes to be formed, and not longer', async () => {
    const justSo = await readFrom((stores) => stores.clock.advance(2 * 60_000 + 15_000 + 5_000 - 12_000));
    expect(justSo).toMatchObject({ idle: true, coverage: { feed: { fresh: true, proved_ago_s: 140 } } });
  });

  test('a proof from a process whose clock runs ahead is fresh, not negative', async () => {
    const report = await readFrom((stores) => stores.clock.advance(-20_000));
    expect(report.coverage.feed).toMatchObject({ fresh: true, proved_ago_s: 0 });
  });

  test('dead letters and problems do not keep it from being idle: they wait for a person', async () => {
    const report = await readFrom((stores) => {
      stores.letters = [{ key: 'contact/1', atMs: 0, attempts: 8, reasons: [] }];
      stores.problems = [{ target: 'platform', code: 'x', message: 'x', sinceMs: 0, lastAtMs: 0 }];
    });
    expect(report).toMatchObject({ idle: true, dead_letters: { count: 1 } });
  });

  test('an object on its way from a hole through the queue to a sheet is never overlooked', async () => {
    const parts = new StatusStores().parts();
    // Every way in which it can move on between the reads without being done at the end of them.
    const moments = [0, 1, 2, 3, 4, 5, 6, 7];
    const ways = moments.flatMap((leavesHole) =>
      moments
        .filter((leavesQueue) => leavesQueue >= leavesHole)
        .map((leavesQueue) => ({ leavesHole, leavesQueue })),
    );
    for (const { leavesHole, leavesQueue } of ways) {
      let reads = 0;
      const isIn = (place: 'hole' | 'queue' | 'outbox'): boolean => {
        const now = reads;
        reads += 1;
        return place === (now < leavesHole ? 'hole' : now < leavesQueue ? 'queue' : 'outbox');
      };
      const report = await createStatusSource({
        ...parts,
        coverage: { ...parts.coverage, holes: async () => (isIn('hole') ? [HOLE] : []) },
        ledger: double({
          ...parts.ledger,
          pending: async () => ({ objects: isIn('queue') ? 1 : 0, oldestSinceMs: undefined }),
        }),
        outbox: { waiting: async () => (isIn('outbox') ? [{ spreadsheetId: 'a', rows: 1 }] : []) },
      }).read();
      expect(report.idle, `leaves the hole at ${leavesHole}, the queue at ${leavesQueue}`).toBe(false);
    }
  });

  test('a process that is not the worker sees no work in flight, and what is not settled is still pending', async () => {
    const report = await readFrom((stores) => {
      stores.inFlight = undefined;
    });
    expect(report).toMatchObject({ idle: true, pending: { in_flight: null } });
  });
});

describe('read from a real Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterAll(() => redis.stop());

  test('an object taken in is pending, one given up is a dead letter, and a finished walk is coverage', async () => {
    const store = openTestStore(redis.url);
    try {
      await store.ready();
      const source = createStatusSource({
        ...new StatusStores().parts(),
        ledger: store.ledger,
        coverage: store.coverage,
        outbox: store.outbox,
        problems: store.problems,
        clock: { now: Date.now },
      });
      expect(await source.read()).toMatchObject({
        idle: false,
        pending: { objects: 0 },
        coverage: { feed: { fresh: false } },
      });

      const nowMs = Date.now();
      const proof = { coveredUntilMs: nowMs - 5_000, provedAtMs: nowMs, anchors: [], anchorAtMs: nowMs };
      await store.leases.hold('feed-walk', (lease) => store.coverage.closeWalk('feed', proof, lease));
      expect(await source.read()).toMatchObject({ idle: true });

      const key = { kind: 'contact', id: 'c1' } as const;
      const seen = { as: 'snapshot', snapshot: { id: 'c1', updated_at: '2026-11-21T10:00:00Z' } } as const;
      await store.intake.observe({ key, source: 'feed', occurredAtMs: nowMs, seen });
      expect(await source.read()).toMatchObject({ idle: false, pending: { objects: 1, oldest_age_s: 0 } });

      const claim = await store.work.claim(key);
      if (claim === undefined) throw new Error('the object should be known');
      const reasons = [{ mirror: 'contacts', code: 'tab-missing', message: 'there is no such tab' }];
      await store.work.deadLetter(claim, { key: 'contact/c1', atMs: nowMs, attempts: 8, reasons });
      await store.problems.raise({ target: 'spreadsheet:x', code: 'not-shared', message: 'not shared' });
      expect(await source.read()).toMatchObject({
        idle: true,
        pending: { objects: 0, oldest_age_s: null },
        dead_letters: {
          count: 1,
          by_code: { 'tab-missing': 1 },
          recent: [{ key: 'contact/c1', reasons: [{ code: 'tab-missing', advice: null }] }],
        },
        problems: [{ target: 'spreadsheet:x', advice: null }],
      });
    } finally {
      store.close();
    }
  });

  test('a Redis that is gone is an error with advice, not an empty report', async () => {
    const gone = openTestStore('redis://127.0.0.1:1');
    try {
      const source = createStatusSource({
        ...new StatusStores().parts(),
        ledger: gone.ledger,
        coverage: gone.coverage,
      });
      await expect(source.read()).rejects.toThrow(RetryableError);
    } finally {
      gone.close();
    }
  });
});

test('an intake sheet says how far it was read and how old that is; one that stands still is called so (P8)', async () => {
  const stores = new StatusStores();
  const nowMs = stores.clock.now();
  const readAtMs: Readonly<Record<string, number>> = { session: nowMs - 40_000, phone: nowMs - 600_000 };
  const entries = ['session', 'phone', 'new'].map((name) => ({
    name,
    everyMs: 30_000,
    spreadsheetId: 'book',
  }));
  const report = await createStatusSource({
    ...stores.parts(),
    intakeSheets: { entries, readUntilMs: async (entry) => readAtMs[entry] },
  }).read();
  expect(report.coverage.intake_sheets).toMatchObject([
    {
      entry: 'session',
      proved_ago_s: 40,
      covered_until: new Date(nowMs - 40_000).toISOString(),
      fresh: true,
    },
    { entry: 'phone', proved_ago_s: 600, fresh: false },
    { entry: 'new', proved_ago_s: null, covered_until: null, fresh: false },
  ]);
  const text = formatStatus(report, { color: false });
  expect(text).toContain('3 entries of bookings, 2 not read recently');
  expect(text).toMatch(/phone: read up to .*, 10 min ago, which is too long/);
  expect(text).toContain('new: never read');
});

describe('a calendar in which nothing happens', () => {
  const MINUTE = 60_000;
  const quiet = (change: (stores: StatusStores) => void = () => undefined) =>
    readFrom((stores) => {
      const nowMs = stores.clock.now();
      stores.calendarIds = ['anna@clinic.example'];
      stores.calendarsReadAtMs = nowMs - 14 * MINUTE;
      stores.calendarCursor = { changedAtMs: nowMs - 60 * MINUTE, pingedAtMs: nowMs - 60 * MINUTE };
      stores.channels = [
        {
          ...{ id: 'c', token: 't', resourceId: 'r', calendarId: 'anna@clinic.example' },
          address: 'https://worker.example/webhooks/google',
          ...{ requestedAtMs: nowMs - 120 * MINUTE, expiresAtMs: nowMs + 120 * MINUTE },
        },
      ];
      change(stores);
    });

  test('is read every 15 minutes while its pings arrive, and that is no problem', async () => {
    const report = await quiet();
    expect(report.coverage.calendars[0]).toMatchObject({
      ...{ read_every_s: 900, pinged: true, fresh: true, reading: 'proved' },
    });
    const text = formatStatus(report, { color: false });
    expect(text.split('\n')[0]).toMatch(/^all mirrored/);
    expect(text).toContain('polled every 15 min, pings arrive for 1');
  });

  test('is stale when it is read as seldom although no ping arrives', async () => {
    const report = await quiet((stores) => {
      stores.channels = [];
    });
    expect(report.coverage.calendars[0]).toMatchObject({ read_every_s: 60, pinged: false, fresh: false });
    expect(formatStatus(report, { color: false }).split('\n')[0]).toContain('1 calendar not being read');
  });
});
