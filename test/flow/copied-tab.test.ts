/** People copy a tab of bookings, or rows of it, into another tab of the spreadsheet that the YAML reads as well (P2, P4, P7). */
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { BOOK, HEADERS, IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';

const SECOND = 'Second';
const COPY = 'Copy of another row: clear the ID cell to book it.';
const TEN = '2026-03-03T07:00:00.000Z Anna Vera Orlova';
const TWELVE = '2026-03-03T09:00:00.000Z Anna Vera Orlova';

const stands = new IntakeStands();
let world: IntakeWorld;
let row: number;
beforeEach(async () => {
  // The copy stands first in the mapping: its order must not decide.
  world = await stands.start({}, [SECOND]);
  row = world.type();
  await world.settle();
  expect(world.booked()).toEqual([TEN]);
});
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const at = { spreadsheetId: BOOK, tab: SECOND };
const paste = () => world.staff.setRow({ ...at, row, values: world.rows()[row - 1] ?? [] });
const copied = (column: string) =>
  world.google.truth.values(BOOK, SECOND)[row - 1]?.[HEADERS.indexOf(column)];

test.each([false, true])('the copy does nothing and says so, with Redis lost: %s', async (isLost) => {
  paste();
  if (isLost) await world.loseRedis();
  if (isLost) world.forget();
  await world.settle();
  const [own, other] = [world.row(row)['ID'], copied('ID')];
  // Without a memory, the first tab of the mapping has it.
  expect([own, other].map((id) => String(id).startsWith('copy '))).toEqual([isLost, !isLost]);
  if (isLost) return;
  expect(copied('Status')).toBe(COPY);
  world.staff.typeInto({ ...at, row, column: 'Start', value: '03.03.2026 14:00' });
  world.staff.typeInto({ ...at, row, column: 'Cancel', value: true });
  world.put(row, 'Start', '03.03.2026 12:00');
  await world.settle();
  expect(world.booked()).toEqual([TWELVE]);
  expect(world.row(row)['Status']).toBe('Booked.');
  expect(copied('ID')).toBe(`copy ${String(own)} ${String(copied('ID')).slice(-8)}`);
});

test('with its ID cleared, the copy is a booking of its own', async () => {
  paste();
  await world.settle();
  world.staff.typeInto({ ...at, row, column: 'ID', value: '' });
  await world.settle();
  const id = String(copied('ID'));
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(id).not.toBe(world.row(row)['ID']);
  expect(world.row(row)['Status']).toBe('Booked.');
});

test('while the tab of the original cannot be read, a copy stays one', async () => {
  paste();
  await world.settle();
  world.staff.renameHeader({ ...world.at, from: 'Start', to: 'When' });
  await world.settle();
  expect(String(copied('ID'))).toMatch(/^copy /);
  world.staff.renameHeader({ ...world.at, from: 'When', to: 'Start' });
  await world.settle();
  expect(world.row(row)['Status']).toBe('Booked.');
});

test('a row that is cut out and pasted into the other tab keeps its id, and so it does on its way back', async () => {
  const { ID: id } = world.row(row);
  const values = world.rows()[row - 1] ?? [];
  paste();
  world.staff.clearRange({ ...world.at, range: `A${row}:Z${row}` });
  await world.settle();
  expect(copied('ID')).toBe(id);
  world.staff.setRow({ ...world.at, row, values });
  await world.settle();
  // Handed on from the other tab last: this one is the copy now.
  expect(world.row(row)['ID']).toContain(`copy ${String(id)}`);
  world.staff.clearRange({ ...at, range: `A${row}:Z${row}` });
  await world.settle();
  expect(world.row(row)['ID']).toBe(id);
  // It gets its answer back once all rows are handed on again.
  world.clock.advance(700_000);
  await world.settle();
  expect(world.row(row)).toMatchObject({ ID: id, Status: 'Booked.' });
  expect(world.booked()).toEqual([TEN]);
});
