/** One handler over real parts: what else happens while a class is moved. */

import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { hindranceOfClass } from '../../../src/calendar/class-edits.ts';
import { classIdOf } from '../../../src/engine/class-slot.ts';
import { editTally } from '../../../src/engine/edit-guard.ts';
import { fenced } from '../../../src/engine/errors.ts';
import { askedWish } from '../../../src/engine/link.ts';
import {
  type ClassGround,
  ClassStands,
  type ClassWorld,
  COACH,
  type MovedClass,
} from '../../stand/class-moves.ts';
import { double } from '../../stand/double.ts';

const stands = new ClassStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

/** Codes of what was decided about the class of the first hour. */
const acts = async (world: ClassWorld, { slotAt, from }: MovedClass) =>
  (await world.store.history.of(`class/${classIdOf(slotAt(from))}`)).flatMap((entry) =>
    entry.what === 'acted' ? [entry.code] : [],
  );

test('a class that could not be moved back is told of until its people stand together', async () => {
  const world = await stands.start();
  const one = await world.class(3);
  let moves = 0;
  const [first = ''] = one.ids;
  let stranger = '';
  world.platform.sandbox.faults.add({
    ...{ method: 'POST', path: /reschedule/, fault: { kind: 'delay', ms: 1 }, times: 2 },
    onStrike: () => {
      moves += 1;
      if (moves === 1) for (let n = 0; n < 5; n += 1) one.join(one.to);
      if (moves === 2) for (let n = 0; n < 4; n += 1) stranger = one.join(one.from);
    },
  });
  one.drag(one.to);
  await one.sight();
  await one.settle();
  expect(one.ids.map(one.startOf)).toEqual([one.to, one.from, one.from]);
  await one.wake();
  await one.wake(one.to);
  await one.settle();
  // Only another turn of the class raises it again: it outlives a restart.
  const keptForMs = Date.parse(one.from) - world.clock.now();
  expect(await world.problems.list()).toMatchObject([{ code: 'class-split', keptForMs }]);
  world.dashboard.cancel(stranger, { notify: false });
  world.dashboard.reschedule(first, { startsAt: one.from });
  await one.wake();
  await one.settle();
  expect(await world.problems.list()).toEqual([]);
});

test('two handlers at once move everybody once', async () => {
  const world = await stands.start();
  const one = await world.class(3);
  one.drag(one.to);
  await one.sight();
  await Promise.all([one.turn(), one.turn()]);
  await one.wake();
  await one.settle();
  expect(one.ids.map(one.startOf)).toEqual([one.to, one.to, one.to]);
  expect(world.mails()).toEqual(['rescheduled', 'rescheduled', 'rescheduled']);
});

test('a handler that was overtaken at its request does not repeat it over what somebody did since', async () => {
  const world = await stands.start();
  const one = await world.class(3);
  const [first = ''] = one.ids;
  one.drag(one.to);
  await one.sight();
  let isOvertaken = false;
  const links: ClassGround['links'] = double({
    adopt: (...args) => world.ground.links.adopt(...args),
    async write(claim, mirror, known) {
      const written = await world.ground.links.write(claim, mirror, known);
      const move = known.calendars?.map((link) => askedWish(link)?.classMove)[0];
      if (isOvertaken || move?.members[0]?.is !== 'leaving') return written;
      isOvertaken = true;
      // Another one brings it to its end, and somebody moves the first one back.
      await one.wake();
      await one.settle();
      expect(one.startOf(first)).toBe(one.to);
      world.clock.advance(1_000);
      world.dashboard.reschedule(first, { startsAt: one.from, notify: false });
      return written;
    },
  });
  await one.turn({ ...world.ground, links });
  expect(isOvertaken).toBe(true);
  await one.wake();
  await one.settle();
  expect(one.ids.map(one.startOf)).toEqual([one.from, one.to, one.to]);
  expect(world.mails()).toEqual(['rescheduled', 'rescheduled', 'rescheduled']);
});

