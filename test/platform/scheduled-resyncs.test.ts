import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Mirror } from '../../src/engine/mirror.ts';
import { zoneOrUtc } from '../../src/engine/supervisor.ts';
import { requestDue } from '../../src/platform/resync.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore, SILENT_LOG } from '../stand/store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NIGHTLY = '0 4 * * *';
const MIRRORS = [{ from: 'contact' }] as unknown as readonly Mirror[];

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

/** Workers of one installation in Berlin, and the moments for which they have requested a resync. */
async function office(startsAt: string) {
  const store = openTestStore(redis.url);
  await store.ready();
  let nowMs = Date.parse(startsAt);
  const parts = {
    ...{ coverage: store.coverage, memory: store.memory, mirrors: MIRRORS, log: SILENT_LOG },
    clock: { now: () => nowMs },
    zone: () => zoneOrUtc('Europe/Berlin'),
    isCurrent: async () => true,
  };
  const look = (schedule = NIGHTLY) => requestDue(parts, { schedule, kinds: ['contact'] });
  return {
    look,
    set(at: string) {
      nowMs = Date.parse(at);
    },
    /** Looks once in five minutes. */
    async until(at: string, schedule = NIGHTLY) {
      for (; nowMs < Date.parse(at); nowMs += 5 * MINUTE) await look(schedule);
    },
    async requested() {
      const holes = await store.coverage.holes();
      return holes
        .filter(({ cause }) => cause === 'scheduled')
        .map(({ id }) => new Date(Number(id.replace('scheduled-', ''))).toISOString().slice(0, 16))
        .sort();
    },
    /** A resync that has ended leaves no hole. */
    async endAll() {
      for (const { id } of await store.coverage.holes()) await store.coverage.removeHole(id);
    },
    close: () => store.close(),
  };
}

test('P1: lists are read once in the night whose hour comes twice, and once in the night that lacks it', async () => {
  const { until, set, requested, close } = await office('2026-10-24T12:00:00Z');
  await until('2026-10-26T12:00:00Z', '30 2 * * *');
  expect(await requested()).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
  set('2027-03-27T12:00:00Z');
  await until('2027-03-29T12:00:00Z', '30 2 * * *');
  expect((await requested()).slice(-2)).toEqual(['2027-03-28T01:30', '2027-03-29T00:30']);
  close();
});

test('P1: what was due while the process stood still, or did not run, is requested late, and many times as one', async () => {
  const { look, set, requested, close } = await office('2026-11-20T02:59:55Z');
  await look();
  set('2026-11-20T03:00:05Z');
  await look();
  await look();
  expect(await requested()).toEqual(['2026-11-20T03:00']);
  set('2026-11-24T09:00:00Z');
  await look();
  expect(await requested()).toEqual(['2026-11-20T03:00', '2026-11-24T03:00']);
  close();
});

test('a new installation, or a new schedule, begins with the next time', async () => {
  const { look, set, until, requested, close } = await office('2026-11-20T12:00:00Z');
  await look();
  set('2026-11-20T12:05:00Z');
  await look('0 11 * * *');
  await look('0 11 * * *');
  expect(await requested()).toEqual([]);
  await until('2026-11-21T10:05:00Z', '0 11 * * *');
  expect(await requested()).toEqual(['2026-11-21T10:00']);
  close();
});

test('P1: a clock that is put on and back loses no time of the schedule', async () => {
  const { look, set, until, requested, endAll, close } = await office('2026-11-20T01:00:00Z');
  await look();
  // Three hours ahead: it seems to be 5:00.
  set('2026-11-20T04:00:00Z');
  await look();
  expect(await requested()).toEqual(['2026-11-20T03:00']);
  await endAll();
  set('2026-11-20T01:01:00Z');
  await until('2026-11-20T03:10:00Z');
  expect(await requested()).toEqual(['2026-11-20T03:00']);
  await endAll();
  // Behind, and set right after the time has passed.
  set('2026-11-20T18:00:00Z');
  await look();
  set('2026-11-21T07:00:00Z');
  await look();
  expect(await requested()).toEqual(['2026-11-21T03:00']);
  close();
});

test('a resync that has ended is not requested again by the next look, or by another process', async () => {
  const { look, set, requested, endAll, close } = await office('2026-11-20T02:00:00Z');
  await look();
  set('2026-11-20T03:00:02Z');
  await Promise.all([look(), look()]);
  expect(await requested()).toHaveLength(1);
  await endAll();
  set('2026-11-20T03:00:04Z');
  await look();
  expect(await requested()).toEqual([]);
  close();
});

test('a schedule that is rarely due remembers that it was answered', async () => {
  const { look, set, requested, close } = await office('2026-01-01T00:00:00Z');
  const yearly = '0 4 24 12 *';
  await look(yearly);
  for (let day = 1; day <= 30; day += 1) {
    set(new Date(Date.parse('2026-11-25T00:00:00Z') + day * 24 * HOUR).toISOString());
    await look(yearly);
  }
  expect(await requested()).toEqual(['2026-12-24T03:00']);
  close();
});
