// Which rows may move between the two tabs of a mirror, from what both tabs show at that moment.
import { describe, expect, test } from 'vitest';
import type { KeyedTab } from '../../src/engine/mirror.ts';
import type { PendingRow } from '../../src/engine/sheet-row.ts';
import type { GridArea } from '../../src/google/sheets-api.ts';
import type { TabView } from '../../src/sheet/flush-plan.ts';
import { areasOf, lookBeside, type MoveParts, movableRows } from '../../src/sheet/moving-rows.ts';
import type { TabFault } from '../../src/sheet/tab-layout.ts';

const NOW_MS = Date.parse('2026-12-01T00:00:00Z');
const WEEK_MS = 7 * 24 * 3_600_000;
const place = (tab: string, more: Partial<KeyedTab> = {}): KeyedTab => ({
  ...{ name: 'visits', from: 'appointment', spreadsheetId: 'book', tab, keyHeader: 'ID', columns: [] },
  ...more,
});
const [LIVE, OLD] = [place('Live'), place('Old')];
const spot = (tab: string) => ({ spreadsheetId: 'book', tab });

/** The id stands in column 1, the mirror's cell in column 2; all else is people's. */
const [ID, CELL] = [1, 2];
type Rows = readonly (readonly unknown[])[];
const view = (rows: Rows, more: Partial<TabView> = {}): TabView => ({
  ...{ sheetId: 7, rowCount: 100, layout: { keyColumn: ID, columns: new Map([['Cell', CELL]]) } },
  keys: ['ID', ...rows.map((row) => String(row[ID] ?? ''))],
  ...more,
});

function row(rowKey: string, more: Partial<PendingRow> = {}): PendingRow {
  return { mirror: 'visits', rowKey, cells: {}, version: 1, ...more } as unknown as PendingRow;
}
const coming = (rowKey: string, more: Partial<PendingRow> = {}) =>
  row(rowKey, { movesFrom: spot('Old'), ...more });
const leaving = (rowKey: string, forced = false) => row(rowKey, { leftBehind: { forced } } as never);

function stand({
  here = [],
  there,
  shown,
  places = [LIVE, OLD],
  moves = true,
}: {
  here?: Rows;
  there?: TabView | TabFault | undefined;
  /** What a look at the rows shows, by tab id; otherwise as surveyed. */
  shown?: Readonly<Record<number, Rows>>;
  places?: readonly KeyedTab[];
  moves?: boolean;
}) {
  const stayed: unknown[] = [];
  const reads: (readonly [string, readonly GridArea[]])[] = [];
  const looks: unknown[] = [];
  const logged: object[] = [];
  const grids: Record<number, Rows> = { 7: here, ...shown };
  const parts = {
    api: {
      read: async (spreadsheetId: string, areas: readonly GridArea[]) => {
        reads.push([spreadsheetId, areas]);
        return areas.map(({ sheetId, startRow = 0, endRow = 0 }) => ({
          rows: [['Name', 'ID', 'Cell'], ...(grids[sheetId] ?? [])].slice(startRow, endRow),
        }));
      },
    },
    survey: {
      look: async (spreadsheetId: string, asked: readonly KeyedTab[]) => {
        looks.push([spreadsheetId, ...asked.map(({ tab }) => tab)]);
        return new Map(there === undefined ? [] : asked.map((each) => [each, there]));
      },
    },
    moves: moves
      ? { stay: async (one: PendingRow, to: object) => void stayed.push([one.rowKey, to]) }
      : undefined,
    clock: { now: () => NOW_MS },
    log: { info: (fields: object) => void logged.push(fields) },
    places,
  } as unknown as MoveParts;
  return { parts, stayed, reads, looks, logged, view: view(here) };
}

const keysOf = (rows: readonly PendingRow[]) => rows.map(({ rowKey }) => rowKey);