test.each([
  ['back', 'from'],
  ['to a later hour', 'later'],
] as const)(
  'a class whose handler died after its first request is moved as a whole, although its event is dragged %s meanwhile',
  async (_, next) => {
    const world = await stands.start();
    const one = await world.class(3);
    one.drag(one.to);
    await one.sight();
    let isDead = false;
    const links: ClassGround['links'] = double({
      adopt: (...args) => world.ground.links.adopt(...args),
      write(claim, mirror, known) {
        const move = known.calendars?.map((link) => askedWish(link)?.classMove)[0];
        isDead ||= move?.members[0]?.is === 'moved';
        if (isDead) throw new Error('killed');
        return world.ground.links.write(claim, mirror, known);
      },
    });
    await one.turn({ ...world.ground, links });
    expect(isDead).toBe(true);
    expect(one.ids.map(one.startOf)).toEqual([one.to, one.from, one.from]);
    one.drag(one[next]);
    await one.sight();
    await one.settle();
    for (const hour of [one.from, one.to, one.later]) await one.wake(hour);
    await one.settle();
    expect(one.ids.map(one.startOf)).toEqual([one[next], one[next], one[next]]);
    expect(await acts(world, one)).toEqual(['class-moved']);
  },
);

test('the event of those who were moved, dragged on before the others have come, waits for them', async () => {
  const world = await stands.start();
  const one = await world.class(3);
  one.drag(one.to);
  await one.sight();
  let isDragged = false;
  const told: unknown[] = [];
  const links: ClassGround['links'] = double({
    adopt: (...args) => world.ground.links.adopt(...args),
    async write(claim, mirror, known) {
      const written = await world.ground.links.write(claim, mirror, known);
      const move = known.calendars?.map((link) => askedWish(link)?.classMove)[0];
      if (isDragged || move?.members[0]?.is !== 'moved') return written;
      isDragged = true;
      await one.wake(one.to);
      await one.turn(world.ground, one.to);
      const there = one.eventAt(one.to, one.held.eventId);
      one.drag(one.later, there);
      await one.sight(one.to, there);
      told.push(await one.turn(world.ground, one.to), one.ids.map(one.startOf));
      return written;
    },
  });
  await one.turn({ ...world.ground, links });
  expect(told).toMatchObject([{ next: 'defer' }, [one.to, one.from, one.from]]);
  expect(one.ids.map(one.startOf)).toEqual([one.to, one.to, one.to]);
  await one.settle();
  await one.wake(one.later);
  await one.settle();
  expect(one.ids.map(one.startOf)).toEqual([one.later, one.later, one.later]);
  expect(one.shown()).toEqual([`Yoga 3 ${one.later}`]);
  expect([...(await world.store.memory.all('class-moving:'))]).toEqual([]);
});

describe('a class that two programs drag', () => {
  /** It was changed so often within the last minutes. */
  async function changed(world: ClassWorld, { slotAt, from }: MovedClass, times: number) {
    const tally = editTally(`class/${classIdOf(slotAt(from))}`);
    for (let n = 0; n < times; n += 1) await world.store.tally.count(tally, `change ${n}`, 600_000);
  }
  const letters = async (world: ClassWorld) =>
    (await world.store.ledger.deadLetters(9)).letters.flatMap(({ reasons }) =>
      reasons.map(({ code }) => code),
    );

  test('is not moved for the eleventh time in ten minutes', async () => {
    const world = await stands.start();
    const one = await world.class(2);
    await changed(world, one, 10);
    one.drag(one.to);
    await one.sight();
    await one.settle();
    expect(one.ids.map(one.startOf)).toEqual([one.from, one.from]);
    expect(await letters(world)).toEqual(['edit-loop']);
  });

  test('is not moved on for the eleventh time, while it is moved', async () => {
    const world = await stands.start();
    const one = await world.class(2);
    await changed(world, one, 9);
    world.platform.sandbox.faults.add({
      ...{ method: 'POST', path: /reschedule/, fault: { kind: 'delay', ms: 1 }, times: 1 },
      onStrike: () => one.drag(one.later),
    });
    one.drag(one.to);
    await one.sight();
    await one.settle();
    expect(one.ids.map(one.startOf)).toEqual([one.to, one.to]);
    expect(await letters(world)).toEqual(['edit-loop']);
    // It was dragged on: that is no decision.
    expect(await acts(world, one)).toEqual([]);
  });
});

test('a class that was moved is no deletion that waits (P7)', async () => {
  const world = await stands.start();
  const one = await world.class(2);
  const waiting = (key: string) => world.store.tally.count(`deleting:${COACH}`, key, 600_000);
  await waiting(`class/${classIdOf(one.slotAt(one.from))}`);
  one.drag(one.to);
  await one.sight();
  await one.settle();
  expect(one.ids.map(one.startOf)).toEqual([one.to, one.to]);
  expect(await waiting('another')).toBe(1);
});

