import { afterAll, afterEach, expect, test } from 'vitest';
import { freeTimesNear, freeTimesWithin, nextFreeTimes } from '../../../src/engine/free-times.ts';
import type { FreeTime, PlatformWriter, SlotSearch } from '../../../src/engine/platform.ts';
import { appointmentOf, ORIGIN, PushStands, refusalOf, TUESDAY_10, TUESDAY_12 } from './stand.ts';

const stands = new PushStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const NOW = Date.parse('2026-03-02T09:00:00Z');
const DAY_MS = 86_400_000;

test('before and after the wished time, nearest first, of the wished resource', async () => {
  const world = await stands.start();
  const { serviceId, annaId } = world;
  world.dashboard.bookAs('lk', { serviceId, resourceId: annaId, startsAt: TUESDAY_12 });
  const refusal = refusalOf(await world.submitter().submit(ORIGIN, world.book({ startsAt: TUESDAY_12 })));
  expect(refusal.slots).toEqual([
    { startsAt: '2026-03-03T08:00:00.000Z', endsAt: '2026-03-03T09:00:00.000Z', resourceId: annaId },
    { startsAt: '2026-03-03T10:00:00.000Z', endsAt: '2026-03-03T11:00:00.000Z', resourceId: annaId },
    { startsAt: '2026-03-03T07:30:00.000Z', endsAt: '2026-03-03T08:30:00.000Z', resourceId: annaId },
  ]);
});

test('of colleagues in the same branch where the wished resource has too few, also among several branches', async () => {
  const world = await stands.start();
  const { projectId, serviceId, annaId, borisId } = world;
  const north = world.dashboard.createBranch({ projectId, name: 'North' });
  const vera = world.dashboard.createResource({ branchId: north, name: 'Vera' });
  world.dashboard.changeService(serviceId, { resourceIds: [annaId, borisId, vera] });
  // Anna works on one evening only.
  world.dashboard.changeResource(annaId, { schedule: { '5': [['19:00', '20:00']] } });
  const { slots } = refusalOf(await world.submitter().submit(ORIGIN, world.book()));
  // Within the horizon Anna's Fridays; Vera's branch is another one.
  expect(slots.map(({ resourceId }) => resourceId)).toEqual([annaId, annaId, borisId]);
  expect(slots[0]?.startsAt).toBe('2026-03-06T16:00:00.000Z');
});

test('none, where there is none within the horizon', async () => {
  const world = await stands.start();
  for (const id of [world.annaId, world.borisId]) world.dashboard.changeResource(id, { schedule: {} });
  expect(refusalOf(await world.submitter().submit(ORIGIN, world.book()))).toEqual({
    code: 'outside-working-hours',
    slots: [],
  });
});

test('a window is never longer than 31 days, nor in the past', async () => {
  const asked: SlotSearch[] = [];
  const writer = answering((search) => {
    asked.push(search);
    return {};
  });
  const wished = { serviceId: 's', startsAt: TUESDAY_10, resourceId: 'r' };
  expect(await freeTimesNear(writer, wished, NOW)).toEqual({ slots: [], zone: 'Europe/Moscow' });
  expect(asked).toHaveLength(6);
  for (const { fromMs, toMs } of asked) {
    expect(toMs - fromMs).toBeLessThanOrEqual(31 * DAY_MS);
    expect(fromMs).toBeGreaterThanOrEqual(NOW);
  }
});

test('the wished resource is asked about first, then its branch, and always for as many guests', async () => {
  const asked: SlotSearch[] = [];
  const writer = answering((search) => {
    asked.push(search);
    return {};
  });
  const wished = { serviceId: 's', startsAt: TUESDAY_10, branchId: 'b', resourceId: 'r', guests: 3 };
  await freeTimesNear(writer, wished, NOW);
  const [first] = asked;
  expect(first).toMatchObject({ serviceId: 's', branchId: 'b', resourceId: 'r', guests: 3 });
  const ofBranch = asked.filter(({ resourceId }) => resourceId === undefined);
  expect(ofBranch.length).toBeGreaterThan(0);
  for (const search of ofBranch) expect(search).toMatchObject({ serviceId: 's', branchId: 'b', guests: 3 });
});

