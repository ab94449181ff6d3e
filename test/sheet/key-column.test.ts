// A flush of a tab that its process has written before reads its own rows and the end of the key column, not all keys.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PendingRow } from '../../src/engine/sheet-row.ts';
import { BOOK, CONTACTS, contact, id, line, row, type Stand, startStand } from './stand.ts';

const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const ROWS = 400;

let stand: Stand;
/** Cells that Google sent, for reads and after writes. */
let cells = 0;
afterEach(() => stand.close());

async function start(rows = 60): Promise<void> {
  stand = await startStand({ tabs: [{ title: 'Contacts', rows: rows + 20, columns: 6 }] });
  cells = 0;
  const { read, write } = stand.api;
  stand.api.read = async (...asked) => {
    const found = await read.apply(stand.api, asked);
    for (const area of found) for (const each of area?.rows ?? []) cells += each.length;
    return found;
  };
  stand.api.write = async (...asked) => {
    const shown = await write.apply(stand.api, asked);
    for (const tab of shown.values()) for (const each of tab) cells += each.length;
    return shown;
  };
}

/** Rows with an id, as the sheet shows them under the mirror's headers, in the order of their ids. */
function lines(): (readonly string[])[] {
  const [header = [], ...rows] = stand.values();
  const columns = ['ID', 'Name', 'Phone'].map((title) => header.indexOf(title));
  const shown = rows.map((each) => columns.map((column) => String(each[column] ?? '')));
  return shown.filter(([key]) => key !== '').sort(([a = ''], [b = '']) => a.localeCompare(b));
}

describe('a tab of many rows', () => {
  beforeEach(async () => {
    await start(ROWS);
    stand.put(...Array.from({ length: ROWS }, (_, n) => contact(n + 1)));
    await stand.flushAll();
    // The first look at a tab that has rows.
    stand.put(contact(1, 'Name 1', '1'), contact(1));
    await stand.flushAll();
    stand.put(contact(1));
    await stand.flushAll();
    cells = 0;
  });

  it('a changed row costs its own cells, those beside it and the end of the column, whatever the number of rows', async () => {
    stand.put(contact(7, 'New 7'));
    await stand.flush();
    expect(lines()[6]).toEqual(line(7, 'New 7'));
    expect(cells).toBeLessThan(40);
  });

  it('new rows cost their own cells', async () => {
    stand.put(...[1, 2, 3].map((n) => contact(ROWS + n)));
    await stand.flush();
    stand.put(contact(ROWS + 2, 'Again'));
    await stand.flush();
    expect(lines().slice(ROWS)).toEqual([line(ROWS + 1), line(ROWS + 2, 'Again'), line(ROWS + 3)]);
    expect(cells).toBeLessThan(60);
  });

  it.each<readonly [string, () => void]>([
    ['sorted', () => stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name', descending: true })],
    ['got a row above it', () => stand.sandbox.staff.sheets.insertRow({ ...AT, row: 2 })],
    ['lost a row above it', () => stand.sandbox.staff.sheets.deleteRow({ ...AT, row: 2 })],
    ['dragged a row past it', () => stand.sandbox.staff.sheets.moveRow({ ...AT, row: 3, before: ROWS + 1 })],
    ['copied a row', () => stand.sandbox.staff.sheets.duplicateRow({ ...AT, row: 3 })],
    ['moved a column', () => stand.sandbox.staff.sheets.moveColumn({ ...AT, column: 'Phone', before: 'ID' })],
    ['grew at its end', () => void stand.sandbox.staff.sheets.addRow({ ...AT, values: [id(900), 'Typed'] })],
  ])('is read whole once people %s', async (_, act) => {
    act();
    const before = lines();
    stand.put(contact(7, 'New 7'), contact(ROWS + 1));
    await stand.flush();
    expect(cells).toBeGreaterThan(ROWS);
    const after = lines();
    const isOwn = ([key]: readonly string[]) => key === id(7) || key === id(ROWS + 1);
    expect(after.filter(isOwn)).toEqual([line(7, 'New 7'), line(ROWS + 1)]);
    expect(after.filter((each) => !isOwn(each))).toEqual(before.filter((each) => !isOwn(each)));
  });

  it('is read whole after another process wrote it: a row that is new here stands there already (P2)', async () => {
    const other = stand.otherProcess();
    stand.put(contact(ROWS + 1));
    await other();
    // The end of the column looks as before.
    stand.sandbox.staff.sheets.moveRow({ ...AT, row: ROWS + 2, before: 5 });
    stand.sandbox.staff.sheets.deleteRow({ ...AT, row: 3 });
    stand.put(contact(ROWS + 1, 'Changed'));
    await stand.flush();
    expect(lines().filter(([key]) => key === id(ROWS + 1))).toEqual([line(ROWS + 1, 'Changed')]);
  });

  it('a tab beside it that is read whole costs no further read', async () => {
    const other = { ...CONTACTS, name: 'others', tab: 'Others' };
    await stand.close();
    stand = await startStand({
      tabs: ['Contacts', 'Others'].map((title) => ({ title, rows: 20, columns: 6 })),
      parts: { mirrors: [CONTACTS, other] },
    });
    for (const name of ['First', 'Second', 'Third']) {
      stand.put(contact(1, name));
      await stand.flushAll();
    }
    stand.put(row(2, { Name: 'Other' }, { mirror: 'others', tab: 'Others' }));
    await stand.flushAll();
    stand.sandbox.resetCounts();
    stand.put(contact(1, 'New'), row(2, { Name: 'Newer' }, { mirror: 'others', tab: 'Others' }));
    await stand.flush();
    expect(stand.values()).toEqual([['ID', 'Name', 'Phone'], line(1, 'New')]);
    expect(stand.values('Others')[1]?.slice(0, 2)).toEqual([id(2), 'Newer']);
    expect(stand.sandbox.stats().calls).toBe(2);
  });

  it('a row whose key cell people emptied is written anew, and nothing is written into the old one', async () => {
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'A8', value: '' });
    stand.put(contact(7, 'New 7'));
    await stand.flush();
    expect(lines().filter(([key]) => key === id(7))).toEqual([line(7, 'New 7')]);
    expect(stand.values()[7]).toEqual(['', 'Name 7', '+41780007']);
  });

  it.each<readonly [string, Partial<PendingRow>, readonly (readonly string[])[]]>([
    ['a changed row', {}, [line(7, 'New 7')]],
    ['a row that must go', { cells: undefined, hash: 'cleared' }, []],
    ['a row that stays away where people delete it', { staysAway: true }, [line(7, 'New 7')]],
  ])('%s whose key is brought back by an undo is the one that is written (P2)', async (_, change, after) => {
    const setKey = (value: string) => stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'A8', value });
    setKey('');
    for (const name of ['New 8', 'Newer 8']) {
      stand.put(contact(8, name));
      await stand.flush();
    }
    setKey(id(7));
    stand.put({ ...contact(7, 'New 7'), hadRow: true, ...change });
    await stand.flushAll();
    expect(lines().filter(([key]) => key === id(7))).toEqual(after);
  });

  it('a row that left and comes back stands below the others, also when it was the last one', async () => {
    stand.put(row(ROWS, undefined));
    await stand.flush();
    stand.put(contact(ROWS - 1, 'New'));
    await stand.flush();
    stand.put(contact(ROWS));
    await stand.flush();
    expect(lines().slice(-2)).toEqual([line(ROWS - 1, 'New'), line(ROWS)]);
    expect(cells).toBeLessThan(80);
  });
});
