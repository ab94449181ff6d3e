/** Where the rows of one flush go, by the pure plan: one test per situation. `plan.property.test.ts` performs them on any tab. */
import { describe, expect, test } from 'vitest';
import type { PendingRow } from '../../src/engine/sheet-row.ts';
import {
  filledCells,
  isObjectId,
  keysAfter,
  planFlush,
  planWithout,
  type TabView,
  writesNothing,
} from '../../src/sheet/flush-plan.ts';
import { CONTACTS, id, row } from './stand.ts';

const LAYOUT = {
  keyColumn: 0,
  columns: new Map([...['Name', 'Phone'].entries()].map(([at, name]) => [name, at + 1])),
};
const view = (keys: readonly string[], more: Partial<TabView> = {}): TabView => ({
  ...{ sheetId: 0, layout: LAYOUT, keys: ['ID', ...keys], rowCount: 100 },
  ...more,
});
const ADA = { Name: 'Ada', Phone: null };
const wish = (n: number, more: Partial<PendingRow> = {}, cells: PendingRow['cells'] = ADA): PendingRow => ({
  ...{ ...row(n, cells), version: n },
  ...more,
});
const clear = (n: number, more: Partial<PendingRow> = {}): PendingRow => ({
  ...row(n, undefined),
  version: n,
  ...more,
});

/** Row to key, and the keys of the lists. */
function planned(tab: TabView, rows: readonly PendingRow[]) {
  const plan = planFlush(CONTACTS, tab, rows);
  const keysOf = (pending: readonly PendingRow[]) => pending.map(({ rowKey }) => rowKey);
  return {
    inPlace: [...plan.inPlace].map(([at, { keyAfter }]) => [at, keyAfter]),
    fresh: plan.fresh.map(({ keyAfter }) => keyAfter),
    absent: keysOf(plan.absent),
    left: keysOf(plan.left),
    insertAt: plan.insertAt,
    doubledRows: plan.doubledRows,
  };
}
const NONE = { inPlace: [], fresh: [], absent: [], left: [], doubledRows: 0 };

describe('where a row goes', () => {
  const blank = { blankColumns: 26 };
  const two = [id(1), id(2)];
  test.each<[string, TabView, readonly PendingRow[], object]>([
    [
      'over its own, in their order',
      view(two),
      [wish(2), wish(1)],
      {
        inPlace: [
          [1, id(1)],
          [2, id(2)],
        ],
        insertAt: 3,
      },
    ],
    ['below the last one', view(two), [wish(3)], { fresh: [id(3)], insertAt: 3 }],
    [
      'over its own, whatever blanks its key has',
      view([id(1)]),
      [wish(1, { rowKey: ` ${id(1)} ` })],
      { inPlace: [[1, id(1)]], insertAt: 2 },
    ],
    [
      'below the last key, not below a total',
      view([id(1), 'Total']),
      [wish(2)],
      { fresh: [id(2)], insertAt: 2 },
    ],
    [
      'over a key that is no id, whatever blanks it has',
      view(['b-1']),
      [wish(2, { rowKey: ' b-1 ' })],
      { inPlace: [[1, 'b-1']], insertAt: 2 },
    ],
    [
      'below a key that is no id but waits',
      view(['b-1', 'Total']),
      [wish(2, { rowKey: 'b-1' })],
      { inPlace: [[1, 'b-1']], insertAt: 2 },
    ],
    [
      'never into the header',
      { ...view([id(1)]), keys: ['b-1', id(1)] },
      [wish(2, { rowKey: 'b-1' })],
      { fresh: ['b-1'], insertAt: 2 },
    ],
    [
      'over the first of two',
      view([id(1), id(1)]),
      [wish(1)],
      { inPlace: [[1, id(1)]], insertAt: 3, doubledRows: 1 },
    ],
    [
      'where it lost its id',
      view(['', id(1)], { homes: new Map([[id(2), 1]]) }),
      [wish(2)],
      { inPlace: [[1, id(2)]], insertAt: 3 },
    ],
    [
      'nowhere, where it is cleared and is not there',
      view([id(1)]),
      [clear(2)],
      { absent: [id(2)], insertAt: 2 },
    ],
    ['out of the tab', view([id(1)]), [clear(1)], { inPlace: [[1, '']], insertAt: 2 }],

    [
      'nowhere if a booking has two of it',
      view([id(1), id(1)]),
      [wish(1, { inPlaceOnly: true })],
      { insertAt: 3, doubledRows: 1 },
    ],
    [
      'over its own of a booking',
      view([id(1)]),
      [wish(1, { inPlaceOnly: true })],
      { inPlace: [[1, id(1)]], insertAt: 2 },
    ],
    [
      'nowhere if a booking’s was deleted',
      view([id(1)]),
      [wish(2, { inPlaceOnly: true })],
      { left: [id(2)], insertAt: 2 },
    ],
    [
      'nowhere if a booking’s was deleted with the tab',
      view([], blank),
      [wish(2, { inPlaceOnly: true })],
      { left: [id(2)], insertAt: 1 },
    ],
    [
      'nowhere if it was deleted and stays away',
      view([id(1)]),
      [wish(2, { staysAway: true })],
      { left: [id(2)], insertAt: 2 },
    ],
    [
      'into a tab that was wiped',
      view([], blank),
      [wish(2, { staysAway: true })],
      { fresh: [id(2)], insertAt: 1 },
    ],
    [
      'nowhere in a wiped tab if it was deleted in the one before',
      view([], blank),
      [wish(2, { staysAway: true, movesFrom: { spreadsheetId: 'b', tab: 'Old' } })],
      { left: [id(2)], insertAt: 1 },
    ],
    [
      'nowhere if it is written only where it is',
      view([id(1)]),
      [wish(2, { onlyIfThere: true })],
      { absent: [id(2)], insertAt: 2 },
    ],
  ])('%s', (_, tab, ...[rows, expected]) => {
    expect(planned(tab, rows)).toEqual({ ...NONE, ...expected });
  });
});

