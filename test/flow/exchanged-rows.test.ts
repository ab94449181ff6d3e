/** P7: one column of a booking sheet is sorted, cut or swapped without the others. No customer is moved by that. */
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';
import { atLength, rowsOf } from '../stand/runs.ts';

const stands = new IntakeStands();
let world: IntakeWorld;
let before: readonly string[];
beforeEach(async () => {
  world = await stands.start();
  for (let n = 0; n < 6; n += 1)
    world.type({
      ...{ Name: `Guest ${n}`, Phone: `8 495 000-11-${10 + n}`, Resource: n % 2 === 0 ? 'Anna' : 'Boris' },
      Start: `03.03.2026 ${10 + n}:00`,
    });
  await world.settle();
  before = world.booked();
  expect(before).toHaveLength(6);
});
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const statuses = () => [2, 3, 4, 5, 6, 7].map((row) => String(world.row(row)['Status']));
const sortAlone = (column: string, descending: boolean) =>
  world.staff.sortRange({ ...world.at, range: `${column}2:${column}7`, column, descending });

test.each(
  rowsOf(
    [
      ['hours', 'B'],
      ['people', 'E'],
    ] as const,
    2,
  ),
)(
  'sorted alone, the column of %s moves nobody, each row says so, and undone it leaves no word',
  async (_, column) => {
    const rows = world.rows();
    sortAlone(column, true);
    await world.settle();
    expect(world.booked()).toEqual(before);
    expect(statuses().filter((status) => status.includes('exchanged')).length).toBeGreaterThanOrEqual(2);
    // A new process, and everything is handed on again.
    await world.restart();
    world.clock.advance(700_000);
    await world.settle();
    expect(world.booked()).toEqual(before);
    for (const [at, row] of rows.entries())
      for (const header of ['Start', 'Resource'])
        if (at > 0 && at < 7) world.put(at + 1, header, String(row[header === 'Start' ? 1 : 4]));
    await world.settle();
    expect(world.booked()).toEqual(before);
    expect(statuses()).toEqual(['Booked.', 'Booked.', 'Booked.', 'Booked.', 'Booked.', 'Booked.']);
  },
);

atLength.test(
  'P1: a worker that dies while it hands the rows on moves none of those that are left',
  async () => {
    sortAlone('B', true);
    world.deaths.observe = true;
    await expect(world.poll()).rejects.toThrow('killed');
    await world.restart();
    await world.settle();
    expect(world.booked()).toEqual(before);
  },
);

test('P4: an hour that is typed beside them is carried, and so is one of them, a poll later', async () => {
  world.put(2, 'Start', '04.03.2026 10:00');
  world.staff.sortRange({ ...world.at, range: 'B3:B7', column: 'B', descending: true });
  await world.settle();
  const moved = '2026-03-04T07:00:00.000Z Anna Guest 0';
  expect(world.booked()).toEqual([...before.slice(1), moved].sort());
  world.put(3, 'Start', '04.03.2026 12:00');
  await world.settle();
  expect(world.booked()).toEqual(
    [...before.slice(2), moved, '2026-03-04T09:00:00.000Z Boris Guest 1'].sort(),
  );
});

atLength.test('P4: hours that all follow by one are typed by hand, and carried', async () => {
  for (let row = 7; row > 1; row -= 1) world.put(row, 'Start', `03.03.2026 ${row + 9}:00`);
  await world.settle();
  await world.settle();
  expect(statuses().join()).not.toContain('exchanged');
});

atLength.test(
  'P4: two that were meant to be swapped are, once both were unticked and ticked again',
  async () => {
    world.put(2, 'Start', '03.03.2026 11:00');
    world.put(3, 'Start', '03.03.2026 10:00');
    await world.settle();
    expect(world.booked()).toEqual(before);
    for (const tick of [false, true]) {
      for (const row of [2, 3]) world.put(row, 'Ready', tick);
      await world.settle();
    }
    expect(world.booked()).toEqual(
      [
        ...before.slice(2),
        '2026-03-03T08:00:00.000Z Anna Guest 0',
        '2026-03-03T07:00:00.000Z Boris Guest 1',
      ].sort(),
    );
  },
);
