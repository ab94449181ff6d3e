import { describe, expect, it } from 'vitest';
import { type Layout, readLayout } from '../../../src/mirrors/sheet/layout.ts';
import { planFlush } from '../../../src/mirrors/sheet/plan.ts';
import { requestsOf } from '../../../src/mirrors/sheet/requests.ts';
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

  it('take the look of the header off again where nothing else could be inherited', () => {
    const sent = requests(['ID', 'Name', 'Phone'], { there: [], waiting: [1], rowCount: 1 });
    expect(sent[0]?.insertDimension?.inheritFromBefore).toBe(true);
    expect(sent[1]?.updateCells?.fields).toBe('userEnteredValue,userEnteredFormat');
  });
});
