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
  [1234.5, 'NUMBER', '#,##0.00', '1,234.50'],
  [-1234.5, 'NUMBER', '#,##0.00', '-1,234.50'],
  [1.005, 'NUMBER', '0.00', '1.01'],
  [0.5, 'NUMBER', '#.##', '.5'],
  [7, 'NUMBER', '000', '007'],
  [0.125, 'PERCENT', '0.0%', '12.5%'],
  [1500, 'CURRENCY', '"CHF "#,##0.00', 'CHF 1,500.00'],
  [1500, 'CURRENCY', '#,##0.00 [$CHF]', '1,500.00 CHF'],
  [1500, 'CURRENCY', '[$€-407]#,##0', '€1,500'],
  [-2, 'NUMBER', '0;(0);"nil"', '(2)'],
  [0, 'NUMBER', '0;(0);"nil"', 'nil'],
  [12345, 'SCIENTIFIC', '0.00E+00', '1.23E+04'],
  [45000.5, 'DATE_TIME', 'yyyy-mm-dd hh:mm', '2023-03-15 12:00'],
  [45000, 'DATE', 'dd.mm.yyyy', '15.03.2023'],
  [45000, 'DATE', 'ddd, d mmmm yyyy', 'Wed, 15 March 2023'],
  [0.75, 'TIME', 'h:mm am/pm', '6:00 PM'],
  [1.5, 'TIME', '[h]:mm', '36:00'],
])('%d as %s %s reads %s', async (value, type, pattern, text) => {
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
