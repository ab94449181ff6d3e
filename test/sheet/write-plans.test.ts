/** One write of several tabs, which Google refuses: what is refused is taken out, and the rest is written in the same flush (P1, case 68). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RetryableError, TerminalError } from '../../src/engine/errors.ts';
import { GoogleFailure } from '../../src/google/errors.ts';
import type { TabInfo } from '../../src/google/sheets-api.ts';
import {
  type Layout,
  planFlush,
  type RowWrite,
  type TabPlan,
  type TabView,
} from '../../src/sheet/flush-plan.ts';
import {
  areasToShow,
  holdsAll,
  isLocked,
  readRefusal,
  requestsOf,
  shownIn,
  writePlans,
  writtenAreas,
} from '../../src/sheet/flush-write.ts';
import { readLayout } from '../../src/sheet/tab-layout.ts';
import { BOOK, CONTACTS, contact, id, line, row, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone'];
const OTHER = { ...CONTACTS, name: 'other', tab: 'Other' };
const other = (n: number) => row(n, { Name: `Other ${n}`, Phone: null }, { mirror: 'other', tab: 'Other' });
const otherLine = (n: number) => [id(n), `Other ${n}`];
const pending = (made: ReturnType<typeof contact>) => ({ ...made, version: 1 });
const layout = readLayout(HEADER, CONTACTS) as Layout;

let stand: Stand;
beforeEach(async () => {
  stand = await startStand({
    tabs: [
      { title: 'Contacts', values: [HEADER, line(1), line(2), line(3)] },
      { title: 'Other', values: [HEADER, otherLine(9)] },
    ],
  });
});
afterEach(() => stand.close());

async function planOf(
  tab: 'Contacts' | 'Other',
  rows: ReturnType<typeof contact>[],
  more: Partial<TabView> = {},
) {
  const info = (await stand.api.tabs(BOOK)).find(({ title }) => title === tab);
  const keys = stand.values(tab).map(([key]) => String(key));
  const view = { sheetId: info?.sheetId ?? 0, layout, keys, rowCount: 1_000, ...more };
  return planFlush(tab === 'Contacts' ? CONTACTS : OTHER, view, rows.map(pending));
}

/** Google refuses the next writes with these words. */
function refuse(...messages: string[]): void {
  for (const message of messages) {
    const body = JSON.stringify({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });
    stand.sandbox.faults.add({
      path: /:batchUpdate/,
      times: 1,
      fault: { kind: 'status', status: 400, body },
    });
  }
}
const FULL =
  'This action would increase the number of cells in the workbook above the limit of 10,000,000 cells.';

async function written(plans: readonly TabPlan[], isShown = false) {
  const tried: number[] = [];
  const parts = {
    api: stand.api,
    spreadsheetId: BOOK,
    isShown,
    onTry: (all: readonly TabPlan[]) => tried.push(all.length),
  };
  const outcome = await writePlans(parts, plans);
  const faults = [...outcome.faults].map(([mirror, { code }]) => [mirror.name, code]);
  return {
    tried,
    faults: Object.fromEntries(faults),
    refused: outcome.refused.map((each) => each.row.rowKey),
    plans: outcome.plans,
  };
}

test('nothing to write is no call', async () => {
  expect(await written([await planOf('Contacts', [])])).toMatchObject({ tried: [], faults: {}, plans: [] });
});

