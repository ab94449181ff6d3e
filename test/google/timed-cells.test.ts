import { expect, test } from 'vitest';
import { FORMATS, timedRows } from '../../src/google/sheets-api.ts';
import { atMidnight, dayIn, momentOf } from '../../src/google/shown-cells.ts';

const BERLIN = { zone: 'Europe/Berlin', formats: [] };
const cell = (numberFormat?: object) => ({
  values: [{ ...(numberFormat && { effectiveFormat: { numberFormat } }) }],
});

test('a format with an hour tells midnight from a day', () => {
  const rowData = [
    cell({ type: 'DATE_TIME', pattern: 'yyyy-mm-dd hh:mm' }),
    cell({ type: 'DATE', pattern: 'dd.mm.yyyy' }),
    cell({ type: 'DATE', pattern: 'dd.mm.yyyy h:mm' }),
    cell({ type: 'DATE', pattern: 'dd.mm.yyyy "h"' }),
    cell({ type: 'DATE_TIME' }),
    cell(),
    { values: [] },
    cell({ type: 'NUMBER', pattern: '0' }),
  ];
  const answer = FORMATS.parse({ sheets: [{ properties: {}, data: [{ startRow: 5, rowData }] }] });
  expect([...timedRows(answer, 0)]).toEqual([5, 7, 9]);
  expect([...timedRows(answer, 1)]).toEqual([]);
  expect([...timedRows(FORMATS.parse({}), 0).values()]).toEqual([]);
});

test.each([
  ['DATE', '[White]yyyy-mm-dd', false],
  ['DATE', '[$-th-TH]d mmm yyyy', false],
  ['CURRENCY', '[$CHF] #,##0.00', false],
  ['CURRENCY', '#,##0.00 [$CHF]', false],
  ['NUMBER', '[hh]:mm', true],
  ['NUMBER', '[H]', true],
  ['NUMBER', '[White]d.m.yyyy h:mm', true],
] as const)('%s %s shows an hour: %s', (type, pattern, isTimed) => {
  const rowData = [cell({ type, pattern })];
  const answer = FORMATS.parse({ sheets: [{ properties: {}, data: [{ startRow: 1, rowData }] }] });
  expect(timedRows(answer, 0).has(1)).toBe(isTimed);
});

test('a day at midnight is a moment, and every other cell stays', () => {
  expect(momentOf(46_085, BERLIN)).toBeUndefined();
  expect(momentOf(atMidnight(46_085), BERLIN)).toBe('2026-03-04T00:00:00+01:00');
  expect(dayIn(atMidnight(46_085), BERLIN)?.date).toBe('2026-03-04');
  for (const other of [46_085.5, '46085', '', true, 0, -1, 2_958_466, undefined])
    expect(atMidnight(other)).toBe(other);
});
