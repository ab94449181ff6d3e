/** What the guard of edits lets pass, and at which number it stops (P7, case 50). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { APPROVED_FOR_MS, EditGuard, writeApproval } from '../../../src/engine/edit-guard.ts';
import { MapMemory } from '../../doubles/map-memory.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const ANNA = 'anna@clinic.example';

let redis: TestRedis;
let store: TestStore;
let memory: MapMemory;
let guard: EditGuard;
let nowMs: number;
/** Events of the calendar that are still to come. */
let upcoming: number;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  nowMs = Date.parse('2026-03-02T09:00:00Z');
  upcoming = 0;
  memory = new MapMemory();
  store = openTestStore(redis.url, { now: () => nowMs });
  await store.ready();
  guard = new EditGuard({
    ...{ tally: store.tally, memory, clock: { now: () => nowMs } },
    events: { upcoming: async () => upcoming },
  });
});
afterEach(() => store.close());

/** Their numbers, counted from one. */
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

describe('deletions in one calendar', () => {
  const remove = (n: number) => guard.assertNoMassDeletion(ANNA, `appointment/${n}`);
  const stopped = { code: 'mass-deletion', target: `calendar:${ANNA}` };

  test('five pass without a question, and the sixth waits for a person', async () => {
    for (const n of numbers(5)) await guard.deletionSeen(ANNA, `appointment/${n}`);
    for (const n of numbers(5)) await remove(n);
    await expect(remove(6)).rejects.toMatchObject(stopped);
  });

  test('a quarter of the events to come is few, and one more is many', async () => {
    for (const n of numbers(6)) await guard.deletionSeen(ANNA, `appointment/${n}`);
    upcoming = 17;
    await expect(remove(1)).rejects.toMatchObject(stopped);
    upcoming = 18;
    await remove(1);
  });

  test('those that were decided count for an hour', async () => {
    for (const n of numbers(5)) await remove(n);
    nowMs += HOUR_MS;
    await expect(remove(6)).rejects.toMatchObject(stopped);
    nowMs += 1;
    await remove(7);
  });

  test('those that wait count for five weeks: none of them passes by waiting', async () => {
    for (const n of numbers(6)) await guard.deletionWaits(ANNA, `appointment/${n}`);
    nowMs += 35 * DAY_MS;
    await expect(remove(1)).rejects.toMatchObject(stopped);
    nowMs += 1;
    await remove(1);
  });

  test('one that was stopped goes on waiting: asked again hours later, each is stopped again', async () => {
    for (const n of numbers(6)) await guard.deletionWaits(ANNA, `appointment/${n}`);
    for (const _ of ['asked', 'asked again']) {
      nowMs += 2 * HOUR_MS;
      for (const n of numbers(6)) await expect(remove(n)).rejects.toMatchObject(stopped);
    }
  });

  test('many in a month pass when each was decided before the next', async () => {
    for (const n of numbers(12)) {
      await guard.deletionWaits(ANNA, `appointment/${n}`);
      await remove(n);
      nowMs += HOUR_MS;
    }
  });

  test('what was taken back counts no more, neither of the last hour nor of those that wait', async () => {
    for (const n of numbers(6)) await guard.deletionWaits(ANNA, `appointment/${n}`);
    await guard.deletionUndone(ANNA, 'appointment/6');
    for (const n of numbers(5)) await remove(n);
  });

  test('those of another calendar count there', async () => {
    for (const n of numbers(6)) await guard.deletionWaits('boris@clinic.example', `appointment/${n}`);
    await remove(1);
  });

  test('a person approves those that were seen, for an hour', async () => {
    for (const n of numbers(7)) await guard.deletionWaits(ANNA, `appointment/${n}`);
    const seen = numbers(6).map((n) => `appointment/${n}`);
    await memory.set(`approved-deletions:${ANNA}`, writeApproval(nowMs + APPROVED_FOR_MS, seen));
    await expect(remove(7)).rejects.toMatchObject(stopped);
    await remove(6);
    nowMs += APPROVED_FOR_MS;
    await expect(remove(7)).rejects.toMatchObject(stopped);
  });

  test('ticks in a tab are counted like deletions, against its own rows', async () => {
    const tick = (n: number, rows: number) =>
      guard.assertNoMassTicking('visits', `appointment/${n}`, async () => rows);
    for (const n of numbers(5)) await tick(n, 0);
    upcoming = 1_000;
    await expect(tick(6, 17)).rejects.toMatchObject({ code: 'mass-deletion', target: 'tab:visits' });
    await tick(6, 18);
  });
});

describe('changes of one appointment', () => {
  const change = (n: number, paceMs?: number) => guard.assertNoLoop('appointment/1', `change ${n}`, paceMs);
  const stopped = { code: 'edit-loop', advice: expect.stringContaining('other program') };

  test('ten within ten minutes pass, however often each is reported, and the eleventh is a loop', async () => {
    for (const n of [...numbers(10), ...numbers(10)]) await change(n);
    await expect(change(11)).rejects.toMatchObject(stopped);
    await guard.assertNoLoop('appointment/2', 'change 11');
    nowMs += 10 * MINUTE_MS;
    await expect(change(12)).rejects.toMatchObject(stopped);
    nowMs += 1;
    await change(13);
  });

  test('a place that is read every five minutes is watched for a hundred', async () => {
    const paceMs = 5 * MINUTE_MS;
    for (const n of numbers(10)) {
      await change(n, paceMs);
      nowMs += paceMs;
    }
    nowMs += 50 * MINUTE_MS;
    await expect(change(11, paceMs)).rejects.toMatchObject(stopped);
    nowMs += 1;
    await change(11, paceMs);
  });
});

describe('mails and invitations', () => {
  const mail = (n: number) => guard.assertMayMail(`appointment/${n}`, 'moved');

  test('twenty customers may be mailed within ten minutes, and more if a person says so', async () => {
    for (const n of [...numbers(20), 20]) await mail(n);
    await expect(mail(21)).rejects.toMatchObject({ code: 'mail-storm', target: 'platform' });
    // Another change of the same appointment is another mail.
    await expect(guard.assertMayMail('appointment/1', 'moved on')).rejects.toMatchObject({
      code: 'mail-storm',
    });
    await memory.set('approved-mails', writeApproval(nowMs + APPROVED_FOR_MS));
    await mail(22);
    await memory.forget('approved-mails');
    nowMs += 10 * MINUTE_MS;
    await expect(mail(23)).rejects.toMatchObject({ code: 'mail-storm' });
    nowMs += 1;
    await mail(24);
  });

  test('one address books ten invitations an hour, however it is written (P9)', async () => {
    for (const n of numbers(10))
      expect(await guard.mayBeBooked('Ivan@example.com', `booking/${n}`)).toBe(true);
    expect(await guard.mayBeBooked('ivan@EXAMPLE.com', 'booking/11')).toBe(false);
    expect(await guard.mayBeBooked('ivan@example.com', 'booking/10')).toBe(true);
    expect(await guard.mayBeBooked('olga@example.com', 'booking/12')).toBe(true);
    expect((await store.redis.keys('*')).join()).not.toMatch(/example\.com/i);
    nowMs += HOUR_MS;
    expect(await guard.mayBeBooked('ivan@example.com', 'booking/11')).toBe(true);
  });
});