describe('a full spreadsheet', () => {
  test('takes what needs no new row, in each tab', async () => {
    refuse(`Invalid requests[1].insertDimension: ${FULL}`);
    const plans = [
      await planOf('Contacts', [contact(1, 'New 1'), contact(4)]),
      await planOf('Other', [other(9)]),
    ];
    const { faults, tried } = await written(plans);
    expect(faults).toEqual({ contacts: 'sheet-full' });
    // Before each try, and after Google refused it: nothing of that can arrive late.
    expect(tried).toEqual([2, 0, 2]);
    expect(stand.values()[1]).toEqual(line(1, 'New 1'));
    expect(stand.values()).toHaveLength(4);
  });

  test('takes the other tabs if one needs new columns', async () => {
    refuse(FULL);
    const addedColumns = { at: 3, headers: ['More'], isLast: true };
    const plans = [
      await planOf('Contacts', [contact(1, 'New 1')], { addedColumns }),
      await planOf('Other', [other(9)]),
    ];
    expect((await written(plans)).faults).toEqual({ contacts: 'sheet-full' });
    expect(stand.values()[1]).toEqual(line(1));
  });

  test('takes only rows that need no copy of what stands there', async () => {
    refuse(FULL);
    const copied = { ...(await planOf('Contacts', [contact(1, 'New 1')])), before: { sheetId: 77 } };
    const { faults, plans } = await written([copied, await planOf('Other', [other(9)])]);
    expect(faults).toEqual({ contacts: 'sheet-full' });
    expect(plans.map(({ mirror }) => mirror.name)).toEqual(['other']);
    expect(stand.values()[1]).toEqual(line(1));
  });

  test('that refuses although nothing is to be added is narrowed down like any other refusal', async () => {
    refuse(FULL, FULL);
    const { refused } = await written([await planOf('Contacts', [contact(1, 'New 1'), contact(2, 'New 2')])]);
    expect(refused).toEqual([id(1)]);
    // The other half of the rows waits for the next flush.
    expect(stand.values().slice(1, 3)).toEqual([line(1), line(2)]);
  });
});

test('a repair asks for no tabs, so a refusal that names nothing is narrowed down at once', async () => {
  refuse('Something is wrong with the request');
  const rows = [contact(1, 'New 1'), contact(2, 'New 2')];
  const plans = [await planOf('Contacts', rows, { title: 'Contacts' })];
  const outcome = await writePlans({ api: stand.api, spreadsheetId: BOOK }, plans);
  expect([outcome.shown.size, outcome.refused]).toEqual([0, []]);
  expect(stand.values().slice(1, 3)).toEqual([line(1, 'New 1'), line(2)]);
});

test('rows below a table are better than none', async () => {
  const table = { id: 'table-1', area: { sheetId: 0, startRow: 0, endRow: 5, startColumn: 0, endColumn: 3 } };
  refuse('Invalid requests[2].updateTable: no such table');
  const plan = { ...(await planOf('Contacts', [contact(4)])), table };
  const { faults, plans } = await written([plan as never, await planOf('Other', [other(8)])]);
  expect([faults, plans[0]?.table]).toEqual([{}, undefined]);
  expect([stand.values()[4], stand.values('Other')[2]]).toEqual([line(4), otherLine(8)]);
});

describe('a tab whose layout may not be changed', () => {
  const addedColumns = { at: 3, headers: ['More'], isLast: true };
  test.each([
    ['protected, by its words', 'You are trying to edit a protected cell', 'protected-range'],
    ['protected, in another language', 'Das ist geschützt', 'protected-range'],
    ['none that can be edited', 'no such thing', 'tab-refused'],
  ])('is %s: its rows wait, and the other tab is written', async (_, words, code) => {
    if (words.includes('geschützt'))
      stand.sandbox.staff.sheets.protectRange({ spreadsheetId: BOOK, tab: 'Contacts', range: 'Z9' });
    refuse(`Invalid requests[0].insertDimension: ${words}`);
    const plans = [
      await planOf('Contacts', [contact(1, 'New 1')], { addedColumns }),
      await planOf('Other', [other(9), other(8)]),
    ];
    expect((await written(plans)).faults).toEqual({ contacts: code });
    expect(stand.values()).toEqual([HEADER, line(1), line(2), line(3)]);
    expect(stand.values('Other')[2]).toEqual(otherLine(8));
  });
});

