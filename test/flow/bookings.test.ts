/** What people book in a calendar, row by row of the table in docs/bookings.md, over HTTP with both sandboxes. */
import { afterAll, afterEach, expect, test } from 'vitest';
import {
  ANNA,
  BORIS,
  GRACE_MS,
  OutsideStands,
  STILL_MS,
  TUESDAY_10,
  TUESDAY_12,
  TUESDAY_14,
} from '../stand/outside.ts';

const stands = new OutsideStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

test('B1: an event becomes one appointment, and the event itself becomes its mirror', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.book();
  await world.hear();
  await world.settle();
  expect(world.visits()).toEqual([`${TUESDAY_10} Anna`]);
  expect(world.appointments()[0]).toMatchObject({
    customer_phone: '+74950001101',
    customer_name: 'Vera Orlova',
  });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  expect(world.event(id)).toMatchObject({ summary: 'Haircut, Vera Orlova', description: '+74950001101' });
  expect(await world.history(id)).toEqual(['booked']);
});

test('B2, case 66: a half-typed event is not booked before it was left alone', async () => {
  const world = await stands.start();
  const id = world.drop({ description: '' });
  await world.settle();
  world.clock.advance(STILL_MS - 5_000);
  world.staff.describe({ calendarId: ANNA, eventId: id, description: '+7 495 000-11-01' });
  await world.settle();
  world.clock.advance(10_000);
  await world.settle();
  expect(world.visits()).toEqual([]);
  world.clock.advance(STILL_MS);
  await world.settle();
  expect(world.visits()).toEqual([`${TUESDAY_10} Anna`]);
});

test('B3, case 52: a taken hour is refused in the event, with free times, once', async () => {
  const world = await stands.start({ refusedColorId: '11' });
  const { serviceId, annaId: resourceId } = world.platform;
  world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_10, notify: false });
  const id = world.drop({ colorId: '5' });
  await world.book();
  const said = world.description(id);
  expect(said).toMatch(
    /^\+7 495 000-11-01\n\n─.*\nNot possible: this time is already taken\.\nNearest free times:\n–/,
  );
  expect(said.match(/–/g)).toHaveLength(3);
  expect(world.event(id)).toMatchObject({ colorId: '11', summary: '#book Vera Orlova' });
  const { updated } = world.event(id) ?? {};
  world.clock.advance(60_000);
  await world.settle();
  expect(world.event(id)?.['updated']).toBe(updated);
  expect(await world.history(id)).toEqual(['refused slot-unavailable']);
  expect(world.visits()).toHaveLength(1);
});

test('B4: a refused event that is mended is booked, and nothing of the refusal is left in it', async () => {
  const world = await stands.start({ refusedColorId: '11' });
  const { serviceId, annaId: resourceId } = world.platform;
  world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_10, notify: false });
  const id = world.drop({ colorId: '5' });
  await world.book();
  world.staff.move({ calendarId: ANNA, eventId: id, start: TUESDAY_12 });
  await world.book();
  await world.hear();
  await world.settle();
  expect(world.visits().sort()).toEqual([`${TUESDAY_10} Anna`, `${TUESDAY_12} Anna`]);
  expect(world.event(id)).toMatchObject({ description: '+74950001101', colorId: '5' });
});

test.each([
  ['all-day', { start: { date: '2026-03-03' }, end: { date: '2026-03-04' } }],
  ['past', { startsAt: '2026-03-02T08:00:00.000Z' }],
  ['not-an-appointment', { eventType: 'focusTime' }],
  ['tentative', { status: 'tentative' }],
])('B5, case 43: %s is no booking, nothing is said in it, and explain knows why', async (code, event) => {
  const world = await stands.start();
  const id = world.drop(event);
  await world.book();
  expect(world.visits()).toEqual([]);
  expect(world.description(id)).toBe('+7 495 000-11-01');
  expect(await world.history(id)).toEqual([`ignored ${code}`]);
});

test('B6: an event that its owner declined is no booking', async () => {
  const world = await stands.start();
  const id = world.drop({ attendees: [{ email: ANNA, responseStatus: 'declined' }] });
  await world.book();
  expect(world.visits()).toEqual([]);
  expect(await world.history(id)).toEqual(['ignored declined']);
});

test('B7, case 42: a series is refused in its event', async () => {
  const world = await stands.start();
  const id = world.drop({
    start: { dateTime: TUESDAY_10, timeZone: 'Europe/Moscow' },
    end: { dateTime: TUESDAY_12, timeZone: 'Europe/Moscow' },
    recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'],
  });
  await world.book();
  expect(world.visits()).toEqual([]);
  expect(world.description(id)).toContain('a series of events cannot be booked');
});

