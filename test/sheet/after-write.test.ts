/** What a tab that is not as planned shows after a write, by the pure comparison. `plan.property.test.ts` has people act at any moment. */
import { describe, expect, test } from 'vitest';
import type { Cell, CellFormat, PendingRow } from '../../src/engine/sheet-row.ts';
import { type Layout, planFlush, type TabPlan, type TabView } from '../../src/sheet/flush-plan.ts';
import { inspect, isAsPlanned } from '../../src/sheet/flush-settle.ts';
import { isTabFault, readLayout } from '../../src/sheet/tab-layout.ts';
import { CONTACTS, id, row } from './stand.ts';

type Grid = readonly (readonly unknown[])[];

const HEADER = ['ID', 'Name', 'Phone'];
const SWAPPED = ['ID', 'Phone', 'Name'];
const DAY: CellFormat = { type: 'DATE', pattern: 'yyyy-mm-dd' };

function layoutOf(header: readonly string[]): Layout {
  const layout = readLayout(header, CONTACTS);
  if (isTabFault(layout)) throw new Error(layout.message);
  return layout;
}
const view = (keys: readonly string[], more: Partial<TabView> = {}): TabView => ({
  ...{ sheetId: 0, layout: layoutOf(HEADER), header: HEADER, keys: ['ID', ...keys], rowCount: 100 },
  ...more,
});
const wish = (n: number, Name: Cell, Phone: Cell): PendingRow => ({ ...row(n, { Name, Phone }), version: n });
const clear = (n: number): PendingRow => ({ ...row(n, undefined), version: n });
const formatted = (n: number): PendingRow => ({
  ...wish(n, 'New', '1'),
  formats: { Phone: DAY },
  reformat: ['Phone'],
});
const plan = (keys: readonly string[], ...rows: readonly PendingRow[]): TabPlan =>
  planFlush(CONTACTS, view(keys), rows);
const emptying = (at: number, key: string): TabPlan => {
  const write = {
    key,
    keyAfter: key,
    cells: new Map([1, 2].map((column) => [column, null])),
    pending: undefined,
  };
  return { ...plan([id(1), id(2), '']), inPlace: new Map([[at, write]]) };
};

function found(of: TabPlan, rows: Grid, header = HEADER) {
  const { stands, unkept, hit, leftovers, stranded } = inspect(of, layoutOf(header), [header, ...rows]);
  return {
    stands: stands.map(({ version }) => version),
    unkept: unkept.map(({ version }) => version),
    hit: [...hit].sort(),
    emptied: [...leftovers.keys()],
    own: [...stranded.own],
  };
}

describe('a write stands', () => {
  test.each<[string, TabPlan, Grid, readonly number[]]>([
    ['where its row is now', plan([id(1), id(2)], wish(1, 'New', '1')), [[id(2)], [id(1), 'New', '1']], [1]],
    ['not with other cells', plan([id(1)], wish(1, 'New', '1')), [[id(1), 'New', '2']], []],
    ['not where people deleted its row', plan([id(1)], wish(1, null, null)), [['', 'x']], []],
    ['if the row that it cleared is gone', plan([id(1), id(2)], clear(1)), [[id(2)]], [1]],
    ['not while the row that it cleared is there', plan([id(1)], clear(1)), [['x'], [id(1)]], []],
    ['with its formats in its place', plan([id(1)], formatted(1)), [[id(1), 'New', '1'], ['x']], [1]],
    ['not with its formats in another place', plan([id(1)], formatted(1)), [['x'], [id(1), 'New', '1']], []],
    [
      'under a key that is also its header',
      plan([], { ...wish(1, 'New', '1'), rowKey: 'ID' }),
      [['ID', 'New', '1']],
      [1],
    ],
    ['unless it only repairs', emptying(3, ''), [[id(2)], [id(1)]], []],
  ])('%s', (...[, of, rows, stands]) => expect(found(of, rows).stands).toEqual(stands));

  test('after its columns have moved with their cells', () => {
    const of = plan([id(1)], wish(1, 'New', '1'), wish(2, 'Fresh', '2'));
    const rows = [
      [id(1), '1', 'New'],
      [id(2), '2', 'Fresh'],
    ];
    expect(found(of, rows, SWAPPED)).toMatchObject({ stands: [1, 2], unkept: [], hit: [], emptied: [] });
  });
});

describe('a row does not keep its cells', () => {
  const of = plan([id(1), id(2)], wish(1, 'New', '1'));
  test.each<[string, TabPlan, Grid, readonly number[]]>([
    ['if others are in its place', of, [[id(1), 'Old', '1'], [id(2)]], [1]],
    ['not if it has moved', of, [[id(2)], [id(1), 'Old', '1']], []],
    ['not if it holds them', of, [[id(1), 'New', '1'], [], [id(2)]], []],
    ['not if it is cleared', plan([id(1)], clear(1)), [[''], [id(1), 'x']], []],
    ['not if the write only repairs', emptying(1, id(1)), [[id(1), 'x'], [id(2)]], []],
  ])('%s', (...[, about, rows, unkept]) => expect(found(about, rows).unkept).toEqual(unkept));

  test('not if its columns have moved', () =>
    expect(found(of, [[id(1), 'New', 'x'], [id(2)]], SWAPPED).unkept).toEqual([]));
});

