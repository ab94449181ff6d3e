import { describe, expect, it } from 'vitest';
import { type Layout, planFlush } from '../../src/sheet/flush-plan.ts';
import { requestsOf } from '../../src/sheet/flush-write.ts';
import { readLayout } from '../../src/sheet/tab-layout.ts';
import { CONTACTS, contact, id } from './stand.ts';

function requests(
  header: string[],
  about: { there: number[]; waiting: number[]; rowCount?: number; isolated?: boolean },
) {
  const layout = readLayout(header, CONTACTS) as Layout;
  const keys = ['ID', ...about.there.map(id)];
  const view = { sheetId: 0, layout, keys, rowCount: about.rowCount };
  const rows = about.waiting.map((n) => ({ ...contact(n), version: n }));
  return requestsOf(planFlush(CONTACTS, view, rows), about.isolated).map(({ request }) => request);
}

describe('the requests of a plan', () => {
  it('take neighbouring rows and columns together, and leave out the columns of people', () => {
    const sent = requests(['ID', 'Name', 'Mine', 'Phone'], { there: [1, 2, 3, 4], waiting: [4, 1, 2] });
    const places = sent.map(({ updateCells }) => [
      updateCells?.start?.rowIndex,
      updateCells?.start?.columnIndex,
      updateCells?.rows?.length,
      updateCells?.rows?.[0]?.values?.length,
    ]);
    expect(places).toEqual([
      [1, 1, 2, 1],
      [1, 3, 2, 1],
      [4, 1, 1, 1],
      [4, 3, 1, 1],
    ]);
  });

  it('name each row apart when the refused one is looked for', () => {
    const sent = requests(['ID', 'Name', 'Phone'], { there: [1, 2], waiting: [1, 2], isolated: true });
    expect(sent.map(({ updateCells }) => updateCells?.start?.rowIndex)).toEqual([1, 2]);
  });

  it('write only values, so that the look which people gave a row stays', () => {
    const sent = requests(['ID', 'Name', 'Phone'], { there: [1], waiting: [1, 2], rowCount: 2 });
    expect(sent.flatMap(({ updateCells }) => updateCells?.fields ?? [])).toEqual([
      'userEnteredValue',
      'userEnteredValue',
    ]);
    expect(sent[1]?.insertDimension?.inheritFromBefore).toBe(true);
  });

  it('inherit nothing from the header when there is another row to inherit from', () => {
    const sent = requests(['ID', 'Name', 'Phone'], { there: [], waiting: [1], rowCount: 1_000 });
    expect(sent[0]?.insertDimension?.inheritFromBefore).toBe(false);
  });

  it('insert added columns before anything else, with the look of the blank one behind them', () => {
    const layout = readLayout(['ID', 'Mine', 'Name', 'Phone'], CONTACTS) as Layout;
    const sent = (isLast: boolean) => {
      const addedColumns = { at: 2, headers: ['Name', 'Phone'], isLast };
      const view = { sheetId: 0, layout, keys: ['ID', id(1)], rowCount: 9, addedColumns };
      return requestsOf(planFlush(CONTACTS, view, [{ ...contact(1), version: 1 }]));
    };
    const range = { sheetId: 0, dimension: 'COLUMNS', startIndex: 2, endIndex: 4 };
    const [inserted, headed, written] = sent(false);
    expect(inserted?.request).toEqual({ insertDimension: { range, inheritFromBefore: false } });
    expect(headed?.request.updateCells?.start).toEqual({ sheetId: 0, rowIndex: 0, columnIndex: 2 });
    expect(written?.rows).toHaveLength(1);
    // Behind the last column of the grid there is none to inherit from (Google, InsertDimensionRequest).
    expect(sent(true)[0]?.request.insertDimension?.inheritFromBefore).toBe(true);
  });

  it('take the look of the header off again where nothing else could be inherited', () => {
    const sent = requests(['ID', 'Name', 'Phone'], { there: [], waiting: [1], rowCount: 1 });
    expect(sent[0]?.insertDimension?.inheritFromBefore).toBe(true);
    expect(sent[1]?.updateCells?.fields).toBe('userEnteredValue,userEnteredFormat');
  });
});
