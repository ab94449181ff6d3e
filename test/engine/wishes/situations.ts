/** Wishes with more around them than those of `hands.ts`: they are refused, meet others, or stand beside what somebody else does. */
import { expect } from 'vitest';
import { BlockStands, march, PRIVATE, tuesday } from '../../stand/blocks.ts';
import { ClassStands, type ClassWorld, type MovedClass } from '../../stand/class-moves.ts';
import { type Around, withCalls } from '../../stand/doom.ts';
import {
  ANNA,
  BOARD,
  BORIS,
  EditStands,
  type EditWorld,
  idIn,
  TEAM,
  TUESDAY_10,
  TUESDAY_12,
} from '../../stand/edits.ts';
import {
  GRACE_MS,
  isBookedOnce,
  OutsideStands,
  type OutsideWorld,
  STILL_MS,
  seen,
} from '../../stand/outside.ts';
import { alone, type Closing, closing, sharing } from './worlds.ts';

/** One life of a worker in a situation. */
export interface Scene {
  turn(around: Around): Promise<unknown>;
  /** Instead of a death, right before one call of the turn. */
  act?(): Promise<void>;
  /** Between the death and the next worker. */
  meanwhile?(): unknown;
  settle(): Promise<void>;
  /** Whatever died. */
  expectEnd(told: string): unknown;
}

export interface Situation {
  readonly name: string;
  /** The turn makes more calls than these: else nothing was enumerated. */
  readonly callsMin: number;
  /** Its scenes act, and nobody dies. */
  readonly isActed?: true;
  /** Everything up to the turn in which the death comes. */
  begin(): Promise<Scene>;
}

export interface Situations extends Closing {
  readonly of: string;
  /** One in so many calls is each situation's, before and after: as many as make every call one of them. */
  readonly ways: number;
  readonly all: readonly Situation[];
}

function eventSituations(): Situations {
  const stands = new EditStands();
  interface About {
    readonly edits: Parameters<EditStands['start']>[0];
    /** Beside the calendars of persons. */
    readonly team?: NonNullable<Parameters<EditStands['start']>[1]>['team'];
    prepare(world: EditWorld, id: string): Promise<void>;
    after(world: EditWorld, id: string): void;
  }
  const situation = (name: string, { edits, team, prepare, after }: About): Situation => {
    const { world: shared } = sharing(stands, () => stands.start(edits, team === undefined ? {} : { team }));
    return {
      ...{ name, callsMin: 5 },
      async begin() {
        const world = await shared();
        await world.clear();
        const id = await world.bookWithEvent();
        await prepare(world, id);
        world.forgetMails();
        return {
          turn: (around) => world.turn(id, withCalls(world.ground, around)),
          async settle() {
            await world.settle(id);
            // Whatever was told of before, and after, comes once more.
            await world.hear(id);
            await world.sight(id);
            await world.sight(id, BORIS);
            if (team !== undefined) await world.sight(id, TEAM);
            await world.settle(id);
          },
          expectEnd: () => after(world, id),
        };
      },
    };
  };
  const drag = async (world: EditWorld, id: string) => {
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await world.sight(id);
  };
  return {
    ...{ of: 'an event', ways: 10 },
    ...closing(stands),
    all: [
      situation('moved into a taken hour', {
        edits: { moved: 'reschedule' },
        async prepare(world, id) {
          const { serviceId, annaId: resourceId } = world.platform;
          world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_12, notify: false });
          await drag(world, id);
        },
        after(world, id) {
          expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
          expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
          expect(world.description(id).match(/already taken/g)).toHaveLength(1);
        },
      }),
      situation('moved to the calendar of a colleague', {
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
      }),
      situation('moved from the calendar of a team to that of a colleague', {
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
      }),
      situation('moved from the calendar of a person to that of a team', {
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
      }),
      situation('put back', {
        edits: { moved: 'revert' },
        prepare: drag,
        after(world, id) {
          expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
          expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
        },
      }),
    ],
  };
}

