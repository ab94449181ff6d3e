/** Series in which people book, `recurring: each` (docs/bookings.md, rows R), over HTTP with both sandboxes; case 42. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { ANNA, GRACE_MS, OutsideStands, type OutsideWorld, TUESDAY_10 } from '../stand/outside.ts';
import { atLength } from '../stand/runs.ts';

const stands = new OutsideStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const DAY_MS = 86_400_000;
const HALF_HOUR_MS = 1_800_000;
const SERIES = { series: { horizonMs: 22 * DAY_MS } };

/** The nth Tuesday at ten, counted from none. */
const tuesday = (nth: number, laterMs = 0) =>
  new Date(Date.parse(TUESDAY_10) + nth * 7 * DAY_MS + laterMs).toISOString();
const appointmentOn = (nth: number, laterMs = 0) => `${tuesday(nth, laterMs)} Anna`;
const instance = (masterId: string, nth: number) =>
  `${masterId}_${tuesday(nth)
    .replaceAll(/[-:]/g, '')
    .replace(/\.\d+Z$/, 'Z')}`;

function dropSeries(world: OutsideWorld, rule = 'FREQ=WEEKLY;COUNT=3', start = TUESDAY_10): string {
  return world.drop({
    start: { dateTime: start, timeZone: 'Europe/Moscow' },
    end: {
      dateTime: new Date(Date.parse(start) + 2 * HALF_HOUR_MS).toISOString(),
      timeZone: 'Europe/Moscow',
    },
    recurrence: [`RRULE:${rule}`],
  });
}

/** All that follows by itself: objects whose moment has come, events of the platform, mirrors. */
async function live(world: OutsideWorld, forMs = 0): Promise<void> {
  world.clock.advance(forMs);
  await world.store.later.wake(world.clock.now(), 100);
  await world.book();
  await world.hear();
  await world.settle();
}

const sorted = (world: OutsideWorld) => world.booked().sort();

test('R1, case 42: each event of a series becomes one appointment, and itself the mirror of it', async () => {
  const world = await stands.start(SERIES);
  const id = dropSeries(world);
  await live(world);
  expect(sorted(world)).toEqual([appointmentOn(0), appointmentOn(1), appointmentOn(2)]);
  for (const nth of [0, 1, 2])
    expect(world.event(instance(id, nth))).toMatchObject({
      summary: 'Haircut, Vera Orlova',
      recurringEventId: id,
    });
  expect(world.event(id)).toMatchObject({ summary: '#book Vera Orlova', description: '+7 495 000-11-01' });
  expect(await world.history(id)).toEqual(['expanded']);
  await live(world, DAY_MS / 2);
  expect(world.appointments()).toHaveLength(3);
});

atLength.test('R2: what is beyond the horizon is booked when it comes within it', async () => {
  const world = await stands.start({ series: { horizonMs: 9 * DAY_MS } });
  const id = dropSeries(world);
  // An exception shows in the calendar whatever the horizon.
  world.staff.move({ calendarId: ANNA, eventId: instance(id, 2), start: tuesday(2, HALF_HOUR_MS) });
  await live(world);
  expect(sorted(world)).toEqual([appointmentOn(0), appointmentOn(1)]);
  await live(world, 7 * DAY_MS);
  expect(sorted(world)).toEqual([appointmentOn(0), appointmentOn(1), appointmentOn(2, HALF_HOUR_MS)]);
  expect(world.appointments()).toHaveLength(3);
});

test('P6: a private mirror makes no event private that nobody booked: Google would apply it to the whole series', async () => {
  const world = await stands.start(
    { series: { horizonMs: 8 * DAY_MS } },
    {},
    { event: { visibility: 'private' } },
  );
  const id = dropSeries(world);
  const single = world.drop({ startsAt: tuesday(0, 8 * HALF_HOUR_MS) });
  await live(world);
  expect(world.event(instance(id, 0))).toMatchObject({ summary: 'Haircut, Vera Orlova' });
  const visibilities = [id, instance(id, 0), instance(id, 1)].map(
    (each) => world.event(each)?.['visibility'],
  );
  expect(visibilities).toEqual([undefined, undefined, undefined]);
  expect(world.event(single)?.['visibility']).toBe('private');
  const calls = world.calls()['events.patch'];
  await live(world, DAY_MS / 2);
  expect(world.calls()['events.patch']).toBe(calls);
});

