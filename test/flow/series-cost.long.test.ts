/** What a series costs: Google gives a series and its exceptions one version, so that each own write changes the etags of all (P9). */
import { afterAll, afterEach, expect, test } from 'vitest';
import { ANNA, OutsideStands, type OutsideWorld, STILL_MS, TUESDAY_10 } from '../stand/outside.ts';
import { atLength, rowsOf } from '../stand/runs.ts';

const stands = new OutsideStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Handlers of a worker that work at once. */
const AT_ONCE = 6;

const day = (nth: number, laterMs = 0) =>
  new Date(Date.parse(TUESDAY_10) + nth * DAY_MS + laterMs).toISOString();
const instance = (masterId: string, nth: number) =>
  `${masterId}_${day(nth)
    .replaceAll(/[-:]/g, '')
    .replace(/\.\d+Z$/, 'Z')}`;

async function daily(count: number, about: { isShared?: boolean } = {}) {
  const world = await stands.start({ series: { horizonMs: (count + 1) * DAY_MS } });
  world.google.switches.seriesSharesVersion = about.isShared ?? true;
  const side = (laterMs: number) => ({ dateTime: day(0, laterMs), timeZone: 'Europe/Moscow' });
  const recurrence = [`RRULE:FREQ=DAILY;COUNT=${count}`];
  const id = world.drop({ start: side(0), end: side(HOUR_MS), recurrence });
  return { world, id };
}

async function live(world: OutsideWorld): Promise<void> {
  await world.store.later.wake(world.clock.now(), 100);
  await world.book();
  await world.hear();
  await world.settle();
}

/** As a worker does it: several handlers at once, and the calendar is read while they work. */
async function liveAtOnce(world: OutsideWorld): Promise<void> {
  for (let idle = 0; idle < 2; ) {
    await world.sync();
    await world.hear();
    const due = await world.store.work.due(world.clock.now(), AT_ONCE);
    idle = due.length === 0 ? idle + 1 : 0;
    const ends = await Promise.all(due.map((key) => world.turn(key)));
    if (due.length === 0 || ends.every(({ next }) => next === 'defer')) world.clock.advance(STILL_MS + 1_000);
  }
}

/** Calls that read or write events; a list per sync is what any change costs. */
function callsFor(world: OutsideWorld): number {
  const { 'events.list': _, ...calls } = world.calls();
  return Object.values(calls).reduce((sum, count) => sum + count, 0);
}

const ROWS = rowsOf(
  [
    [110, true],
    [28, false],
    [110, false],
    [80, true],
  ] as const,
  4,
);

test.for(ROWS)(
  'a daily series of %d costs at most 2.2 calls for each booked event (one version: %s)',
  async ([count, isShared]) => {
    const { world, id } = await daily(count, { isShared });
    await live(world);
    expect(world.booked()).toHaveLength(count);
    expect(callsFor(world) + (world.calls()['events.list'] ?? 0)).toBeLessThanOrEqual(2.2 * count);
    await live(world);
    world.google.resetCounts();
    world.staff.move({ calendarId: ANNA, eventId: instance(id, 5), start: day(5, 2 * HOUR_MS) });
    await live(world);
    expect(world.booked()).toContain(`${day(5, 2 * HOUR_MS)} Anna`);
    expect(callsFor(world)).toBeLessThanOrEqual(3);
    expect(world.appointments()).toHaveLength(count);
  },
);

atLength.test('handlers that work at once at one series do not refuse each other', async () => {
  const { world } = await daily(40);
  await liveAtOnce(world);
  expect(world.booked()).toHaveLength(40);
  const { 'events.patch': patches, 'events.get': gets = 0, 'events.instances': lists = 0 } = world.calls();
  expect(patches).toBe(40);
  expect(gets + lists).toBeLessThanOrEqual(10);
  expect(await world.letters()).toEqual([]);
});

test('P2: people move one event of a series while the worker writes the others: its appointment follows, no other one moves', async () => {
  const { world, id } = await daily(20);
  let writes = 0;
  world.google.onEventWrite(() => {
    writes += 1;
    if (writes !== 5) return;
    setImmediate(() =>
      world.staff.move({ calendarId: ANNA, eventId: instance(id, 15), start: day(15, 2 * HOUR_MS) }),
    );
  });
  await liveAtOnce(world);
  await live(world);
  const days = Array.from({ length: 20 }, (_, nth) => (nth === 15 ? day(nth, 2 * HOUR_MS) : day(nth)));
  expect(world.booked().sort()).toEqual(days.map((each) => `${each} Anna`).sort());
  expect(world.appointments()).toHaveLength(20);
  for (const nth of [0, 1, 14, 15, 19])
    expect(world.event(instance(id, nth))?.['summary']).toBe('Haircut, Vera Orlova');
  expect(await world.letters()).toEqual([]);
  // No event is read for itself because its siblings were written.
  expect(callsFor(world)).toBeLessThanOrEqual(2.2 * 20);
});

test('the platform moves all appointments of a series: each costs one write, also after somebody else changed the series', async () => {
  const { world, id } = await daily(20);
  await live(world);
  await live(world);
  world.staff.describe({ calendarId: ANNA, eventId: id, description: '+7 495 000-11-01 (new)' });
  await world.settle();
  world.google.resetCounts();
  for (const each of world.appointments()) {
    const startsAt = new Date(Date.parse(String(each['starts_at'])) + HOUR_MS).toISOString();
    world.dashboard.reschedule(String(each['id']), { startsAt, notify: false });
  }
  await live(world);
  expect(world.booked().sort()).toEqual(
    Array.from({ length: 20 }, (_, nth) => `${day(nth, HOUR_MS)} Anna`).sort(),
  );
  expect(callsFor(world)).toBeLessThanOrEqual(1.2 * 20);
});
