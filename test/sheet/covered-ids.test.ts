// People move rows and columns in one moment, and the write goes over the ids of several rows (P2, P6; cases 60 and 61). Whose row is whose
// may then be a guess, or unknown. It is named, because what people wrote beside an object must not change its object in silence.

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SheetFlusherParts } from '../../src/sheet/flush.ts';
import { BOOK, contact, id, line, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone', 'Note'];
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const NUMBERS = [1, 2, 3, 4, 5, 6];
const DAY_MS = 86_400_000;
/** Names run against the ids, so that sorting by name turns the tab around. */
const name = (n: number) => `Name ${9 - n}`;
const fresh = (n: number) => contact(n, `New ${n}`, `phone ${n}`);

let stand: Stand;
beforeEach(() => start());

async function start(parts: Partial<SheetFlusherParts> = {}): Promise<void> {
  const values = [HEADER, ...NUMBERS.map((n) => [...line(n, name(n)), `note of ${n}`])];
  stand = await startStand({ tabs: [{ title: 'Contacts', rows: 50, columns: 8, values }], parts });
  stand.put(...NUMBERS.map((n) => contact(n, name(n))));
  await stand.flushAll();
}
afterEach(() => stand.close());

const sort = () => stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name' });
const insert = () => stand.sandbox.staff.sheets.insertColumn({ ...AT, before: 'ID', header: 'Mine' });

/** Rows are written while people act. Each object is whole afterwards. Returns the rows that the problem names. */
async function namedRows(written: readonly number[], people: () => void): Promise<readonly string[]> {
  stand.put(...written.map((n) => ({ ...fresh(n), staysAway: true })));
  await stand.flushWhile(people);
  return namedAfter(written);
}

async function namedAfter(written: readonly number[]): Promise<readonly string[]> {
  await stand.flushAll();
  const [header = [], ...rows] = stand.values();
  const own = rows.map((cells) => ['ID', 'Name', 'Phone'].map((text) => cells[header.indexOf(text)] ?? ''));
  const isNew = (n: number) => written.includes(n);
  expect(own.filter(([key]) => key !== '').sort()).toEqual(
    NUMBERS.map((n) => (isNew(n) ? line(n, `New ${n}`, `phone ${n}`) : line(n, name(n)))),
  );
  const [problem, ...others] = await stand.problems.list();
  expect(others).toEqual([]);
  if (problem === undefined) return [];
  const target = expect.stringMatching(/^sheet-rows:contacts\/Contacts /);
  expect(problem).toMatchObject({ target, code: 'rows-unsure', keptForMs: DAY_MS });
  const [, places = '', more = '0'] = /in rows ([\d, ]+?)(?: and (\d) more)? may/.exec(problem.message) ?? [];
  return [...places.split(', '), ...Array<string>(Number(more)).fill('more')];
}

/** Rows of the tab in which a note stands beside another object, or beside none. */
function wrongRows(): readonly string[] {
  const [header = [], ...rows] = stand.values();
  const at = (cells: readonly unknown[], text: string) => String(cells[header.indexOf(text)] ?? '');
  return rows.flatMap((cells, row) => {
    const note = at(cells, 'Note');
    return note === '' || at(cells, 'ID') === id(Number(note.slice(-1))) ? [] : [String(row + 2)];
  });
}

it('all rows written, sorted and moved by a column: nothing tells whose note is whose, so all of them are named', async () => {
  const named = await namedRows(NUMBERS, () => {
    sort();
    insert();
  });
  expect(wrongRows()).toEqual(['2', '3', '4', '5', '6', '7']);
  expect(named).toEqual(['2', '3', '4', '5', '6', 'more']);
});

it('some rows written, sorted and moved by a column: notes that lose their object are named', async () => {
  const named = await namedRows([2, 4, 5], () => {
    sort();
    insert();
  });
  expect(wrongRows()).not.toEqual([]);
  expect(named).toEqual(expect.arrayContaining([...wrongRows()]));
});

it('all rows written, and only a column moved: every note stays beside its object', async () => {
  await namedRows(NUMBERS, insert);
  expect(wrongRows()).toEqual([]);
});

it('single rows between others that nobody moved: every note stays, and nothing is named', async () => {
  expect(await namedRows([2, 5], insert)).toEqual([]);
  expect(wrongRows()).toEqual([]);
});

it('no note stands beside the rows: nothing can be mixed up, and nothing is named', async () => {
  for (const row of NUMBERS) stand.sandbox.staff.sheets.setCell({ ...AT, cell: `D${row + 1}`, value: '' });
  expect(
    await namedRows(NUMBERS, () => {
      sort();
      insert();
    }),
  ).toEqual([]);
});

it('one row written, sorted and moved by a column: it gets its note back, also if the next write fails, and nothing is named', async () => {
  await stand.close();
  const looks: string[] = [];
  const meter = {
    add: (counter: string, { extent = '' }: Record<string, string> = {}, by = 1) => {
      if (counter === 'slotbridge_tab_looks_total' && by > 0) looks.push(extent);
    },
    observe: () => undefined,
  };
  await start({ meter });
  stand.put({ ...fresh(3), staysAway: true });
  await stand.flushWhile(() => {
    sort();
    insert();
  });
  stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'reset' } });
  await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
  expect(await namedAfter([3])).toEqual([]);
  expect(wrongRows()).toEqual([]);
  looks.splice(0);
  stand.sandbox.resetCounts();
  for (const newer of ['Newer', 'Newest']) {
    stand.put(contact(2, newer));
    await stand.flush();
  }
  // Only as long as an id is missing.
  expect(looks).toEqual(['whole', 'rows']);
  expect(stand.sandbox.stats().callsByMethod['spreadsheets.values.batchGetByDataFilter']).toBe(2);
});
