/**
 * A tab of form responses as a booking sheet. A form adds each answer as a row of the tab's Sheets table, and fills only its own columns. It can
 * tick nothing, so the entry has no column `ready`.
 */
import { afterAll, afterEach, expect, test } from 'vitest';
import { BOOK, IntakeStands } from '../stand/intake-sheet.ts';

const TEN = '2026-03-03T07:00:00.000Z';
const TWELVE = '2026-03-03T09:00:00.000Z';
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;
/** Columns of the form's questions, the first ones. */
const ASKED = 5;
/** The rows of the first two responses. */
const [FIRST, SECOND] = [2, 3];

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

async function form() {
  const { ready: _, ...columns } = (await stands.start()).mapping.columns;
  await stands.closeWorlds();
  const world = await stands.start({ columns });
  const request = (asked: Parameters<typeof world.staff.request>[0]['request']) =>
    world.staff.request({ spreadsheetId: BOOK, request: asked });
  const range = { sheetId: 0, startRowIndex: 0, endRowIndex: 2, startColumnIndex: 0, endColumnIndex: ASKED };
  const tableId = 'responses';
  request({ addTable: { table: { tableId, name: 'Form_Responses', range } } });
  return {
    world,
    /** The hour of 3 March 2026 in Moscow's clock, as a form writes it. */
    respond(name: string, hour: number, phone: string): void {
      const serial = (Date.UTC(2026, 2, 3, hour) - DAY_ZERO_MS) / DAY_MS;
      const text = (stringValue: string) => ({ userEnteredValue: { stringValue } });
      const numberFormat = { type: 'DATE_TIME', pattern: 'dd/MM/yyyy HH:mm:ss' };
      const start = { userEnteredValue: { numberValue: serial }, userEnteredFormat: { numberFormat } };
      const values = [text('Haircut'), start, text(name), text(phone), text('Anna')];
      const fields = 'userEnteredValue,userEnteredFormat.numberFormat';
      request({ appendCells: { tableId, rows: [{ values }], fields } });
    },
    async left(): Promise<void> {
      await world.settle();
      world.clock.advance(61_000);
      await world.settle();
      await world.settle();
    },
    asked: () => world.rows().map((row) => row.slice(0, ASKED)),
  };
}

test('S1: each response is booked once it has been left alone, and answered beside the questions', async () => {
  const { world, respond, left, asked } = await form();
  respond('Vera Orlova', 10, '8 495 000-11-01');
  respond('Boris Petrov', 12, '8 495 000-11-03');
  const before = asked();
  await left();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Boris Petrov`]);
  for (const name of ['Vera Orlova', 'Boris Petrov'])
    expect(world.rowOf(name)).toMatchObject({ Status: 'Booked.' });
  expect(asked()).toEqual(before);
});

test('S1: a response that comes in while an id is written is booked, too', async () => {
  const { world, respond, left } = await form();
  respond('Vera Orlova', 10, '8 495 000-11-01');
  world.api.beforeWrite = () => respond('Boris Petrov', 12, '8 495 000-11-03');
  await left();
  await left();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Boris Petrov`]);
});

test('S6: an edited response moves its appointment', async () => {
  const { world, respond, left } = await form();
  respond('Vera Orlova', 10, '8 495 000-11-01');
  await left();
  world.put(FIRST, 'Start', '3/3/2026 12:00');
  await left();
  expect(world.booked()).toEqual([`${TWELVE} Anna Vera Orlova`]);
});

test('S3: a form sent twice makes one appointment; the second row says why', async () => {
  const { world, respond, left } = await form();
  respond('Vera Orlova', 10, '8 495 000-11-01');
  await left();
  respond('Vera Orlova', 10, '8 495 000-11-01');
  await left();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  const statuses = [FIRST, SECOND].map((row) => world.row(row)['Status']);
  expect(statuses).toEqual(['Booked.', expect.stringContaining('this time is already taken')]);
});
