// Calendars that are nobody's: of everything, of a branch, of a service, and those that several people share.

import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { eventIdOf } from '../../src/engine/ids.ts';
import { withCalls } from '../stand/doom.ts';
import {
  ANNA,
  BOARD,
  BORIS,
  CLARA,
  EditStands,
  type EditWorld,
  GRACE_MS,
  idIn,
  OTHER,
  TEAM,
  TUESDAY_10,
  TUESDAY_12,
  TUESDAY_14,
} from '../stand/edits.ts';
import { atLength } from '../stand/runs.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const DONE = { next: 'done' };
const CARRIED = { moved: 'reschedule', deleted: 'cancel' } as const;
const withTeam = (edits: Parameters<EditStands['start']>[0] = CARRIED) =>
  stands.start(edits, { team: { moved: 'reschedule' } });

/** Where the appointment stands: in one event each. */
const everywhere = (calendarId: string, start: string) =>
  [calendarId, TEAM, BOARD].map((each) => `${each} ${start}`);

async function later(world: EditWorld, id: string): Promise<void> {
  await world.settle(id);
  world.clock.advance(GRACE_MS);
  await world.settle(id);
  world.clock.advance(GRACE_MS);
  await world.settle(id);
}

/** Somebody deletes the event there, and nobody brings it back. */
async function deleted(world: EditWorld, id: string, calendarId = ANNA): Promise<void> {
  world.staff.remove(world.at(id, calendarId));
  await world.sight(id, calendarId);
  await later(world, id);
}

describe('an appointment in the calendar of a person and in two of a team', () => {
  test('has one event in each, under ids of their own, that goes where it goes', async () => {
    const world = await withTeam();
    const id = await world.bookWithEvent();
    expect(world.events()).toEqual(everywhere(ANNA, TUESDAY_10));
    expect(new Set([ANNA, TEAM, BOARD].map((each) => idIn(each, id))).size).toBe(3);
    expect([world.event(id, TEAM)?.['summary'], world.event(id, BOARD)?.['summary']]).toEqual([
      'Anna',
      'Busy',
    ]);
    world.dashboard.reschedule(id, { startsAt: TUESDAY_12, resourceId: world.platform.borisId });
    await world.hear(id);
    await world.settle(id);
    expect(world.events()).toEqual(everywhere(BORIS, TUESDAY_12));
    expect(world.event(id, TEAM)?.['summary']).toBe('Boris');
    world.dashboard.cancel(id, { notify: false });
    await world.hear(id);
    await world.settle(id);
    expect(world.events()).toEqual([]);
  });

  atLength.test('stands where the team looks also when nobody it is with has a calendar', async () => {
    const world = await withTeam();
    world.remap('staff', [{ resource: 'Clara', calendarId: CLARA }]);
    await world.bookWithEvent();
    expect(world.events()).toEqual([`${TEAM} ${TUESDAY_10}`, `${BOARD} ${TUESDAY_10}`]);
  });

  test('is moved by who moves the event of the team', async () => {
    const world = await withTeam();
    const id = await world.bookWithEvent();
    world.staff.move({ ...world.at(id, TEAM), start: TUESDAY_12 });
    await world.sight(id, TEAM);
    expect(await world.settle(id)).toEqual(DONE);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
    expect(world.events()).toEqual(everywhere(ANNA, TUESDAY_12));
  });

  atLength.test.each(['platform', 'staff', 'latest'] as const)(
    'is moved once when both are moved at the same time (conflict: %s)',
    async (conflict) => {
      const world = await stands.start({ ...CARRIED, conflict }, { team: { moved: 'reschedule', conflict } });
      const id = await world.bookWithEvent();
      world.staff.move({ ...world.at(id), start: TUESDAY_12 });
      world.clock.advance(1_000);
      world.staff.move({ ...world.at(id, TEAM), start: TUESDAY_14 });
      await world.sight(id);
      await world.sight(id, TEAM);
      await world.settle(id);
      const hour = String(world.appointment(id)?.['starts_at']);
      expect([TUESDAY_12, TUESDAY_14]).toContain(hour);
      expect(world.events()).toEqual(everywhere(ANNA, hour));
      expect(world.description(id) + world.description(id, TEAM)).toMatch(/Moved again|Not changed/);
    },
  );

  atLength.test('is put back where the mapping carries no moves of the team', async () => {
    const world = await stands.start(CARRIED, { team: {} });
    const id = await world.bookWithEvent();
    world.staff.move({ ...world.at(id, TEAM), start: TUESDAY_12 });
    await world.sight(id, TEAM);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
    expect(world.events()).toEqual(everywhere(ANNA, TUESDAY_10));
  });
});

