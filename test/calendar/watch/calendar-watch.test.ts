import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { CalendarWatch, type CalendarWatchParts } from '../../../src/calendar/calendar-watch.ts';
import { DeferredError, RetryableError } from '../../../src/engine/errors.ts';
import type { QuotaLedger } from '../../../src/engine/quotas.ts';
import { double } from '../../stand/double.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { ANNA, BORIS, openStand, type WatchStand } from './stand.ts';

/** A ping that no sync has answered yet. */
const UNANSWERED = Number.POSITIVE_INFINITY;

let redis: TestRedis;
let stand: WatchStand;
let stopping: AbortController;
let running: Promise<void>[];
let waits: Parameters<QuotaLedger['waits']>[];
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  stand = await openStand(redis.url);
  stopping = new AbortController();
  running = [];
  waits = [];
});
afterEach(async () => {
  stopping.abort();
  await Promise.all(running);
  await stand.close();
});

function open(over: Partial<CalendarWatchParts> = {}): CalendarWatch {
  const watch = new CalendarWatch({
    ...stand.parts,
    leases: stand.store.leases,
    calendars: [ANNA, BORIS],
    settleMs: 300,
    isCurrent: async () => true,
    quotas: { waits: async (...wait) => void waits.push(wait) },
    ...over,
  });
  running.push(watch.run(stopping.signal));
  return watch;
}

const lists = () => stand.calls()['events.list'] ?? 0;
const proved = async (calendarId = ANNA) => (await stand.store.calendars.read(calendarId)).provedAtMs ?? 0;
const covered = async () => (await stand.store.calendars.read(ANNA)).coveredUntilMs ?? 0;
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: PATIENCE_MS, interval: 20 });

test('a storm of pings costs one list in the settling time, and one more for what came during it (case 32)', async () => {
  await stand.sync();
  const before = lists();
  const watch = open();
  const appointment = await stand.mirrored();
  stand.staff.retitle({ calendarId: ANNA, eventId: appointment.eventId, summary: 'Other' });
  for (let n = 0; n < 500; n += 1) watch.wake(ANNA, UNANSWERED);
  await until(async () => expect(await stand.due()).toEqual([appointment.key]));
  const since = Date.now();
  for (let n = 0; n < 500; n += 1) watch.wake(ANNA, UNANSWERED);
  // The first list may still be on its way to its proof: what counts is where a list began.
  await until(async () => expect(await covered()).toBeGreaterThanOrEqual(since));
  expect(lists() - before).toBe(2);
});

test('pings that go on and on cost one list in each settling time', async () => {
  await stand.sync();
  await stand.sync(BORIS);
  const before = lists();
  // Longer than any test: it is never over.
  const watch = open({ settleMs: 3_600_000 });
  const ended = () => stand.meter.counts['slotbridge_calendar_syncs_total'] ?? 0;
  const endedBefore = ended();
  for (const [at, calendarId] of [ANNA, BORIS].entries()) {
    while (ended() - endedBefore <= at) {
      watch.wake(ANNA, UNANSWERED);
      watch.wake(calendarId, UNANSWERED);
      await new Promise((done) => setImmediate(done));
    }
  }
  // While another calendar was woken and listed, the first one was woken and not listed again.
  expect(lists() - before).toBe(2);
});

test('a ping that meets a poll which has nothing to do is not lost with it (case 32)', async () => {
  await stand.sync();
  const appointment = await stand.mirrored();
  await stand.sync();
  const watch = open();
  // Another process has just read the calendar: that is young enough for the poll, and not for what changes now.
  watch.poll(ANNA, Date.now() - 30_000);
  stand.staff.retitle({ calendarId: ANNA, eventId: appointment.eventId, summary: 'Other' });
  watch.wake(ANNA, UNANSWERED);
  await until(async () => expect(await stand.due()).toEqual([appointment.key]));
});

test('a ping ends the back-off of a calendar that has failed', async () => {
  await stand.sync();
  const appointment = await stand.mirrored();
  await stand.sync();
  let isAway = true;
  const isCurrent = async () => {
    if (isAway) throw new RetryableError('store-unavailable', 'no answer');
    return true;
  };
  const backoff = vi.fn(() => 600_000);
  const watch = open({ isCurrent, backoff });
  stand.staff.retitle({ calendarId: ANNA, eventId: appointment.eventId, summary: 'Other' });
  watch.wake(ANNA, UNANSWERED);
  await until(async () => expect(backoff).toHaveBeenCalledTimes(1));
  isAway = false;
  watch.wake(ANNA, UNANSWERED);
  await until(async () => expect(await stand.due()).toEqual([appointment.key]));
});

test('a change during a sync gets a sync of its own', async () => {
  await stand.sync();
  const appointment = await stand.mirrored();
  await stand.sync();
  let isFirst = true;
  const watch = open({
    listeners: [
      async () => {
        if (!isFirst) return;
        isFirst = false;
        stand.staff.retitle({ calendarId: ANNA, eventId: appointment.eventId, summary: 'Other' });
        watch.wake(ANNA, UNANSWERED);
      },
    ],
  });
  stand.foreign();
  watch.wake(ANNA, UNANSWERED);
  await until(async () => expect(await stand.due()).toEqual([appointment.key]));
});

test('a ping whose sync loses its lease is not lost with it (case 32)', async () => {
  await stand.sync();
  const appointment = await stand.mirrored();
  await stand.sync();
  let turns = 0;
  const leases: CalendarWatchParts['leases'] = double({
    hold: (name, work, options) =>
      stand.store.leases.hold(
        name,
        (lease) => work(++turns === 1 ? { ...lease, signal: AbortSignal.abort() } : lease),
        options,
      ),
  });
  const watch = open({ leases });
  stand.staff.retitle({ calendarId: ANNA, eventId: appointment.eventId, summary: 'Other' });
  watch.wake(ANNA, UNANSWERED);
  await until(async () => expect(await stand.due()).toEqual([appointment.key]));
});

