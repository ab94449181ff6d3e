/** People's own event, by which they booked: until the mirror has written into it, only its id tells what people did to it next. */
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { linkTo, openEdit } from '../../../src/engine/link.ts';
import type { StaffEdits } from '../../../src/engine/mirror.ts';
import {
  ANNA,
  BORIS,
  CLARA,
  EditStands,
  type EditWorld,
  GRACE_MS,
  ROOM,
  TUESDAY_10,
  TUESDAY_12,
} from '../../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const DONE = { next: 'done' };
const OWN = 'ofpeople1';
/** Named by the YAML, for a resource that the platform does not have. */
const FREE = 'free@clinic.example';

/** People's event in Anna's calendar, and the link that its booking left. */
async function own(world: EditWorld, id: string): Promise<void> {
  const end = new Date(Date.parse(TUESDAY_10) + 3_600_000).toISOString();
  world.staff.add({
    calendarId: ANNA,
    id: OWN,
    event: { summary: '#book', start: { dateTime: TUESDAY_10 }, end: { dateTime: end } },
  });
  const etag = String(world.google.truth.event(ANNA, OWN)?.['etag']);
  await world.hear(id);
  const link = linkTo({ calendarId: ANNA, eventId: OWN }, { etag, hour: { startsAt: TUESDAY_10 } });
  await world.store.links.adopt(`appointment/${id}`, 'staff', link);
}

/** An appointment that was booked by an event in Anna's calendar, and in which the mirror has not yet written. */
async function booked(edits: Partial<StaffEdits>, about: Parameters<EditStands['start']>[1] = {}) {
  const world = await stands.start(edits, about);
  const id = world.book();
  await own(world, id);
  return { world, id };
}

const at = (calendarId: string) => ({ calendarId, eventId: OWN });

async function linkAt(world: EditWorld, id: string, calendarId: string) {
  const claim = await world.store.ledger.peek({ kind: 'appointment', id });
  return Object.values(claim?.links ?? {})
    .flatMap(({ calendars = [] }) => calendars)
    .find((each) => each.calendarId === calendarId);
}

/** The calendars are read, and everything that waits comes to its end. */
async function later(world: EditWorld, id: string, calendars: readonly string[] = [ANNA]): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    for (const calendarId of calendars) await world.sight(id, calendarId, OWN);
    await world.settle(id);
    world.clock.advance(GRACE_MS + 1_000);
  }
  await world.settle(id);
}

test('deleted, it cancels when the grace is over, and not before', async () => {
  const { world, id } = await booked({ deleted: 'cancel' });
  world.staff.remove(at(ANNA));
  await world.sight(id, ANNA, OWN);
  expect(await world.settle(id)).toEqual({ next: 'defer', afterMs: GRACE_MS });
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  world.clock.advance(GRACE_MS);
  expect(await world.settle(id)).toEqual(DONE);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  expect(world.events()).toEqual([]);
});

test('deleted, it is looked for everywhere once before it is restored, although a drag would be undone as well', async () => {
  const { world, id } = await booked({ moved: 'revert', deleted: 'restore' });
  world.staff.remove(at(ANNA));
  await world.sight(id, ANNA, OWN);
  world.forgetCalls();
  expect(await world.settle(id)).toEqual(DONE);
  // Anna's, then the three other calendars of the mirror; the mirror itself looks once more.
  expect(world.calls()['events.get']).toBeGreaterThanOrEqual(4);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
});

test.each([
  ['at once', [ANNA, BORIS]],
  ['only as deleted', [ANNA]],
])(
  'dragged to a colleague and seen %s, it gives them the appointment and stays the only event',
  async (_, seen) => {
    const { world, id } = await booked({ moved: 'reschedule', deleted: 'cancel' });
    world.staff.moveToCalendar({ ...at(ANNA), to: BORIS });
    await later(world, id, seen);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.borisId });
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    expect(world.ids(BORIS)).toEqual([OWN]);
    expect(await world.isDirty(id)).toBe(false);
  },
);

test('dragged to another branch, it goes back and says why, and is the only event', async () => {
  const { world, id } = await booked({ moved: 'reschedule', deleted: 'cancel' });
  world.staff.moveToCalendar({ ...at(ANNA), to: CLARA });
  await later(world, id, [ANNA, CLARA]);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
  expect(world.events()).toHaveLength(1);
  const [event] = [...world.google.truth.events(ANNA), ...world.google.truth.events(CLARA)];
  expect(String(event?.['description'])).toContain('another branch');
});