test('for more guests than one resource seats, the platform is asked for times that seat them', async () => {
  const world = await stands.start();
  const { projectId, annaId } = world;
  const resourceIds = [annaId];
  const serviceId = world.dashboard.createService({ projectId, name: 'Class', resourceIds });
  world.dashboard.changeResource(annaId, { capacity: 3 });
  await world.readDirectory();
  const wish = { serviceId, startsAt: TUESDAY_12 };
  appointmentOf(await world.submitter().submit('first', world.book({ ...wish, guests: 2 })));
  const refusal = refusalOf(await world.submitter().submit(ORIGIN, world.book({ ...wish, guests: 2 })));
  expect(refusal.code).toBe('slot-unavailable');
  // One more would be seated beside them; two would not.
  expect(refusal.slots.map(({ startsAt }) => startsAt)).not.toContain(TUESDAY_12);
  expect(refusal.slots).toHaveLength(3);
  appointmentOf(await world.submitter().submit(ORIGIN, world.book({ ...wish, guests: 1 })));
});

test('a cut answer closes the window in on the wished time (case 58)', async () => {
  const startMs = Date.parse(TUESDAY_10);
  const asked: number[] = [];
  const writer = answering(({ fromMs, toMs }) => {
    asked.push(toMs - fromMs);
    const isNarrow = toMs - fromMs <= 6 * 3_600_000;
    const startsAt = new Date(isNarrow ? startMs : fromMs).toISOString();
    const slots = ['a', 'b', 'c'].map((resourceId) => ({ startsAt, endsAt: startsAt, resourceId }));
    return { slots, hasMore: !isNarrow };
  });
  const offer = await freeTimesNear(writer, { serviceId: 's', startsAt: TUESDAY_10 }, NOW);
  expect(offer?.slots.map(({ startsAt }) => Date.parse(startsAt))).toEqual([startMs, startMs, startMs]);
  expect(asked.length).toBeLessThan(6);
});

test('an answer that is always cut ends all the same', async () => {
  let asked = 0;
  const writer = answering(() => {
    asked += 1;
    return { hasMore: true };
  });
  await freeTimesNear(writer, { serviceId: 's', startsAt: TUESDAY_10, resourceId: 'r' }, NOW);
  expect(asked).toBeLessThan(60);
});

test('those of a day with more than one answer holds reach from its morning to its evening', async () => {
  const fromMs = Date.parse(TUESDAY_10);
  const starts = Array.from({ length: 24 * 12 }, (_, at) => fromMs + at * 300_000);
  const all = starts.flatMap((startMs) =>
    ['anna', 'boris'].map((resourceId) => ({
      ...{ startsAt: new Date(startMs).toISOString(), endsAt: new Date(startMs + 300_000).toISOString() },
      resourceId,
    })),
  );
  const writer = answering((search) => {
    const found = all.filter(({ startsAt }) => {
      const startMs = Date.parse(startsAt);
      return startMs >= search.fromMs && startMs < search.toMs;
    });
    return { slots: found.slice(0, 200), hasMore: found.length > 200 };
  });
  const within = { fromMs, toMs: fromMs + DAY_MS, nowMs: NOW };
  const { slots } = await freeTimesWithin(writer, { serviceId: 's' }, within);
  expect(slots).toHaveLength(12);
  expect(slots.map(({ startsAt }) => (Date.parse(startsAt) - fromMs) / 3_600_000)).toEqual(
    Array.from({ length: 12 }, (_, at) => at * 2),
  );
});

