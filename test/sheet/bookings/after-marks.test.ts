import { expect, it } from 'vitest';
import type { SheetBookings } from '../../../src/engine/outside-booking.ts';
import { readingsAfter, tabsToShow } from '../../../src/sheet/known-rows.ts';
import type { TabReading } from '../../../src/sheet/tab-reading.ts';

const MAPPING = { name: 'front-desk' } as SheetBookings;
const GRID = [
  ['Name', 'ID'],
  ['Ada', '', 12.5],
  ['Eva', 'x', true],
];
const reading = (grid: unknown[][] | undefined = GRID): TabReading => ({ sheetId: 5, title: 'Intake', grid });
const MARKS = [
  { sheetId: 5, row: 1, column: 1, cell: 'new' },
  { sheetId: 5, row: 2, column: 1, cell: null },
];
const after = (shown: unknown[][] | undefined, flags = MARKS) =>
  readingsAfter(
    new Map([[MAPPING, reading()]]),
    [{ mapping: MAPPING, ids: [], flags, again: [] }],
    new Map(shown === undefined ? [] : [[5, new Map(shown.entries())]]),
  )?.get(MAPPING);

const MARKED = [
  ['Name', 'ID'],
  ['Ada', 'new', 12.5],
  ['Eva', '', true],
];

it('the rows are as they were, with the marks, when the answer shows nothing else', () => {
  expect(after(MARKED)).toEqual(reading(MARKED));
});

it.each([
  ['sorted', [MARKED[0], MARKED[2], MARKED[1]] as unknown[][]],
  [
    'another cell typed',
    [
      ['Name', 'ID'],
      ['Ada', 'new', 12],
      ['Eva', '', true],
    ],
  ],
  ['a row more', [...MARKED, ['Ida']]],
  [
    'a column more',
    [
      ['Name', 'ID', '', 'Mine'],
      ['Ada', 'new', 12.5],
      ['Eva', '', true],
    ],
  ],
  ['a mark missing', GRID],
  [
    'a tick for its word',
    [
      ['Name', 'ID'],
      ['Ada', 'new', 12.5],
      ['Eva', '', 'true'],
    ],
  ],
  ['not shown', undefined],
])('%s: the tab has to be read', (_, shown) => {
  expect(after(shown)).toBeUndefined();
});

it('all tabs are shown or none', () => {
  const other = { name: 'other' } as SheetBookings;
  const readings = new Map([[MAPPING, reading()]]);
  expect(tabsToShow(readings)).toEqual([{ title: 'Intake', area: { sheetId: 5 } }]);
  expect(tabsToShow(new Map([...readings, [other, { sheetId: 6, grid: [] }]]))).toEqual([]);
  const wide = Array<unknown>(1_000).fill('x');
  const large = Array<unknown[]>(201).fill(wide);
  expect(tabsToShow(new Map([...readings, [other, reading(large)]]))).toEqual([]);
});