function classSituations(): Situations {
  const stands = new ClassStands();
  const size = 3;
  const { world: begun } = alone(stands, () => stands.start());
  const together = (one: MovedClass, startsAt: string, ids = one.ids) =>
    expect(ids.map(one.startOf)).toEqual(ids.map(() => startsAt));
  interface About {
    /** What else happens before a reschedule is carried out. */
    readonly struck?: (one: MovedClass) => readonly (() => void)[];
    /** What somebody else does while nobody is at work. */
    readonly between?: (one: MovedClass, world: ClassWorld) => void;
    after(one: MovedClass, world: ClassWorld): unknown;
  }
  const situation = (name: string, { struck, between, after }: About): Situation => ({
    ...{ name, callsMin: 30 },
    async begin() {
      const world = await begun();
      const one = await world.class(size);
      one.drag(one.to);
      await one.sight();
      const acts = struck?.(one) ?? [];
      let strikes = 0;
      world.platform.sandbox.faults.add({
        ...{ method: 'POST', path: /reschedule/, fault: { kind: 'delay', ms: 1 } },
        onStrike: () => acts[strikes++]?.(),
      });
      return {
        turn: (around) => one.turn(withCalls(world.ground, around)),
        async meanwhile() {
          one.wasMoved = one.startOf(one.ids[0] ?? '') === one.to;
          one.wasEnded = one.wasMoved && (await one.isSettled());
          between?.(one, world);
        },
        async settle() {
          await one.wake();
          await one.sight();
          await one.settle();
          // Whatever was told of before, and after, comes once more.
          for (const startsAt of [one.from, one.to, one.later]) await one.wake(startsAt);
          await one.sight();
          await one.settle();
        },
        async expectEnd() {
          await after(one, world);
          for (const each of world.platform.sandbox.truth.appointments())
            expect(each).toMatchObject({ status: 'confirmed' });
        },
      };
    },
  });
  const fill = (one: MovedClass, startsAt: string, places: number) => () => {
    for (let n = 0; n < places; n += 1) one.join(startsAt);
  };
  return {
    ...{ of: 'a class that is moved', ways: 10 },
    ...closing(stands),
    all: [
      situation('to an hour that is taken meanwhile', {
        struck: (one) => [fill(one, one.to, 5)],
        after(one, world) {
          together(one, one.from);
          expect(one.shown()).toEqual([`Yoga ${size} ${one.from}`, `Yoga 5 ${one.to}`]);
          expect(one.words().match(/already taken/g)).toHaveLength(1);
          // Nobody is told of more than there and back.
          expect(world.mails().length).toBeLessThanOrEqual(2);
          expect(new Set(world.mails())).toEqual(new Set(world.mails().map(() => 'rescheduled')));
        },
      }),
      situation('and cannot go back', {
        struck: (one) => [fill(one, one.to, 5), fill(one, one.from, 4)],
        async after(one, world) {
          const starts = one.ids.map(one.startOf).sort();
          expect(starts).toEqual([one.from, one.from, one.to]);
          expect(one.shown()).toEqual([`Yoga 6 ${one.from}`, `Yoga 6 ${one.to}`]);
          expect(await world.problems.list()).toMatchObject([{ code: 'class-split' }]);
          expect(world.mails()).toEqual(['rescheduled']);
        },
      }),
      situation('while somebody moves the first one elsewhere, and books into the old hour', {
        between(one, world) {
          world.dashboard.reschedule(one.ids[0] ?? '', { startsAt: one.later, notify: false });
          one.join(one.from);
        },
        after(one) {
          const [first = '', ...others] = one.ids;
          expect(one.startOf(first)).toBe(one.later);
          const [stands] = others.map(one.startOf);
          expect([one.from, one.to]).toContain(stands);
          together(one, stands ?? '', others);
        },
      }),
      situation('while somebody moves the first one back', {
        between(one, world) {
          const [first = ''] = one.ids;
          world.clock.advance(1_000);
          // Elsewhere and back, where the move had not come to it.
          world.dashboard.reschedule(first, { startsAt: one.later, notify: false });
          world.dashboard.reschedule(first, { startsAt: one.from, notify: false });
        },
        after(one) {
          const [first = '', ...others] = one.ids;
          const [stands] = others.map(one.startOf);
          together(one, stands ?? '', others);
          // Who was moved, and back by a person, is not moved again.
          if (one.wasMoved) expect(one.startOf(first)).toBe(one.from);
        },
      }),
      situation('and dragged back while it is moved', {
        between(one) {
          if (one.event()?.['status'] === 'confirmed') one.drag(one.from);
        },
        after(one) {
          // Once it has come to its end, the event is about to go: what is done to it is nobody's wish any more.
          const startsAt = one.wasEnded ? one.to : one.from;
          together(one, startsAt);
          expect(one.shown()).toEqual([`Yoga ${size} ${startsAt}`]);
        },
      }),
    ],
  };
}

function blockSituations(): Situations {
  const stands = new BlockStands();
  const { world: begun } = alone(stands, () => stands.start());
  const situation = (name: string, meanwhile: Scene['meanwhile'] | 'lose Redis'): Situation => ({
    // List, cancel, move and book, each stored before it leaves.
    ...{ name, callsMin: 12 },
    async begin() {
      const world = await begun();
      const moved = world.busy(tuesday('10:00'), tuesday('11:00'));
      const gone = world.busy(march(4, '10:00'), march(4, '13:00'));
      await world.settle();
      world.staff.move({ calendarId: PRIVATE, eventId: moved, start: tuesday('10:30') });
      world.staff.remove({ calendarId: PRIVATE, eventId: gone });
      world.busy(tuesday('15:00'), tuesday('17:00'));
      await world.poll();
      return {
        turn: (around) => world.turn(withCalls(world.ground, around)),
        ...(meanwhile === 'lose Redis' ? { meanwhile: () => world.store.redis.flushall() } : {}),
        async settle() {
          // The next worker comes somewhat later.
          world.clock.advance(10_000);
          await world.settle();
        },
        expectEnd() {
          expect(world.blocks()).toEqual(['03T10:30-11:30', '03T15:00-17:00']);
          // Two at first, and one that came later: whatever died, none was booked twice.
          expect(world.all()).toHaveLength(3);
          expect(world.sandbox.stats().customerMails).toBe(0);
        },
      };
    },
  });
  return {
    ...{ of: 'private time that is booked, moved and cancelled in one turn', ways: 4 },
    ...closing(stands),
    all: [situation('and nothing else', undefined), situation('and Redis is lost', 'lose Redis')],
  };
}