test('windows of rentals are read when they look like slots, and left out otherwise', async () => {
  const windows = [
    { starts_at: '2026-03-03T06:00:00Z', ends_at: '2026-03-03T08:00:00Z', resource_id: 'a' },
    { from: '2026-03-03T10:00:00Z', to: '2026-03-03T12:00:00Z', resource_id: 'b' },
    { starts_at: '2026-03-03T07:00:00Z', ends_at: '2026-03-03T07:30:00Z', resource_id: 'short' },
    { begin: 1, end: 2 },
    { starts_at: null, ends_at: [], resource_id: 7 },
    null,
    'free',
  ];
  const writer = answering(() => ({ windows }));
  const wished = { serviceId: 's', startsAt: TUESDAY_10, durationMin: 90 };
  expect((await freeTimesNear(writer, wished, NOW))?.slots).toEqual([
    { startsAt: '2026-03-03T06:30:00.000Z', endsAt: '2026-03-03T08:00:00.000Z', resourceId: 'a' },
    { startsAt: '2026-03-03T10:00:00.000Z', endsAt: '2026-03-03T11:30:00.000Z', resourceId: 'b' },
  ]);
});

test('a refusal waits for its free times while they cannot be asked, but not for ever', async () => {
  const world = await stands.start();
  const { serviceId, annaId } = world;
  world.dashboard.bookAs('lk', { serviceId, resourceId: annaId, startsAt: TUESDAY_10 });
  world.sandbox.faults.add({ path: /\/v1\/slots/, fault: { kind: 'status', status: 503 } });
  await expect(world.submitter().submit(ORIGIN, world.book())).rejects.toMatchObject({
    code: 'platform-unavailable',
  });
  world.clock.advance(11 * 60_000);
  expect(refusalOf(await world.submitter().submit(ORIGIN, world.book()))).toEqual({
    code: 'slot-unavailable',
    slots: [],
  });
});

/** Only the slots of a platform, as a test says. */
function answering(answer: (search: SlotSearch) => Partial<FreeTime>): PlatformWriter {
  const slots = async (search: SlotSearch): Promise<FreeTime> => ({
    ...{
      projectId: 'p',
      bookingMode: 'fixed',
      zone: 'Europe/Moscow',
      slots: [],
      windows: [],
      hasMore: false,
    },
    ...answer(search),
  });
  return { slots } as Partial<PlatformWriter> as PlatformWriter;
}

test('the next ones of a branch with many are the earliest, and each moment is told once', async () => {
  const HOUR_MS = 3_600_000;
  const asked: SlotSearch[] = [];
  const writer = answering((search) => {
    asked.push(search);
    const all = Array.from({ length: 48 }, (_, hour) => NOW + (48 - hour) * HOUR_MS);
    const within = all.filter((ms) => ms >= search.fromMs && ms < search.toMs);
    const slots = within.flatMap((ms) =>
      ['anna', 'boris'].map((resourceId) => ({
        startsAt: new Date(ms).toISOString(),
        endsAt: new Date(ms + HOUR_MS).toISOString(),
        resourceId,
      })),
    );
    // What is cut off may be the earliest.
    return { slots: slots.slice(0, 20), hasMore: slots.length > 20 };
  });
  const times = await nextFreeTimes(writer, { serviceId: 's', durationMin: 60 }, { nowMs: NOW });
  expect(times.slice(0, 2)).toEqual([NOW + HOUR_MS, NOW + 2 * HOUR_MS]);
  expect(new Set(times).size).toBe(times.length);
  expect(asked.every((search) => !('durationMin' in search))).toBe(true);
});

test('the next ones are looked for within two weeks, those of a day on that day alone, and none in the past', async () => {
  const asked: SlotSearch[] = [];
  const writer = answering((search) => {
    asked.push(search);
    return {};
  });
  expect(await nextFreeTimes(writer, { serviceId: 's' }, { nowMs: NOW })).toEqual([]);
  expect(asked.map(({ toMs }) => (toMs - NOW) / DAY_MS)).toEqual([2, 15]);
  const day = { fromMs: NOW - DAY_MS / 2, toMs: NOW + DAY_MS / 2 };
  await nextFreeTimes(writer, { serviceId: 's' }, { nowMs: NOW, day });
  expect(asked.at(-1)).toEqual({ serviceId: 's', fromMs: NOW, toMs: day.toMs });
  await nextFreeTimes(writer, { serviceId: 's' }, { nowMs: day.toMs, day });
  expect(asked).toHaveLength(3);
});