describe('rows that leave for the archive', () => {
  const here = [
    ['', 'a', 'x'],
    ['', 'b', 'x', 'call her'],
    [false, 'c', 'x', ' ', false],
    [true, 'd', 'x'],
    ['', 'e', 'x', 0],
  ];

  test('move, except those beside which people have written: they stay a week', async () => {
    const { parts, stayed, logged, reads, looks, ...at } = stand({ here });
    const rows = ['a', 'b', 'c', 'd', 'e'].map((key) => leaving(key));
    expect(await movableRows(parts, LIVE, { view: at.view, rows })).toEqual({
      rows: [rows[0], rows[2]],
      stayed: 3,
    });
    const to = { at: spot('Live'), elsewhere: spot('Old'), untilMs: NOW_MS + WEEK_MS };
    expect(stayed).toEqual(['b', 'd', 'e'].map((key) => [key, to]));
    expect(logged).toEqual([expect.objectContaining({ mirror: 'visits', rows: 3 })]);
    expect(reads).toHaveLength(1);
    expect(looks).toEqual([]);
  });

  test('wait while their row is not where it was', async () => {
    const shown = { 7: [['', 'b', 'x'], ['', 'a', 'x', 'call her'], []] };
    const {
      parts,
      stayed,
      logged,
      view: seen,
    } = stand({
      here: [
        ['', 'a'],
        ['', 'b'],
        ['', 'c'],
      ],
      shown,
    });
    const rows = [leaving('a'), leaving('b'), leaving('c'), row('d')];
    expect(await movableRows(parts, LIVE, { view: seen, rows })).toEqual({ rows: [rows[3]], stayed: 0 });
    expect([stayed, logged]).toEqual([[], []]);
  });

  test('are no others: what does not move, or must, is written whatever stands beside it', async () => {
    const { parts, reads, view: seen } = stand({ here });
    const rows = [row('b'), leaving('b', true)];
    expect(await movableRows(parts, LIVE, { view: seen, rows })).toEqual({ rows, stayed: 0 });
    expect(reads).toEqual([]);
  });

  test('stay also where nothing remembers it, and are not written', async () => {
    for (const parts of [stand({ here, moves: false }), stand({ here, places: [LIVE] })]) {
      const rows = [leaving('b')];
      expect(await movableRows(parts.parts, LIVE, { view: parts.view, rows })).toEqual({
        rows: [],
        stayed: 1,
      });
      expect(parts.stayed).toEqual([]);
    }
  });
});