function bookingSituations(): Situations {
  const stands = new OutsideStands();
  interface About {
    readonly rules?: Parameters<OutsideStands['start']>[0];
    /** Its event. */
    prepare?(world: OutsideWorld): Promise<string>;
    meanwhile?(world: OutsideWorld, id: string): unknown;
    after(world: OutsideWorld, id: string): void;
  }
  const situation = (
    name: string,
    { rules, prepare = (world) => seen(world), meanwhile, after }: About,
  ): Situation => {
    const { world: shared } = sharing(stands, () => stands.start(rules));
    return {
      ...{ name, callsMin: 5 },
      async begin() {
        const world = await shared();
        await world.clear();
        const id = await prepare(world);
        return {
          turn: (around) => world.turn(world.keyAt(id), withCalls(world.ground, around)),
          ...(meanwhile && { meanwhile: () => meanwhile(world, id) }),
          async settle() {
            world.clock.advance(60_000);
            await world.book();
            world.clock.advance(GRACE_MS + 1_000);
            await world.hear();
            await world.book();
          },
          async expectEnd(told) {
            after(world, id);
            expect(await world.letters(), told).toEqual([]);
          },
        };
      },
    };
  };
  return {
    ...{ of: 'an event that books', ways: 10 },
    ...closing(stands),
    all: [
      situation('and the platform’s event comes first (case 40)', {
        async meanwhile(world) {
          await world.hear();
          for (const each of world.appointments()) {
            if (each['status'] !== 'cancelled') await world.turn(`appointment/${String(each['id'])}`);
          }
        },
        after: isBookedOnce,
      }),
      situation('and Redis is lost', { meanwhile: (world) => world.loseRedis(), after: isBookedOnce }),
      situation('and becomes no booking meanwhile', {
        meanwhile: (world, id) => world.staff.retitle({ calendarId: ANNA, eventId: id, summary: 'Lunch' }),
        after(world) {
          // Booked before, it stays booked, as the mirror of its appointment; else nothing has happened.
          expect(world.booked().length).toBeLessThanOrEqual(1);
          expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
        },
      }),
      situation('into a taken hour', {
        prepare(world) {
          const { serviceId, annaId: resourceId } = world.platform;
          world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_10, notify: false });
          return seen(world);
        },
        after(world, id) {
          expect(world.booked()).toHaveLength(1);
          expect(world.description(id).match(/already taken/g)).toHaveLength(1);
        },
      }),
      situation('is refused, and mended meanwhile', {
        rules: { refusedColorId: '11' },
        prepare: (world) => seen(world, { description: 'calls back', colorId: '5' }),
        meanwhile: (world, id) =>
          world.staff.describe({ calendarId: ANNA, eventId: id, description: '+7 495 000-11-01' }),
        after(world, id) {
          isBookedOnce(world, id);
          expect(world.event(id)).toMatchObject({ colorId: '5' });
        },
      }),
    ],
  };
}

function draggedBookings(): Situations {
  const stands = new OutsideStands();
  /** B28: one appointment in the end, with the colleague. */
  const dragged = (when: string, read: readonly string[]): Situation => {
    const { world: shared } = sharing(stands, () => stands.start());
    return {
      ...{ name: `dragged to a colleague, ${when} (B28)`, callsMin: 5, isActed: true },
      async begin() {
        const world = await shared();
        await world.clear();
        const id = await seen(world);
        return {
          turn: (around) => world.turn(world.keyAt(id), withCalls(world.ground, around)),
          async act() {
            world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
            if (read.length === 0) return;
            await world.sync(...read);
            // This turn hangs for so long that the colleague's has its own.
            world.clock.advance(STILL_MS + 1_000);
            await world.turn(world.keyAt(id, BORIS));
          },
          async settle() {
            for (let minutes = 0; minutes < 8; minutes += 1) {
              await world.settle();
              world.clock.advance(60_000);
            }
            await world.hear();
            await world.settle();
          },
          async expectEnd(told) {
            expect(world.booked(), told).toEqual([`${TUESDAY_10} Boris`]);
            expect(world.events(), told).toEqual([`${BORIS} ${TUESDAY_10}`]);
            expect(await world.letters(), told).toEqual([]);
          },
        };
      },
    };
  };
  return {
    ...{ of: 'an event that books', ways: 3 },
    ...closing(stands),
    all: [
      dragged('and the colleague’s calendar is read at once', [BORIS]),
      dragged('and both calendars are read at once', [ANNA, BORIS]),
      dragged('and no calendar is read before the turn has ended', []),
    ],
  };
}

export const SITUATIONS: readonly (() => Situations)[] = [
  eventSituations,
  classSituations,
  blockSituations,
  bookingSituations,
  draggedBookings,
];
