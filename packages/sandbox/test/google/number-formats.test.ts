// FORMATTED_VALUE follows the number format of the cell; the cell gives the format back.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ quotas: { sheetsReadsPerMinutePerUser: 1000, sheetsWritesPerMinutePerUser: 1000 } });
});
afterAll(() => rig.sandbox.close());

async function shown(value: number, type: string, pattern?: string): Promise<string> {
  const numberFormat = pattern === undefined ? { type } : { type, pattern };
  const cell = { userEnteredValue: { numberValue: value }, userEnteredFormat: { numberFormat } };
  const rows = [{ values: [cell] }];
  const request = { updateCells: { start: { sheetId: 0 }, rows, fields: '*' } };
  await rig.call('POST', `${rig.sheet}:batchUpdate`, { requests: [request] });
  return (await rig.call('GET', `${rig.sheet}/values/A1`)).body.values[0][0];
}

test.each([
  { value: 1234.5, type: 'NUMBER', pattern: '#,##0.00', text: '1,234.50' },
  { value: -1234.5, type: 'NUMBER', pattern: '#,##0.00', text: '-1,234.50' },
  { value: 1.005, type: 'NUMBER', pattern: '0.00', text: '1.01' },
  { value: 0.5, type: 'NUMBER', pattern: '#.##', text: '.5' },
  { value: 7, type: 'NUMBER', pattern: '000', text: '007' },
  { value: 0.125, type: 'PERCENT', pattern: '0.0%', text: '12.5%' },
  { value: 1500, type: 'CURRENCY', pattern: '"CHF "#,##0.00', text: 'CHF 1,500.00' },
  { value: 1500, type: 'CURRENCY', pattern: '#,##0.00 [$CHF]', text: '1,500.00 CHF' },
  { value: 1500, type: 'CURRENCY', pattern: '[$€-407]#,##0', text: '€1,500' },
  { value: -2, type: 'NUMBER', pattern: '0;(0);"nil"', text: '(2)' },
  { value: 0, type: 'NUMBER', pattern: '0;(0);"nil"', text: 'nil' },
  { value: 12345, type: 'SCIENTIFIC', pattern: '0.00E+00', text: '1.23E+04' },
  { value: 45000.5, type: 'DATE_TIME', pattern: 'yyyy-mm-dd hh:mm', text: '2023-03-15 12:00' },
  { value: 45000, type: 'DATE', pattern: 'dd.mm.yyyy', text: '15.03.2023' },
  { value: 45000, type: 'DATE', pattern: 'ddd, d mmmm yyyy', text: 'Wed, 15 March 2023' },
  { value: 0.75, type: 'TIME', pattern: 'h:mm am/pm', text: '6:00 PM' },
  { value: 1.5, type: 'TIME', pattern: '[h]:mm', text: '36:00' },
])('$value as $type $pattern reads $text', async ({ value, type, pattern, text }) => {
  expect(await shown(value, type, pattern)).toBe(text);
});

test('a type without a pattern has the pattern of the locale', async () => {
  expect(await shown(45000.5, 'DATE')).toBe('3/15/2023');
  expect(await shown(3, 'CURRENCY')).toBe('$3.00');
});

test('the format comes back with the cell, and the number below it is untouched', async () => {
  await shown(1500, 'CURRENCY', '"CHF "#,##0.00');
  const { body } = await rig.call('GET', `${rig.sheet}?ranges=A1&fields=sheets.data.rowData.values`);
  expect(body.sheets[0].data[0].rowData[0].values[0]).toMatchObject({
    userEnteredFormat: { numberFormat: { type: 'CURRENCY', pattern: '"CHF "#,##0.00' } },
    effectiveValue: { numberValue: 1500 },
    formattedValue: 'CHF 1,500.00',
  });
  const plain = await rig.call('GET', `${rig.sheet}/values/A1?valueRenderOption=UNFORMATTED_VALUE`);
  expect(plain.body.values).toEqual([[1500]]);
});
