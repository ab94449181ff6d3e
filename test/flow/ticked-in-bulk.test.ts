/** P7: ticks under "Cancel" that somebody filled down, pasted or set with the whole column marked. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { writeApproval } from '../../src/engine/edit-guard.ts';
import { IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';
import { atLength } from '../stand/runs.ts';

const HOUR_MS = 3_600_000;

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

/** Books as many rows as asked for, in two people's hours. Resolves with the numbers of the rows. */
async function booked(world: IntakeWorld, count: number): Promise<readonly number[]> {
  const rows = Array.from({ length: count }, (_, n) =>
    world.type({
      ...{ Name: `Guest ${n}`, Phone: `8 495 000-11-${10 + n}`, Resource: n % 2 === 0 ? 'Anna' : 'Boris' },
      Start: `0${3 + Math.floor(n / 6)}.03.2026 ${10 + (n % 6)}:00`,
    }),
  );
  await world.settle();
  expect(world.booked()).toHaveLength(count);
  return rows;
}

const tick = (world: IntakeWorld, rows: readonly number[], value = true) => {
  for (const row of rows) world.put(row, 'Cancel', value);
};

const stopped = async (world: IntakeWorld) =>
  (await world.store.ledger.deadLetters(100)).letters.map(({ reasons }) => reasons[0]?.code);

test('P7: a column of ticks cancels nobody, waits for a person, and cancels those that the person has approved', async () => {
  const world = await stands.start();
  const rows = await booked(world, 12);
  tick(world, rows);
  await world.settle();
  expect(world.booked()).toHaveLength(12);
  expect(await stopped(world)).toEqual(Array.from({ length: 12 }, () => 'mass-deletion'));
  const seen = rows.slice(0, 7).map((row) => world.keyOf(world.row(row)['ID']));
  const approval = writeApproval(world.clock.now() + HOUR_MS, seen);
  await world.store.memory.set(`approved-deletions:${world.mapping.name}`, approval);
  for (const letter of await world.store.deadLetters.all()) await world.store.deadLetters.retry(letter);
  await world.settle();
  expect(world.booked()).toHaveLength(5);
  expect(
    rows.map((row) => world.row(row)['Status']).filter((status) => status === 'Cancelled.'),
  ).toHaveLength(7);
});

test('P4: ticks that are taken out again leave nothing behind: the next one cancels its row', async () => {
  const world = await stands.start();
  const rows = await booked(world, 12);
  tick(world, rows);
  await world.settle();
  tick(world, rows, false);
  await world.settle();
  expect(world.booked()).toHaveLength(12);
  tick(world, rows.slice(0, 3));
  await world.settle();
  expect(world.booked()).toHaveLength(9);
});

atLength.test('P4: five ticks cancel, whatever share they are', async () => {
  const world = await stands.start();
  const rows = await booked(world, 6);
  tick(world, rows.slice(0, 5));
  await world.settle();
  expect(world.booked()).toHaveLength(1);
});

atLength.test('P7: ticks that another process counts before it dies count with the others', async () => {
  const world = await stands.start();
  const rows = await booked(world, 8);
  tick(world, rows);
  world.deaths.observe = true;
  await expect(world.poll()).rejects.toThrow('killed');
  await world.restart();
  await world.settle();
  expect(world.booked()).toHaveLength(8);
});
