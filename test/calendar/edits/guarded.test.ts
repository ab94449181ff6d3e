/** What the guards stop before the platform is asked: no other check is behind them. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { editTally } from '../../../src/engine/edit-guard.ts';
import { double } from '../../stand/double.ts';
import {
  ANNA,
  BORIS,
  type EditGround,
  EditStands,
  type EditWorld,
  TUESDAY_10,
  TUESDAY_12,
} from '../../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

async function marked({ store }: EditWorld, tally: string, times: number) {
  for (let n = 0; n < times; n += 1) await store.tally.count(tally, `other ${n}`, 600_000);
}

test('a move is not carried for the eleventh time in ten minutes: two programs fight over the event (P5)', async () => {
  const world = await stands.start({ moved: 'reschedule' });
  const id = await world.bookWithEvent();
  await marked(world, editTally(`appointment/${id}`), 10);
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  await world.settle(id);
  expect(await world.letters()).toEqual(['edit-loop']);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
  expect(world.startsAt(id)).toBe(TUESDAY_12);
});

/** Turns until nothing is left to do, or a person has to decide. */
async function untilDone(world: EditWorld, id: string, own = world.ground) {
  for (let turns = 0; turns < 12; turns += 1) {
    const next = await world.turn(id, own);
    if (next.next === 'done') return;
    if (next.next === 'defer') world.clock.advance(next.afterMs);
  }
  throw new Error('does not end');
}

test('deletions that are noticed while one is searched for stop its cancellation as well (P7)', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  await world.sight(id);
  let isSearched = false;
  const events: EditGround['events'] = {
    upcoming: (...asked) => world.ground.events.upcoming(...asked),
    isNobodys: (...asked) => world.ground.events.isNobodys(...asked),
    keptElsewhere: (...asked) => world.ground.events.keptElsewhere(...asked),
    read: async (calendarId, eventId) => {
      if (calendarId === BORIS && !isSearched) {
        isSearched = true;
        await marked(world, `deleting:${ANNA}`, 5);
      }
      return world.ground.events.read(calendarId, eventId);
    },
  };
  await untilDone(world, id, { ...world.ground, events });
  expect(isSearched).toBe(true);
  expect(await world.letters()).toEqual(['mass-deletion']);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
});

test('the events of an emptied calendar are not searched for one by one', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  await marked(world, `deleting:${ANNA}`, 5);
  world.staff.remove(world.at(id));
  await world.sight(id);
  const searched: string[] = [];
  const events: EditGround['events'] = {
    upcoming: (...asked) => world.ground.events.upcoming(...asked),
    isNobodys: (...asked) => world.ground.events.isNobodys(...asked),
    keptElsewhere: (...asked) => world.ground.events.keptElsewhere(...asked),
    read: (calendarId, eventId) => {
      searched.push(calendarId);
      return world.ground.events.read(calendarId, eventId);
    },
  };
  await untilDone(world, id, { ...world.ground, events });
  expect(await world.letters()).toEqual(['mass-deletion']);
  expect(searched).not.toContain(BORIS);
});

test('a deletion that was carried waits no longer, and counts with the others of its hour (P7)', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  await world.sight(id);
  await untilDone(world, id);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  const counted = (tally: string) => world.store.tally.count(`${tally}:${ANNA}`, 'another', 3_600_000);
  expect(await counted('deleted')).toBe(2);
  expect(await counted('deleting')).toBe(1);
});

test('a move of which no customer is mailed goes on while deletions and mails wait for a person', async () => {
  const world = await stands.start({ moved: 'reschedule' });
  const id = await world.bookWithEvent();
  await marked(world, `deleting:${ANNA}`, 6);
  await marked(world, 'mailed', 21);
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  await untilDone(world, id);
  expect(await world.letters()).toEqual([]);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
});

test('a move of which a customer would be mailed is not carried after twenty mails in an hour', async () => {
  const world = await stands.start({ moved: 'reschedule', notifyCustomer: true });
  const id = await world.bookWithEvent();
  await marked(world, 'mailed', 20);
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  world.forgetMails();
  await world.settle(id);
  expect(await world.letters()).toHaveLength(1);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
  expect(world.mails()).toEqual([]);
});

test.each([
  ['is put back by hand', (world: EditWorld, id: string) => world.staff.restore(world.at(id))],
  ['was a drag', (world: EditWorld, id: string) => drag(world, id)],
])('a deletion that %s waits no longer, and does not count', async (_, undo) => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.settle(id);
  undo(world, id);
  await world.sight(id);
  await world.sight(id, BORIS);
  await untilDone(world, id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  for (const tally of ['deleted', 'deleting'])
    expect(await world.store.tally.count(`${tally}:${ANNA}`, 'another', 3_600_000)).toBe(1);
});

function drag(world: EditWorld, id: string): void {
  world.staff.restore(world.at(id));
  world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
}

test('a deletion of which the customer has cancelled the appointment waits no longer', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.settle(id);
  world.dashboard.cancel(id, { notify: false });
  await world.hear(id);
  await untilDone(world, id);
  expect(await world.store.tally.count(`deleting:${ANNA}`, 'another', 3_600_000)).toBe(1);
});

