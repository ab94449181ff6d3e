/** Turns that overlap, or that know less than another. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { ANNA, BORIS, EditStands, TUESDAY_10, TUESDAY_12, TUESDAY_14 } from '../../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

test('two handlers at once carry one move', async () => {
  const world = await stands.start({ moved: 'reschedule', notifyCustomer: true });
  const id = await world.bookWithEvent();
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  world.forgetMails();
  await Promise.all([world.turn(id), world.turn(id)]);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
  expect(world.mails()).toEqual(['rescheduled']);
});

test('an older state of the appointment that arrives after the move changes nothing', async () => {
  const world = await stands.start({ moved: 'reschedule' });
  const id = await world.bookWithEvent();
  const older = world.appointment(id);
  world.clock.advance(1_000);
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  await world.settle(id);
  await world.hear(id, older);
  await world.settle(id);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
});

test.each([
  ['is carried', { kind: 'delay', ms: 1 }],
  ['is carried, and the answer is lost', { kind: 'commit-then-reset' }],
] as const)(
  'P1: an event that is moved to another hour while its hand-over %s has both',
  async (_, fault) => {
    const world = await stands.start({ moved: 'reschedule', conflict: 'platform' }, { split: {} });
    const id = await world.bookWithEvent();
    const { eventId } = world.at(id);
    world.staff.moveToCalendar({ calendarId: ANNA, eventId, to: BORIS });
    await world.sight(id, BORIS);
    await world.sight(id);
    world.platform.sandbox.faults.add({
      ...{ method: 'POST', path: /reschedule/, times: 1, fault },
      onStrike: () => world.staff.move({ calendarId: BORIS, eventId, start: TUESDAY_12 }),
    });
    await world.turn(id);
    await world.hear(id);
    await world.settle(id);
    await world.sight(id, BORIS);
    await world.settle(id);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_12}`]);
    expect(world.appointment(id)).toMatchObject({
      starts_at: TUESDAY_12,
      resource_id: world.platform.borisId,
    });
  },
);

test.each([
  ['of the same mirror', {}],
  ['of another mirror', { split: {} }],
])(
  'P1: the hour of an event that staff drag to a colleague %s, to whom the platform gives it too, is carried',
  async (_, about) => {
    const world = await stands.start({ moved: 'reschedule', conflict: 'platform' }, about);
    const id = await world.bookWithEvent();
    const { eventId } = world.at(id);
    world.staff.moveToCalendar({ calendarId: ANNA, eventId, to: BORIS });
    world.staff.move({ calendarId: BORIS, eventId, start: TUESDAY_12 });
    world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: world.platform.borisId });
    await world.hear(id);
    await world.settle(id);
    await world.sight(id, BORIS);
    await world.settle(id);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_12}`]);
    expect(world.appointment(id)).toMatchObject({
      starts_at: TUESDAY_12,
      resource_id: world.platform.borisId,
    });
  },
);

test.each([
  ['it is to stand there', {}],
  ['the platform gives the appointment to a colleague', { isGiven: true }],
])(
  'P1: an event that is moved before the worker knows that it was made has its hour, when %s',
  async (_, about: {
    isGiven?: boolean;
  }) => {
    const world = await stands.start({ moved: 'reschedule', conflict: 'staff' });
    world.google.faults.add({
      method: 'POST',
      path: /events/,
      times: 1,
      fault: { kind: 'commit-then-reset' },
    });
    const { borisId } = world.platform;
    const id = world.book();
    await world.hear(id);
    await world.turn(id);
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    if (about.isGiven) {
      world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: borisId });
      await world.hear(id);
    }
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
    expect(world.events()).toEqual([`${about.isGiven ? BORIS : ANNA} ${TUESDAY_12}`]);
  },
);

test.each([
  ['while it is taken away there', { kind: 'delay', ms: 1 }],
  ['after the answer to its removal was lost', { kind: 'commit-then-reset' }],
  ['after its removal was refused', { kind: 'status', status: 503 }],
] as const)(
  'P7: an event that is handed over, and dragged back %s, cancels nothing and is handed back',
  async (_, fault) => {
    const world = await stands.start({ moved: 'reschedule', deleted: 'cancel', conflict: 'platform' });
    const id = await world.bookWithEvent();
    const { eventId } = world.at(id);
    world.staff.moveToCalendar({ calendarId: ANNA, eventId, to: BORIS });
    await world.sight(id, BORIS);
    await world.sight(id);
    let isBack = false;
    world.google.faults.add({
      method: 'DELETE',
      times: 1,
      onStrike: () => {
        isBack = true;
        if (fault.kind === 'delay') world.staff.moveToCalendar({ calendarId: BORIS, eventId, to: ANNA });
      },
      fault,
    });
    if (fault.kind === 'delay') await world.settle(id);
    else while (!isBack) await world.turn(id);
    expect(isBack).toBe(true);
    if (fault.kind !== 'delay') world.staff.moveToCalendar({ calendarId: BORIS, eventId, to: ANNA });
    await world.sight(id, ANNA);
    await world.sight(id, BORIS);
    await world.settle(id);
    world.clock.advance(10 * 60_000);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  },
);

test.each([
  ['the worker has sent it', true],
  ['a former worker has sent it, and Redis has lost that', false],
])(
  'P7: an event that was made late, after %s, and at an hour that does not count any more, moves nothing',
  async (_, isKnown) => {
    const world = await stands.start({ moved: 'reschedule', conflict: 'staff' });
    const { annaId: resourceId } = world.platform;
    const id = world.book();
    const inserts = { method: 'POST', path: /events/, times: 1 } as const;
    let late: Record<string, unknown> | undefined;
    const { api } = world.ground;
    const insert = api.insert.bind(api);
    api.insert = async (calendarId, eventId, body) => {
      late ??= { ...body };
      return insert(calendarId, eventId, body);
    };
    world.google.faults.add({ ...inserts, fault: { kind: 'reset' } });
    await world.hear(id);
    await world.turn(id);
    if (!isKnown) await world.store.redis.flushall();
    world.dashboard.reschedule(id, { startsAt: TUESDAY_14, resourceId });
    await world.hear(id);
    // It is performed right before the next insert, and the look after that has no answer.
    api.insert = async (calendarId, eventId, body) => {
      await insert(calendarId, eventId, late as unknown as typeof body);
      world.google.faults.add({ method: 'GET', path: /events/, times: 1, fault: { kind: 'reset' } });
      api.insert = insert;
      return insert(calendarId, eventId, body);
    };
    await world.turn(id);
    expect(world.startsAt(id)).toBe(TUESDAY_10);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_14, resource_id: resourceId });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
  },
);

test('an event that the list misses, and that cannot be read then, is followed again once it shows as it was', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  const id = await world.bookWithEvent();
  const missed = { ...world.at(id), etag: '', seenAtMs: world.clock.now() };
  await world.store.sightings.sight({ kind: 'appointment', id }, missed, { isAlive: false });
  world.google.faults.add({ method: 'GET', times: 1, fault: { kind: 'status', status: 503 } });
  expect(await world.turn(id)).toMatchObject({ next: 'retry' });
  expect(await world.settle(id)).toEqual({ next: 'done' });
  world.dashboard.reschedule(id, { startsAt: TUESDAY_14 });
  await world.hear(id);
  expect(await world.settle(id)).toEqual({ next: 'done' });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
});
