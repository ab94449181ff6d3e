// Cases 67, 68 and 70: Google refuses, for all, for one tab, for one row.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BOOK, CONTACTS, contact, id, line, row, type Stand, startStand, WORKER } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone'];
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const TARGET = `spreadsheet:${BOOK}/Contacts`;
const OTHER = { ...CONTACTS, name: 'other', tab: 'Other' };
const other = (n: number) => row(n, { Name: `Other ${n}`, Phone: null }, { mirror: 'other', tab: 'Other' });
/** Google says it in the language of the spreadsheet. */
const PROTECTED_IN_GERMAN = 'Sie versuchen, eine geschützte Zelle zu bearbeiten.';

describe('Google refuses a flush', () => {
  let stand: Stand;
  beforeEach(async () => {
    stand = await startStand({
      tabs: [
        { title: 'Contacts', values: [HEADER, line(1), line(2), line(3)] },
        { title: 'Other', values: [HEADER] },
      ],
      parts: { mirrors: [CONTACTS, OTHER] },
    });
    stand.put(contact(1), other(9));
    await stand.flush();
  });
  afterEach(() => stand.close());

  function refuseWrites(message: string, times: number): void {
    const body = JSON.stringify({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });
    stand.sandbox.faults.add({ path: /:batchUpdate/, times, fault: { kind: 'status', status: 400, body } });
  }

  it('a spreadsheet that is not shared: a problem with advice, the rows wait, and are written when it is', async () => {
    stand.sandbox.revokeAccess(BOOK, WORKER);
    stand.put(contact(2, 'New 2'));
    await expect(stand.flush()).rejects.toMatchObject({
      family: 'deferred',
      code: 'spreadsheet-not-shared',
      advice: expect.stringContaining('Editor'),
    });
    expect(stand.problems.codes()).toEqual({ [`spreadsheet:${BOOK}`]: 'spreadsheet-not-shared' });
    stand.sandbox.grantAccess(BOOK, WORKER);
    await stand.flushAll();
    expect(stand.values()[2]).toEqual(line(2, 'New 2'));
    expect(stand.problems.codes()).toEqual({});
  });

  it('a spreadsheet that may only be read is as good as not shared', async () => {
    stand.sandbox.grantAccess(BOOK, WORKER, 'reader');
    stand.put(contact(2, 'New 2'));
    await expect(stand.flush()).rejects.toMatchObject({ family: 'deferred', code: 'spreadsheet-not-shared' });
    expect(await stand.waiting()).toEqual([id(2)]);
  });

  it('a spent quota defers, and is nobody’s fault', async () => {
    stand.sandbox.changeQuotas({ sheetsWritesPerMinutePerUser: 1 });
    stand.put(contact(2, 'New 2'));
    await expect(stand.flush()).rejects.toMatchObject({ family: 'deferred', code: 'google-quota' });
    expect(stand.problems.codes()).toEqual({});
    expect(await stand.waiting()).toEqual([id(2)]);
  });

  it('a protected range stops only the rows under it', async () => {
    stand.sandbox.staff.sheets.protectRange({ ...AT, range: 'A3:C3' });
    stand.put(contact(1, 'New 1'), contact(2, 'New 2'), contact(3, 'New 3'), other(8));
    expect(await stand.flush()).toEqual({ written: 3, remaining: 1 });
    expect(stand.values()).toEqual([HEADER, line(1, 'New 1'), line(2), line(3, 'New 3')]);
    expect(stand.problems.codes()).toEqual({ [TARGET]: 'protected-range' });
    expect(stand.refused).toEqual([]);
  });

  it('a protected tab defers its rows, the other tab goes on, and all is well when it is opened', async () => {
    const { protectedRange } = stand.sandbox.staff.sheets.protectRange(AT) as {
      protectedRange: { protectedRangeId: number };
    };
    stand.put(contact(2, 'New 2'), contact(4), other(8));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 2 });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'deferred', code: 'protected-range' });
    const { protectedRangeId } = protectedRange;
    stand.sandbox.staff.sheets.request({
      spreadsheetId: BOOK,
      request: { deleteProtectedRange: { protectedRangeId } },
    });
    expect(await stand.flush()).toEqual({ written: 2, remaining: 0 });
    expect(stand.problems.codes()).toEqual({});
    expect(stand.values()).toEqual([HEADER, line(1), line(2, 'New 2'), line(3), line(4)]);
  });

  it('a protection that only warns stops nothing', async () => {
    stand.sandbox.staff.sheets.protectRange({ ...AT, warningOnly: true });
    stand.put(contact(2, 'New 2'));
    expect((await stand.flush()).written).toBe(1);
  });

  it('a protection is known by its place when Google speaks another language', async () => {
    stand.sandbox.staff.sheets.protectRange({ ...AT, range: 'A3:C3' });
    refuseWrites(`Invalid requests[0].updateCells: ${PROTECTED_IN_GERMAN}`, 1);
    stand.put(contact(2, 'New 2'), other(8));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 1 });
    expect(stand.problems.codes()).toEqual({ [TARGET]: 'protected-range' });
    expect(stand.refused).toEqual([]);
  });

  it('a merge that nobody knew of keeps a new row waiting for one flush, also when another tab is written', async () => {
    const range = { sheetId: 0, startRowIndex: 3, endRowIndex: 5, startColumnIndex: 0, endColumnIndex: 1 };
    const mergeCells = { range, mergeType: 'MERGE_ALL' };
    stand.sandbox.staff.sheets.request({ spreadsheetId: BOOK, request: { mergeCells } });
    stand.put(contact(4), { ...other(9), cells: { Name: 'New 9', Phone: null } });
    expect(await stand.flush()).toEqual({ written: 1, remaining: 1 });
    expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
    expect(stand.values().filter(([key]) => key === id(4))).toEqual([line(4)]);
  });

  it('a row that is refused for what is in it is reported, and the others go', async () => {
    // First a block of three rows, then row by row: the second one is refused.
    refuseWrites('Invalid requests[0].updateCells: no such thing as this cell', 1);
    const single = JSON.stringify({
      error: {
        code: 400,
        message: 'Invalid requests[1].updateCells: no such thing as this cell',
        status: 'INVALID_ARGUMENT',
      },
    });
    stand.sandbox.faults.add({
      path: /:batchUpdate/,
      times: 1,
      fault: { kind: 'status', status: 400, body: single },
    });
    stand.put(contact(1, 'New 1'), contact(2, 'New 2'), contact(3, 'New 3'), contact(4));
    expect(await stand.flush()).toEqual({ written: 3, remaining: 0 });
    expect(stand.refused.map(({ row, error }) => [row.rowKey, error.family, error.code])).toEqual([
      [id(2), 'terminal', 'google-refused'],
    ]);
    const told = stand.log.lines.filter(({ message }) => message === 'row refused by Google');
    const fields = { mirror: 'contacts', key: `contact/${id(2)}`, code: 'google-refused' };
    expect(told).toMatchObject([{ fields }]);
    expect(stand.values()).toEqual([HEADER, line(1, 'New 1'), line(2), line(3, 'New 3'), line(4)]);
  });

  it('P6: what people typed like a refused row stays when the answer about the others is lost', async () => {
    for (const [cell, value] of Object.entries({ B6: 'New 2', C6: 'phone 2' }))
      stand.sandbox.staff.sheets.setCell({ ...AT, cell, value });
    refuseWrites('Invalid requests[0].updateCells: no such thing as this cell', 1);
    refuseWrites('Invalid requests[1].updateCells: no such thing as this cell', 1);
    stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'commit-then-reset' } });
    stand.put(contact(1, 'New 1'), contact(2, 'New 2', 'phone 2'), contact(3, 'New 3'));
    stand.put(contact(4));
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    expect(stand.values()).toEqual([
      ...[HEADER, line(1, 'New 1'), line(2), line(3, 'New 3'), line(4)],
      ...[[], ['', 'New 2', 'phone 2']],
    ]);
    expect(await stand.waiting()).toEqual([id(2)]);
  });

  it('a refused row is not tried again until it is another one', async () => {
    refuseWrites('Invalid requests[0].updateCells: no such thing as this cell', 1);
    stand.put(contact(2, 'New 2'));
    expect(await stand.flush()).toEqual({ written: 0, remaining: 0 });
    stand.sandbox.resetCounts();
    expect(await stand.flush()).toEqual({ written: 0, remaining: 0 });
    expect(stand.sandbox.stats().calls).toBe(0);
    stand.put(contact(2, 'Newer 2'));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
    expect(stand.refused).toHaveLength(1);
  });

  it('a refusal that names nothing is narrowed down to the row', async () => {
    // Eight rows: refused are 8, which may have been for what was to be shown, then 8, 4, 2 and the 1, then nothing more.
    refuseWrites('Something is wrong with the request', 5);
    stand.put(...Array.from({ length: 8 }, (_, i) => contact(10 + i)));
    await expect(stand.flush()).rejects.toMatchObject({ code: 'sheet-perhaps-written' });
    await stand.flush().catch(() => undefined);
    expect(stand.refused.map(({ row }) => row.rowKey)).toEqual([id(10)]);
    await stand.flushAll().catch(() => undefined);
    expect(stand.values().slice(4)).toEqual(Array.from({ length: 7 }, (_, i) => line(11 + i)));
    expect(await stand.waiting()).toEqual([]);
  });

  it('a full spreadsheet still takes changes, and says what to do about the new rows', async () => {
    refuseWrites(
      'Invalid requests[1].insertDimension: This action would increase the number of cells in the workbook above the limit of 10000000 cells.',
      1,
    );
    stand.put(contact(2, 'New 2'), contact(4), contact(5));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 2 });
    expect(stand.problems.codes()).toEqual({ [TARGET]: 'sheet-full' });
    expect(stand.values()).toEqual([HEADER, line(1), line(2, 'New 2'), line(3)]);
    expect(await stand.flush()).toEqual({ written: 2, remaining: 0 });
    expect(stand.problems.codes()).toEqual({});
  });

  it('the sandbox’s own limit is told in the same way', async () => {
    const grow = { sheetId: 0, dimension: 'ROWS', length: 382_000 };
    stand.sandbox.staff.sheets.request({ spreadsheetId: BOOK, request: { appendDimension: grow } });
    stand.put(...Array.from({ length: 800 }, (_, i) => contact(100 + i)));
    await expect(stand.flush()).rejects.toMatchObject({ family: 'deferred', code: 'sheet-full' });
    expect(await stand.waiting()).toHaveLength(800);
    expect(stand.refused).toEqual([]);
  });

  it('an answer that is no spreadsheet is no success', async () => {
    stand.put(contact(2, 'New 2'));
    stand.sandbox.faults.add({
      path: /:batchUpdate/,
      times: 1,
      fault: { kind: 'status', status: 200, body: '<html>Sign in</html>', contentType: 'text/html' },
    });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable', code: 'google-unreadable' });
    expect(await stand.waiting()).toEqual([id(2)]);
  });
});
