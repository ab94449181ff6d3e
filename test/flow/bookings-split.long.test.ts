/** "This and following events": a series by which people book is split (docs/bookings.md, rows R16 to R19). */
import { afterAll, afterEach, expect, test } from 'vitest';
import { ANNA, GRACE_MS, OutsideStands, type OutsideWorld, TUESDAY_10 } from '../stand/outside.ts';
import { atLength, rowsOf } from '../stand/runs.ts';

const stands = new OutsideStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const SERIES = { series: { horizonMs: 22 * DAY_MS } };

const tuesday = (nth: number, laterMs = 0) =>
  new Date(Date.parse(TUESDAY_10) + nth * 7 * DAY_MS + laterMs).toISOString();
const on = (nth: number, laterMs = 0) => `${tuesday(nth, laterMs)} Anna`;
const stampOf = (nth: number) => tuesday(nth).replaceAll(/[-:]/g, '').slice(0, 15);
const instance = (masterId: string, nth: number) => `${masterId}_${stampOf(nth)}Z`;
const part = (masterId: string, nth: number) => `${masterId}_R${stampOf(nth)}`;
const zoned = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Moscow' });

function dropSeries(world: OutsideWorld, rule = 'FREQ=WEEKLY', more: Record<string, unknown> = {}): string {
  const times = { start: zoned(TUESDAY_10), end: zoned(tuesday(0, HOUR_MS)) };
  return world.drop({ ...times, recurrence: [`RRULE:${rule}`], ...more });
}

async function live(world: OutsideWorld, forMs = 0): Promise<void> {
  world.clock.advance(forMs);
  await world.store.later.wake(world.clock.now(), 100);
  await world.book();
  await world.hear();
  await world.settle();
}

async function weeks(world: OutsideWorld, count: number): Promise<void> {
  for (let week = 0; week < count; week += 1) {
    await live(world, 7 * DAY_MS);
    await live(world, GRACE_MS);
  }
}

function split(world: OutsideWorld, masterId: string, about: Record<string, unknown> & { nth: number }) {
  const { nth, ...how } = about;
  return world.staff.splitSeries({ calendarId: ANNA, masterId, at: tuesday(nth), ...how });
}
const sorted = (world: OutsideWorld) => world.booked().sort();
const upTo = (last: number, laterMs = 0) => Array.from({ length: last + 1 }, (_, nth) => on(nth, laterMs));
const customers = (world: OutsideWorld) => [
  ...new Set(world.appointments().map((each) => `${each['customer_name']} ${each['customer_phone']}`)),
];

const SPLITS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['a booked event gets another text', { patch: { description: 'bring the x-ray' } }],
  ['a booked event gets another title', { patch: { summary: 'Vera, room 2' } }],
  ['Google copies no marks', { patch: { description: 'x', extendedProperties: null } }],
  [
    'Google copies no marks, and the title is another one',
    { patch: { summary: 'V', extendedProperties: null } },
  ],
  [
    'what the series says gets another text',
    { asShown: false, patch: { description: '+7 495 000-11-01, x-ray' } },
  ],
  ['changed events stay as they are', { keepExceptions: true, patch: { description: 'bring the x-ray' } }],
];

test.for(rowsOf(SPLITS, 4))(
  'R16, P4: a split series stays booked, and its appointments keep: %s',
  async ([, about]) => {
    const world = await stands.start(SERIES);
    const id = dropSeries(world);
    await live(world);
    const ids = () => Object.fromEntries(world.appointments().map((each) => [each['starts_at'], each['id']]));
    const before = ids();
    expect(sorted(world)).toEqual(upTo(3));
    split(world, id, { nth: 1, ...about });
    await live(world);
    await live(world, GRACE_MS);
    expect(ids()).toEqual(before);
    for (const nth of [1, 2, 3])
      expect(world.event(instance(id, nth))).toMatchObject({
        summary: 'Haircut, Vera Orlova',
        extendedProperties: { private: { slotbridge_appointment: before[tuesday(nth)] } },
      });
    await weeks(world, 3);
    expect(sorted(world)).toEqual(upTo(6));
    expect(world.appointments()).toHaveLength(7);
    expect(customers(world)).toEqual(['Vera Orlova +74950001101']);
    expect(await world.letters()).toEqual([]);
  },
);

test('R16: people write another customer into the following events: later ones are booked for her', async () => {
  const world = await stands.start(SERIES);
  const id = dropSeries(world);
  await live(world);
  split(world, id, { nth: 1, patch: { summary: '#book Nina Belova', description: '+7 495 000-22-02' } });
  await live(world);
  await weeks(world, 1);
  expect(sorted(world)).toEqual(upTo(4));
  const last = world.appointments().find((each) => each['starts_at'] === tuesday(4));
  expect([last?.['customer_name'], last?.['customer_phone']]).toEqual(['Nina Belova', '+74950002202']);
});

