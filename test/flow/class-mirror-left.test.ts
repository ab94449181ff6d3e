/** The mirror of a class leaves the YAML while the class is being moved: all who come are moved, or nobody is (P1). */
import { afterAll, afterEach, expect, test } from 'vitest';
import { ClassStands } from '../stand/class-moves.ts';
import { Death, withCalls } from '../stand/doom.ts';

const stands = new ClassStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

test.each([1, 2])('P1: after %i of three were moved', async (moved) => {
  const world = await stands.start();
  const one = await world.class(3);
  one.drag(one.to);
  await one.sight();
  let moves = 0;
  const { writer } = world.ground;
  const dying = withCalls({ writer }, async (call, name) => {
    if (moves >= moved) throw new Death();
    const answer = await call();
    if (name === 'reschedule') moves += 1;
    return answer;
  });
  await one.turn({ ...world.ground, ...dying }).catch(() => undefined);
  const starts = () => one.ids.map((id) => one.startOf(id));
  expect(starts().filter((startsAt) => startsAt === one.to)).toHaveLength(moved);
  world.isGone = true;
  await one.settle();
  expect(starts()).toEqual(one.ids.map(() => one.to));
  expect(await one.isSettled()).toBe(true);
});