test('R3: when one event of a series is moved and another deleted, their appointments follow, and the others stay', async () => {
  const world = await stands.start(SERIES);
  const id = dropSeries(world);
  await live(world);
  world.staff.move({ calendarId: ANNA, eventId: instance(id, 1), start: tuesday(1, 4 * HALF_HOUR_MS) });
  world.staff.remove({ calendarId: ANNA, eventId: instance(id, 2) });
  await live(world);
  await live(world, GRACE_MS);
  expect(sorted(world)).toEqual([appointmentOn(0), appointmentOn(1, 4 * HALF_HOUR_MS)]);
  await live(world, DAY_MS / 2);
  expect(world.appointments()).toHaveLength(3);
});

atLength.test(
  'R4: an event of a series that is moved or deleted before it was booked counts as it stands',
  async () => {
    const world = await stands.start(SERIES);
    const id = dropSeries(world);
    world.staff.move({ calendarId: ANNA, eventId: instance(id, 1), start: tuesday(1, 4 * HALF_HOUR_MS) });
    world.staff.remove({ calendarId: ANNA, eventId: instance(id, 2) });
    await live(world);
    expect(sorted(world)).toEqual([appointmentOn(0), appointmentOn(1, 4 * HALF_HOUR_MS)]);
    expect(world.appointments()).toHaveLength(2);
  },
);

test('R5: deleting a series cancels its appointments after the grace', async () => {
  const world = await stands.start(SERIES);
  const id = dropSeries(world);
  await live(world);
  world.staff.remove({ calendarId: ANNA, eventId: id });
  await world.settle();
  expect(world.booked()).toHaveLength(3);
  await live(world, GRACE_MS);
  await live(world, GRACE_MS);
  expect(world.booked()).toEqual([]);
  expect(await world.letters()).toEqual([]);
});

test('R6: deleting a long series cancels its appointments only after a person has approved it', async () => {
  const world = await stands.start(SERIES);
  const id = dropSeries(world, 'FREQ=DAILY;COUNT=14');
  await live(world);
  const { length } = world.booked();
  expect(length).toBeGreaterThan(12);
  world.staff.remove({ calendarId: ANNA, eventId: id });
  await live(world);
  await live(world, GRACE_MS);
  await live(world, GRACE_MS);
  expect(world.booked().length).toBeGreaterThan(length / 2);
  expect(await world.letters()).toContain('mass-deletion');
});

atLength.test(
  'R7: when all events of a series are moved, the old appointments end before the new ones are booked',
  async () => {
    const world = await stands.start(SERIES);
    const id = dropSeries(world);
    await live(world);
    const side = (laterMs: number) => ({ dateTime: tuesday(0, laterMs), timeZone: 'Europe/Moscow' });
    const patch = { start: side(HALF_HOUR_MS), end: side(3 * HALF_HOUR_MS) };
    world.staff.edit({ calendarId: ANNA, eventId: id, patch });
    // "All events" forgets what was changed in single ones.
    for (const nth of [0, 1, 2]) world.staff.remove({ calendarId: ANNA, eventId: instance(id, nth) });
    await live(world);
    expect(sorted(world)).toEqual([appointmentOn(0), appointmentOn(1), appointmentOn(2)]);
    await live(world, GRACE_MS);
    await live(world, GRACE_MS);
    await live(world, GRACE_MS);
    expect(sorted(world)).toEqual([0, 1, 2].map((nth) => appointmentOn(nth, HALF_HOUR_MS)));
    expect(world.appointments()).toHaveLength(6);
  },
);

