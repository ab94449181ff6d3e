// A write shows in its answer what it has led to, so that nothing has to be read after it (decision 0034).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SheetsApi } from '../../src/google/sheets-api.ts';
import { areasToShow } from '../../src/sheet/flush-write.ts';
import { BOOK, CONTACTS, contact, id, line, row, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone'];
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const READS = 'spreadsheets.values.batchGetByDataFilter';

describe('a write that shows what it has led to', () => {
  let stand: Stand;
  beforeEach(async () => {
    stand = await startStand({
      tabs: [{ title: 'Contacts', rows: 4, columns: 8, values: [HEADER, line(1), line(2), line(3)] }],
    });
    stand.put(contact(1), contact(2), contact(3));
    await stand.flush();
    stand.sandbox.resetCounts();
  });
  afterEach(() => stand.close());
  const calls = () => stand.sandbox.stats().callsByMethod;
  const ONE_OF_EACH = { [READS]: 1, 'spreadsheets.batchUpdate': 1 };

  it('needs no reading: changed, new and emptied rows, also behind the end of the grid', async () => {
    stand.put(contact(1, 'New 1'), row(2, undefined), contact(4), contact(5));
    expect(await stand.flush()).toEqual({ written: 4, remaining: 0 });
    expect(calls()).toEqual(ONE_OF_EACH);
    expect(stand.values()).toEqual([HEADER, line(1, 'New 1'), [], line(3), line(4), line(5)]);
  });

  it('is looked at once more when people sorted the tab under it', async () => {
    stand.put(contact(1, 'New 1'));
    await stand.flushWhile(() =>
      stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name', descending: true }),
    );
    expect(calls()).toEqual({ ...ONE_OF_EACH, [READS]: 2 });
    expect(stand.outbox.rewritten).toEqual([`contact/${id(3)}`]);
    await stand.flushAll();
    expect(stand.values().slice(1).sort()).toEqual([line(1, 'New 1'), line(2), line(3)]);
  });

  it('is seen through when it emptied the row of somebody else', async () => {
    stand.put(row(1, undefined));
    await stand.flushWhile(() =>
      stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name', descending: true }),
    );
    expect(stand.outbox.rewritten).toEqual([`contact/${id(3)}`]);
    await stand.flushAll();
    const rows = stand.values().slice(1);
    expect(rows.filter((cells) => cells.some((cell) => cell !== '')).sort()).toEqual([line(2), line(3)]);
  });

  it('and was refused or not, nobody knows, when the tab was renamed under it: the tab is read, no row comes twice', async () => {
    stand.put(contact(1, 'New 1'), contact(4));
    await stand.flushWhile(() => stand.sandbox.staff.sheets.renameTab({ ...AT, to: 'People' }));
    expect(await stand.waiting()).toEqual([]);
    expect(stand.values('People')).toEqual([HEADER, line(1, 'New 1'), line(2), line(3), line(4)]);
    stand.put(contact(2, 'New 2'));
    await stand.flush();
    stand.sandbox.resetCounts();
    stand.put(contact(3, 'New 3'));
    await stand.flush();
    expect(calls()).toEqual(ONE_OF_EACH);
    const rows = [line(1, 'New 1'), line(2, 'New 2'), line(3, 'New 3'), line(4)];
    expect(stand.values('People')).toEqual([HEADER, ...rows]);
  });

  it('and tabs that changed their names with each other are not mistaken for each other', async () => {
    const { sheets } = stand.sandbox.staff;
    sheets.request({ spreadsheetId: BOOK, request: { addSheet: { properties: { title: 'Other' } } } });
    stand.put(contact(1, 'New 1'));
    expect(
      await stand.flushWhile(() => {
        sheets.renameTab({ ...AT, to: 'Between' });
        sheets.renameTab({ ...AT, tab: 'Other', to: 'Contacts' });
      }),
    ).toEqual({ written: 1, remaining: 0 });
    expect(calls()[READS]).toBe(2);
    expect(stand.values('Between')[1]).toEqual(line(1, 'New 1'));
  });

  it('is asked for again after a write that only failed', async () => {
    stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'reset' } });
    stand.put(contact(1, 'New 1'));
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    stand.sandbox.resetCounts();
    expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
    expect(calls()).toEqual(ONE_OF_EACH);
  });

  it('is read after when Google does not show the tab', async () => {
    const { api } = stand;
    const write = api.write.bind(api) as SheetsApi['write'];
    api.write = async (spreadsheetId, requests) => {
      await write(spreadsheetId, requests);
      return new Map();
    };
    stand.put(contact(1, 'New 1'), contact(4));
    expect(await stand.flush()).toEqual({ written: 2, remaining: 0 });
    expect(calls()).toEqual({ ...ONE_OF_EACH, [READS]: 2 });
  });
});

it('too many cells are not asked for', () => {
  const view = {
    ...{ sheetId: 7, title: "It's", keys: ['ID', id(1)] },
    layout: { keyColumn: 0, columns: new Map([['Name', 1]]) },
  };
  const write = { key: id(1), keyAfter: id(1), cells: new Map([[1, 'x']]), pending: undefined };
  const plan = { mirror: CONTACTS, inPlace: new Map([[1, write]]), insertAt: 2 };
  const nothing = { fresh: [], absent: [], left: [], doubledRows: 0 };
  const areasOf = (rowCount: number, title: string | undefined = view.title) =>
    areasToShow([{ ...plan, ...nothing, view: { ...view, title, rowCount } }]);
  const areas = [
    { sheetId: 7, startRow: 0, endRow: 1 },
    { sheetId: 7, startColumn: 0, endColumn: 1 },
    { sheetId: 7, startRow: 1, endRow: 2, startColumn: 1, endColumn: 2 },
  ];
  expect(areasOf(1_000)).toEqual(areas.map((area) => ({ title: "It's", area })));
  expect(areasOf(500_000)).toEqual([]);
});
