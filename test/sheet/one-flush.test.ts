// One flush of a spreadsheet at a time across all processes, and not more often than the setting says (cases 61, 67, 71).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Leases } from '../../src/engine/leases.ts';
import type { UnkeptRows } from '../../src/engine/sheet-rows.ts';
import { createSheetFlusher, flushHandler } from '../../src/sheet/flush.ts';
import { RememberedTabs } from '../../src/sheet/tab-survey.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { WORKER_DEFAULTS } from '../stand/defaults.ts';
import { double } from '../stand/double.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore, SILENT_LOG, type TestStore } from '../stand/store.ts';
import { BOOK, CONTACTS, contact, line, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone'];
const ATTEMPT = { number: 1, isLast: false };
const FLUSH_EVERY_MS = 2_000;
const SLOW_MS = 400;

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

describe('two processes over one spreadsheet', () => {
  let stand: Stand;
  let stores: TestStore[];
  beforeEach(async () => {
    stand = await startStand();
    const prefix = `one-flush-${Date.now()}`;
    stores = [0, 1].map(() => openTestStore(redis.url, { prefix }));
    await Promise.all(stores.map((store) => store.ready()));
  });
  afterEach(async () => {
    for (const store of stores) store.close();
    await stand.close();
  });

  /** A process: its own connection to Redis, its own flusher; the outbox is the one that both share. */
  function handlerOf(store: TestStore | undefined) {
    const { api, outbox, unkept, problems, log, meter } = stand;
    const clock = { now: () => Date.now() };
    const parts = {
      api,
      outbox,
      unkept: double<UnkeptRows>(unkept),
      problems,
      log,
      meter,
      clock,
      tabs: new RememberedTabs(new MapMemory()),
      mirrors: [CONTACTS],
    };
    return flushHandler({
      ...WORKER_DEFAULTS,
      flushEveryMs: FLUSH_EVERY_MS,
      leases: store?.leases as Leases,
      flusher: createSheetFlusher(parts),
      ...{ clock, log: SILENT_LOG, stopping: new AbortController().signal },
    });
  }

  it('write a new row once: the second waits while the first is at it, however slow Google is', async () => {
    const [first, second] = stores.map(handlerOf);
    stand.put(contact(1), contact(2));
    stand.sandbox.faults.add({ path: /:batchUpdate/, times: 2, fault: { kind: 'delay', ms: SLOW_MS } });
    const answers = await Promise.all([first?.(BOOK, ATTEMPT), second?.(BOOK, ATTEMPT)]);
    expect(stand.values()).toEqual([HEADER, line(1), line(2)]);
    expect(stand.sandbox.stats().callsByMethod['spreadsheets.batchUpdate']).toBe(1);
    expect(answers.filter((answer) => answer?.next === 'done')).toHaveLength(1);
    expect(answers.filter((answer) => answer?.next === 'defer')).toHaveLength(1);
  });

  it('write a row once even without the lease, and what has come twice is taken back or told of', async () => {
    stand.put(contact(1));
    await stand.flush();
    stand.put(contact(2), contact(3));
    const other = createSheetFlusher({
      ...{
        api: stand.api,
        outbox: stand.outbox,
        unkept: double(stand.unkept),
        problems: stand.problems,
        log: stand.log,
      },
      ...{
        meter: stand.meter,
        clock: { now: () => Date.now() },
        tabs: new RememberedTabs(new MapMemory()),
        mirrors: [CONTACTS],
      },
    });
    stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'delay', ms: SLOW_MS } });
    await Promise.allSettled([stand.flush(), other.flush(BOOK, new AbortController())]);
    stand.put(contact(2, 'New 2'), contact(3, 'New 3'));
    await stand.flushAll();
    const rows = stand.values().filter((cells) => cells.some((cell) => cell !== ''));
    const newest = [line(2, 'New 2'), line(3, 'New 3')];
    expect(rows).toEqual(expect.arrayContaining([HEADER, line(1), ...newest]));
    const doubled = rows.length > 4;
    expect(stand.problems.codes()).toEqual(
      doubled ? { [`spreadsheet:${BOOK}/Contacts`]: 'duplicate-key' } : {},
    );
  });
});

it('fifty changes a second for a minute cost at most sixty writes: a flush every two seconds takes them all', async () => {
  const clock = new HandClock(Date.parse('2026-05-04T08:00:00Z'));
  let flushes = 0;
  let waiting = 0;
  const handle = flushHandler({
    ...WORKER_DEFAULTS,
    flushEveryMs: FLUSH_EVERY_MS,
    leases: {
      hold: async (_: string, work: (lease: object) => unknown) => ({
        result: await work({ signal: new AbortController().signal }),
      }),
    } as unknown as Leases,
    flusher: double({
      flush: async () => {
        flushes += 1;
        const written = waiting;
        waiting = 0;
        return { written, remaining: 0 };
      },
    }),
    ...{ clock, log: SILENT_LOG, stopping: new AbortController().signal },
  });
  let deferredToMs = 0;
  for (let change = 0; change < 50 * 60; change += 1) {
    clock.advance(20);
    waiting += 1;
    // The queue holds one job of a spreadsheet: while it is put off, further wakes are the same job.
    if (clock.now() < deferredToMs) continue;
    const answer = await handle(BOOK, ATTEMPT);
    if (answer.next === 'defer') deferredToMs = clock.now() + answer.afterMs;
  }
  expect(flushes).toBeGreaterThan(25);
  expect(flushes).toBeLessThanOrEqual(31);
  expect(waiting).toBeLessThanOrEqual(100);
});