atLength.test(
  'R8: "this and following" ends one series and begins another, and each remaining event has one appointment',
  async () => {
    const world = await stands.start(SERIES);
    const id = dropSeries(world);
    await live(world);
    world.staff.edit({ calendarId: ANNA, eventId: id, patch: { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=1'] } });
    for (const nth of [1, 2]) world.staff.remove({ calendarId: ANNA, eventId: instance(id, nth) });
    dropSeries(world, 'FREQ=WEEKLY;COUNT=2', tuesday(1, 8 * HALF_HOUR_MS));
    await live(world);
    await live(world, GRACE_MS);
    await live(world, GRACE_MS);
    expect(sorted(world)).toEqual([
      appointmentOn(0),
      appointmentOn(1, 8 * HALF_HOUR_MS),
      appointmentOn(2, 8 * HALF_HOUR_MS),
    ]);
  },
);

test('R9: Redis is lost: no event of a series is booked twice', async () => {
  const world = await stands.start(SERIES);
  dropSeries(world);
  await live(world);
  await world.loseRedis();
  await live(world);
  await live(world, DAY_MS / 2);
  expect(world.appointments()).toHaveLength(3);
});

atLength.test(
  'R10, case 52: an hour that is taken is refused in its own event, and booked when that is mended',
  async () => {
    const world = await stands.start(SERIES);
    const { serviceId, annaId: resourceId } = world.platform;
    world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: tuesday(1), notify: false });
    const id = dropSeries(world);
    await live(world);
    expect(world.description(instance(id, 1))).toContain('this time is already taken');
    expect(world.description(instance(id, 2))).not.toContain('taken');
    expect(world.description(id)).toBe('+7 495 000-11-01');
    world.staff.move({ calendarId: ANNA, eventId: instance(id, 1), start: tuesday(1, 8 * HALF_HOUR_MS) });
    await live(world);
    expect(world.booked()).toContain(appointmentOn(1, 8 * HALF_HOUR_MS));
    expect(world.appointments()).toHaveLength(4);
  },
);

atLength.test(
  'R11: a series with more events than the worker takes is refused in it, and nothing is booked',
  async () => {
    const world = await stands.start({ series: { horizonMs: 300 * DAY_MS } });
    const id = dropSeries(world, 'FREQ=DAILY;COUNT=250');
    await live(world);
    expect(world.booked()).toEqual([]);
    expect(world.description(id)).toContain('this series has too many events');
  },
);

atLength.test(
  'R12: when a series becomes a single event, its first appointment stays, and the others are cancelled',
  async () => {
    const world = await stands.start(SERIES);
    const id = dropSeries(world);
    await live(world);
    world.staff.edit({ calendarId: ANNA, eventId: id, patch: { recurrence: null } });
    for (const nth of [0, 1, 2]) world.staff.remove({ calendarId: ANNA, eventId: instance(id, nth) });
    await live(world);
    await live(world, GRACE_MS);
    await live(world, GRACE_MS);
    await live(world, GRACE_MS);
    expect(sorted(world)).toEqual([appointmentOn(0)]);
  },
);

test('R13: the worker dies while it notes the events of a series: each is booked once all the same', async () => {
  const world = await stands.start(SERIES);
  const id = dropSeries(world);
  await world.sync();
  const { links } = world.ground;
  // What is known of the series is stored; the process is gone before any event is noted.
  const dying = Object.create(links, {
    write: {
      value: async (...args: Parameters<typeof links.write>) => {
        await links.write(...args);
        throw new Error('killed');
      },
    },
  });
  const { next } = await world.turn(world.keyAt(id), { ...world.ground, links: dying });
  expect(next).toBe('retry');
  expect(Object.keys((await world.record(id))?.series ?? {})).toHaveLength(3);
  world.staff.remove({ calendarId: ANNA, eventId: instance(id, 2) });
  await live(world, 60_000);
  await live(world);
  expect(sorted(world)).toEqual([appointmentOn(0), appointmentOn(1)]);
  expect(world.appointments()).toHaveLength(2);
});

atLength.test(
  'R14: a series is shortened before it was booked: what left no trace in the calendar is not booked',
  async () => {
    const world = await stands.start(SERIES);
    const id = dropSeries(world);
    await world.settle();
    world.staff.edit({ calendarId: ANNA, eventId: id, patch: { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=1'] } });
    await live(world);
    expect(world.appointments()).toHaveLength(1);
    expect(sorted(world)).toEqual([appointmentOn(0)]);
  },
);

atLength.test(
  'R15: customers are told about the events of a long series only after a person has allowed it',
  async () => {
    const world = await stands.start({ series: { horizonMs: 30 * DAY_MS }, notifyCustomer: true });
    dropSeries(world, 'FREQ=DAILY;COUNT=28');
    await live(world);
    expect(world.booked()).toHaveLength(20);
    expect(await world.letters()).toContain('mail-storm');
  },
);

atLength.test(
  'the later events of a series are also booked when the appointment of one is given to a colleague',
  async () => {
    const world = await stands.start({ series: { horizonMs: 9 * DAY_MS } });
    dropSeries(world, 'FREQ=WEEKLY;COUNT=4');
    await live(world);
    const second = world.appointments().find((each) => each['starts_at'] === tuesday(1));
    const { borisId: resourceId } = world.platform;
    world.dashboard.reschedule(String(second?.['id']), { startsAt: tuesday(1), resourceId, notify: false });
    await live(world);
    await live(world, GRACE_MS + 1_000);
    await live(world, 6 * DAY_MS);
    expect(sorted(world)).toEqual([appointmentOn(0), `${tuesday(1)} Boris`, appointmentOn(2)].sort());
  },
);
