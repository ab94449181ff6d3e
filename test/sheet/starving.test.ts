// P1 and P3: rows that a tab cannot take never delay its other rows, however many there are.
import { afterEach, describe, expect, it } from 'vitest';
import { BOOK, CONTACTS, contact, line, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone'];
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const TARGET = `spreadsheet:${BOOK}/Contacts`;
/** The outbox has more rows that cannot be written than three flushes take. */
const PER_FLUSH = 10;
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);

describe('more rows than one flush takes cannot be written', () => {
  let stand: Stand;
  afterEach(() => stand.close());

  async function start(standing: number): Promise<void> {
    const values = [HEADER, ...numbers(1, standing).map((n) => line(n))];
    stand = await startStand({
      tabs: [{ title: 'Contacts', rows: standing + 1, columns: 10, values }],
      parts: { mirrors: [CONTACTS], rowsPerFlush: PER_FLUSH },
    });
  }
  async function flushes(times: number): Promise<void> {
    for (let i = 0; i < times; i += 1)
      await stand.flush().catch((error) => expect(error).toMatchObject({ family: 'deferred' }));
  }

  it('if the spreadsheet is full, existing rows of the tab still stay up to date', async () => {
    await start(5);
    // Google's limit is ten million cells, and the tab has ten columns.
    const grow = { sheetId: 0, dimension: 'ROWS', length: 1_000_000 - 6 };
    stand.sandbox.staff.sheets.request({ spreadsheetId: BOOK, request: { appendDimension: grow } });
    stand.put(...numbers(100, 35).map((n) => contact(n)));
    await flushes(4);
    expect(stand.problems.codes()).toEqual({ [TARGET]: 'sheet-full' });
    stand.put(contact(2, 'New 2'));
    await flushes(1);
    expect(stand.values()[2]).toEqual(line(2, 'New 2'));
    expect(stand.problems.codes()).toEqual({ [TARGET]: 'sheet-full' });
    expect(await stand.waiting()).toHaveLength(35);
  });

  it('refused rows are written once the tab accepts them', async () => {
    await start(1);
    const { protectedRange } = stand.sandbox.staff.sheets.protectRange(AT) as unknown as Protected;
    stand.put(...numbers(100, 35).map((n) => contact(n)));
    await flushes(6);
    expect(await stand.waiting()).toHaveLength(35);
    const { protectedRangeId } = protectedRange;
    const request = { deleteProtectedRange: { protectedRangeId } };
    stand.sandbox.staff.sheets.request({ spreadsheetId: BOOK, request });
    await stand.flushAll();
    expect(stand.values().slice(2)).toHaveLength(35);
    expect(stand.problems.codes()).toEqual({});
  });

  it('if a protection covers the rows above, rows below it are written, and new ones are added', async () => {
    await start(40);
    stand.sandbox.staff.sheets.protectRange({ ...AT, range: 'A2:C36' });
    stand.put(...numbers(1, 35).map((n) => contact(n, `New ${n}`)));
    await flushes(4);
    stand.put(contact(40, 'New 40'), contact(50));
    await flushes(1);
    expect(stand.values().slice(40)).toEqual([line(40, 'New 40'), line(50)]);
    expect(stand.problems.codes()).toEqual({ [TARGET]: 'protected-range' });
    expect(await stand.waiting()).toHaveLength(35);
  });

  it('if merged cells cover the rows above, rows below them are written, and new ones are added', async () => {
    await start(40);
    const range = { sheetId: 0, startRowIndex: 1, endRowIndex: 36, startColumnIndex: 1, endColumnIndex: 3 };
    const mergeCells = { range, mergeType: 'MERGE_ROWS' };
    stand.sandbox.staff.sheets.request({ spreadsheetId: BOOK, request: { mergeCells } });
    stand.put(...numbers(1, 35).map((n) => contact(n, `New ${n}`)));
    for (let i = 0; i < 5; i += 1) await stand.flush().catch(() => undefined);
    stand.put(contact(40, 'New 40'), contact(50));
    await flushes(1);
    expect(stand.values().slice(40)).toEqual([line(40, 'New 40'), line(50)]);
    expect(stand.problems.codes()).toEqual({ [TARGET]: 'cells-merged' });
    expect(await stand.waiting()).toHaveLength(35);
  });
});

interface Protected {
  readonly protectedRange: { readonly protectedRangeId: number };
}

describe('more rows than one flush takes cannot leave their old tab, which has lost its header', () => {
  let stand: Stand;
  afterEach(() => stand.close());

  it('existing rows of the archive still stay up to date', async () => {
    const archive = { ...CONTACTS, tab: 'Archive' };
    stand = await startStand({
      tabs: [
        { title: 'Contacts', values: [['Notes of the office'], ['x']] },
        { title: 'Archive', values: [HEADER, line(1), line(2)] },
      ],
      parts: { mirrors: [CONTACTS, archive], rowsPerFlush: PER_FLUSH },
    });
    const archived = (n: number, name?: string) => ({ ...contact(n, name), tab: 'Archive' });
    const movesFrom = { spreadsheetId: BOOK, tab: 'Contacts' };
    stand.put(...numbers(100, 35).map((n) => ({ ...archived(n), movesFrom })));
    for (let i = 0; i < 4; i += 1) await expect(stand.flush()).rejects.toMatchObject({ family: 'deferred' });
    stand.put(archived(2, 'New 2'));
    await stand.flush();
    expect(stand.values('Archive')).toEqual([HEADER, line(1), line(2, 'New 2')]);
  });
});

describe('a full spreadsheet cannot take more new rows than several flushes would try', () => {
  let stand: Stand;
  afterEach(() => stand.close());

  it('rows that stand in the tab are kept up to date before all new rows were tried', async () => {
    const values = [HEADER, ...numbers(1, 5).map((n) => line(n))];
    stand = await startStand({
      tabs: [{ title: 'Contacts', rows: 6, columns: 10, values }],
      parts: { mirrors: [CONTACTS], rowsPerFlush: PER_FLUSH },
    });
    const grow = { sheetId: 0, dimension: 'ROWS', length: 1_000_000 - 6 };
    stand.sandbox.staff.sheets.request({ spreadsheetId: BOOK, request: { appendDimension: grow } });
    stand.put(...numbers(100, 95).map((n) => contact(n)), contact(2, 'New 2'), contact(3, 'New 3'));
    for (let i = 0; i < 2; i += 1) await stand.flush().catch(() => undefined);
    expect(stand.values().slice(2, 4)).toEqual([line(2, 'New 2'), line(3, 'New 3')]);
    expect(stand.problems.codes()).toEqual({ [TARGET]: 'sheet-full' });
    expect(await stand.waiting()).toHaveLength(95);
  });
});
