// People act between a write and its look, and once more before the repair arrives (P6; case 60). A repair empties only what it saw.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BOOK, contact, line, type Stand, startStand } from './stand.ts';

const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const NUMBERS = [1, 2, 3, 4, 5, 6];
const OTHERS = [1, 2, 3, 5, 6];
let stand: Stand;
beforeEach(async () => {
  const values = [['ID', 'Name', 'Phone', 'Note'], ...NUMBERS.map((n) => line(n))];
  stand = await startStand({ tabs: [{ title: 'Contacts', rows: 50, columns: 8, values }] });
  stand.put(...NUMBERS.map((n) => contact(n)));
  await stand.flushAll();
});
afterEach(() => stand.close());

it.each([
  ['insert a row above', () => stand.sandbox.staff.sheets.insertRow({ ...AT, row: 2 }), []],
  ['move the row', () => stand.sandbox.staff.sheets.moveRow({ ...AT, row: 5, before: 2 }), []],
  [
    'type over what the write left',
    () => stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'C5', value: 'typed' }),
    ['typed'],
  ],
] as const)(
  'a column inserted under a write, and then they %s: the repair takes no cell of theirs',
  async (_, again, typed) => {
    const { sheets } = stand.sandbox.staff;
    const first = () => {
      sheets.insertColumn({ ...AT, before: 'Phone', header: 'Mine' });
      for (const n of OTHERS) sheets.setCell({ ...AT, cell: `C${n + 1}`, value: `mine ${n}` });
    };
    stand.put(contact(4, 'New 4', 'phone 4'));
    for (const onStrike of [first, again])
      stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'delay', ms: 0 }, onStrike });
    await stand.flushAll();
    expect(stand.sandbox.faults.hits()).toBe(2);
    const mine = stand.values().map((cells) => cells[2] ?? '');
    expect(mine).toEqual(expect.arrayContaining([...OTHERS.map((n) => `mine ${n}`), ...typed]));
  },
);