test('B8: an event that no rule takes is nobody’s business', async () => {
  const world = await stands.start();
  const id = world.drop({ summary: 'Lunch' });
  await world.book();
  expect(world.visits()).toEqual([]);
  expect(await world.record(id)).toBeUndefined();
});

test('B9, case 46: a booked event that is moved moves its visit', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.book();
  world.staff.move({ calendarId: ANNA, eventId: id, start: TUESDAY_14 });
  await world.settle();
  await world.hear();
  await world.settle();
  expect(world.visits()).toEqual([`${TUESDAY_14} Anna`]);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
});

test('B10: a booked event that is deleted cancels its visit after the grace', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.book();
  world.staff.remove({ calendarId: ANNA, eventId: id });
  await world.settle();
  expect(world.visits()).toHaveLength(1);
  world.clock.advance(GRACE_MS + 1_000);
  await world.settle();
  await world.hear();
  await world.settle();
  expect(world.visits()).toEqual([]);
  expect(world.events()).toEqual([]);
  expect(world.appointments()).toHaveLength(1);
});

test('B11, case 47: a booked event that is moved to a colleague goes to that colleague', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.book();
  world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
  await world.settle();
  world.clock.advance(GRACE_MS + 1_000);
  await world.settle();
  await world.hear();
  await world.settle();
  expect(world.visits()).toEqual([`${TUESDAY_10} Boris`]);
  expect(world.appointments()).toHaveLength(1);
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
});

test('B12, case 41: a copy of a booked event books nothing', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.book();
  await world.hear();
  await world.settle();
  world.staff.duplicate({ calendarId: ANNA, eventId: id });
  await world.book();
  expect(world.appointments()).toHaveLength(1);
});

test('B12, case 41: not even where the mirror keeps the title by which events are booked', async () => {
  const world = await stands.start({ when: { title: '*' } });
  const id = world.drop();
  await world.book();
  await world.hear();
  await world.settle();
  world.staff.duplicate({ calendarId: ANNA, eventId: id });
  await world.book();
  expect(world.appointments()).toHaveLength(1);
});

test('B13: an event that was deleted before it was booked leaves nothing behind', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.settle();
  world.staff.remove({ calendarId: ANNA, eventId: id });
  await world.book();
  expect(world.appointments()).toEqual([]);
});

test('B14: a customer without a phone is refused, and asked for it', async () => {
  const world = await stands.start();
  const id = world.drop({ description: 'no number yet' });
  await world.book();
  expect(world.description(id)).toMatch(/please give the phone number/);
  expect(world.visits()).toEqual([]);
});

test('B15: an event that is taken back to no booking loses its refusal', async () => {
  const world = await stands.start();
  const id = world.drop({ description: 'no number yet' });
  await world.book();
  world.staff.retitle({ calendarId: ANNA, eventId: id, summary: 'Lunch' });
  await world.book();
  expect(world.description(id)).toBe('no number yet');
  expect((await world.record(id))?.code).toBe('not-matching');
});

test('B16, case 40: the platform’s event about the booking comes before its answer is stored, and no second event is made', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.settle();
  world.clock.advance(STILL_MS + 1_000);
  const { writer } = world.ground;
  const own = {
    ...world.ground,
    writer: new Proxy(writer, {
      get(target, name) {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          const answer = await method.apply(target, args);
          if (name === 'create') throw new Error('the answer is lost');
          return answer;
        };
      },
    }),
  };
  await world.turn(world.keyAt(id), own);
  const [made] = world.appointments();
  await world.hear();
  await world.turn(`appointment/${String(made?.['id'])}`);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  expect(world.event(id)).toMatchObject({ summary: 'Haircut, Vera Orlova' });
  world.clock.advance(60_000);
  await world.settle();
  expect(world.appointments()).toHaveLength(1);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
});

test.each(['before the event is adopted', 'after it'])(
  'B17: Redis is lost %s, and there is still one of each',
  async (when) => {
    const world = await stands.start();
    const id = world.drop();
    await world.book();
    if (when === 'after it') {
      await world.hear();
      await world.settle();
    }
    await world.loseRedis();
    await world.hear();
    await world.book();
    await world.settle();
    expect(world.appointments()).toHaveLength(1);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
    expect(world.event(id)).toMatchObject({ status: 'confirmed' });
  },
);

test('B18: a visit that is cancelled on the platform takes its event along, and is not booked again', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.book();
  const [made] = world.appointments();
  world.dashboard.cancel(String(made?.['id']), { notify: false });
  world.clock.advance(1_000);
  await world.hear();
  await world.book();
  expect(world.appointments()).toHaveLength(1);
  expect(world.event(id)?.['status']).toBe('cancelled');
});