describe('a protection', () => {
  test('that is named by nothing but its words lets every tab wait', async () => {
    refuse('You are trying to edit a protected cell or object.');
    const plans = [await planOf('Contacts', [contact(1, 'New 1')]), await planOf('Other', [other(8)])];
    expect((await written(plans)).faults).toEqual({ contacts: 'protected-range', other: 'protected-range' });
    expect(stand.values()[1]).toEqual(line(1));
  });

  test('of new rows lets the rows that stand be written', async () => {
    refuse('Invalid requests[1].insertDimension: protected');
    const { faults } = await written([await planOf('Contacts', [contact(1, 'New 1'), contact(4)])]);
    expect(faults).toEqual({ contacts: 'protected-range' });
    expect(stand.values()).toEqual([HEADER, line(1, 'New 1'), line(2), line(3)]);
  });

  test('that cannot be seen lets the rows wait that stand, and new ones be written', async () => {
    refuse('Invalid requests[0].updateCells: protected');
    const { faults } = await written([await planOf('Contacts', [contact(1, 'New 1'), contact(4)])]);
    expect(faults).toEqual({ contacts: 'protected-range' });
    expect(stand.values()).toEqual([HEADER, line(1), line(2), line(3), line(4)]);
  });

  test('in another language, below which new rows would come, is seen at their place', async () => {
    stand.sandbox.staff.sheets.protectRange({ spreadsheetId: BOOK, tab: 'Contacts', range: 'A5:C9' });
    refuse('Invalid requests[0].insertDimension: geschützt');
    const { faults, refused } = await written([await planOf('Contacts', [contact(4)])]);
    expect([faults, refused]).toEqual([{ contacts: 'protected-range' }, []]);
  });
});

test('new rows that are refused together wait together, and are no dead letters', async () => {
  refuse('Invalid requests[1].insertDimension: not here');
  const { faults, refused } = await written([await planOf('Contacts', [contact(1, 'New 1'), contact(4)])]);
  expect([faults, refused]).toEqual([{ contacts: 'tab-refused' }, []]);
  expect(stand.values()).toEqual([HEADER, line(1, 'New 1'), line(2), line(3)]);
});