describe('rows that come from another tab', () => {
  const rowsThere = [
    ['', 'a', 'x'],
    ['note', 'b', 'x'],
  ];
  const there = view(rowsThere, { sheetId: 8 });
  const shown = { 8: rowsThere };

  test('come, except those beside which people have written there: they stay there a week', async () => {
    const { parts, stayed, looks, view: seen } = stand({ there, shown });
    const rows = [coming(' a '), coming('b'), coming('c')];
    expect(await movableRows(parts, LIVE, { view: seen, rows })).toEqual({
      rows: [rows[0], rows[2]],
      stayed: 1,
    });
    const to = { at: spot('Old'), elsewhere: spot('Live'), untilMs: NOW_MS + WEEK_MS };
    expect(stayed).toEqual([['b', to]]);
    expect(looks).toEqual([['book', 'Old']]);
  });

  test('are judged by their own tab, not by this one', async () => {
    const here = [
      ['note', 'a', 'x'],
      ['', 'b', 'x'],
    ];
    const { parts, view: seen } = stand({ here, there, shown });
    const rows = [coming('a'), leaving('b')];
    expect(await movableRows(parts, LIVE, { view: seen, rows })).toEqual({ rows, stayed: 0 });
  });

  test('wait for a tab that cannot be read, and the others go on', async () => {
    const fault = { code: 'tab-missing', message: '', advice: '' };
    const { parts, stayed, view: seen } = stand({ there: fault, here: [['', 'b', 'x', 'note']] });
    const rows = [coming('a'), row('x'), leaving('b')];
    expect(await movableRows(parts, LIVE, { view: seen, rows })).toEqual({
      rows: [rows[1]],
      stayed: 1,
      fault,
    });
    expect(stayed).toHaveLength(1);
  });

  test.each<[string, TabView | undefined, Partial<PendingRow>, Partial<PendingRow> | undefined]>([
    ['is added if its row is there', there, { onlyIfThere: true }, {}],
    ['is not, if nothing was seen of that tab', undefined, { onlyIfThere: true }, { onlyIfThere: true }],
    ['is added if people left it there', there, { staysAway: true }, {}],
    ['is added if that tab is empty', view([], { sheetId: 8, blankColumns: 26 }), { staysAway: true }, {}],
    ['stays away if that tab lacks it', view([], { sheetId: 8 }), { staysAway: true }, { staysAway: true }],
    [
      'is not added if that tab lacks it',
      view([], { sheetId: 8 }),
      { onlyIfThere: true },
      { onlyIfThere: true },
    ],
    [
      'is not added if that tab is empty',
      view([], { sheetId: 8, blankColumns: 26 }),
      { onlyIfThere: true },
      { onlyIfThere: true },
    ],
  ])('one of them %s', async (_, seenThere, ...[more, kept = {}]) => {
    const { parts, view: seen } = stand({ there: seenThere, shown });
    expect(await movableRows(parts, LIVE, { view: seen, rows: [coming('a', more)] })).toEqual({
      rows: [coming('a', kept)],
      stayed: 0,
    });
  });

  test('are of this mirror’s other tab, in whichever spreadsheet', async () => {
    const others = [place('Old', { name: 'others' }), LIVE, place('Live', { spreadsheetId: 'archive' }), OLD];
    const { parts, looks, reads, view: seen } = stand({ there, shown, places: others });
    await movableRows(parts, LIVE, { view: seen, rows: [coming('a')] });
    expect(looks).toEqual([['archive', 'Live']]);
    expect(reads.map(([spreadsheetId]) => spreadsheetId)).toEqual(['archive']);
    const alone = stand({ there, shown, places: [others[0] as KeyedTab, LIVE] });
    const rows = [coming('b')];
    expect(await movableRows(alone.parts, LIVE, { view: alone.view, rows })).toEqual({ rows, stayed: 0 });
    expect(alone.looks).toEqual([]);
  });

  test('none comes: no other tab is looked at', async () => {
    const { parts, looks, view: seen } = stand({ there, shown });
    expect(keysOf((await movableRows(parts, LIVE, { view: seen, rows: [row('a')] })).rows)).toEqual(['a']);
    expect(looks).toEqual([]);
  });
});

test('of the rows of one key the first counts, the header never does, and one request reads them', async () => {
  const here = [
    ['', 'ID', 'x'],
    ['', 'a', 'x'],
    ['note', 'a', 'x'],
    ['', '', ''],
    ['', '', ''],
    ['note', 'b', 'x'],
  ];
  const { parts, reads } = stand({ here });
  const found = await lookBeside(parts.api, 'book', {
    view: view(here),
    keys: new Set(['ID', 'a', 'b', 'c']),
  });
  expect(found).toEqual({ written: new Set(['b']), moved: new Set() });
  expect(reads).toEqual([
    [
      'book',
      [
        { sheetId: 7, startRow: 1, endRow: 3 },
        { sheetId: 7, startRow: 6, endRow: 7 },
      ],
    ],
  ]);
});

test('areas: neighbours share one, and never more than a hundred are read', () => {
  const spans = (rows: readonly number[]) =>
    areasOf(3, rows).map(({ startRow, endRow }) => [startRow, endRow]);
  expect(areasOf(3, [10, 2, 1])).toEqual([
    { sheetId: 3, startRow: 1, endRow: 3 },
    { sheetId: 3, startRow: 10, endRow: 11 },
  ]);
  expect(areasOf(3, [])).toEqual([]);
  expect(spans([5, 7])).toEqual([
    [5, 6],
    [7, 8],
  ]);
  const apart = (count: number, gap: number) => Array.from({ length: count }, (_, at) => at * gap);
  expect(spans(apart(100, 2))).toHaveLength(100);
  expect(spans(apart(101, 2))).toEqual([[0, 201]]);
  expect(spans([...apart(100, 2), 300])).toEqual([
    [0, 199],
    [300, 301],
  ]);
  expect(spans(apart(101, 3))).toEqual([[0, 301]]);
});
