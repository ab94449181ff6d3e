/** The YAML names a copy of the spreadsheet, which has its rows, answers and ids: a copied row is still its appointment's. */
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';

const COPY = 'copied-book';
const stands = new IntakeStands();
let world: IntakeWorld;
let row: number;
beforeEach(async () => {
  world = await stands.start();
  row = world.type();
  world.type({ Name: 'Igor Petrov', Phone: '8 495 000-11-02', Start: '03.03.2026 15:00' });
  await world.settle();
});
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const TEN = '2026-03-03T07:00:00.000Z Anna Vera Orlova';
const TWELVE = '2026-03-03T09:00:00.000Z Anna Vera Orlova';
const IGOR = '2026-03-03T12:00:00.000Z Anna Igor Petrov';
const put = async (column: string, value: string | boolean) => {
  world.put(row, column, value);
  await world.settle();
};
const status = () => String(world.row(row)['Status']);

test('P2, P4: rows go on, with their answers, moves and cancellations', async () => {
  world.copy(COPY);
  await world.pointAt(COPY);
  for (const _ of [1, 2, 3]) await world.settle();
  expect(world.appointments()).toHaveLength(2);
  expect(world.booked()).toEqual([TEN, IGOR]);
  expect(status()).toBe('Booked.');
  await put('Start', '03.03.2026 12:00');
  expect(world.booked()).toEqual([TWELVE, IGOR]);
  await put('Cancel', true);
  expect(world.booked()).toEqual([IGOR]);
  expect(status()).toBe('Cancelled.');
});

test('P2: rows whose ids people cleared get them back', async () => {
  world.copy(COPY);
  const id = world.row(row)['ID'];
  await world.pointAt(COPY);
  for (const each of [row, row + 1]) world.put(each, 'ID', '');
  for (const _ of [1, 2, 3]) await world.settle();
  expect(world.appointments()).toHaveLength(2);
  expect(world.row(row)['ID']).toBe(id);
  expect(status()).toBe('Booked.');
});

test('P7: nor is a row changed back whose id people cleared', async () => {
  world.copy(COPY);
  const id = world.row(row)['ID'];
  await put('Start', '03.03.2026 12:00');
  await world.pointAt(COPY);
  world.put(row, 'ID', '');
  for (const _ of [1, 2, 3]) await world.settle();
  expect(world.booked()).toEqual([TWELVE, IGOR]);
  expect(world.row(row)['ID']).toBe(id);
  expect(status()).toContain('went back to what it said before');
});

test('P7: what changed since the copy was made is not changed back', async () => {
  world.copy(COPY);
  await put('Start', '03.03.2026 12:00');
  await world.settle();
  const time = world.row(row)['Time'];
  await world.pointAt(COPY);
  for (const _ of [1, 2, 3]) await world.settle();
  expect(world.booked()).toEqual([TWELVE, IGOR]);
  expect(world.row(row)['Time']).toBe(time);
  expect(status()).toContain('went back to what it said before');
});

test('P7: an appointment that was cancelled since the copy was made is not booked again', async () => {
  world.copy(COPY);
  await put('Cancel', true);
  await world.pointAt(COPY);
  for (const _ of [1, 2, 3]) await world.settle();
  expect(world.booked()).toEqual([IGOR]);
  expect(world.appointments()).toHaveLength(2);
  expect(status()).toBe('Cancelled.');
});

test('P2, P7: back at the first spreadsheet, its rows go on as well', async () => {
  world.copy(COPY);
  const first = world.at.spreadsheetId;
  await world.pointAt(COPY);
  await world.settle();
  await put('Start', '03.03.2026 12:00');
  await world.settle();
  await world.pointAt(first);
  for (const _ of [1, 2, 3]) await world.settle();
  expect(world.booked()).toEqual([TWELVE, IGOR]);
  expect(world.appointments()).toHaveLength(2);
  expect(status()).toContain('went back to what it said before');
});

test('P2, P7: the platform cancels before the worker has looked at the copy: its older row is not booked again', async () => {
  world.copy(COPY);
  await put('Start', '03.03.2026 12:00');
  const appointment = String(world.row(row)['Appointment']);
  await world.pointAt(COPY);
  world.dashboard.cancel(appointment, { notify: false });
  await world.hear();
  await world.work();
  await world.flush();
  for (const _ of [1, 2, 3]) await world.settle();
  expect(world.booked()).toEqual([IGOR]);
  expect(world.appointments()).toHaveLength(2);
});

test('P2: rows of a copied tab in the copy are copies still, and new rows are booked', async () => {
  world.copy(COPY);
  await world.pointAt(COPY);
  world.type({ Name: 'Olga Smirnova', Phone: '8 495 000-11-03', Start: '03.03.2026 17:00' });
  const values = world.rows()[row - 1] ?? [];
  world.staff.addRow({ ...world.at, values: values as string[] });
  for (const _ of [1, 2, 3]) await world.settle();
  expect(world.appointments()).toHaveLength(3);
  expect(String(world.rows().at(-1)?.[8])).toContain('Copy of another row');
});
