/**
 * A death at every await of a turn in which a class is moved, found by counting, as in `awaits.ts`: the n-th call to Google, the platform or Redis
 * does not come back, before or after it was carried out. After each, a new handler starts over from what stands then.
 */
import { afterAll, expect, test } from 'vitest';
import { ClassStands, type ClassWorld, type MovedClass } from '../../stand/class-moves.ts';
import { doomed } from '../../stand/doom.ts';
import { combined, rowsOf } from '../../stand/runs.ts';
import { type Chosen, MOMENTS, sweepCalls, variantOf } from '../../stand/sweep.ts';

const CALLS_MAX = 200;
const SIZE = 3;

interface Scenario {
  readonly name: string;
  /** What else happens before a reschedule is carried out. */
  readonly struck?: (one: MovedClass, world: ClassWorld) => readonly (() => void)[];
  /** What somebody else does while nobody is at work. */
  readonly between?: (one: MovedClass, world: ClassWorld) => void;
  after(one: MovedClass, world: ClassWorld): void | Promise<void>;
}

const together = (one: MovedClass, startsAt: string, ids = one.ids) =>
  expect(ids.map(one.startOf)).toEqual(ids.map(() => startsAt));

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'to a free hour',
    after(one, world) {
      together(one, one.to);
      expect(one.shown()).toEqual([`Yoga ${SIZE} ${one.to}`]);
      expect(world.mails()).toEqual(one.ids.map(() => 'rescheduled'));
    },
  },
  {
    name: 'to an hour that is taken meanwhile',
    struck: (one) => [
      () => {
        for (let n = 0; n < 5; n += 1) one.join(one.to);
      },
    ],
    after(one, world) {
      together(one, one.from);
      expect(one.shown()).toEqual([`Yoga ${SIZE} ${one.from}`, `Yoga 5 ${one.to}`]);
      expect(one.words().match(/already taken/g)).toHaveLength(1);
      // Nobody is told of more than there and back.
      expect(world.mails().length).toBeLessThanOrEqual(2);
      expect(new Set(world.mails())).toEqual(new Set(world.mails().map(() => 'rescheduled')));
    },
  },
  {
    name: 'that cannot go back',
    struck: (one) => [
      () => {
        for (let n = 0; n < 5; n += 1) one.join(one.to);
      },
      () => {
        for (let n = 0; n < 4; n += 1) one.join(one.from);
      },
    ],
    async after(one, world) {
      const starts = one.ids.map(one.startOf).sort();
      expect(starts).toEqual([one.from, one.from, one.to]);
      expect(one.shown()).toEqual([`Yoga 6 ${one.from}`, `Yoga 6 ${one.to}`]);
      expect(await world.problems.list()).toMatchObject([{ code: 'class-split' }]);
      expect(world.mails()).toEqual(['rescheduled']);
    },
  },
  {
    name: 'while somebody moves the first one elsewhere, and books into the old hour',
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
  },
  {
    name: 'while somebody moves the first one back',
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
  },
  {
    name: 'that is dragged back while it is moved',
    between(one) {
      if (one.event()?.['status'] === 'confirmed') one.drag(one.from);
    },
    after(one) {
      // Once it has come to its end, the event is about to go: what is done to it is nobody's wish any more.
      const startsAt = one.wasEnded ? one.to : one.from;
      together(one, startsAt);
      expect(one.shown()).toEqual([`Yoga ${SIZE} ${startsAt}`]);
    },
  },
];

export function testDeathsOfAClassMove(chosen: Chosen): void {
  const stands = new ClassStands();
  afterAll(() => stands.close());

  const variants = combined([...SCENARIOS.entries()], MOMENTS);
  test.each(
    rowsOf(
      variants.map(([[nth, scenario], moment]) => ({ ...scenario, nth, moment })),
      5,
    ),
  )('a class $name ends whole with a death $moment any call', async ({ nth, moment, ...scenario }) => {
    const variant = variantOf(nth, moment);
    const end = await sweepCalls({ chosen, variant, callsMax: CALLS_MAX }, async (at) => {
      const world = await stands.start();
      const one = await world.class(SIZE);
      one.drag(one.to);
      await one.sight();
      const doom = { at, moment, made: 0 };
      const acts = scenario.struck?.(one, world) ?? [];
      let strikes = 0;
      world.platform.sandbox.faults.add({
        ...{ method: 'POST', path: /reschedule/, fault: { kind: 'delay', ms: 1 } },
        onStrike: () => acts[strikes++]?.(),
      });
      await one.turn(doomed(world.ground, doom));
      one.wasMoved = one.startOf(one.ids[0] ?? '') === one.to;
      one.wasEnded = one.wasMoved && (await one.isSettled());
      scenario.between?.(one, world);
      await one.wake();
      await one.sight();
      await one.settle();
      // Whatever was told of before, and after, comes once more.
      for (const startsAt of [one.from, one.to, one.later]) await one.wake(startsAt);
      await one.sight();
      await one.settle();
      await scenario.after(one, world);
      for (const each of world.platform.sandbox.truth.appointments())
        expect(each).toMatchObject({ status: 'confirmed' });
      await stands.closeWorlds();
      return doom.made >= at;
    });
    expect(end).toBeGreaterThan(30);
  });
}