test('processes that poll together read a calendar once', async () => {
  const [one, two] = [open(), open()];
  for (const calendarId of [ANNA, BORIS])
    for (const watch of [one, two]) watch.poll(calendarId, Date.now() - 30_000);
  await until(async () => {
    expect(await proved(ANNA)).toBeGreaterThan(0);
    expect(await proved(BORIS)).toBeGreaterThan(0);
  });
  // The one that came second looks again when the first is done, and finds it read.
  await until(async () => expect(stand.meter.counts['slotbridge_calendar_syncs_total']).toBe(4));
  expect(lists()).toBe(2);
});

test('a calendar that is not shared any more is said, and the others go on (case 70)', async () => {
  await stand.sync(ANNA);
  stand.google.revokeAccess(ANNA);
  const watch = open();
  watch.wake(ANNA, UNANSWERED);
  watch.wake(BORIS, UNANSWERED);
  await until(async () => {
    expect(await proved(BORIS)).toBeGreaterThan(0);
    expect((await stand.problems.list()).map((problem) => problem.target)).toEqual([`calendar:${ANNA}`]);
  });
  expect(await stand.due()).toEqual([]);
});

test('a calendar whose quota is spent is said to wait for it, until it has been tried again', async () => {
  const quota = `google-calendar:1 calendar:${ANNA}`;
  const since = Date.now();
  const spent = async () => {
    throw new DeferredError('quota-paused', 'no more for now', { quota, retryAfterMs: 60_000 });
  };
  open({ api: { changes: spent } }).wake(ANNA, UNANSWERED);
  await until(async () => expect(waits).toHaveLength(1));
  expect(waits[0]?.slice(0, 2)).toEqual([`calendar:${ANNA}`, [quota]]);
  expect(waits[0]?.[2]).toBeGreaterThan(since + 60_000);
});

test('a calendar that fails otherwise waits for no quota', async () => {
  const away = async () => {
    throw new DeferredError('calendar-not-shared', 'no', { retryAfterMs: 60_000 });
  };
  open({ api: { changes: away } }).wake(ANNA, UNANSWERED);
  await until(async () => expect(stand.meter.counts['slotbridge_calendar_syncs_total']).toBe(1));
  expect(waits).toEqual([]);
});

test('a calendar that fails is tried again by itself', async () => {
  await stand.sync();
  const appointment = await stand.mirrored();
  stand.staff.retitle({ calendarId: ANNA, eventId: appointment.eventId, summary: 'Other' });
  stand.google.faults.add({
    method: 'GET',
    path: /events\?/,
    times: 1,
    fault: { kind: 'status', status: 503 },
  });
  open().wake(ANNA, UNANSWERED);
  await until(async () => expect(await stand.due()).toEqual([appointment.key]));
});

test('a worker whose mapping is no longer the newest reads nothing', async () => {
  const watch = open({ isCurrent: async () => false });
  watch.poll(ANNA, Date.now());
  await new Promise((done) => setTimeout(done, 200));
  expect(lists()).toBe(0);
});

test('stopping interrupts a long list after its page, and the next process goes on there', async () => {
  for (let n = 0; n < 600; n += 1) stand.foreign();
  const watch = open({
    listeners: [async (_calendarId, events) => void (events.length > 0 && void stopping.abort())],
  });
  watch.wake(ANNA, UNANSWERED);
  await until(async () => expect((await stand.store.calendars.read(ANNA)).open?.pages).toBe(1));
  await Promise.all(running);
  expect(await proved()).toBe(0);
  expect(await stand.sync()).toBe('listed');
  expect(stand.shown).toHaveLength(350);
});

test('wakes for calendars that are not watched are let go', async () => {
  open().wake('nobody@clinic.example', UNANSWERED);
  await new Promise((done) => setTimeout(done, 100));
  expect(stand.calls()).toEqual({});
});

test('P1: a ping is answered however far ahead the clock of the previous reading process is', async () => {
  const ahead = { clock: { now: () => Date.now() + 20_000 } };
  await stand.sync(ANNA, ahead);
  const own = await stand.mirrored();
  await stand.sync(ANNA, ahead);
  const before = lists();
  const watch = open();
  stand.staff.retitle({ calendarId: ANNA, eventId: own.eventId, summary: 'Other' });
  watch.wake(ANNA, await stand.store.calendars.pinged(ANNA, Date.now()));
  await until(async () => expect(await stand.due()).toEqual([own.key]));
  expect(lists() - before).toBe(1);
});

test('a ping that another process has answered since causes no list call, even if that process’s clock is behind', async () => {
  await stand.sync();
  const ping = await stand.store.calendars.pinged(ANNA, Date.now());
  await stand.sync(ANNA, { clock: { now: () => Date.now() - 20_000 } });
  const before = lists();
  open().wake(ANNA, ping);
  await until(async () => expect(stand.meter.counts['slotbridge_calendar_syncs_total']).toBe(1));
  expect(lists() - before).toBe(0);
});

test('a change whose ping another process took is not missed, however far ahead the clock of its reader is', async () => {
  const ahead = { clock: { now: () => Date.now() + 20_000 } };
  await stand.sync(ANNA, ahead);
  stand.foreign();
  await stand.store.calendars.pinged(ANNA, Date.now());
  await stand.sync(ANNA, { ...ahead, isPoll: true });
  expect((await stand.store.calendars.read(ANNA)).missedAtMs).toBeUndefined();
});
