import { expect, type TestContext, test, vi } from 'vitest';
import { CalendarCursors } from '../../src/calendar/stores.ts';
import { type HistoryEntry, readEntry } from '../../src/engine/history.ts';
import { appointmentOfEvent } from '../../src/engine/ids.ts';
import { keySpace } from '../../src/engine/key-space.ts';
import { openRedis } from '../../src/engine/redis-client.ts';
import type { Config } from '../../src/mapping/config.ts';
import { startWorker } from '../../src/worker/worker.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { SILENT_LOG } from '../stand/store.ts';
import { ANNA, BORIS, ROOM, startWorld } from '../stand/world.ts';

/** Worlds of their own, which mostly wait: three stand beside each other. */
async function begin({ onTestFinished }: TestContext) {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const { redis: server, google } = world;

  /** A second worker at the same public address stands behind the first one, at a port of its own. */
  const start = async (watch: Partial<Config['google']['watch']>, behind?: number) => {
    const port = behind ?? (await world.door());
    if (behind === undefined) await world.subscribe(port);
    const config = world.config(port);
    const worker = await startWorker({
      config: {
        ...config,
        google: { ...config.google, watch: { ...config.google.watch, settleMs: 200, ...watch } },
        http: { ...config.http, port: 0 },
      },
      version: 'test',
      clock: { now: Date.now },
      log: SILENT_LOG,
    });
    onTestFinished(() => worker.stop());
    if (behind === undefined) world.leadDoor(port, worker.url);
    return { ...worker, port };
  };
  const open = () => {
    const redis = openRedis(server.url, 'commands');
    onTestFinished(() => redis.disconnect());
    const keys = keySpace('slotbridge');
    return { redis, keys, cursors: new CalendarCursors({ redis, keys }) };
  };
  const lists = () => google.stats().callsByMethod['events.list'] ?? 0;
  const history = async (appointmentId: string): Promise<readonly HistoryEntry[]> => {
    const { redis, keys } = open();
    const texts = await redis.lrange(keys.history(`appointment/${appointmentId}`), 0, -1);
    return texts.map(readEntry);
  };
  const noticed = async (id: string) =>
    (await history(id)).filter((entry) => entry.what === 'seen' && entry.via === 'calendar').length;
  return { world, start, open, lists, noticed };
}

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: PATIENCE_MS, interval: 50 });

test.concurrent('a change in a calendar reaches its appointment by a ping, and our own writes reach nobody (case 39)', async (context) => {
  const { world, start, open, noticed } = await begin(context);
  const worker = await start({ push: true, everyMs: 3_600_000 });
  await until(async () => expect(world.google.channels()).toHaveLength(3));
  const id = world.book();
  await until(async () => expect(world.events(ANNA)).toHaveLength(1));
  await world.untilIdle(worker.url);
  const { cursors } = open();
  const written = Date.now();
  world.google.staff.calendar.add({
    calendarId: ANNA,
    event: { start: { date: '2026-12-24' }, end: { date: '2026-12-25' } },
  });
  await until(async () =>
    expect((await cursors.read(ANNA)).coveredUntilMs ?? 0).toBeGreaterThanOrEqual(written),
  );
  // The ping of our own insert has been answered by a list, which told nothing new.
  expect(await noticed(id)).toBe(0);
  const eventId = String(
    world.events(ANNA).find((event) => appointmentOfEvent(String(event['id'])) === id)?.['id'],
  );
  world.google.staff.calendar.retitle({ calendarId: ANNA, eventId, summary: 'Other' });
  await until(async () => expect(await noticed(id)).toBe(1));
});

atLength.test.concurrent(
  'with every ping lost the poll finds it, and the status says up to when each calendar was read (case 69)',
  async (context) => {
    const { world, start, noticed } = await begin(context);
    world.google.pings.loseShare = 1;
    const worker = await start({ push: true, everyMs: 1_000 });
    const id = world.book();
    await until(async () => expect(world.events(ANNA)).toHaveLength(1));
    const eventId = String(world.events(ANNA)[0]?.['id']);
    await world.untilIdle(worker.url);
    world.google.staff.calendar.retitle({ calendarId: ANNA, eventId, summary: 'Other' });
    await until(async () => expect(await noticed(id)).toBe(1));
    const { coverage } = await world.status(worker.url);
    expect(coverage.calendars.map((each) => [each.calendar, each.fresh])).toEqual([
      [ANNA, true],
      [BORIS, true],
      [ROOM, true],
    ]);
    const metrics = await (await fetch(`${worker.url}/metrics`)).text();
    expect(metrics).toMatch(/^slotbridge_calendar_coverage_age_seconds \d/m);
    expect(metrics).not.toContain('clinic.example');
  },
);

atLength.test.concurrent(
  'a restart goes on from the tokens and with the channels it had: nothing is listed anew',
  async (context) => {
    const { world, start, open } = await begin(context);
    const first = await start({ push: true, everyMs: 1_000 });
    const { cursors } = open();
    await until(async () => {
      for (const id of [ANNA, BORIS, ROOM]) expect((await cursors.read(id)).listedAtMs).toBeDefined();
      expect(world.google.channels()).toHaveLength(3);
    });
    await first.stop();
    const before = await cursors.read(ANNA);
    expect(world.google.channels()).toHaveLength(3);
    await start({ push: false, everyMs: 1_000 });
    await until(async () => {
      expect((await cursors.read(ANNA)).coveredUntilMs).toBeGreaterThan(before.coveredUntilMs ?? 0);
      expect(world.google.channels()).toEqual([]);
    });
    expect((await cursors.read(ANNA)).listedAtMs).toBe(before.listedAtMs);
  },
);

atLength.test.concurrent('two workers read each calendar in turn (case 71)', async (context) => {
  const { start, open, lists } = await begin(context);
  const first = await start({ push: false, everyMs: 2_000 });
  await start({ push: false, everyMs: 2_000 }, first.port);
  const { cursors } = open();
  const covered = async () => (await cursors.read(ROOM)).coveredUntilMs ?? 0;
  await until(async () => expect(await covered()).toBeGreaterThan(0));
  const [before, fromMs] = [lists(), await covered()];
  await until(async () => expect(await covered()).toBeGreaterThan(fromMs + 10_000));
  // By what the cursor says, not by a clock of ours: each worker alone would need as many calls again.
  const rounds = Math.ceil(((await covered()) - fromMs) / 2_000) + 1;
  expect(lists() - before).toBeLessThanOrEqual(3 * rounds);
});

atLength.test.concurrent('two workers keep one channel for each calendar (case 71)', async (context) => {
  const { world, start } = await begin(context);
  const first = await start({ push: true, everyMs: 2_000 });
  await world.untilIdle(first.url);
  const second = await start({ push: true, everyMs: 2_000 }, first.port);
  await world.untilIdle(second.url);
  expect(world.google.channels()).toHaveLength(3);
});
