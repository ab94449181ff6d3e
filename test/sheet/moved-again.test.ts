// People move a column under a write, and once more before the repair arrives (P9; case 60). A text of the worker that stays in a column of
// theirs is named until it is gone.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MemorySentRows } from '../doubles/sent-rows.ts';
import { BOOK, contact, line, type Stand, startStand } from './stand.ts';

const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const NUMBERS = [1, 2, 3, 4, 5, 6];
const WRITTEN = { Name: 'New 4', Phone: 'phone 4' };

let stand: Stand;
const sent = () => new MemorySentRows() as never;
beforeEach(async () => {
  const values = [['ID', 'Name', 'Phone', 'Note', 'More'], ...NUMBERS.map((n) => line(n))];
  const tabs = [{ title: 'Contacts', rows: 50, columns: 9, values }];
  stand = await startStand({ tabs, parts: { sent: sent() } });
  stand.put(...NUMBERS.map((n) => contact(n)));
  await stand.flushAll();
});
afterEach(() => stand.close());

const move = (column: string, before: string) =>
  stand.sandbox.staff.sheets.moveColumn({ ...AT, column, before });
const insert = (header: string, before: string) =>
  stand.sandbox.staff.sheets.insertColumn({ ...AT, before, header });

/** Cells with a text of the last write that is not under its header, or in a row without an id. */
function strangers(): readonly string[] {
  const [header = [], ...rows] = stand.values();
  return rows.flatMap((cells, i) =>
    cells.flatMap((cell, column) => {
      const own =
        WRITTEN[header[column] as keyof typeof WRITTEN] === cell && cells[header.indexOf('ID')] !== '';
      const isWritten = Object.values(WRITTEN).includes(String(cell));
      return isWritten && !own ? [`${'ABCDEFGH'[column]}${i + 2}`] : [];
    }),
  );
}

async function named(): Promise<readonly string[]> {
  const left = (await stand.problems.list()).find(({ code }) => code === 'cells-left');
  const places = [...(left?.message.matchAll(/row (\d+) \(([A-Z, ]+)\)/g) ?? [])];
  return places
    .flatMap(([, row, columns = '']) => columns.split(', ').map((column) => `${column}${row}`))
    .sort();
}

const CASES: readonly [string, () => void, () => void, readonly string[]][] = [
  ['inserted, then moved to the end', () => insert('Mine', 'Phone'), () => move('Mine', 'More'), ['D5']],
  [
    'inserted, then moved to the front',
    () => insert('Mine', 'Phone'),
    () => move('Mine', 'ID'),
    ['A5', 'B5'],
  ],
  ['inserted, then another before it', () => insert('Mine', 'Phone'), () => insert('Yours', 'Name'), ['B5']],
  ['moved behind the id, then to the end', () => move('Note', 'Name'), () => move('Note', 'More'), []],
  [
    'moved before the phone, then to the front',
    () => move('Note', 'Phone'),
    () => move('Note', 'ID'),
    ['A5', 'B5'],
  ],
  ['moved before the phone, then back', () => move('Note', 'Phone'), () => move('Phone', 'Note'), []],
];
it.each(CASES)(
  'a column %s: what stays there is named until it is gone',
  async (_, ...[first, again, cells]) => {
    stand.put(contact(4, WRITTEN.Name, WRITTEN.Phone));
    for (const onStrike of [first, again])
      stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'delay', ms: 0 }, onStrike });
    await stand.flushAll();
    expect(stand.sandbox.faults.hits()).toBe(2);
    expect(strangers()).toEqual(cells);
    expect(await named()).toEqual(cells);
    // Another process looks again, and it is still there.
    stand.restart();
    await stand.flushAll();
    expect(await named()).toEqual(cells);
    for (const cell of cells) stand.sandbox.staff.sheets.setCell({ ...AT, cell, value: '' });
    stand.restart();
    await stand.flushAll();
    expect(await named()).toEqual([]);
  },
);