describe('one refused request', () => {
  test('of one tab takes nothing from a tab that gets new columns', async () => {
    const addedColumns = { at: 3, headers: ['More'], isLast: true };
    const plans = [
      await planOf('Contacts', [contact(1, 'New 1')], { addedColumns }),
      await planOf('Other', [other(9)]),
    ];
    refuse('Invalid requests[3].updateCells: what is this');
    expect(await written(plans)).toMatchObject({ faults: {}, refused: [id(9)] });
    expect(stand.values()[1]).toEqual(line(1, 'New 1'));
  });

  test('that copies what stands there lets the rows of its tab wait', async () => {
    refuse('Invalid requests[0].addSheet: no');
    const copied = { ...(await planOf('Contacts', [contact(1, 'New 1')])), before: { sheetId: 77 } };
    const { faults, plans } = await written([copied, await planOf('Other', [other(8)])]);
    expect(faults).toEqual({ contacts: 'tab-refused' });
    expect(plans.map(({ mirror }) => mirror.name)).toEqual(['other']);
  });

  test.each([
    ['no such thing', 'tab-refused'],
    ['protected', 'protected-range'],
  ])('for the header of an empty tab (%s) lets its rows wait, after one try', async (words, code) => {
    refuse(`Invalid requests[0].updateCells: ${words}`);
    const plan = await planOf('Contacts', [contact(4)], { keys: [], blankColumns: 3 });
    expect(await written([plan])).toMatchObject({ faults: { contacts: code }, refused: [], tried: [1, 0] });
  });

  test('for cells of new rows under a protection lets the rows that stand be written', async () => {
    refuse('Invalid requests[2].updateCells: protected');
    const { faults } = await written([await planOf('Contacts', [contact(1, 'New 1'), contact(4)])]);
    expect(faults).toEqual({ contacts: 'protected-range' });
    expect(stand.values()).toEqual([HEADER, line(1, 'New 1'), line(2), line(3)]);
  });

  test('for neighbours, in another language, lets only the row wait that is under a protection', async () => {
    stand.sandbox.staff.sheets.protectRange({ spreadsheetId: BOOK, tab: 'Contacts', range: 'A3:C3' });
    refuse('Invalid requests[0].updateCells: geschützt');
    const rows = [1, 2, 3].map((n) => contact(n, `New ${n}`));
    expect((await written([await planOf('Contacts', rows)])).faults).toEqual({ contacts: 'protected-range' });
    expect(stand.values()).toEqual([HEADER, line(1, 'New 1'), line(2), line(3, 'New 3')]);
  });

  test('is not explained by a protection of another tab', async () => {
    stand.sandbox.staff.sheets.protectRange({ spreadsheetId: BOOK, tab: 'Contacts', range: 'A2:C2' });
    refuse('Invalid requests[0].updateCells: what is this');
    expect(await written([await planOf('Other', [other(9)])])).toMatchObject({
      faults: {},
      refused: [id(9)],
    });
  });

  test.each([
    ['what is this', [id(1)], {}],
    ['protected', [], { contacts: 'protected-range' }],
  ])(
    'of a tab that is gone when the worker looks (%s) is judged without it',
    async (words, refused, faults) => {
      refuse(`Invalid requests[0].updateCells: ${words}`);
      const plan = await planOf('Contacts', [contact(1, 'New 1')], { sheetId: 999 });
      expect(await written([plan])).toMatchObject({ faults, refused });
    },
  );

  test('for the layout of a tab that is gone when the worker looks lets its rows wait', async () => {
    refuse('Invalid requests[0].insertDimension: no such thing');
    const addedColumns = { at: 3, headers: ['More'], isLast: true };
    const plan = await planOf('Contacts', [contact(1, 'New 1')], { sheetId: 999, addedColumns });
    expect((await written([plan])).faults).toEqual({ contacts: 'tab-refused' });
  });

  test('that removes the id of a cleared row is the refusal of that row', async () => {
    const plan = await planOf('Contacts', [row(1, undefined), contact(3, 'New 3')]);
    const at = requestsOf(plan).findIndex(({ request }) => request.findReplace !== undefined);
    refuse(`Invalid requests[${at}].findReplace: no`);
    expect(await written([plan])).toMatchObject({ faults: {}, refused: [id(1)] });
    expect(stand.values()).toEqual([HEADER, line(1), line(2), line(3, 'New 3')]);
  });

  test('that gives a cell its format is the refusal of that row', async () => {
    const format = { type: 'DATE', pattern: 'yyyy-mm-dd' } as const;
    const dated = { ...contact(4), formats: { Name: format } };
    const plan = await planOf('Contacts', [dated, contact(1, 'New 1')]);
    const at = requestsOf(plan).findIndex(({ request }) =>
      request.updateCells?.fields?.endsWith('numberFormat'),
    );
    refuse(`Invalid requests[${at}].updateCells: no`);
    expect(await written([plan])).toMatchObject({ faults: {}, refused: [id(4)] });
    expect(stand.values()).toEqual([HEADER, line(1, 'New 1'), line(2), line(3)]);
  });

  test('of a repair is no refusal of a row', async () => {
    refuse('Invalid requests[0].updateCells: no');
    const repair: RowWrite = { key: id(1), keyAfter: id(1), cells: new Map([[1, 'x']]), pending: undefined };
    const plan = { ...(await planOf('Contacts', [])), inPlace: new Map([[1, repair]]) };
    expect(await written([plan])).toMatchObject({ faults: {}, refused: [], plans: [] });
  });
});

test('a refusal that never ends is given up after sixteen tries, and nothing counts as written (P1)', async () => {
  refuse(...Array.from({ length: 20 }, () => 'Invalid requests[0].updateCells: what is this'));
  const rows = Array.from({ length: 20 }, (_, n) => contact(30 + n));
  stand.sandbox.staff.sheets.addRow({ spreadsheetId: BOOK, tab: 'Contacts', values: [id(30), 'x'] });
  for (let n = 1; n < 20; n += 1)
    stand.sandbox.staff.sheets.addRow({ spreadsheetId: BOOK, tab: 'Contacts', values: [id(30 + n), 'x'] });
  const { refused, plans, tried } = await written([await planOf('Contacts', rows)]);
  // The first try finds that there is one, each further one names a row.
  expect([refused.length, plans, tried.length]).toEqual([15, [], 32]);
});

