// People move rows or columns, and the write goes over a cell of theirs (P6; cases 60 and 61). What it said is unknown, so its place is
// named: a cell that vanishes is never silent.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { MemorySentRows } from '../doubles/sent-rows.ts';
import { double } from '../stand/double.ts';
import { BOOK, contact, line, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone', 'Note'];
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const NUMBERS = [1, 2, 3, 4, 5, 6];

let stand: Stand;
beforeEach(async () => {
  const values = [HEADER, ...NUMBERS.map((n) => [...line(n), `note of ${n}`])];
  const tabs = [{ title: 'Contacts', rows: 50, columns: 8, values }];
  stand = await startStand({ tabs, parts: { sent: double(new MemorySentRows()) } });
  stand.put(...NUMBERS.map((n) => contact(n)));
  await stand.flushAll();
});
afterEach(() => stand.close());

const move = (column: string, before: string) =>
  stand.sandbox.staff.sheets.moveColumn({ ...AT, column, before });
const notes = () => stand.values().flatMap((cells) => cells.filter((cell) => /^note of/.test(String(cell))));

/** What the problem names, if there is one. */
async function named(): Promise<string | undefined> {
  const [problem, ...others] = await stand.problems.list();
  expect(others).toEqual([]);
  if (problem !== undefined)
    expect(problem).toMatchObject({
      target: expect.stringMatching(/^sheet-covered:contacts\/Contacts /),
      code: 'cells-covered',
    });
  return problem?.message.split('the tab Contacts: ')[1];
}

it.each([
  ['behind the id', 'Name', 'row 5 (B)'],
  ['before the phone', 'Phone', 'row 5 (C)'],
])('a note that people moved %s is gone: its cell is named', async (_, before, place) => {
  stand.put(contact(4, 'New 4', 'phone 4'));
  await stand.flushWhile(() => move('Note', before));
  await stand.flushAll();
  expect(notes()).not.toContain('note of 4');
  expect(await named()).toBe(place);
});

it('a row that the write clears, with a note moved under it: the cell is named', async () => {
  stand.put({ ...contact(4), cells: undefined, hash: 'cleared' });
  await stand.flushWhile(() => move('Note', 'Phone'));
  await stand.flushAll();
  expect(notes()).not.toContain('note of 4');
  expect(await named()).toBe('row 5 (C)');
});

it('a row of people that moved under the write: its cells are named', async () => {
  stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'B9', value: 'Total' });
  stand.put(contact(4, 'New 4', 'phone 4'));
  await stand.flushWhile(() => stand.sandbox.staff.sheets.moveRow({ ...AT, row: 9, before: 5 }));
  await stand.flushAll();
  expect(JSON.stringify(stand.values())).not.toContain('Total');
  expect(await named()).toBe('row 5 (B, C)');
});

it.each([
  [
    'a column inserted',
    () => stand.sandbox.staff.sheets.insertColumn({ ...AT, before: 'Phone', header: 'Mine' }),
  ],
  ['a blank row inserted', () => stand.sandbox.staff.sheets.insertRow({ ...AT, row: 5 })],
  ['the notes moved to the front', () => move('Note', 'ID')],
  ['the phone moved to the front', () => move('Phone', 'ID')],
])('%s: no cell of people is gone, and nothing is named', async (_, people) => {
  stand.put(contact(4, 'New 4', 'phone 4'), contact(7));
  await stand.flushWhile(people);
  await stand.flushAll();
  expect(notes()).toHaveLength(6);
  expect(await named()).toBeUndefined();
});

it('a process that dies before it looks: the next one names the cell', async () => {
  stand.put(contact(4, 'New 4', 'phone 4'));
  const blind: (() => void)[] = [];
  const onStrike = () => {
    move('Note', 'Name');
    blind.push(stand.sandbox.faults.add({ path: /batchGetByDataFilter/, fault: { kind: 'reset' } }));
  };
  const fault = { kind: 'delay', ms: 0 } as const;
  stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault, onStrike });
  await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
  for (const remove of blind) remove();
  stand.restart();
  await stand.flushAll();
  expect(await named()).toBe('row 5 (B)');
});

it('a second cell hides the first one neither in the list nor with its end: each is named for a day', async () => {
  const hour = 3_600_000;
  let nowMs = 0;
  stand.problems.now = () => nowMs;
  stand.put(contact(4, 'New 4', 'phone 4'));
  await stand.flushWhile(() => move('Note', 'Name'));
  await stand.flushAll();
  nowMs = 10 * hour;
  stand.put(contact(2, 'New 2', 'phone 2'));
  await stand.flushWhile(() => move('Note', 'Phone'));
  await stand.flushAll();
  const places = async () =>
    (await stand.problems.list()).map(({ message }) => message.split('Contacts: ')[1]);
  expect(await places()).toEqual(['row 5 (B)', expect.stringMatching(/^row 3 /)]);
  nowMs = 24 * hour;
  expect(await places()).toEqual([expect.stringMatching(/^row 3 /)]);
  nowMs = 34 * hour;
  expect(await places()).toEqual([]);
});
