import { expect, test } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import type { SheetMirror } from '../../src/engine/mirror.ts';
import type { PlannedCell, PlannedStep } from '../../src/engine/planned.ts';
import type { GridArea, SheetsApi } from '../../src/google/sheets-api.ts';
import { withOldCells } from '../../src/operate/audit.ts';
import type { TabSurvey } from '../../src/sheet/tab-survey.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const PLACE = 'spreadsheet:book/Visits';
const mirror = {
  ...{ kind: 'sheet', name: 'visits', spreadsheetId: 'book', tab: 'Visits', keyHeader: 'ID' },
  columns: [],
} as unknown as SheetMirror;

/** One tab with these columns and rows. */
function tabOf(headers: readonly string[], rows: readonly (readonly unknown[])[]) {
  const grid = [headers, ...rows];
  const columns = new Map(headers.slice(1).map((header, i) => [header, i + 1]));
  const view = { sheetId: 1, layout: { keyColumn: 0, columns }, keys: grid.map(([id]) => String(id)) };
  let reads = 0;
  const api = {
    read: async (_: string, areas: readonly GridArea[]) => {
      reads += 1;
      return areas.map(({ startRow = 0, endRow = 0, startColumn = 0 }) => ({
        rows: grid.slice(startRow, endRow).map((row) => [row[startColumn]]),
      }));
    },
  };
  const survey = { look: async (_: string, [tab]: readonly unknown[]) => new Map([[tab, view]]) };
  const parts = {
    mirrors: [mirror],
    api: api as unknown as SheetsApi,
    survey: survey as unknown as TabSurvey,
  };
  return { parts, reads: () => reads };
}

const cell = (header: string, value: PlannedCell['value'], more: Partial<PlannedCell> = {}): PlannedCell => ({
  ...{ header, value, as: undefined, isPersonal: false },
  ...more,
});

function change(cells: readonly PlannedCell[], more: Partial<PlannedStep> = {}): Omit<PlannedStep, 'action'> {
  const row = { id: ID, cells, harmless: ['confirmed', 'Haircut'] };
  return { place: PLACE, fields: [{ field: 'cells' }], row, ...more };
}

async function fieldsOf(old: readonly unknown[], cells: readonly PlannedCell[]) {
  const { parts } = tabOf(['ID', ...cells.map(({ header }) => header)], [[ID, ...old]]);
  const [told] = await withOldCells([change(cells)], parts);
  return told?.fields;
}

test('a cell that would be another is told with both values; one that stays is not', async () => {
  expect(
    await fieldsOf(['confirmed', 'Haircut'], [cell('Status', 'cancelled'), cell('Service', 'Haircut')]),
  ).toEqual([{ field: 'Status', old: 'confirmed', new: 'cancelled' }]);
});

test('a number in a column of days and hours is told as a day and an hour', async () => {
  const start = cell('Start', 46_350.5, { as: 'datetime' });
  expect(await fieldsOf([46_349.75], [start])).toEqual([
    { field: 'Start', old: '2026-11-23 18:00', new: '2026-11-24 12:00' },
  ]);
});

test.each([
  ['+74950001101', 'a phone that somebody typed'],
  [74_950_001_101, 'a phone as a number'],
  ['Vera Orlova', 'a name from a former template'],
  ['confirmed, ask Vera', 'a word with more beside it'],
])('%s in a column that names nobody is personal: %s', async (old, _what) => {
  expect(await fieldsOf([old], [cell('Status', 'confirmed')])).toEqual([
    { field: 'Status', old: String(old), new: 'confirmed', personal: true },
  ]);
});

test.each(['', true, 12, '12,50', '2026-11-23', '2026-11-23 18:00', '23.11.2026', '9:15', 'Haircut'])(
  '%s names nobody',
  async (old) => {
    expect(await fieldsOf([old], [cell('Status', 'cancelled')])).toEqual([
      { field: 'Status', old: String(old), new: 'cancelled' },
    ]);
  },
);

test('a row that people have deleted is told so, and what is no change of cells stays as it was', async () => {
  const { parts } = tabOf(['ID', 'Status'], []);
  const format = { field: 'format of Start', new: 'hh:mm' };
  const gone = change([cell('Status', 'confirmed')], { fields: [{ field: 'cells' }, format] });
  const whole = { ...gone, fields: [format] };
  const told = await withOldCells([gone, whole], parts);
  expect(told).toEqual([
    { place: PLACE, fields: [{ field: 'row', old: 'not in the tab', new: 'written again' }, format] },
    { place: PLACE, fields: [format] },
  ]);
});

test('of a row that moves the cells are those of its former tab, and each tab is read once', async () => {
  const { parts, reads } = tabOf(['ID', 'Status'], [[ID, 'confirmed']]);
  const cells = [cell('Status', 'cancelled')];
  const moved = change(cells, { place: 'spreadsheet:book/Archive', from: PLACE });
  const told = await withOldCells([moved, change(cells)], parts);
  expect(told.map(({ fields }) => fields?.[0]?.old)).toEqual(['confirmed', 'confirmed']);
  expect(reads()).toBe(1);
});

test('a tab that cannot be read takes nothing else from the plan', async () => {
  const { parts } = tabOf(['ID'], []);
  const survey = {
    look: () => Promise.reject(new RetryableError('google-unreachable', 'Google cannot be reached')),
  };
  const told = await withOldCells([change([])], { ...parts, survey: survey as unknown as TabSurvey });
  expect(told).toEqual([
    { place: PLACE, fields: [{ field: 'cells, which cannot be read now (google-unreachable)' }] },
  ]);
});
