/**
 * A death at every await of a turn, found by counting: the n-th call to Google, the platform or Redis does not come back, before
 * or after it was carried out, for n = 1, 2, … until a turn needs no more. After each, a new handler starts over from what stands then.
 */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { doomed } from '../../stand/doom.ts';
import {
  ANNA,
  BOARD,
  BORIS,
  EditStands,
  type EditWorld,
  GRACE_MS,
  idIn,
  TEAM,
  TUESDAY_10,
  TUESDAY_12,
} from '../../stand/edits.ts';
import { type Chosen, MOMENTS, sweepCalls, variantOf } from '../../stand/sweep.ts';

const CALLS_MAX = 80;

interface Scenario {
  readonly name: string;
  readonly edits: Parameters<EditStands['start']>[0];
  /** Beside the calendars of persons. */
  readonly team?: NonNullable<Parameters<EditStands['start']>[1]>['team'];
  /** What people do to the event of the appointment, up to the turn in which the death comes. */
  prepare(world: EditWorld, id: string): Promise<void>;
  after(world: EditWorld, id: string): void;
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'an event moved to another hour',
    edits: { moved: 'reschedule', notifyCustomer: true },
    async prepare(world, id) {
      world.staff.move({ ...world.at(id), start: TUESDAY_12 });
      await world.sight(id);
    },
    after(world, id) {
      expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: TUESDAY_12 });
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
      expect(world.mails()).toEqual(['rescheduled']);
      expect(world.description(id)).toBe('+74950001101');
    },
  },
  {
    name: 'an event moved into a taken hour',
    edits: { moved: 'reschedule' },
    async prepare(world, id) {
      const { serviceId, annaId: resourceId } = world.platform;
      world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_12, notify: false });
      world.staff.move({ ...world.at(id), start: TUESDAY_12 });
      await world.sight(id);
    },
    after(world, id) {
      expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
      expect(world.description(id).match(/already taken/g)).toHaveLength(1);
    },
  },
  {
    name: 'an event moved to the calendar of a colleague',
    edits: { moved: 'reschedule', deleted: 'cancel', notifyCustomer: true },
    async prepare(world, id) {
      world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
      await world.sight(id, BORIS);
      await world.sight(id);
    },
    after(world, id) {
      expect(world.appointment(id)).toMatchObject({
        status: 'confirmed',
        resource_id: world.platform.borisId,
      });
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
      expect(world.mails()).toEqual(['rescheduled']);
    },
  },
  {
    name: 'an event deleted for good',
    edits: { deleted: 'cancel', notifyCustomer: true },
    async prepare(world, id) {
      world.staff.remove(world.at(id));
      await world.sight(id);
      await world.settle(id);
      world.clock.advance(GRACE_MS);
    },
    after(world, id) {
      expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
      expect(world.events()).toEqual([]);
      expect(world.mails()).toEqual(['cancelled']);
    },
  },
  {
    name: 'an event moved from the calendar of a team to that of a colleague',
    edits: { moved: 'reschedule', deleted: 'cancel' },
    team: { moved: 'reschedule', notifyCustomer: true },
    async prepare(world, id) {
      world.staff.moveToCalendar({ ...world.at(id, TEAM), to: BORIS });
      await world.sight(id, BORIS, idIn(TEAM, id));
      await world.sight(id, TEAM);
    },
    after(world, id) {
      expect(world.appointment(id)).toMatchObject({
        status: 'confirmed',
        resource_id: world.platform.borisId,
      });
      expect(world.events()).toEqual([BORIS, TEAM, BOARD].map((each) => `${each} ${TUESDAY_10}`));
      expect(world.mails()).toEqual(['rescheduled']);
    },
  },
  {
    name: 'an event moved from the calendar of a person to that of a team',
    edits: { moved: 'reschedule', deleted: 'cancel', notifyCustomer: true },
    team: { moved: 'reschedule' },
    async prepare(world, id) {
      world.staff.moveToCalendar({ ...world.at(id), to: TEAM });
      await world.sight(id, TEAM, idIn(ANNA, id));
      await world.sight(id);
    },
    after(world, id) {
      expect(world.appointment(id)).toMatchObject({
        status: 'confirmed',
        resource_id: world.platform.annaId,
      });
      expect(world.events()).toEqual([ANNA, TEAM, BOARD].map((each) => `${each} ${TUESDAY_10}`));
      expect(world.mails()).toEqual([]);
    },
  },
  {
    name: 'an event put back',
    edits: { moved: 'revert' },
    async prepare(world, id) {
      world.staff.move({ ...world.at(id), start: TUESDAY_12 });
      await world.sight(id);
    },
    after(world, id) {
      expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
    },
  },
];

export function testDeathsOfAnEdit(chosen: Chosen): void {
  const stands = new EditStands();
  afterEach(() => stands.closeWorlds());
  afterAll(() => stands.close());

  describe.each(SCENARIOS.map((scenario, at) => ({ ...scenario, at })))('$name', (scenario) => {
    test.each(MOMENTS)('ends the same with a death %s any call', async (moment) => {
      const { edits, team } = scenario;
      const world = await stands.start(edits, team === undefined ? {} : { team });
      const variant = variantOf(scenario.at, moment);
      const end = await sweepCalls({ chosen, variant, callsMax: CALLS_MAX }, async (at) => {
        const id = await world.bookWithEvent();
        await scenario.prepare(world, id);
        world.forgetMails();
        const doom = { at, moment, made: 0 };
        const died = world.turn(id, doomed(world.ground, doom));
        await died;
        await world.settle(id);
        // Whatever was told of before, and after, comes once more.
        await world.hear(id);
        await world.sight(id);
        await world.sight(id, BORIS);
        if (team !== undefined) await world.sight(id, TEAM);
        await world.settle(id);
        scenario.after(world, id);
        await world.clear();
        return doom.made >= at;
      });
      expect(end).toBeGreaterThan(5);
    });
  });
}