describe('a plan', () => {
  const plan = planFlush(CONTACTS, view([id(1), id(2)]), [wish(1), wish(2), wish(3), wish(4)]);

  test('drops rows of both kinds', () => {
    const dropped = new Set([id(1), id(4)]);
    const rest = planWithout(plan, ({ keyAfter }) => dropped.has(keyAfter));
    expect([...rest.inPlace.keys()]).toEqual([2]);
    expect(rest.fresh.map(({ keyAfter }) => keyAfter)).toEqual([id(3)]);
    expect(rest.insertAt).toBe(plan.insertAt);
    const asked: unknown[] = [];
    planWithout(plan, (_, at) => asked.push(at) < 0);
    expect(asked).toEqual([1, 2, 'fresh', 'fresh']);
  });

  test('writes nothing only without rows of either kind', () => {
    expect(writesNothing(plan)).toBe(false);
    expect(writesNothing(planWithout(plan, (_, at) => at === 'fresh'))).toBe(false);
    expect(writesNothing(planWithout(plan, (_, at) => at !== 'fresh'))).toBe(false);
    expect(writesNothing(planWithout(plan, () => true))).toBe(true);
  });

  test('puts its fresh rows where it says, with those below them', () => {
    const total = planFlush(CONTACTS, view([id(1), 'Total']), [wish(2)]);
    expect(keysAfter(total)).toEqual(['ID', id(1), id(2), 'Total']);
    // A second round inserts below rows whose keys it has not read.
    expect(keysAfter({ ...total, insertAt: 5 })).toEqual(['ID', id(1), 'Total', '', '', id(2)]);
  });
});

describe('cells', () => {
  const write = (key: string, keyAfter: string, columns: readonly number[]) => ({
    ...{ key, keyAfter, pending: undefined },
    cells: new Map(columns.map((column) => [column, null])),
  });
  test.each([
    ['of a cleared row, without its id', write(id(1), '', [0, 1]), [1]],
    ['of a cleared row whose key is no id', write('b-1', '', [0, 1]), [0, 1]],
    ['of a row that stays', write(id(1), id(1), [0, 1]), [0, 1]],
    ['of a row that is cleared beside its key', write(id(1), '', [1, 2]), [1, 2]],
  ])('%s', (_, each, columns) => {
    expect([...filledCells(each, LAYOUT).keys()]).toEqual(columns);
  });

  test.each([
    [id(1), true],
    [id(1).toUpperCase(), true],
    [`${id(1)}0`, false],
    [`see ${id(1)}`, false],
    ['', false],
  ])('%s is an id: %s', (text, is) => {
    expect(isObjectId(text)).toBe(is);
  });

  const formats = { Name: { type: 'TEXT' }, Phone: { type: 'NUMBER' }, Gone: { type: 'DATE' } } as never;
  const formatsOf = (tab: TabView, pending: PendingRow) => {
    const { inPlace, fresh } = planFlush(CONTACTS, tab, [pending]);
    const { formats: found } = [...inPlace.values(), ...fresh][0] ?? {};
    return found && Object.fromEntries(found);
  };

  test('of a fresh row get every format for which there is a column', () => {
    expect(formatsOf(view([]), wish(1, { formats }))).toEqual({ 1: { type: 'TEXT' }, 2: { type: 'NUMBER' } });
    expect(formatsOf(view([]), wish(1))).toBeUndefined();
  });

  test('of a row that stays get the formats that changed', () => {
    expect(formatsOf(view([id(1)]), wish(1, { formats, reformat: ['Phone', 'Note'] }))).toEqual({
      2: { type: 'NUMBER' },
    });
    expect(formatsOf(view([id(1)]), wish(1, { formats }))).toBeUndefined();
    const { Name: _, ...ofPhone } = formats as Record<string, object>;
    const pending = wish(1, { formats: ofPhone as never, reformat: ['Name', 'Phone'] });
    expect(formatsOf(view([id(1)]), pending)).toStrictEqual({ 2: { type: 'NUMBER' } });
  });
});