test('a refusal that names nothing leaves open whether rows were written, if cells were asked for as well', async () => {
  refuse('Something is wrong');
  await expect(
    written([await planOf('Contacts', [contact(1, 'New 1')], { title: 'Contacts' })], true),
  ).rejects.toMatchObject({
    ...{ family: 'retryable', code: 'sheet-perhaps-written', target: `spreadsheet:${BOOK}` },
  });
});

test('rows that moved since they were read are read again, and nothing is taken out', async () => {
  refuse('Invalid requests[0].updateCells: row exceeds grid limits');
  const changed = { family: 'retryable', code: 'sheet-changed', target: `spreadsheet:${BOOK}` };
  await expect(written([await planOf('Contacts', [contact(1, 'New 1')])])).rejects.toMatchObject(changed);
});

test.each([
  ['full', 'above the limit of 10000000 cells'],
  ['full', 'above the limit of 10,000,000 cells'],
  ['full', 'above the limit of 5.000.000 cells'],
  ['stale', 'No grid with id: 5'],
  ['stale', 'Range exceeds grid limits'],
  ['stale', 'rows exceed grid limits'],
  ['stale', 'after last column'],
  ['stale', 'after the last row'],
  ['stale', 'after last index'],
  ['stale', 'beyond the last row'],
  ['stale', 'must be less than the grid size'],
  ['protected', 'a Protected cell'],
  ['other', 'there is a limit of cells'],
])('a refusal is %s that says "%s"', (kind, message) => {
  const thrown = {
    message: '',
    name: '',
    response: { status: 400, data: { error: { code: 400, message } } },
  };
  const cause = new GoogleFailure(thrown);
  const error = new TerminalError('google-refused', 'no', { cause });
  expect(readRefusal(error)).toMatchObject({ kind, request: undefined });
});

test('an error that is no refusal is none', () => {
  expect(readRefusal(new TerminalError('x', 'no'))).toBeUndefined();
  const cause = new GoogleFailure({ message: 'requests[3]', name: '' });
  expect(readRefusal(new RetryableError('x', 'no', { cause }))).toBeUndefined();
  expect(readRefusal(new TerminalError('x', 'no', { cause }))?.request).toBe(3);
});

test.each<[string, boolean, readonly [number, readonly number[] | undefined]]>([
  ['in its first row', true, [2, [1]]],
  ['in its last row', true, [3, [1]]],
  ['above it', false, [1, [1]]],
  ['below it', false, [4, [1]]],
  ['left of it', false, [2, [0]]],
  ['right of it', false, [2, [3]]],
  ['with one column in it', true, [2, [0, 2]]],
  ['in its hole', false, [3, [2]]],
  ['beside its hole', true, [3, [1, 2]]],
  ['as a whole', true, [2, undefined]],
  ['as a whole, at its hole', false, [3, undefined]],
  ['as a whole, above it', false, [1, undefined]],
])('a row %s is under a protection of B3:C4 without C4: %s', (_, expected, [at, columns]) => {
  const area = { sheetId: 0, startRow: 2, endRow: 4, startColumn: 1, endColumn: 3 };
  const hole = { sheetId: 0, startRow: 3, endRow: 4, startColumn: 2, endColumn: 3 };
  const tab = { locks: [{ area, except: [hole] }] } as unknown as TabInfo;
  expect(isLocked(tab, at, columns)).toBe(expected);
  const whole = { locks: [{ area: { sheetId: 0 }, except: [] }] } as unknown as TabInfo;
  expect(isLocked(whole, at, columns)).toBe(true);
});

const viewOf = (keys: readonly string[], more: Partial<TabView> = {}): TabView => ({
  ...{ sheetId: 7, layout, keys, rowCount: 1_000, title: 'Contacts' },
  ...more,
});