describe('a deletion', () => {
  test.each(['cancel', 'restore', 'ignore'] as const)(
    'of the event of a team cancels nothing (deleted: %s)',
    async (deleted) => {
      const world = await stands.start(CARRIED, { team: { moved: 'reschedule', deleted } });
      const id = await world.bookWithEvent();
      world.staff.remove(world.at(id, TEAM));
      await world.sight(id, TEAM);
      await later(world, id);
      expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
      const left = deleted === 'ignore' ? [ANNA, BOARD] : [ANNA, TEAM, BOARD];
      expect(world.events()).toEqual(left.map((each) => `${each} ${TUESDAY_10}`));
      if (deleted === 'cancel')
        expect(world.description(id, TEAM)).toContain('this calendar only shows the appointment');
    },
  );

  atLength.test(
    'of every event of a team cancels nothing, also in a mirror that has calendars of persons',
    async () => {
      const world = await stands.start(CARRIED, { lines: [{ all: true, calendarId: TEAM }] });
      const id = await world.bookWithEvent();
      await deleted(world, id, TEAM);
      expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${TEAM} ${TUESDAY_10}`]);
    },
  );

  atLength.test(
    'of the event of a person cancels, however many calendars of a team show the appointment',
    async () => {
      const world = await withTeam();
      const id = await world.bookWithEvent();
      await deleted(world, id);
      expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
      expect(world.events()).toEqual([]);
    },
  );

  test('waits for the calendar of the team to answer: the event may have been dragged there', async () => {
    const world = await withTeam();
    const id = await world.bookWithEvent();
    world.staff.remove(world.at(id));
    await world.sight(id);
    world.google.revokeAccess(TEAM);
    await later(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  });
});

describe('an event that is dragged', () => {
  atLength.test.each([
    ['sighted in both', [ANNA, TEAM]],
    ['sighted only as deleted', [ANNA]],
  ])('from a person to the team cancels nothing, and goes back with a word (%s)', async (_, sighted) => {
    const world = await withTeam();
    const id = await world.bookWithEvent();
    world.staff.moveToCalendar({ ...world.at(id), to: TEAM });
    for (const calendarId of sighted) await world.sight(id, calendarId, eventIdOf(id));
    await later(world, id);
    expect(world.appointment(id)).toMatchObject({
      status: 'confirmed',
      resource_id: world.platform.annaId,
    });
    expect(world.events()).toEqual(everywhere(ANNA, TUESDAY_10));
    expect(world.description(id)).toContain('that calendar is shared by several people');
  });

  test('from a person to the team goes back, also while the event of the team is moved: each stands in its own calendar', async () => {
    const world = await withTeam();
    const id = await world.bookWithEvent();
    world.staff.move({ ...world.at(id, TEAM), start: TUESDAY_12 });
    world.staff.moveToCalendar({ ...world.at(id), to: TEAM });
    for (const [calendarId, eventId] of [
      [TEAM, eventIdOf(id)],
      [ANNA, eventIdOf(id)],
      [TEAM, idIn(TEAM, id)],
    ] as const)
      await world.sight(id, calendarId, eventId);
    await later(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
    expect(world.events()).toEqual(everywhere(ANNA, TUESDAY_12));
    expect(world.google.truth.event(TEAM, eventIdOf(id))).toMatchObject({ status: 'cancelled' });
  });

  atLength.test(
    'from a person to a team whose calendar was out of reach goes back: what stands there then has an id of its own',
    async () => {
      const world = await withTeam({ moved: 'revert', deleted: 'restore' });
      world.google.revokeAccess(TEAM, defaultAccount);
      const id = await world.bookWithEvent();
      world.staff.moveToCalendar({ ...world.at(id), to: TEAM });
      await world.sight(id, ANNA);
      await later(world, id);
      world.google.grantAccess(TEAM, defaultAccount);
      await world.sight(id, TEAM, eventIdOf(id));
      await later(world, id);
      expect(world.appointment(id)).toMatchObject({
        status: 'confirmed',
        resource_id: world.platform.annaId,
      });
      expect(world.events()).toEqual(everywhere(ANNA, TUESDAY_10));
      expect(world.google.truth.event(TEAM, eventIdOf(id))).toMatchObject({ status: 'cancelled' });
      expect(world.google.truth.event(TEAM, idIn(TEAM, id))).toMatchObject({ status: 'confirmed' });
    },
  );

  test('from the team to a colleague gives them the appointment, and stands with the team again', async () => {
    const world = await withTeam();
    const id = await world.bookWithEvent();
    world.staff.moveToCalendar({ ...world.at(id, TEAM), to: BORIS });
    await world.sight(id, BORIS, idIn(TEAM, id));
    await world.sight(id, TEAM);
    await later(world, id);
    expect(world.appointment(id)).toMatchObject({
      ...{ status: 'confirmed', starts_at: TUESDAY_10, resource_id: world.platform.borisId },
    });
    expect(world.events()).toEqual(everywhere(BORIS, TUESDAY_10));
  });

  atLength.test.each([
    ['whose it is', ANNA, ''],
    ['of another branch', CLARA, 'another branch'],
    ['of another team', BOARD, 'shared by several people'],
  ])('from the team to a calendar %s goes back', async (_, to, says) => {
    const world = await withTeam();
    const id = await world.bookWithEvent();
    world.staff.moveToCalendar({ ...world.at(id, TEAM), to });
    await world.sight(id, to, idIn(TEAM, id));
    await world.sight(id, TEAM);
    await later(world, id);
    expect(world.appointment(id)).toMatchObject({
      status: 'confirmed',
      resource_id: world.platform.annaId,
    });
    expect(world.events()).toEqual(everywhere(ANNA, TUESDAY_10));
    expect(world.description(id, TEAM)).toContain(says);
  });

  atLength.test(
    'back to the team by a colleague, from where it came, cancels nothing, although it was deleted there before',
    async () => {
      const world = await withTeam();
      const id = await world.bookWithEvent();
      world.staff.moveToCalendar({ ...world.at(id, TEAM), to: BORIS });
      await world.sight(id, BORIS, idIn(TEAM, id));
      await world.sight(id, TEAM);
      await later(world, id);
      const withBoris = world.ids(BORIS);
      expect(withBoris).toHaveLength(1);
      const ofTeam = world.ids(TEAM);
      for (const eventId of ofTeam) world.staff.remove({ calendarId: TEAM, eventId });
      for (const eventId of withBoris) {
        world.staff.moveToCalendar({ calendarId: BORIS, eventId, to: TEAM });
        await world.sight(id, BORIS, eventId);
        for (const each of new Set([eventId, ...ofTeam])) await world.sight(id, TEAM, each);
      }
      await later(world, id);
      expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
      expect(world.events()).toEqual(everywhere(BORIS, TUESDAY_10));
    },
  );

  atLength.test(
    'from a colleague to a calendar that two people share goes back and says why; to that of one of them it is given',
    async () => {
      const world = await stands.start(CARRIED);
      world.remap('staff', [
        { resource: 'Anna', calendarId: ANNA },
        { resource: 'Boris', calendarId: OTHER },
        { resource: 'Room', calendarId: OTHER },
      ]);
      const id = await world.bookWithEvent();
      world.staff.moveToCalendar({ ...world.at(id), to: OTHER });
      await world.sight(id);
      await world.sight(id, OTHER);
      await world.settle(id);
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
      expect(world.description(id)).toContain('shared by several people');
      expect(world.appointment(id)).toMatchObject({ resource_id: world.platform.annaId });
    },
  );
});

describe('after Redis was lost', () => {
  test('the event that the team got in the lost second stays: it is not made and removed in one turn (P1, chaos 29844)', async () => {
    const world = await withTeam();
    const id = await world.bookWithEvent({ resourceId: world.platform.borisId });
    world.staff.moveToCalendar({ ...world.at(id, TEAM), to: BORIS });
    await world.sight(id, BORIS, idIn(TEAM, id));
    await world.sight(id, TEAM);
    // All that Redis knows of it later: the drag is decided, and the team has no event yet.
    const object = world.store.keys.object(`appointment/${id}`);
    let known: Buffer | null = null;
    const api = withCalls({ api: world.ground.api }, async (call, name) => {
      if (name === 'remove') known ??= await world.store.redis.dumpBuffer(object);
      return call();
    });
    await world.turn(id, { ...world.ground, ...api });
    await later(world, id);
    expect(world.events()).toEqual(everywhere(BORIS, TUESDAY_10));
    expect(known).not.toBeNull();
    await world.store.redis.restore(object, 0, known ?? '', 'REPLACE');
    await world.adopt('another run', { isInPart: true });
    await later(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.borisId });
    expect(world.events()).toEqual(everywhere(BORIS, TUESDAY_10));
  });

  test('every event is known again, and none is doubled', async () => {
    const world = await withTeam();
    const id = await world.bookWithEvent();
    await world.store.redis.flushall();
    await world.adopt('another run');
    world.dashboard.reschedule(id, { startsAt: TUESDAY_12 });
    await world.hear(id);
    await world.settle(id);
    expect(world.events()).toEqual(everywhere(ANNA, TUESDAY_12));
  });

  atLength.test.each([
    ['from a person to the team', ANNA, TEAM],
    ['from the team to a colleague', TEAM, BORIS],
    ['from the team to whose it is', TEAM, ANNA],
  ])('a drag %s is undone, and nothing is cancelled', async (_, from, to) => {
    const world = await withTeam();
    const id = await world.bookWithEvent();
    world.staff.moveToCalendar({ ...world.at(id, from), to });
    await world.store.redis.flushall();
    await world.adopt('another run');
    await world.hear(id);
    await later(world, id);
    expect(world.appointment(id)).toMatchObject({
      status: 'confirmed',
      resource_id: world.platform.annaId,
    });
    expect(world.events()).toEqual(everywhere(ANNA, TUESDAY_10));
  });
});

atLength.describe('an edit of the YAML', () => {
  /** As the hole that the edit leaves has it looked at. */
  const lookAgain = async (world: EditWorld, id: string) => {
    await world.store.dirtyMarks.markDirty([{ kind: 'appointment', id }], { read: true });
    await world.settle(id);
  };
  const all = (calendarId: string) => [{ all: true, calendarId }] as const;

  test('two mirrors exchange their calendars of everything, and each event stands once', async () => {
    const world = await withTeam();
    const id = await world.bookWithEvent();
    world.remap('team', all(BOARD));
    world.remap('board', [{ all: true, calendarId: TEAM, busyTitle: 'Busy' }]);
    await lookAgain(world, id);
    expect(world.events()).toEqual(everywhere(ANNA, TUESDAY_10));
    expect([world.event(id, TEAM)?.['summary'], world.event(id, BOARD)?.['summary']]).toEqual([
      'Busy',
      'Anna',
    ]);
  });

  test('two mirrors exchange their calendars, and one does not show the appointment: no event of it stays', async () => {
    const world = await withTeam();
    const near = { sinceMs: 86_400_000, untilMs: 3_600_000 };
    const busy = (calendarId: string) => [{ all: true, calendarId, busyTitle: 'Busy' }] as const;
    world.remap('board', busy(BOARD), near);
    const id = await world.bookWithEvent();
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${TEAM} ${TUESDAY_10}`]);
    world.remap('team', all(BOARD));
    world.remap('board', busy(TEAM), near);
    await lookAgain(world, id);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${BOARD} ${TUESDAY_10}`]);
  });

  test('a team gets another calendar: what is to come moves, and stands there once', async () => {
    const world = await withTeam();
    const id = await world.bookWithEvent();
    world.remap('team', all(OTHER));
    await lookAgain(world, id);
    expect(world.events()).toEqual([ANNA, OTHER, BOARD].map((each) => `${each} ${TUESDAY_10}`));
  });

  test('the calendar of a person becomes that of everything: its event stays the one it was', async () => {
    const world = await stands.start(CARRIED);
    const id = await world.bookWithEvent();
    world.remap('staff', all(ANNA));
    world.dashboard.reschedule(id, { startsAt: TUESDAY_12 });
    await world.hear(id);
    await lookAgain(world, id);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
    expect(world.event(id)?.['status']).toBe('confirmed');
  });

  test('the calendar of a person becomes that of everything: a colleague who is given the appointment has another event', async () => {
    const world = await stands.start(CARRIED);
    const id = await world.bookWithEvent();
    world.remap('staff', [...all(ANNA), { resource: 'Boris', calendarId: BORIS }]);
    world.dashboard.reschedule(id, { startsAt: TUESDAY_12, resourceId: world.platform.borisId });
    await world.hear(id);
    await lookAgain(world, id);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`, `${BORIS} ${TUESDAY_12}`]);
    expect(world.ids(ANNA)).not.toEqual(world.ids(BORIS));
    const [ofAll = '', ofBoris = ''] = [...world.ids(ANNA), ...world.ids(BORIS)];
    world.staff.remove({ calendarId: ANNA, eventId: ofAll });
    world.staff.moveToCalendar({ calendarId: BORIS, eventId: ofBoris, to: ANNA });
    for (const each of [ofAll, ofBoris]) await world.sight(id, ANNA, each);
    await world.sight(id, BORIS, ofBoris);
    await later(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`, `${BORIS} ${TUESDAY_12}`]);
  });

  test('the lines of a person and of everything are swapped: a deletion means what the calendar is for now', async () => {
    const world = await stands.start(CARRIED);
    const lines = (person: string, team: string) => [
      { resource: 'Anna', calendarId: person },
      { all: true as const, calendarId: team },
    ];
    world.remap('staff', lines(ANNA, TEAM));
    const id = await world.bookWithEvent();
    world.remap('staff', lines(TEAM, ANNA));
    await lookAgain(world, id);
    const both = [`${ANNA} ${TUESDAY_10}`, `${TEAM} ${TUESDAY_10}`];
    expect(world.events()).toEqual(both);
    await deleted(world, id);
    expect(world.events()).toEqual(both);
    await deleted(world, id, TEAM);
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
    expect(world.events()).toEqual([]);
  });

  test('a team that is taken out of the file leaves its events behind', async () => {
    const world = await withTeam();
    const id = await world.bookWithEvent();
    world.remap('team', [{ branch: 'North', calendarId: OTHER }]);
    await lookAgain(world, id);
    expect(world.events()).toEqual(everywhere(ANNA, TUESDAY_10));
  });
});

atLength.describe('lines of one calendar', () => {
  test('of a person, a service and everything show an appointment once', async () => {
    const world = await stands.start(CARRIED);
    world.remap('staff', [
      { resource: 'Anna', calendarId: ANNA },
      { service: 'Massage', calendarId: ANNA },
      { branch: 'Central', calendarId: ANNA },
    ]);
    const id = await world.bookWithEvent({ serviceId: world.massageId });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
    await deleted(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
    expect(world.events()).toEqual([]);
  });

  test('a calendar of a service shows that service alone', async () => {
    const world = await stands.start(CARRIED, { lines: [{ service: 'Massage', calendarId: TEAM }] });
    await world.bookWithEvent();
    await world.bookWithEvent({ serviceId: world.massageId, startsAt: TUESDAY_12 });
    expect(world.events().filter((each) => each.startsWith(TEAM))).toEqual([`${TEAM} ${TUESDAY_12}`]);
  });
});