test('R17: the following events are moved: old appointments end before the new ones are booked', async () => {
  const world = await stands.start(SERIES);
  const id = dropSeries(world);
  await live(world);
  const half = HOUR_MS / 2;
  const patch = { start: zoned(tuesday(1, half)), end: zoned(tuesday(1, half + HOUR_MS)) };
  split(world, id, { nth: 1, patch });
  await live(world);
  expect(sorted(world)).toEqual(upTo(3));
  for (const _ of [1, 2, 3, 4]) await live(world, GRACE_MS);
  expect(sorted(world)).toEqual([on(0), on(1, half), on(2, half), on(3, half)]);
  await weeks(world, 1);
  expect(sorted(world)).toEqual([on(0), on(1, half), on(2, half), on(3, half), on(4, half)]);
  expect(customers(world)).toEqual(['Vera Orlova +74950001101']);
  expect(await world.letters()).toEqual([]);
});

test('R18: a series is split twice, and its last part deleted: only the appointments of that part end', async () => {
  const world = await stands.start(SERIES);
  const id = dropSeries(world);
  await live(world);
  split(world, id, { nth: 1, patch: { description: 'one' } });
  await live(world);
  split(world, part(id, 1), { nth: 2, patch: { description: 'two' } });
  await live(world);
  await weeks(world, 1);
  expect(sorted(world)).toEqual(upTo(4));
  world.staff.remove({ calendarId: ANNA, eventId: part(id, 2) });
  await live(world);
  for (const _ of [1, 2]) await live(world, GRACE_MS);
  expect(sorted(world)).toEqual([on(0), on(1)]);
  await weeks(world, 2);
  expect(world.appointments()).toHaveLength(5);
});

test('R18: the second part is deleted before the worker has seen it: its appointments end', async () => {
  const world = await stands.start(SERIES);
  const id = dropSeries(world);
  await live(world);
  split(world, id, { nth: 2, patch: { description: 'x' } });
  world.staff.remove({ calendarId: ANNA, eventId: part(id, 2) });
  await live(world);
  for (const _ of [1, 2]) await live(world, GRACE_MS);
  await live(world, 7 * HOUR_MS);
  for (const _ of [1, 2]) await live(world, GRACE_MS);
  expect(sorted(world)).toEqual([on(0), on(1)]);
});

test('R16: one event of the second part is moved, one deleted, one carries a text of its own', async () => {
  const world = await stands.start(SERIES);
  const id = dropSeries(world);
  await live(world);
  split(world, id, { nth: 1, patch: { description: 'x' } });
  await live(world);
  world.staff.move({ calendarId: ANNA, eventId: instance(id, 2), start: tuesday(2, 2 * HOUR_MS) });
  world.staff.remove({ calendarId: ANNA, eventId: instance(id, 3) });
  world.staff.retitle({ calendarId: ANNA, eventId: instance(id, 4), summary: 'Private' });
  world.staff.edit({
    calendarId: ANNA,
    eventId: instance(id, 5),
    patch: { summary: '#book Nina Belova', description: '+7 495 000-22-02' },
  });
  await live(world);
  for (const _ of [1, 2]) await live(world, GRACE_MS);
  await weeks(world, 3);
  expect(sorted(world)).toEqual([on(0), on(1), on(2, 2 * HOUR_MS), on(5), on(6)]);
  const fifth = world.appointments().find((each) => each['starts_at'] === tuesday(5));
  expect(fifth?.['customer_name']).toBe('Nina Belova');
});

atLength.test(
  'R19: Redis is lost after a split: nothing is booked twice, and the series stays booked',
  async () => {
    const world = await stands.start(SERIES);
    const id = dropSeries(world);
    await live(world);
    split(world, id, { nth: 1, patch: { description: 'x' } });
    await live(world);
    await world.loseRedis();
    await live(world);
    await live(world, DAY_MS / 2);
    expect(world.appointments()).toHaveLength(4);
    await weeks(world, 1);
    expect(sorted(world)).toEqual(upTo(4));
  },
);

test('a copy of a booked event as a series of its own books nothing while the series goes on', async () => {
  const world = await stands.start(SERIES);
  const id = dropSeries(world);
  await live(world);
  const { summary, extendedProperties } = world.event(instance(id, 1)) ?? {};
  const times = { start: zoned(tuesday(0, 5 * HOUR_MS)), end: zoned(tuesday(0, 6 * HOUR_MS)) };
  world.drop({ summary, extendedProperties, ...times, recurrence: ['RRULE:FREQ=WEEKLY'] });
  await live(world);
  expect(sorted(world)).toEqual(upTo(3));
});

test('an all-day series is split without harm to anything', async () => {
  const world = await stands.start(SERIES);
  const id = dropSeries(world, 'FREQ=WEEKLY', { start: { date: '2026-03-03' }, end: { date: '2026-03-04' } });
  await live(world);
  split(world, id, { nth: 1, at: '2026-03-10T00:00:00Z', patch: { description: 'x' } });
  await live(world);
  await weeks(world, 1);
  expect(world.appointments()).toEqual([]);
  expect(await world.letters()).toEqual([]);
});
