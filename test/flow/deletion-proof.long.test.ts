/** No drag of an event ever cancels an appointment, and nobody is mailed about one: whatever was lost, cannot be read, or is shown late (P7, P5). */

import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { DeferredError } from '../../src/engine/errors.ts';
import {
  ANNA,
  BOARD,
  BORIS,
  CLARA,
  EditStands,
  type EditWorld,
  GRACE_MS,
  ROOM,
  TEAM,
  TUESDAY_10,
  TUESDAY_12,
  TUESDAY_14,
} from '../stand/edits.ts';
import { atLength, rowsOf } from '../stand/runs.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const DONE = { next: 'done' };
const CARRIED = { moved: 'reschedule', deleted: 'cancel', notifyCustomer: true } as const;

/** Both calendars are read, and everything that waits comes to its end. */
async function pastTheGrace(world: EditWorld, id: string, calendars = [ANNA, BORIS]): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    for (const calendarId of calendars) await world.sight(id, calendarId);
    await world.settle(id);
    world.clock.advance(GRACE_MS + 1_000);
  }
  await world.settle(id);
}

const standsWithBoris = (world: EditWorld, id: string) => {
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.borisId });
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
  expect(world.mails()).toEqual(['rescheduled']);
};

describe('E55: a Redis that was started again while an event was dragged', () => {
  test('the drag is carried, whatever is looked at first', async () => {
    const world = await stands.start(CARRIED);
    const id = await world.bookWithEvent();
    world.forgetMails();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    await world.adopt('a second run');
    await world.settle(id);
    await pastTheGrace(world, id);
    standsWithBoris(world, id);
  });

  test('the deletion is noticed before the marked events are looked for', async () => {
    const world = await stands.start(CARRIED);
    const id = await world.bookWithEvent();
    world.forgetMails();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    await world.sight(id);
    await world.settle(id);
    await world.adopt('a second run');
    await pastTheGrace(world, id);
    standsWithBoris(world, id);
  });

  atLength.test('with deletions restored, the drag is carried as well', async () => {
    const world = await stands.start({ ...CARRIED, deleted: 'restore' });
    const id = await world.bookWithEvent();
    world.forgetMails();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    await world.adopt('a second run');
    await pastTheGrace(world, id);
    standsWithBoris(world, id);
  });

  atLength.test('the room of an appointment stays where it is', async () => {
    const world = await stands.start(CARRIED);
    const id = await world.bookWithEvent({ serviceId: world.massageId });
    await world.adopt('a second run');
    expect(await world.settle(id)).toEqual(DONE);
    await pastTheGrace(world, id, [ANNA, ROOM]);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${ROOM} ${TUESDAY_10}`]);
    expect(world.appointment(id)).toMatchObject({
      status: 'confirmed',
      resource_id: world.platform.annaId,
    });
  });
});

describe('E62: Redis lost its last second, in which the event was created', () => {
  /** The event is there, and Redis knows neither it nor its appointment. */
  async function withLostEvent() {
    const world = await stands.start(CARRIED);
    const id = await world.bookWithEvent();
    world.forgetMails();
    await world.store.redis.del(world.store.keys.object(`appointment/${id}`));
    await world.store.redis.del(world.store.keys.eventsOf + ANNA);
    return { world, id };
  }
  const drag = (world: EditWorld, id: string) => world.staff.move({ ...world.at(id), start: TUESDAY_12 });

  test.each(['adoption', 'the calendar', 'the feed'] as const)(
    'a drag to another hour is carried, where %s is read first',
    async (first) => {
      const { world, id } = await withLostEvent();
      drag(world, id);
      if (first === 'adoption') await world.adopt('a second run', { isInPart: true });
      else await world.hear(id);
      if (first === 'the calendar') await world.sight(id);
      await world.settle(id);
      world.clock.advance(GRACE_MS);
      await world.settle(id);
      expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
      expect(world.mails()).toEqual(['rescheduled']);
    },
  );

  test.each(['adoption', 'the calendar'] as const)(
    'a drag to a colleague is carried, where %s is read first',
    async (first) => {
      const { world, id } = await withLostEvent();
      world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
      if (first === 'adoption') await world.adopt('a second run', { isInPart: true });
      else await world.hear(id);
      await pastTheGrace(world, id);
      standsWithBoris(world, id);
    },
  );

  test('a drag of an event that the worker had moved in that second is carried, too', async () => {
    const world = await stands.start({ ...CARRIED, conflict: 'platform' });
    const id = await world.bookWithEvent();
    const key = world.store.keys.object(`appointment/${id}`);
    const before = await world.store.redis.dumpBuffer(key);
    world.platform.dashboard.reschedule(id, { startsAt: TUESDAY_14, resourceId: world.platform.annaId });
    await world.hear(id);
    await world.settle(id);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
    await world.store.redis.restore(key, 0, before ?? '', 'REPLACE');
    drag(world, id);
    await world.hear(id);
    await world.sight(id);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
  });

  test('a drag that cannot be carried is said in the event', async () => {
    const { world, id } = await withLostEvent();
    world.staff.move({ ...world.at(id), start: '2026-03-01T07:00:00.000Z' });
    await world.adopt('a second run', { isInPart: true });
    await world.settle(id);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
    expect(world.description(id)).toContain('already passed');
  });

  test('an event that nobody touched is taken up without a write, and its next drag is carried', async () => {
    const { world, id } = await withLostEvent();
    world.forgetCalls();
    await world.adopt('a second run', { isInPart: true });
    drag(world, id);
    await world.sight(id);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
    expect(world.calls()['events.insert']).toBeUndefined();
  });
});

describe('P3: Redis lost the second in which the worker itself moved the event to a colleague', () => {
  test.each(['adoption', 'the calendars', 'the feed'] as const)(
    'the appointment, given back on the platform meanwhile, stays where it is, where %s is read first',
    async (first) => {
      const world = await stands.start(CARRIED, { split: {} });
      const { annaId, borisId } = world.platform;
      const id = await world.bookWithEvent();
      const key = world.store.keys.object(`appointment/${id}`);
      const before = await world.store.redis.dumpBuffer(key);
      world.clock.advance(1_000);
      world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: borisId });
      await world.hear(id);
      await world.settle(id);
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
      world.clock.advance(1_000);
      world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: annaId });
      world.forgetMails();
      await world.store.redis.restore(key, 0, before ?? '', 'REPLACE');
      if (first === 'adoption') await world.adopt('a second run', { isInPart: true });
      if (first === 'the calendars')
        for (const calendarId of [ANNA, BORIS]) await world.sight(id, calendarId);
      await world.hear(id);
      await world.settle(id);
      await world.adopt('a second run', { isInPart: true });
      await pastTheGrace(world, id);
      expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: annaId });
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
      expect(world.mails()).toEqual([]);
    },
  );

  test('a drag to a colleague and a later one back are two wishes', async () => {
    const world = await stands.start(CARRIED);
    const id = await world.bookWithEvent();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    await pastTheGrace(world, id);
    expect(world.appointment(id)).toMatchObject({ resource_id: world.platform.borisId });
    world.staff.moveToCalendar({ ...world.at(id, BORIS), to: ANNA });
    await pastTheGrace(world, id);
    expect(world.appointment(id)).toMatchObject({ resource_id: world.platform.annaId });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  });
});

describe('E56: a Redis that was lost', () => {
  test.each(['cancel', 'restore', 'ignore'] as const)(
    'an event dragged meanwhile returns to where the platform has the appointment (deleted: %s)',
    async (deleted) => {
      const world = await stands.start({ ...CARRIED, deleted });
      const id = await world.bookWithEvent();
      world.forgetMails();
      world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
      await world.store.redis.flushall();
      await world.store.ready();
      await world.adopt('a second run');
      await pastTheGrace(world, id);
      expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
      expect(world.mails()).toEqual([]);
    },
  );

  atLength.test('an appointment with a person and a room is adopted as it is', async () => {
    const world = await stands.start(CARRIED);
    const id = await world.bookWithEvent({ serviceId: world.massageId });
    await world.store.redis.flushall();
    await world.store.ready();
    world.forgetCalls();
    await world.adopt('a second run');
    expect(await world.settle(id)).toEqual(DONE);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${ROOM} ${TUESDAY_10}`]);
    expect(world.calls()['events.insert']).toBeUndefined();
    expect(world.calls()['events.delete']).toBeUndefined();
  });
});