describe('a new row that is there twice, because a late write has landed', () => {
  const of = plan([], wish(1, 'New', '1'));
  const [now, before] = [
    [id(1), 'New', '1'],
    [id(1), 'Old', '1'],
  ];
  test.each<[string, Grid, object]>([
    ['the copy of this write goes, and the next flush writes the other one', [now, before], { emptied: [1] }],
    ['wherever it is', [before, now], { emptied: [2] }],
    ['of equal copies the first stands', [now, now, now], { stands: [1], emptied: [2, 3] }],
    ['of others none goes', [before, before], {}],
  ])('%s', (_, rows, expected) =>
    expect(found(of, rows)).toMatchObject({ stands: [], hit: [], emptied: [], ...expected }),
  );

  test('with its id, its cells, and none beside them', () => {
    const { leftovers } = inspect(of, layoutOf(HEADER), [HEADER, now, now]);
    const cells = new Map([0, 1, 2].map((column) => [column, null]));
    expect(leftovers).toEqual(new Map([[2, { key: id(1), keyAfter: '', cells, pending: undefined }]]));
  });
});

describe('rows that the write hit', () => {
  const keys = [id(1), id(2), id(3)];
  const one = plan(keys, wish(1, 'New', '1'));
  const blank = plan(keys, wish(1, null, null));
  const rest = (n: number) => [id(n), `Name ${n}`, `${n}`];
  test.each<[string, TabPlan, Grid, readonly string[]]>([
    ['its cells are in another row', one, [rest(3), [id(2), 'New', '1'], rest(1)], [id(2), id(3)]],
    ['half of them are', plan(keys, wish(1, 'New', null)), [rest(1), [id(2), 'New'], rest(3)], [id(2)]],
    ['people have typed over half of them', one, [[id(2), 'New', 'x'], rest(1), rest(3)], [id(2)]],
    ['its blanks are in another row', blank, [rest(3), rest(1), [id(2)]], [id(2), id(3)]],
    ['not the row that it blanked', blank, [[id(1)], [], rest(2), rest(3)], []],
    ['not a row with one blank', blank, [[id(3), 'Name 3'], rest(2), [id(1)]], []],
    ['not a row that was blank', one, [rest(1), [], [id(2)], rest(3)], []],
    ['not the row under a total', one, [['Total'], rest(1), rest(2), rest(3)], []],
  ])('%s', (...[, of, rows, hit]) => expect(found(of, rows).hit).toEqual([...hit].sort()));
});

describe('cells that the write left in a row without an id', () => {
  const keys = [id(1), id(2), id(3)];
  const stray = ['', 'New', '1'];
  const alike = plan(keys, wish(1, 'New', '1'), wish(2, 'New', '1'));
  const rest = (n: number) => [id(n), `Name ${n}`, `${n}`];
  test.each<[string, TabPlan, Grid, readonly number[]]>([
    ['are emptied', plan(keys, wish(1, 'New', '1')), [rest(3), stray, rest(1), rest(2)], [2]],
    [
      'are left if more rows have them than writes missed theirs',
      alike,
      [rest(3), [id(2), 'New', '1'], rest(1), stray, stray],
      [],
    ],
    ['are emptied if as many writes missed', alike, [rest(3), rest(1), rest(2), stray, stray], [4, 5]],
    ['are nothing if they are blanks', plan(keys, wish(1, null, null)), [rest(3), [], rest(1), rest(2)], []],
    ['are not the headers', plan(keys, wish(1, 'Name', 'Phone')), [rest(3), rest(2), rest(1)], []],
  ])('%s', (...[, of, rows, emptied]) => expect(found(of, rows).emptied).toEqual(emptied));

  test('keep what people have in the place of the id, and lose only the mirror’s columns', () => {
    const rows = [rest(3), ['Total', 'New', '1'], rest(1), rest(2)];
    const { leftovers } = inspect(plan(keys, wish(1, 'New', '1')), layoutOf(HEADER), [HEADER, ...rows]);
    const cells = new Map([1, 2].map((column) => [column, null]));
    expect(leftovers).toEqual(new Map([[2, { key: 'Total', keyAfter: 'Total', cells, pending: undefined }]]));
  });
});

test('cells that people had there are told', () => {
  const { covered, unsure } = inspect(plan([id(1)], wish(1, 'New', '1')), layoutOf(HEADER), [
    HEADER,
    ['Total', 'New', '1'],
    [id(1)],
  ]);
  expect({ covered, unsure }).toEqual({
    covered: [{ row: 1, columns: [1, 2], isRowOfPeople: true }],
    unsure: [],
  });
});

test('rows whose ids the write may have gone over are looked for beside its own', () => {
  const of = plan([id(1), id(2), id(3)], wish(1, 'New', '1'), clear(2), wish(4, 'Fresh', '4'));
  expect(found(of, [[id(3)]]).own).toEqual([id(1), id(2)]);
});

describe('a tab is as planned', () => {
  const spans = [{ startRow: 0, endRow: 2 }, { startRow: 3 }];
  const of: TabPlan = planFlush(CONTACTS, view([id(1), id(2), id(3)], { spans }), [wish(1, 'New', '1')]);
  const after = (...keys: string[]) => ({ layout: layoutOf(HEADER), keys: ['ID', ...keys] });
  test.each<[string, readonly string[], boolean]>([
    ['with the same keys', [id(1), id(2), id(3)], true],
    ['whatever rows hold that were not read', [id(1), '', id(3)], true],
    ['not with another key in the first part', [id(2), id(2), id(3)], false],
    ['not with another key in the second part', [id(1), id(2), id(1)], false],
    ['not with a row more', [id(1), id(2), id(3), id(4)], false],
    ['not with a row less', [id(1), id(2)], false],
  ])('%s', (_, keys, expected) => expect(isAsPlanned(of, after(...keys))).toBe(expected));

  test('not after its columns have moved', () =>
    expect(isAsPlanned(of, { layout: layoutOf(SWAPPED), keys: ['ID', id(1), id(2), id(3)] })).toBe(false));
});