test.each([
  ['is lost', { kind: 'commit-then-reset' }],
  ['is an error', { kind: 'commit-then-status', status: 503 }],
  ['never comes, and nothing was done', { kind: 'reset' }],
] as const)('an answer that %s moves nobody twice', async (_, fault) => {
  const world = await stands.start();
  const one = await world.class(3);
  world.platform.sandbox.faults.add({ method: 'POST', path: /reschedule/, skip: 1, times: 2, fault });
  one.drag(one.to);
  await one.sight();
  await one.settle();
  expect(one.ids.map(one.startOf)).toEqual([one.to, one.to, one.to]);
  expect(one.shown()).toEqual([]);
  expect(world.mails()).toEqual(['rescheduled', 'rescheduled', 'rescheduled']);
});

test.each([
  ['more than may be moved at once', { size: 51, areAllShown: true }, 'class-too-many'],
  ['some whom the event does not show', { size: 3, areAllShown: false }, 'class-hidden'],
  ['as many as may be moved at once', { size: 50, areAllShown: true }, undefined],
])('of %s', (_, { size, areAllShown }, hindrance) => {
  const member = { id: 'a', status: 'confirmed', starts_at: '2026-03-03', ends_at: '2026-03-04' };
  const members = Array.from({ length: size }, () => member);
  expect(hindranceOfClass({ members, areAllShown })).toBe(hindrance);
});

test('a class dragged to a free minute at which no booking starts is told so, and not that somebody has the time', async () => {
  const world = await stands.start();
  const one = await world.class(3);
  one.drag(new Date(Date.parse(one.to) + 7 * 60_000).toISOString());
  await one.sight();
  await one.settle();
  await one.wake();
  await one.settle();
  expect(one.ids.map(one.startOf)).toEqual([one.from, one.from, one.from]);
  expect(one.words()).toMatch(/no booking starts at this minute/);
  expect(one.words()).not.toMatch(/already taken/);
});

test('a move that could not be stored keeps nobody waiting: it is no longer announced', async () => {
  const world = await stands.start();
  const one = await world.class(2);
  one.drag(one.to);
  await one.sight();
  let isRefused = false;
  const links: ClassGround['links'] = double({
    adopt: (...args) => world.ground.links.adopt(...args),
    write: async (claim, mirror, known) => {
      const isMove = known.calendars?.some((link) => askedWish(link)?.classMove !== undefined) === true;
      if (isMove && !isRefused) {
        isRefused = true;
        throw fenced();
      }
      return world.ground.links.write(claim, mirror, known);
    },
  });
  await one.turn({ ...world.ground, links });
  expect(isRefused).toBe(true);
  expect([...(await world.store.memory.all('class-moving:')).keys()]).toEqual([]);
  await one.settle();
  expect(one.ids.map(one.startOf)).toEqual([one.to, one.to]);
});

test('a class dragged back after its handler died, before its move was stored, does not keep the class of the other hour waiting', async () => {
  const world = await stands.start();
  const one = await world.class(2);
  const others = [one.join(one.to), one.join(one.to)];
  await one.wake(one.to);
  await one.settle();
  const there = one.eventAt(one.to, one.held.eventId);
  one.drag(one.to);
  await one.sight();
  let isDead = false;
  const links: ClassGround['links'] = double({
    adopt: (...args) => world.ground.links.adopt(...args),
    write(claim, mirror, known) {
      isDead ||= known.calendars?.some((link) => askedWish(link)?.classMove !== undefined) === true;
      if (isDead) throw new Error('killed');
      return world.ground.links.write(claim, mirror, known);
    },
  });
  const memory: ClassGround['memory'] = double({
    get: (...args) => world.ground.memory.get(...args),
    set: (...args) => world.ground.memory.set(...args),
    all: (...args) => world.ground.memory.all(...args),
    forget: async () => {
      throw new Error('killed');
    },
  });
  await one.turn({ ...world.ground, links, memory });
  expect([isDead, (await world.store.memory.all('class-moving:')).size]).toEqual([true, 1]);
  one.drag(one.from);
  await one.sight();
  await one.turn();
  one.drag(one.later, there);
  await one.sight(one.to, there);
  const diedAtMs = world.clock.now();
  await one.turn(world.ground, one.to);
  expect(others.map(one.startOf)).toEqual([one.later, one.later]);
  expect(world.clock.now() - diedAtMs).toBe(0);
  expect(one.ids.map(one.startOf)).toEqual([one.from, one.from]);
  expect((await world.store.memory.all('class-moving:')).size).toBe(0);
});