describe('E54: an event that was dragged into a calendar of another mirror', () => {
  test('gives the appointment to the owner of that calendar', async () => {
    const world = await stands.start(CARRIED, { split: {} });
    const id = await world.bookWithEvent();
    world.forgetMails();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    await pastTheGrace(world, id);
    standsWithBoris(world, id);
    // The event belongs to the other mirror now, and is changed and deleted there.
    world.staff.remove(world.at(id, BORIS));
    await pastTheGrace(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  });

  test('also when that calendar is never listed', async () => {
    const world = await stands.start(CARRIED, { split: {} });
    const id = await world.bookWithEvent();
    world.forgetMails();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    await pastTheGrace(world, id, [ANNA]);
    standsWithBoris(world, id);
  });

  test.each(rowsOf([404, 401, 403, 429, 503], 3))(
    'an answer of %i there lets it wait, and cancels nothing',
    async (status) => {
      const world = await stands.start(CARRIED, { split: {} });
      const id = await world.bookWithEvent();
      world.forgetMails();
      const path = new RegExp(`calendars/${BORIS}/`);
      const lift = world.google.faults.add({ path, fault: { kind: 'status', status } });
      world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
      await world.sight(id);
      for (let round = 0; round < 12; round += 1) {
        await world.turn(id);
        world.clock.advance(GRACE_MS);
      }
      expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
      expect(world.mails()).toEqual([]);
      expect(await world.letters()).toEqual([]);
      expect(await world.isDirty(id)).toBe(true);
      lift();
      world.clock.advance(600_000);
      await world.settle(id);
      standsWithBoris(world, id);
    },
  );

  atLength.test('is put back and says why when that mirror does not take the appointment', async () => {
    const world = await stands.start(CARRIED, { split: { statuses: ['arrived'] } });
    const id = await world.bookWithEvent();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    await pastTheGrace(world, id);
    expect(world.appointment(id)).toMatchObject({
      status: 'confirmed',
      resource_id: world.platform.annaId,
    });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
    expect(world.description(id)).toContain('not kept in that calendar');
  });

  atLength.test(
    'where moves are let be it stays, if both mirrors let them be, and is put back otherwise',
    async () => {
      const both = await stands.start({ moved: 'ignore', deleted: 'cancel' }, { split: {} });
      const id = await both.bookWithEvent();
      both.staff.moveToCalendar({ ...both.at(id), to: BORIS });
      await pastTheGrace(both, id);
      expect(both.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
      expect(both.appointment(id)).toMatchObject({ status: 'confirmed' });
      const one = await stands.start(
        { moved: 'ignore', deleted: 'cancel' },
        { split: { edits: { moved: 'revert' } } },
      );
      const other = await one.bookWithEvent();
      one.staff.moveToCalendar({ ...one.at(other), to: BORIS });
      await pastTheGrace(one, other);
      expect(one.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
      expect(one.appointment(other)).toMatchObject({ status: 'confirmed' });
    },
  );
});

describe('E59: an event that the mirror removed because its `where` no longer takes the appointment', () => {
  test('is nobody’s deletion, also when the mark of that was in the second that Redis forgot', async () => {
    const world = await stands.start(CARRIED, { split: { statuses: ['confirmed'] } });
    const { serviceId, borisId } = world.platform;
    const id = world.dashboard.holdWaitlistPlace({ serviceId, resourceId: borisId, startsAt: TUESDAY_10 });
    const before = '2026-03-01T00:00:00.000Z';
    await world.hear(id, { ...world.appointment(id), status: 'confirmed', updated_at: before });
    await world.settle(id);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    // The worker took it away; of that nothing is left but the tombstone.
    world.staff.remove(world.at(id, BORIS));
    await world.hear(id);
    await pastTheGrace(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'pending' });
    expect(world.events()).toEqual([]);
    // Taken again, it stands there again.
    await world.hear(id, {
      ...world.appointment(id),
      status: 'confirmed',
      updated_at: new Date(world.clock.now()).toISOString(),
    });
    await world.settle(id);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
  });
});

describe('a drag into a calendar that does not answer for longer than a deleted event is looked for', () => {
  test.each(['reschedule', 'ignore'] as const)(
    'comes too late, with `deleted: restore` and `moved: %s`: one event stands, and says so where moves are carried',
    async (moved) => {
      const world = await stands.start({ moved, deleted: 'restore' });
      const id = await world.bookWithEvent();
      world.google.revokeAccess(BORIS, defaultAccount);
      world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
      await world.sight(id);
      for (let round = 0; round < 6; round += 1) {
        await world.settle(id);
        world.clock.advance(60_000);
      }
      expect(world.startsAt(id)).toBe(TUESDAY_10);
      world.google.grantAccess(BORIS, defaultAccount);
      await pastTheGrace(world, id);
      expect(world.appointment(id)).toMatchObject({
        status: 'confirmed',
        resource_id: world.platform.annaId,
      });
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
      expect(world.description(id).includes('Please move it again')).toBe(moved === 'reschedule');
    },
  );
});

describe('more calendars than are looked into at once', () => {
  const MANY = Array.from({ length: 230 }, (_, n) => `c${n}@clinic.example`);

  test('a drag into the last of them cancels nothing', async () => {
    const world = await stands.start(CARRIED, { more: MANY });
    const id = await world.bookWithEvent();
    world.forgetMails();
    world.staff.moveToCalendar({ ...world.at(id), to: 'c229@clinic.example' });
    for (let round = 0; round < 6; round += 1) {
      await world.sight(id);
      await world.settle(id);
      world.clock.advance(GRACE_MS + 1_000);
    }
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
    expect(world.mails()).toEqual([]);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
    expect(world.description(id)).toContain('not kept in that calendar');
  });

  atLength.test(
    'a deletion is carried in the end, each calendar looked into once although the quota runs out on the way',
    async () => {
      const world = await stands.start({ deleted: 'cancel' }, { more: MANY });
      const id = await world.bookWithEvent();
      world.staff.remove(world.at(id));
      await world.sight(id);
      await world.settle(id);
      world.clock.advance(GRACE_MS + 1_000);
      const looks: string[] = [];
      let left = 0;
      const scarce = {
        ...world.ground,
        events: {
          ...world.ground.events,
          read: async (calendarId: string, eventId: string) => {
            left -= 1;
            if (left < 0) {
              const quota = 'google-calendar';
              throw new DeferredError('google-quota', 'spent', { retryAfterMs: 20_000, quota });
            }
            looks.push(calendarId);
            return world.ground.events.read(calendarId, eventId);
          },
        },
      };
      let turns = 0;
      for (; turns < 20 && world.appointment(id)?.['status'] !== 'cancelled'; turns += 1) {
        // So many answers, then Google has had enough for a while.
        left = 60;
        await world.turn(id, scarce);
        world.clock.advance(20_000);
      }
      expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
      expect(turns).toBeLessThan(8);
      const others = looks.filter((calendarId) => calendarId !== ANNA);
      expect(others.sort()).toEqual([...new Set([BORIS, CLARA, ROOM, ...MANY])].sort());
    },
  );
});

describe('calendars that show a drag at different moments', () => {
  test.each([0, 3_000])(
    'one that shows the event still when its stray is taken away proves no deletion (grace %i ms)',
    async (graceMs) => {
      const world = await stands.start({ ...CARRIED, graceMs });
      const id = await world.bookWithEvent();
      world.forgetMails();
      const before = await world.ground.events.read(ANNA, world.at(id).eventId);
      world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
      // Anna's calendar says for a while what it said before.
      const stale = {
        ...world.ground,
        events: {
          ...world.ground.events,
          read: (calendarId: string, eventId: string) =>
            calendarId === ANNA ? Promise.resolve(before) : world.ground.events.read(calendarId, eventId),
        },
      };
      await world.sight(id, BORIS);
      for (let turn = 0; turn < 6; turn += 1) {
        await world.turn(id, stale);
        world.clock.advance(10_000);
      }
      await pastTheGrace(world, id);
      expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
      expect(world.mails()).not.toContain('cancelled');
      expect(world.events()).toHaveLength(1);
    },
  );

  atLength.test('without a grace nothing is cancelled in the moment in which neither shows it', async () => {
    const world = await stands.start({ ...CARRIED, graceMs: 0 });
    const id = await world.bookWithEvent();
    world.forgetMails();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    const late = {
      ...world.ground,
      events: {
        ...world.ground.events,
        read: (calendarId: string, eventId: string) =>
          calendarId === BORIS
            ? Promise.resolve('absent' as const)
            : world.ground.events.read(calendarId, eventId),
      },
    };
    await world.sight(id);
    for (let turn = 0; turn < 4; turn += 1) {
      await world.turn(id, late);
      world.clock.advance(1_000);
    }
    world.clock.advance(10_000);
    await world.settle(id);
    standsWithBoris(world, id);
  });
});

test('a worker whose clock is ahead does not shorten the grace that another one has begun', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.turn(id);
  world.clock.advance(1_000);
  await world.turnElsewhere(id, 3_600_000);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  world.clock.advance(GRACE_MS);
  await world.turnElsewhere(id, 3_600_000);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
});

test.each([
  ['a guest’s copy lives on', { organizer: { email: 'somebody@else.example' } }],
  ['the marks are gone', {}],
])('an event of the same id that stands elsewhere, where %s, is no proof of a deletion', async (_, by) => {
  const world = await stands.start({ ...CARRIED, moved: 'reschedule' });
  const id = await world.bookWithEvent();
  const { summary, start, end } = world.event(id) ?? {};
  const event = { summary, start, end } as Parameters<typeof world.staff.add>[0]['event'];
  world.staff.add({ calendarId: BORIS, id: world.at(id).eventId, event, ...by });
  world.staff.remove(world.at(id));
  await pastTheGrace(world, id, [ANNA]);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
  expect(world.mails()).not.toContain('cancelled');
  expect(world.startsAt(id)).toBe(TUESDAY_10);
  expect(world.event(id)).toMatchObject({ status: 'confirmed' });
});

test.each([
  ['platform', 'confirmed', [`${ANNA} ${TUESDAY_12}`, `${TEAM} ${TUESDAY_12}`]],
  ['latest', 'confirmed', [`${ANNA} ${TUESDAY_12}`, `${TEAM} ${TUESDAY_12}`]],
  ['staff', 'cancelled', []],
] as const)(
  'E63: deleted, and the appointment is moved in another calendar before the grace is over: `conflict: %s` decides, and the event says so',
  async (conflict, status, events) => {
    const world = await stands.start({ ...CARRIED, conflict }, { team: { moved: 'reschedule' } });
    const id = await world.bookWithEvent();
    world.staff.remove(world.at(id));
    await world.sight(id);
    await world.settle(id);
    world.clock.advance(1_000);
    world.staff.move({ ...world.at(id, TEAM), start: TUESDAY_12 });
    await world.sight(id, TEAM);
    await pastTheGrace(world, id, []);
    expect(world.appointment(id)).toMatchObject({ status });
    expect(world.events().filter((each) => !each.startsWith(BOARD))).toEqual(events);
    expect(world.description(id).split('\n').at(-1)).toMatch(
      status === 'cancelled'
        ? /^\+7\d+$/
        : /^Not changed: the appointment was moved .* in another calendar\.$/,
    );
  },
);

test('an event that is dragged on while it is looked for is found', async () => {
  const world = await stands.start(CARRIED);
  const id = await world.bookWithEvent();
  world.forgetMails();
  world.staff.moveToCalendar({ ...world.at(id), to: ROOM });
  await world.sight(id);
  await world.settle(id);
  world.clock.advance(GRACE_MS + 1_000);
  // Back home just before its last hiding place is read.
  const moving = {
    ...world.ground,
    events: {
      ...world.ground.events,
      read: async (calendarId: string, eventId: string) => {
        if (calendarId === ROOM && world.event(id, ROOM)?.['status'] === 'confirmed')
          world.staff.moveToCalendar({ calendarId: ROOM, eventId, to: ANNA });
        return world.ground.events.read(calendarId, eventId);
      },
    },
  };
  await world.turn(id, moving);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: TUESDAY_10 });
  expect(world.mails()).toEqual([]);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
});

