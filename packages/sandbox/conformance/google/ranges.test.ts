import { expect } from 'vitest';
import { messageOf } from '../office/api.ts';
import { reading, writing } from '../office/fact.ts';

const PRETTY_DATE = { userEnteredFormat: { numberFormat: { type: 'DATE', pattern: 'yyyy-mm-dd' } } };

writing('[ranges.1] a title is quoted when it must be', async (desk) => {
  const plain = await desk.tab();
  expect((await plain.read('A1:B2')).body.range).toBe(`${plain.title}!A1:B2`);
  const spaced = await desk.tab({ title: `Test ${desk.freshId(8)}` });
  expect((await spaced.read('A1:B2')).body.range).toBe(`'${spaced.title}'!A1:B2`);
});

writing('[ranges.2] nothing is not an empty list', async (desk) => {
  const { body } = await (await desk.tab()).read('A1:B2');
  expect(Object.keys(body).sort()).toEqual(['majorDimension', 'range']);
});

writing('[ranges.3] what is blank at the end is left out', async (desk) => {
  const tab = await desk.tab({ values: [['a', '', 'c', ''], [], ['x']] });
  expect(await tab.values('A1:F10')).toEqual([['a', '', 'c'], [], ['x']]);
});

writing('[ranges.4] a range may be open', async (desk) => {
  const tab = await desk.tab({
    values: [
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ],
  });
  expect(await tab.values('A2:A')).toEqual([['c'], ['e']]);
  expect(await tab.values('B:B')).toEqual([['b'], ['d'], ['f']]);
  expect(await tab.values('2:3')).toEqual([
    ['c', 'd'],
    ['e', 'f'],
  ]);
});

writing('[ranges.5] R1C1 is another name', async (desk) => {
  const tab = await desk.tab({
    values: [
      ['a', 'b'],
      ['c', 'd'],
    ],
  });
  expect(await tab.values('R2C1:R2C2')).toEqual([['c', 'd']]);
});

reading('[ranges.6] an unknown tab cannot be read', async (desk) => {
  const answer = await desk.sheets('GET', '/values/NoSuchTab!A1');
  expect([answer.status, messageOf(answer)]).toEqual([400, 'Unable to parse range: NoSuchTab!A1']);
});

writing('[ranges.7] a title is the whole tab', async (desk) => {
  const tab = await desk.tab({ values: [['a'], ['b']] });
  const { body } = await tab.read('');
  expect([body.range, body.values]).toEqual([`${tab.title}!A1:H20`, [['a'], ['b']]]);
});

writing('[ranges.8] beyond the grid there is nothing to read or write', async (desk) => {
  const tab = await desk.tab();
  for (const answer of [await tab.read('A21'), await tab.write('A21', [['x']])]) {
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toContain('exceeds grid limits. Max rows: 20, max columns: 8');
  }
});

writing('[ranges.9] columns are read as columns', async (desk) => {
  const tab = await desk.tab({ values: [['a', 'b'], ['c']] });
  const { body } = await tab.read('A1:B2', { majorDimension: 'COLUMNS' });
  expect([body.majorDimension, body.values]).toEqual(['COLUMNS', [['a', 'c'], ['b']]]);
});

writing('[ranges.10][ranges.11] values come as people read them, or as they are', async (desk) => {
  const tab = await desk.tab({ values: [[1, 2.5, true, 'x']] });
  expect(await tab.values('A1:D1')).toEqual([['1', '2.5', 'TRUE', 'x']]);
  expect(await tab.values('A1:D1', 'UNFORMATTED_VALUE')).toEqual([[1, 2.5, true, 'x']]);
});

writing('[ranges.12] a formula is shown, or what it gives', async (desk) => {
  const tab = await desk.tab();
  await tab.type('A1', [['=1+2']]);
  expect(await tab.values('A1', 'FORMULA')).toEqual([['=1+2']]);
  expect(await tab.values('A1')).toEqual([['3']]);
});

writing('[ranges.13] a date is a number of days', async (desk) => {
  const tab = await desk.tab();
  await tab.type('A1', [['2026-11-21', '1899-12-31']]);
  expect(await tab.values('A1:B1', 'UNFORMATTED_VALUE')).toEqual([[46_347, 1]]);
});

writing('[ranges.14] dates may come as text, and numbers not', async (desk) => {
  const tab = await desk.tab({ values: [[46_347, 46_347]] });
  const request = { range: tab.grid([0, 1], [0, 1]), cell: PRETTY_DATE, fields: 'userEnteredFormat' };
  await desk.batch({ repeatCell: request });
  const query = { valueRenderOption: 'UNFORMATTED_VALUE', dateTimeRenderOption: 'FORMATTED_STRING' };
  expect((await tab.read('A1:B1', query)).body.values).toEqual([['2026-11-21', 46_347]]);
});

writing('[ranges.15][ranges.18] several ranges come in their order, or none of them', async (desk) => {
  const tab = await desk.tab({ values: [['a', 'b']] });
  const read = (...ranges: string[]) => desk.sheets('GET', '/values:batchGet', { query: { ranges } });
  const { body } = await read(tab.range('B1'), tab.range('A1'));
  expect(body.valueRanges.map((one: { values: string[][] }) => one.values)).toEqual([[['b']], [['a']]]);
  expect((await read(tab.range('A1'), 'NoSuchTab!A1')).status).toBe(400);
});

writing('[ranges.16] a quote in a title is doubled', async (desk) => {
  const tab = await desk.tab({ title: `Anna's ${desk.freshId(8)}`, values: [['a']] });
  const { body } = await tab.read('A1');
  expect([body.range, body.values]).toEqual([`'${tab.title.replace("'", "''")}'!A1`, [['a']]]);
});

writing('[ranges.17] a range may be told from its end', async (desk) => {
  const tab = await desk.tab({
    values: [
      ['a', 'b'],
      ['c', 'd'],
    ],
  });
  expect((await tab.read('B2:A1')).body.range).toBe(`${tab.title}!A1:B2`);
});