test('a calendar that does not answer lets it wait, and nothing is restored or cancelled', async () => {
  const { world, id } = await booked({ moved: 'reschedule', deleted: 'restore' });
  world.google.revokeAccess(BORIS, defaultAccount);
  world.staff.moveToCalendar({ ...at(ANNA), to: BORIS });
  await world.sight(id, ANNA, OWN);
  expect(await world.settle(id)).toMatchObject({ next: 'defer' });
  expect(world.google.truth.events(ANNA)).toEqual([]);
  const link = await linkAt(world, id, ANNA);
  // What the others said is kept: it need not be asked again.
  expect(Object.keys((link && openEdit(link)?.looks) ?? {}).sort()).toContain(CLARA);
  world.google.grantAccess(BORIS, defaultAccount);
  world.clock.advance(60_000);
  await later(world, id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.borisId });
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
});

test.each<[string, Pick<Parameters<EditWorld['staff']['add']>[0], 'event' | 'organizer'>]>([
  ['with other marks', { event: { extendedProperties: { private: { slotbridge_appointment: 'another' } } } }],
  ['as a guest’s copy', { event: {}, organizer: { email: 'somebody@else.example' } }],
])('found elsewhere %s, nothing is proved, and the appointment has an event again', async (_, found) => {
  const { world, id } = await booked({ moved: 'reschedule', deleted: 'cancel' });
  const { summary, start, end } = world.google.truth.event(ANNA, OWN) ?? {};
  const event = { summary, start, end, ...found.event } as typeof found.event;
  world.staff.add({ calendarId: BORIS, id: OWN, ...found, event });
  world.staff.remove(at(ANNA));
  await later(world, id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
  expect(world.google.truth.events(ANNA)).toHaveLength(1);
});

test('moved to another hour before the mirror has written into it, it moves the appointment', async () => {
  const { world, id } = await booked({ moved: 'reschedule', deleted: 'cancel' });
  world.staff.move({ ...at(ANNA), start: TUESDAY_12 });
  await later(world, id);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
  expect(world.ids(ANNA)).toEqual([OWN]);
});

test('deleted while `where` does not take its appointment, it cancels it: the worker has not removed it', async () => {
  const { world, id } = await booked({ deleted: 'cancel' });
  world.remap('staff', [{ resource: 'Anna', calendarId: ANNA }], { sinceMs: 0, statuses: ['arrived'] });
  world.staff.remove(at(ANNA));
  await later(world, id);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
});

test('dragged into a calendar of nobody known while moves are let be, it stays there', async () => {
  const { world, id } = await booked({ moved: 'ignore', deleted: 'cancel' }, { more: [FREE] });
  world.staff.moveToCalendar({ ...at(ANNA), to: FREE });
  await later(world, id, [ANNA, FREE]);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
  expect(world.events()).toEqual([`${FREE} ${TUESDAY_10}`]);
});

describe('for somebody without a calendar, it is the only event of its appointment', () => {
  /** Booked in a calendar of nobody known: no mirror shows Anna. */
  async function kept() {
    const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
    world.remap('staff', [
      { resource: 'Boris', calendarId: BORIS },
      { resource: 'Somebody', calendarId: ANNA },
    ]);
    const id = world.book();
    await own(world, id);
    return { world, id };
  }

  test('deleted, it cancels', async () => {
    const { world, id } = await kept();
    world.staff.remove(at(ANNA));
    await later(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  });

  test('P7: deleted, it cancels nothing once the calendar of its room shows the appointment', async () => {
    const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
    world.remap('staff', [
      { resource: 'Room', calendarId: ROOM },
      { resource: 'Somebody', calendarId: ANNA },
    ]);
    const id = world.book({ serviceId: world.massageId });
    await own(world, id);
    world.staff.remove(at(ANNA));
    await later(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
    expect(world.events()).toEqual([`${ROOM} ${TUESDAY_10}`]);
  });

  test('moved, it moves the appointment, and stays', async () => {
    const { world, id } = await kept();
    world.staff.move({ ...at(ANNA), start: TUESDAY_12 });
    await later(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: TUESDAY_12 });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
  });
});

test('P7: deleted after the platform gave its appointment to a colleague of another mirror, it cancels nothing', async () => {
  const { world, id } = await booked({ moved: 'reschedule', deleted: 'cancel' }, { split: {} });
  world.clock.advance(1_000);
  world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: world.platform.borisId });
  world.staff.remove(at(ANNA));
  await world.hear(id);
  await later(world, id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.borisId });
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
});
