/** People merge cells of a booking sheet: over ids, over answers, over a line that titles the rows below it (P1, P4). */
import { afterAll, afterEach, expect, test } from 'vitest';
import { BOOK, HEADERS, IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';

const TEN = '2026-03-03T07:00:00.000Z Anna Vera Orlova';
const TWELVE = '2026-03-03T09:00:00.000Z Anna Nina Belova';
const NINA = { Name: 'Nina Belova', Phone: '8 495 000-11-02', Start: '03.03.2026 12:00' };

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

async function merge(world: IntakeWorld, rows: readonly [number, number], [from, to]: [string, string]) {
  const [tab] = await world.api.tabs(BOOK);
  const range = {
    ...{ sheetId: tab?.sheetId ?? 0, startRowIndex: rows[0] - 1, endRowIndex: rows[1] },
    ...{ startColumnIndex: HEADERS.indexOf(from), endColumnIndex: HEADERS.indexOf(to) + 1 },
  };
  const mergeType = rows[0] === rows[1] ? 'MERGE_ALL' : 'MERGE_COLUMNS';
  world.staff.request({ spreadsheetId: BOOK, request: { mergeCells: { range, mergeType } } });
  return () => world.staff.request({ spreadsheetId: BOOK, request: { unmergeCells: { range } } });
}

/** Writes of so many polls. */
async function writesOf(world: IntakeWorld, rounds: number): Promise<number> {
  const { writes } = world.api;
  for (let round = 0; round < rounds; round += 1) {
    await world.settle();
    world.clock.advance(60_000);
  }
  return world.api.writes - writes;
}

test('P1, P4: a row whose id cell is under a merge waits, the operator is told, and it is booked once it is whole', async () => {
  const world = await stands.start();
  world.type();
  const row = world.type(NINA);
  const unmerge = await merge(world, [row - 1, row], ['ID', 'ID']);
  await writesOf(world, 1);
  expect(world.booked()).toEqual([TEN]);
  expect(await world.problems()).toEqual(['intake:front-submitter cells-merged']);
  expect(await writesOf(world, 3)).toBe(0);
  expect(await world.problems()).toEqual(['intake:front-submitter cells-merged']);
  unmerge();
  await writesOf(world, 2);
  expect(world.booked()).toEqual([TEN, TWELVE]);
  expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
  expect(await world.problems()).toEqual([]);
});

test('P2: ids merged after the rows were booked: each row gets its own back, and nothing is booked again', async () => {
  const world = await stands.start();
  world.type();
  const row = world.type(NINA);
  await world.settle();
  const before = world.rows();
  const unmerge = await merge(world, [row - 1, row], ['ID', 'ID']);
  await writesOf(world, 1);
  expect(await world.problems()).toEqual(['intake:front-submitter cells-merged']);
  expect(await writesOf(world, 3)).toBe(0);
  unmerge();
  await writesOf(world, 2);
  expect(world.rows()).toEqual(before);
  expect(world.booked()).toEqual([TEN, TWELVE]);
  expect(world.appointments()).toHaveLength(2);
});

test('P6: a merged line that titles the rows below it is no booking: nothing is written, and nobody is told', async () => {
  const { ready: _, ...columns } = (await stands.start()).mapping.columns;
  const world = await stands.start({ columns });
  await world.settle();
  world.type();
  world.staff.insertRow({ ...world.at, row: 2, values: ['Monday'] });
  await merge(world, [2, 2], ['Service', 'Notes']);
  await writesOf(world, 3);
  expect(world.booked()).toEqual([TEN]);
  expect(await writesOf(world, 5)).toBe(0);
  expect(await world.problems()).toEqual([]);
  expect(world.row(2)).toMatchObject({ Service: 'Monday', ID: '', Status: '' });
});