atLength.describe('a calendar that was taken out of the YAML', () => {
  test('and that is closed to the worker keeps nothing open, and cancels nothing', async () => {
    const world = await stands.start(CARRIED);
    const id = await world.bookWithEvent();
    world.staff.remove(world.at(id));
    await world.sight(id);
    expect(await world.settle(id)).not.toEqual(DONE);
    world.google.revokeAccess(ANNA);
    world.unname(ANNA);
    world.clock.advance(GRACE_MS + 1_000);
    expect(await world.settle(id)).toEqual(DONE);
    expect(await world.settle(id)).toEqual(DONE);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  });

  test('E57: is closed while it is named: then it is waited for', async () => {
    const world = await stands.start(CARRIED);
    const id = await world.bookWithEvent();
    world.staff.remove(world.at(id));
    await world.sight(id);
    await world.settle(id);
    world.google.revokeAccess(ANNA);
    world.clock.advance(GRACE_MS + 1_000);
    expect(await world.settle(id)).not.toEqual(DONE);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  });

  test('may be tidied: an event that is deleted there cancels nothing', async () => {
    const world = await stands.start(CARRIED);
    const id = await world.bookWithEvent();
    world.unname(ANNA);
    world.staff.remove(world.at(id));
    await pastTheGrace(world, id, [ANNA, BORIS]);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
    expect(world.mails()).toEqual([]);
  });
});

