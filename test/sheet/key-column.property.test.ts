// Rows that people move around, and two processes that take turns: what one of them remembers of the key column is never believed (P2, P6).

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runsOf } from '../stand/runs.ts';
import { BOOK, contact, id, line, row, type Stand, startStand } from './stand.ts';

const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
let stand: Stand;

/** Rows with an id, as the sheet shows them under the mirror's headers, in the order of their ids. */
function lines(): (readonly string[])[] {
  const [header = [], ...rows] = stand.values();
  const columns = ['ID', 'Name', 'Phone'].map((title) => header.indexOf(title));
  const shown = rows.map((each) => columns.map((column) => String(each[column] ?? '')));
  return shown.filter(([key]) => key !== '').sort(([a = ''], [b = '']) => a.localeCompare(b));
}

it('P2, P6: whatever rows people move between the flushes of two processes, each object has one row with its cells, beside its note', async () => {
  type Act = (at: number) => void;
  const staff = () => stand.sandbox.staff.sheets;
  const known = new Map<number, string>();
  const notes = new Map<number, string>();
  const rowOf = (n: number) => stand.values().findIndex((each) => each.includes(id(n))) + 1;
  const count = () => Math.max(2, stand.values().length);
  const write = (n: number, name: string) => {
    known.set(n, name);
    stand.put(contact(n, name));
  };
  /** Few of many, so that they meet, and far apart. */
  const one = (at: number) => 1 + (at % 12) * 5;
  const acts: Record<string, Act> = {
    change: (at) => write(one(at), `Name ${at}`),
    leave: (at) => {
      const n = one(at);
      known.delete(n);
      notes.delete(n);
      stand.put(row(n, undefined));
    },
    sort: (at) => staff().sortTab({ ...AT, column: 'Name', descending: at % 2 === 0 }),
    insert: (at) => staff().insertRow({ ...AT, row: 2 + (at % (count() - 1)) }),
    drag: (at) =>
      staff().moveRow({ ...AT, row: 2 + (at % (count() - 1)), before: 2 + ((at * 7) % (count() - 1)) }),
    column: (at) => staff().moveColumn({ ...AT, column: at % 2 === 0 ? 'Phone' : 'ID', before: 'Name' }),
    note: (at) => {
      const n = one(at);
      if (rowOf(n) < 2 || notes.has(n) || !known.has(n)) return;
      notes.set(n, `note ${n} ${at}`);
      staff().typeInto({ ...AT, row: rowOf(n), column: 'Mine', value: `note ${n} ${at}` });
    },
  };
  /** People move rows while a write is under way. */
  const meet = async (at: number) => {
    write(one(at), `Meet ${at}`);
    await stand.flushWhile(() => acts[['sort', 'insert', 'drag'][at % 3] ?? 'sort']?.(at));
  };
  let partly = 0;
  const act = fc.record({
    what: fc.constantFrom(...Object.keys(acts), 'change', 'flush', 'flush', 'other', 'meet', 'meet'),
    at: fc.nat(999),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 12, maxLength: 30 }), async (story) => {
      stand = await startStand({ tabs: [{ title: 'Contacts', rows: 160, columns: 6 }] });
      stand.meter.add = (_, { extent } = {}, by = 1) => {
        if (extent === 'rows') partly += by;
      };
      known.clear();
      notes.clear();
      for (let n = 1; n <= 60; n += 1) write(n, `Name ${n}`);
      await stand.flushAll();
      staff().insertColumn({ ...AT, before: 'ID', header: 'Mine' });
      write(60, 'Last');
      await stand.flushAll();
      const other = stand.otherProcess();
      for (const { what, at } of story) {
        if (what === 'flush') await stand.flush();
        else if (what === 'meet') await meet(at);
        else if (what === 'other') await other();
        else acts[what]?.(at);
      }
      await stand.flushAll();
      const shown = lines();
      const rows = [...known]
        .map(([n, name]) => line(n, name))
        .sort(([a = ''], [b = '']) => a.localeCompare(b));
      expect(shown).toEqual(rows);
      const mine = (stand.values()[0] ?? []).indexOf('Mine');
      for (const [n, text] of notes) expect(stand.values()[rowOf(n) - 1]?.[mine]).toBe(text);
      await stand.close();
    }),
    { numRuns: runsOf(25) },
  );
  expect(partly).toBeGreaterThan(0);
});
