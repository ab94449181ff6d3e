// Case 61: an append whose answer was lost must not make a second row.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BOOK, contact, id, line, row, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone'];
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const WRITE = { path: /:batchUpdate/, times: 1 };
const READ = { path: /:batchGetByDataFilter/, times: 1 };

describe('calls to Google go wrong', () => {
  let stand: Stand;
  beforeEach(async () => {
    stand = await startStand({
      tabs: [{ title: 'Contacts', values: [HEADER, line(1), line(2)] }],
      timeouts: { writeTimeoutMs: 1_000 },
    });
    stand.put(contact(1), contact(2));
    await stand.flushAll();
  });
  afterEach(() => stand.close());

  it('a write whose answer is lost is found in the tab at once: no second row, nothing waits', async () => {
    stand.put(contact(2, 'New 2'), contact(3), row(1, undefined));
    stand.sandbox.faults.add({ ...WRITE, fault: { kind: 'commit-then-reset' } });
    expect(await stand.flush()).toEqual({ written: 3, remaining: 0 });
    expect(stand.values()).toEqual([HEADER, [], line(2, 'New 2'), line(3)]);
  });

  it('the same with an answer of some proxy', async () => {
    stand.put(contact(3));
    stand.sandbox.faults.add({ ...WRITE, fault: { kind: 'commit-then-status', status: 502 } });
    expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
    expect(stand.values()).toEqual([HEADER, line(1), line(2), line(3)]);
  });

  it('a write that was not performed leaves its rows waiting', async () => {
    stand.put(contact(3));
    stand.sandbox.faults.add({ ...WRITE, fault: { kind: 'reset' } });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    expect(await stand.waiting()).toEqual([id(3)]);
    await stand.flush();
    expect(stand.values()).toEqual([HEADER, line(1), line(2), line(3)]);
  });

  it('answers lost in every call: each row stands once in the end', async () => {
    stand.sandbox.faults.add({ path: /:batch/, share: 0.5, fault: { kind: 'commit-then-reset' } });
    for (let n = 3; n < 20; n += 1) {
      stand.put(contact(n), contact(n - 1, `New ${n - 1}`));
      await stand.flush().catch(() => undefined);
      if (n % 5 === 0) stand.restart();
    }
    stand.sandbox.faults.clear();
    await stand.flushAll();
    const keys = stand
      .values()
      .slice(1)
      .map(([key]) => key);
    expect(keys.sort()).toEqual(Array.from({ length: 19 }, (_, i) => id(i + 1)));
    expect(stand.values().find(([key]) => key === id(18))).toEqual(line(18, 'New 18'));
  });

  it('when the look afterwards fails, the next flush begins with it: a row hit by a sort is still found out', async () => {
    stand.put(contact(1, 'Zoe'));
    stand.sandbox.faults.add({ ...READ, skip: 1, fault: { kind: 'status', status: 503 } });
    await expect(
      stand.flushWhile(() => stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name', descending: true })),
    ).rejects.toMatchObject({ family: 'retryable' });
    await stand.flushAll();
    expect(stand.outbox.rewritten).toEqual([`contact/${id(2)}`]);
    expect(stand.values().slice(1).sort()).toEqual([line(1, 'Zoe'), line(2)]);
  });

  it('a process that dies after the write repeats it without harm', async () => {
    stand.put(contact(2, 'New 2'), contact(3), contact(4));
    stand.sandbox.faults.add({ ...WRITE, fault: { kind: 'commit-then-reset' } });
    stand.sandbox.faults.add({ ...READ, skip: 1, times: 1, fault: { kind: 'reset' } });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    stand.restart();
    expect(await stand.flush()).toEqual({ written: 3, remaining: 0 });
    expect(stand.values()).toEqual([HEADER, line(1), line(2, 'New 2'), line(3), line(4)]);
  });

  it('an earlier write that is performed between the reading and the writing makes no second row', async () => {
    stand.put(contact(3), contact(4));
    stand.sandbox.faults.add({ ...WRITE, fault: { kind: 'reset' } });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    stand.put(contact(3, 'New 3'));
    // What had been sent then arrives now, after the next flush has read the tab.
    await stand.flushWhile(() => {
      stand.sandbox.staff.sheets.insertRow({ ...AT, row: 4, values: line(3) });
      stand.sandbox.staff.sheets.insertRow({ ...AT, row: 5, values: line(4) });
    });
    await stand.flushAll();
    const rows = stand.values().slice(1);
    expect(rows.filter((cells) => cells.length > 0).sort()).toEqual([
      line(1),
      line(2),
      line(3, 'New 3'),
      line(4),
    ]);
    expect(stand.problems.codes()).toEqual({});
  });

  it('an answer that says nothing of the key column is not taken for an empty one', async () => {
    const header = {
      valueRange: { range: 'Contacts!A1:Z1', majorDimension: 'ROWS', values: [HEADER] },
      dataFilters: [{ gridRange: { sheetId: 0, startRowIndex: 0, endRowIndex: 1 } }],
    };
    const body = JSON.stringify({ spreadsheetId: BOOK, valueRanges: [header] });
    stand.sandbox.faults.add({ ...READ, times: 3, fault: { kind: 'status', status: 200, body } });
    stand.put(contact(1, 'New 1'));
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable', code: 'sheet-changed' });
    await stand.flush();
    expect(stand.values()).toEqual([HEADER, line(1, 'New 1'), line(2)]);
  });
});