describe('E66: a drag into a calendar that the YAML no longer names when it is noticed', () => {
  /** The drag, then the edit of the YAML, and nobody has looked in between. */
  async function draggedAway(deleted: 'cancel' | 'restore' = 'cancel') {
    const world = await stands.start({ ...CARRIED, deleted });
    await world.adopt('a first run');
    const id = await world.bookWithEvent();
    world.forgetMails();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    world.unname(BORIS);
    return { world, id };
  }

  test('cancels nothing: the event comes back, and says why', async () => {
    const { world, id } = await draggedAway();
    await pastTheGrace(world, id, [ANNA]);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
    expect(world.events()).toContain(`${ANNA} ${TUESDAY_10}`);
    expect(world.description(id)).toContain('not kept in that calendar');
    expect(world.mails()).toEqual([]);
  });

  test('says why it comes back with deletions restored, too, unless that calendar fails for minutes', async () => {
    const { world, id } = await draggedAway('restore');
    const path = new RegExp(`calendars/${BORIS}/`);
    const lift = world.google.faults.add({ path, fault: { kind: 'status', status: 503 } });
    await world.sight(id);
    await world.settle(id);
    world.clock.advance(10_000);
    expect(await world.settle(id)).toMatchObject({ next: 'defer' });
    expect(world.events()).not.toContain(`${ANNA} ${TUESDAY_10}`);
    lift();
    world.clock.advance(60_000);
    await world.settle(id);
    expect(world.description(id)).toContain('not kept in that calendar');

    const other = await draggedAway('restore');
    other.world.google.faults.add({ path, fault: { kind: 'status', status: 503 } });
    await pastTheGrace(other.world, other.id, [ANNA]);
    expect(other.world.events()).toContain(`${ANNA} ${TUESDAY_10}`);
  });

  test('waits while that calendar fails, and not for one that is closed to the worker', async () => {
    const { world, id } = await draggedAway();
    const path = new RegExp(`calendars/${BORIS}/`);
    const lift = world.google.faults.add({ path, fault: { kind: 'status', status: 503 } });
    await world.sight(id);
    for (let round = 0; round < 6; round += 1) {
      await world.turn(id);
      world.clock.advance(GRACE_MS);
    }
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
    lift();
    world.google.revokeAccess(BORIS, defaultAccount);
    world.clock.advance(600_000);
    await pastTheGrace(world, id, [ANNA]);
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  });
});
