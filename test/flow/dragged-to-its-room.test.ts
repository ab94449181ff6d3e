/** The event by which people booked a person and a room is dragged into the room's calendar, which has an event of its own: nothing is cancelled (P7). */
import { afterAll, afterEach, expect, test } from 'vitest';
import type { StaffEdits } from '../../src/engine/mirror.ts';
import { ANNA, OutsideStands, type OutsideWorld, ROOM } from '../stand/outside.ts';
import { combined, rowsOf } from '../stand/runs.ts';

const stands = new OutsideStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const STARTS_AT = '2026-03-20T07:00:00.000Z';
const BOTH = [`${ANNA} ${STARTS_AT}`, `${ROOM} ${STARTS_AT}`];

async function booked(edits: Partial<StaffEdits> = {}) {
  const world = await stands.start({ service: 'Massage' }, {}, { room: true, edits });
  const id = world.drop({ startsAt: STARTS_AT });
  await world.book();
  await world.hear();
  await world.settle();
  expect(world.events()).toEqual(BOTH);
  return { world, id };
}

async function toTheEnd(world: OutsideWorld): Promise<void> {
  for (let minutes = 0, rests = 0; minutes < 10 && rests < 2; minutes += 1) {
    await world.hear();
    await world.settle();
    world.clock.advance(60_000);
    rests = (await world.store.work.due(Number.MAX_SAFE_INTEGER, 1)).length === 0 ? rests + 1 : 0;
  }
  expect(await world.letters()).toEqual([]);
}

/** Google shows the event in the calendar that it has left, for one more turn. */
function shownAtHome({ ground, event }: OutsideWorld, id: string): OutsideWorld['ground'] {
  const before = ground.api.get(ANNA, id);
  const api = new Proxy(ground.api, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      if (name !== 'get') return method.bind(target) as unknown;
      return (...[calendarId, eventId]: Parameters<typeof target.get>) =>
        calendarId === ANNA && eventId === id ? before : target.get(calendarId, eventId);
    },
  });
  expect(event(id)).toMatchObject({ status: 'confirmed' });
  return { ...ground, api };
}

const SHOWN = ['at once', 'late where it was'] as const;
const ROOMS = ['has its event', 'has lost its event'] as const;
const CASES = combined(SHOWN, ROOMS, ['cancel', 'restore'], ['reschedule', 'revert']).map(
  ([shown, room, deleted, moved]) => ({ shown, room, deleted, moved }),
);

test.each(rowsOf(CASES, 3))(
  'E64: shown $shown, the room $room, with deleted: $deleted and moved: $moved: it goes back, and both calendars show one event',
  async ({ shown, room, ...edits }) => {
    const { world, id } = await booked(edits);
    const late = shownAtHome(world, id);
    await late.api.get(ANNA, id);
    if (room === 'has lost its event') {
      for (const eventId of world.google.truth.eventIds(ROOM))
        world.staff.remove({ calendarId: ROOM, eventId });
    }
    world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: ROOM });
    if (shown === 'late where it was') {
      await world.sync(ROOM);
      await world.turn(`appointment/${String(world.appointments()[0]?.['id'])}`, late);
    }
    await toTheEnd(world);
    expect(world.booked()).toEqual([`${STARTS_AT} Anna`]);
    expect(world.events()).toEqual(BOTH);
    expect(world.event(id)).toMatchObject({ status: 'confirmed' });
  },
);

test('E64: the event says why it is back', async () => {
  const { world, id } = await booked();
  world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: ROOM });
  await toTheEnd(world);
  expect(world.description(id)).toContain('Not moved: only the calendar of the person who is booked');
});