describe('what is read after a write', () => {
  const many = (rows: readonly number[], count = 2_000) => {
    const keys = ['ID', ...Array.from({ length: count }, (_, n) => id(n + 1))];
    return planFlush(
      CONTACTS,
      viewOf(keys),
      rows.map((n) => pending(contact(n))),
    );
  };

  test('is one area for neighbours, from the first written column to the last', () => {
    const areas = writtenAreas(many([1, 2, 5]));
    expect(areas.map(({ area, rows }) => [area.startRow, area.endRow, rows.length])).toEqual([
      [1, 3, 2],
      [5, 6, 1],
    ]);
    expect(areas[0]?.area).toMatchObject({ sheetId: 7, startColumn: 1, endColumn: 3 });
  });

  test('of scattered rows is at most a hundred areas', () => {
    const rows = Array.from({ length: 150 }, (_, n) => 1 + n * 2);
    expect(writtenAreas(many(rows))).toHaveLength(1);
    const apart = Array.from({ length: 100 }, (_, n) => 1 + n * 2);
    expect(writtenAreas(many(apart))).toHaveLength(100);
    const further = Array.from({ length: 150 }, (_, n) => 1 + n * 4);
    expect(writtenAreas(many(further))).toHaveLength(1);
  });

  test('holds every cell, or the write is looked at again', () => {
    const [area] = writtenAreas(many([1, 2]));
    if (area === undefined) throw new Error('no area');
    const shown = (...rows: string[][]) => shownIn(new Map(rows.entries()), area);
    expect(holdsAll(area, shown(HEADER, line(1), line(2)))).toBe(true);
    expect(holdsAll(area, shown(HEADER, line(1), line(2, 'typed over')))).toBe(false);
    expect(holdsAll(area, shown(HEADER, line(1)))).toBe(false);
    expect(holdsAll(area, undefined)).toBe(false);
    // Google leaves out rows that are empty at the end.
    const [cleared] = writtenAreas(planFlush(CONTACTS, viewOf(['ID', id(1)]), [pending(row(1, undefined))]));
    expect(cleared && holdsAll(cleared, shownIn(new Map([[0, HEADER]]), cleared))).toBe(true);
  });

  test('is not asked for if it would be more than the answer may hold', () => {
    const shown = (rows: readonly number[], endRow: number) => {
      const view = viewOf(['ID', id(1), id(2), id(3)], {
        spans: [{ startRow: 10, endRow }],
        rowCount: 300_000,
      });
      const all = rows.map((n) => pending(contact(n)));
      return areasToShow([planFlush(CONTACTS, view, all)]).length;
    };
    // Two cells in each of two rows.
    expect([shown([2, 3], 50_006), shown([2, 3], 50_007)]).toEqual([3, 0]);
    // One more for a new row, whose id widens the area to three columns.
    expect([shown([2, 3, 4], 50_000), shown([2, 3, 4], 50_001)]).toEqual([3, 0]);
  });

  test('is asked for within the grid, because Google refuses what lies below it', () => {
    const shown = (n: number) =>
      areasToShow([planFlush(CONTACTS, viewOf(['ID', id(1)], { rowCount: 2 }), [pending(contact(n))])]).at(-1)
        ?.area;
    expect(shown(1)).toEqual({ sheetId: 7, startRow: 1, endRow: 2, startColumn: 1, endColumn: 3 });
    expect(shown(2)).toEqual({ sheetId: 7, startRow: 1, startColumn: 0, endColumn: 3 });
  });

  test('is shown by the write, open at the end where it adds rows', () => {
    const keys = ['ID', id(1)];
    const plan = planFlush(
      CONTACTS,
      viewOf(keys, { rowCount: 2 }),
      [1, 2].map((n) => pending(contact(n))),
    );
    expect(areasToShow([plan]).map(({ area }) => area)).toEqual([
      { sheetId: 7, startRow: 0, endRow: 1 },
      { sheetId: 7, startColumn: 0, endColumn: 1 },
      { sheetId: 7, startRow: 1, startColumn: 0, endColumn: 3 },
    ]);
    expect(areasToShow([{ ...plan, view: viewOf(keys, { title: undefined }) }])).toEqual([]);
  });
});