test('a deletion in a calendar that Google closed and the YAML has left waits no longer', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.settle(id);
  world.google.revokeAccess(ANNA);
  world.unname(ANNA);
  await untilDone(world, id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  expect(await world.store.tally.count(`deleting:${ANNA}`, 'another', 3_600_000)).toBe(1);
});

test('the events of an emptied calendar are restored without asking anybody', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'restore' });
  const id = await world.bookWithEvent();
  await marked(world, `deleting:${ANNA}`, 6);
  world.staff.remove(world.at(id));
  await world.sight(id);
  const before = world.platform.sandbox.stats().requests;
  await untilDone(world, id);
  expect(await world.letters()).toEqual([]);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  expect(world.platform.sandbox.stats().requests).toBe(before);
});

test('an emptied calendar of appointments that are cancelled already needs nobody', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  await marked(world, `deleting:${ANNA}`, 6);
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.settle(id);
  // No webhook tells of it.
  world.dashboard.cancel(id, { notify: false });
  await untilDone(world, id);
  expect(await world.letters()).toEqual([]);
});

test('an event that is moved to and fro is carried ten times in ten minutes', async () => {
  const world = await stands.start({ moved: 'reschedule' });
  const id = await world.bookWithEvent();
  let carried = 0;
  for (; carried < 20; carried += 1) {
    const start = carried % 2 === 0 ? TUESDAY_12 : TUESDAY_10;
    world.clock.advance(1_000);
    world.staff.move({ ...world.at(id), start });
    await world.sight(id);
    await world.settle(id);
    if (world.appointment(id)?.['starts_at'] !== start) break;
  }
  expect(carried).toBe(10);
  expect(await world.letters()).toEqual(['edit-loop']);
});

test('a change to which the platform always has an earlier answer gets another turn', async () => {
  const world = await stands.start({ moved: 'reschedule' });
  const id = await world.bookWithEvent();
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  const { submitter } = world;
  const appointment = await world.ground.reader.get({ kind: 'appointment', id });
  const earlier = { op: 'move', appointmentId: id, startsAt: TUESDAY_10, notifyCustomer: false } as const;
  const own: typeof submitter = double({
    finish: (origin) => submitter.finish(origin),
    withdraw: (origin) => submitter.withdraw(origin),
    submit: async () => ({ outcome: 'done', appointment: appointment as never, earlier }),
  });
  expect(await world.turn(id, { ...world.ground, submitter: own })).toMatchObject({ next: 'retry' });
  expect(world.startsAt(id)).toBe(TUESDAY_12);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
});

test('while a change waits for the platform, nothing is even tried over it', async () => {
  const world = await stands.start({ moved: 'reschedule' });
  const id = await world.bookWithEvent();
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  world.clock.advance(1_000);
  const updated_at = new Date(world.clock.now()).toISOString();
  await world.hear(id, { ...world.appointment(id), customer_name: 'Vera O.', updated_at });
  world.forgetCalls();
  const down = { method: 'GET', path: /appointments/, fault: { kind: 'status', status: 503 } } as const;
  const lift = world.platform.sandbox.faults.add(down);
  expect(await world.turn(id)).toMatchObject({ next: 'retry' });
  expect(world.calls()).toEqual({ 'events.get': 1 });
  lift();
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
});

test('a change of an appointment whose hour nobody can read is not judged', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.clock.advance(1_000);
  const updated_at = new Date(world.clock.now()).toISOString();
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  await world.hear(id, { ...world.appointment(id), starts_at: 'soon', updated_at });
  expect(await world.turn(id)).toEqual({ next: 'done' });
  expect(await world.letters()).toEqual(['appointment-unreadable']);
  expect(world.startsAt(id)).toBe(TUESDAY_12);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
  const acted = (await world.store.history.of(`appointment/${id}`)).filter(({ what }) => what === 'acted');
  expect(acted).toEqual([]);
});

test.each([
  ['moves', (world: EditWorld, id: string) => world.staff.move({ ...world.at(id), start: TUESDAY_12 })],
  ['deletes', (world: EditWorld, id: string) => world.staff.remove(world.at(id))],
])(
  'an outsider to whom people gave the event %s it: the appointment stays, and has another (P7)',
  async (_, act) => {
    const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
    const id = await world.bookWithEvent();
    world.staff.giveAway({ ...world.at(id), to: 'somebody@elsewhere.example' });
    act(world, id);
    await world.sight(id);
    await untilDone(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: TUESDAY_10 });
    expect(world.events()).toContain(`${ANNA} ${TUESDAY_10}`);
  },
);

test('a change that turns out to be none, after its calendar had not answered, is not asked about again', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  const id = await world.bookWithEvent();
  const sighting = { ...world.at(id), seenAtMs: world.clock.now(), etag: '"older"' };
  await world.store.sightings.sight({ kind: 'appointment', id }, sighting, { isAlive: true });
  world.google.faults.add({ method: 'GET', times: 1, fault: { kind: 'status', status: 503 } });
  expect(await world.turn(id)).toMatchObject({ next: 'retry' });
  await untilDone(world, id);
  world.clock.advance(1_000);
  const updated_at = new Date(world.clock.now()).toISOString();
  world.forgetCalls();
  await world.hear(id, { ...world.appointment(id), updated_at });
  await untilDone(world, id);
  expect(world.calls()).toEqual({});
});
