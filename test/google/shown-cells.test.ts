import { expect, it } from 'vitest';
import { a1Of, shownTabs, titleIn, WRITTEN } from '../../src/google/shown-cells.ts';

it('an area is named in A1 notation, by the title of its tab', () => {
  const named = (title: string, area: object) => a1Of({ title, area: { sheetId: 0, ...area } });
  expect(named('Tab', {})).toBe("'Tab'");
  expect(named("It's! A1", { startRow: 0, endRow: 1 })).toBe("'It''s! A1'!1:1");
  expect(named('Tab', { startColumn: 26, endColumn: 27 })).toBe("'Tab'!AA:AA");
  expect(named('Tab', { startRow: 4, endRow: 9, startColumn: 1, endColumn: 703 })).toBe("'Tab'!B5:AAA9");
  expect(named('Tab', { startRow: 4, startColumn: 1, endColumn: 26 })).toBe("'Tab'!B5:Z");
});

it('a title is found in the range of a reading', () => {
  expect(titleIn("'It''s! A1'!A1:B2")).toBe("It's! A1");
  expect(titleIn('Tab1!A1:Z1000')).toBe('Tab1');
  expect(titleIn('A1:B2')).toBeUndefined();
});

const cell = (effectiveValue: object) => ({ effectiveValue });
const text = (stringValue: string) => cell({ stringValue });
const AREAS = [
  { title: 'Tab', area: { sheetId: 5, startRow: 0, endRow: 1 } },
  { title: 'Tab', area: { sheetId: 5, startColumn: 0, endColumn: 1 } },
];
const answer = (...sheets: object[]) => ({ spreadsheetId: 'x', updatedSpreadsheet: { sheets } });
const tabs = (body: unknown) => shownTabs(WRITTEN.parse(body), AREAS);

it('the parts of a tab are laid over each other, in whatever order they come', () => {
  const header = { rowData: [{ values: [text('ID'), {}, cell({ numberValue: 1.5 })] }] };
  const keys = { rowData: [{ values: [text('ID')] }, {}, { values: [text('a')] }] };
  const rows = new Map([
    [0, ['ID', '', 1.5]],
    [2, ['a']],
  ]);
  for (const data of [
    [header, keys],
    [keys, header],
  ])
    expect(tabs(answer({ properties: { sheetId: 5 }, data })).get(5)).toEqual(rows);
});

it('values come as a reading shows them', () => {
  const values = [cell({ boolValue: false }), cell({ errorValue: { type: 'REF', message: 'Reference' } })];
  const data = [{ startRow: 499_999, startColumn: 2, rowData: [{ values }] }, {}];
  const row = ['', '', false, '#REF!'];
  expect(tabs(answer({ properties: { sheetId: 5 }, data })).get(5)).toEqual(new Map([[499_999, row]]));
});

it('a tab of which a part is missing, or that cannot be read, is not shown at all', () => {
  expect(tabs({ spreadsheetId: 'x' }).size).toBe(0);
  expect(tabs(answer({ properties: { sheetId: 5 }, data: [{}] })).size).toBe(0);
  expect(tabs(answer({ properties: { sheetId: 6 }, data: [{}, {}] })).size).toBe(0);
  expect(tabs(answer({ properties: { sheetId: 5 }, data: [{ startRow: 'x' }, {}] })).size).toBe(0);
});