describe('the requests of a write', () => {
  const sent = (plan: TabPlan) => requestsOf(plan).map(({ request }) => request);

  test('empty a cell of a repair only if it still says what was seen, and an id only if it is that id (P6)', () => {
    const write = {
      key: id(1),
      keyAfter: '',
      cells: new Map([
        [0, null],
        [1, null],
      ]),
      pending: undefined,
    };
    const grid = [HEADER, [id(1), 'Name 1', 5]];
    const plan = {
      ...planFlush(CONTACTS, viewOf(['ID', id(1)], { grid }), []),
      inPlace: new Map([[1, write]]),
    };
    const range = (column: number) => ({
      ...{ sheetId: 7, startRowIndex: 1, endRowIndex: 2 },
      ...{ startColumnIndex: column, endColumnIndex: column + 1 },
    });
    expect(sent(plan).flatMap(({ findReplace }) => findReplace ?? [])).toEqual([
      { find: id(1), matchCase: true, matchEntireCell: true, replacement: '', range: range(0) },
      { find: 'Name 1', matchCase: true, matchEntireCell: true, replacement: '', range: range(1) },
      { find: `\\s*${id(1)}\\s*`, searchByRegex: true, matchCase: true, replacement: '', range: range(0) },
    ]);
  });

  test('of a repair put numbers and new values as cells, and leave texts to the comparison (P6)', () => {
    const repair = (cells: [number, string | null][]): RowWrite => {
      return { key: id(1), keyAfter: id(1), cells: new Map(cells), pending: undefined };
    };
    const sentFor = (write: RowWrite, grid: readonly (readonly unknown[])[]) =>
      sent({
        ...planFlush(CONTACTS, viewOf(['ID', id(1)], { grid }), []),
        inPlace: new Map([[1, write]]),
      }).map(({ updateCells, findReplace }) =>
        updateCells
          ? [updateCells.start?.columnIndex, updateCells.rows?.[0]?.values?.length]
          : findReplace?.find,
      );
    const empty = repair([
      [1, null],
      [2, null],
    ]);
    expect(sentFor(empty, [HEADER, [id(1), 'Name 1', 5]])).toEqual([[2, 1], 'Name 1']);
    expect(sentFor(empty, [HEADER, [id(1), '', 5]])).toEqual([[2, 1]]);
    expect(sentFor(empty, [HEADER])).toEqual([[1, 2]]);
    expect(sentFor(repair([[1, 'Name 1']]), [HEADER, [id(1), 'Name 1']])).toEqual([[1, 1]]);
  });

  test.each([
    ['more', [1, 2], [1]],
    ['fewer', [1], [1, 2]],
    ['others', [1], [2]],
    ['some of the same', [0, 1], [1, 2]],
  ])('write no cell of a row whose neighbour fills %s (P6)', (_, first, second) => {
    const filling = (n: number, columns: readonly number[]): [number, RowWrite] => {
      const cells = new Map(columns.map((column) => [column, `${n}`] as const));
      return [n, { key: id(n), keyAfter: id(n), cells, pending: undefined }];
    };
    const inPlace = new Map([filling(1, first), filling(2, second)]);
    const updates = sent({ ...planFlush(CONTACTS, viewOf(['ID', id(1), id(2)]), []), inPlace });
    expect(
      updates.map(({ updateCells }) => [
        updateCells?.start?.rowIndex,
        updateCells?.rows?.[0]?.values?.length,
      ]),
    ).toEqual([
      [1, first.length],
      [2, second.length],
    ]);
  });

  test('give a cell no format because its neighbour has one, and freeze no tab that people have laid out', () => {
    const day = { type: 'DATE', pattern: 'yyyy-mm-dd' } as const;
    const rows = [{ ...contact(4), formats: { Name: day } }, contact(5)];
    const all = sent(planFlush(CONTACTS, viewOf(['ID', id(1)]), rows.map(pending)));
    const formats = all.filter(({ updateCells }) => updateCells?.fields?.endsWith('numberFormat'));
    expect(formats.map(({ updateCells }) => updateCells?.rows?.length)).toEqual([1]);
    expect(all.some(({ updateSheetProperties }) => updateSheetProperties !== undefined)).toBe(false);
  });

  test('widen a table by the rows below it, and give added columns their headers', () => {
    const area = { sheetId: 7, startRow: 0, endRow: 3, startColumn: 0, endColumn: 3 };
    const addedColumns = { at: 3, headers: ['More'], isLast: true };
    const plan = planFlush(CONTACTS, viewOf(['ID', id(1)], { addedColumns }), [pending(contact(2))]);
    const all = sent({ ...plan, table: { id: 'table-1', area } as never });
    const range = { sheetId: 7, startRowIndex: 0, endRowIndex: 3, startColumnIndex: 0, endColumnIndex: 3 };
    expect(all.at(-1)).toEqual({ updateTable: { table: { tableId: 'table-1', range }, fields: 'range' } });
    const cell = {
      userEnteredValue: { stringValue: 'More' },
      userEnteredFormat: { textFormat: { bold: true } },
    };
    expect(all[1]?.updateCells?.rows).toEqual([{ values: [cell] }]);
  });

  test('give an empty tab its header, more columns if it has too few, and freeze it last', () => {
    const blank = (blankColumns: number) =>
      sent(planFlush(CONTACTS, viewOf([], { blankColumns }), [pending(contact(1))]));
    const [grown, headed] = blank(1);
    expect(grown?.appendDimension).toEqual({ sheetId: 7, dimension: 'COLUMNS', length: 2 });
    expect(headed?.updateCells?.start).toEqual({ sheetId: 7, rowIndex: 0, columnIndex: 0 });
    const wide = blank(3);
    expect(wide.some(({ appendDimension }) => appendDimension !== undefined)).toBe(false);
    expect(wide.at(-1)?.updateSheetProperties).toEqual({
      properties: { sheetId: 7, gridProperties: { frozenRowCount: 1 } },
      fields: 'gridProperties.frozenRowCount',
    });
    const cell = {
      userEnteredValue: { stringValue: 'Name' },
      userEnteredFormat: { textFormat: { bold: true } },
    };
    expect(wide[0]?.updateCells?.rows?.[0]?.values?.[1]).toEqual(cell);
  });

  test('write formats apart from values, one box or format for neighbours, and leave colours alone', () => {
    const box = { type: 'CHECKBOX' } as const;
    const day = { type: 'DATE', pattern: 'yyyy-mm-dd' } as const;
    const formatted = (n: number, format: typeof box | typeof day): [number, RowWrite] => {
      const known = { key: id(n), keyAfter: id(n), pending: undefined };
      return [n, { ...known, cells: new Map([[1, n]]), formats: new Map([[1, format]]) as never }];
    };
    const keys = ['ID', id(1), id(2), id(3), id(4)];
    const inPlace = new Map([formatted(1, day), formatted(2, day), formatted(4, box)]);
    const updates = sent({ ...planFlush(CONTACTS, viewOf(keys), []), inPlace }).flatMap(
      ({ updateCells }) => updateCells ?? [],
    );
    const formats = updates.filter(({ fields }) => fields !== 'userEnteredValue');
    const looks = formats.map(({ start, rows, fields }) => [
      start?.rowIndex,
      start?.columnIndex,
      rows?.length,
      fields,
    ]);
    expect(looks).toEqual([
      [1, 1, 2, 'userEnteredFormat.numberFormat'],
      [4, 1, 1, 'dataValidation'],
    ]);
    expect(formats[0]?.rows?.[0]?.values).toEqual([{ userEnteredFormat: { numberFormat: day } }]);
    expect(formats[1]?.rows?.[0]?.values).toEqual([{ dataValidation: { condition: { type: 'BOOLEAN' } } }]);
  });
});
