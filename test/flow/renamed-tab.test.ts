/** People rename the tab of a booking sheet, and begin another one under its old title (P2, P4, P7). */
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { BOOK, HEADERS, IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';

const TEN = '2026-03-03T07:00:00.000Z Anna Vera Orlova';
const TWELVE = '2026-03-03T09:00:00.000Z Anna Vera Orlova';
const NINA = '2026-03-03T12:00:00.000Z Anna Nina Belova';

const stands = new IntakeStands();
let world: IntakeWorld;
let row: number;
let before: ReturnType<IntakeWorld['rows']>;
beforeEach(async () => {
  world = await stands.start();
  row = world.type();
  await world.settle();
  before = world.rows();
  world.staff.renameTab({ ...world.at, to: 'January' });
});
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const beginAnother = () => {
  world.staff.addTab({ ...world.at, columns: HEADERS.length });
  world.staff.setRow({ ...world.at, row: 1, values: HEADERS });
};

test('what is typed into the new tab is booked and answered there, and nothing of the old one is cancelled', async () => {
  await world.settle();
  beginAnother();
  const nina = { Name: 'Nina Belova', Phone: '8 495 000-11-02', Start: '03.03.2026 15:00' };
  const typed = world.type(nina);
  await world.settle();
  expect(world.booked()).toEqual([TEN, NINA]);
  expect(world.row(typed)).toMatchObject({ Status: 'Booked.' });
  expect(world.google.truth.values(BOOK, 'January')[row - 1]).toEqual(before[row - 1]?.slice(0, -1));
  expect(await world.problems()).toEqual([]);
});

test('a row that was taken along is the row of its appointment', async () => {
  beginAnother();
  world.staff.setRow({ ...world.at, row, values: before[row - 1] ?? [] });
  await world.settle();
  world.put(row, 'Start', '03.03.2026 12:00');
  await world.settle();
  expect(world.booked()).toEqual([TWELVE]);
  expect(world.row(row)).toMatchObject({ ID: before[row - 1]?.[HEADERS.indexOf('ID')], Status: 'Booked.' });
});

test('a new tab that lacks the headers is named, and the old one does nothing unseen', async () => {
  world.staff.addTab({ ...world.at });
  await world.settle();
  expect(await world.problems()).toEqual(['intake:front-submitter header-missing']);
  world.staff.deleteTab(world.at);
  world.staff.typeInto({
    spreadsheetId: BOOK,
    tab: 'January',
    row,
    column: 'Start',
    value: '03.03.2026 12:00',
  });
  world.staff.renameTab({ spreadsheetId: BOOK, tab: 'January', to: world.at.tab });
  await world.settle();
  expect(world.booked()).toEqual([TWELVE]);
  expect(await world.problems()).toEqual([]);
});
