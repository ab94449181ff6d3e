// A write that adds rows is performed when the next flush has long settled (case 61, decision 0029).

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HistoryEntry } from '../../src/engine/history.ts';
import { LateDoubles } from '../../src/sheet/late-doubles.ts';
import { RememberedTabs } from '../../src/sheet/tab-survey.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { MemorySentRows } from '../doubles/sent-rows.ts';
import { MemorySheetRows } from '../doubles/sheet-rows.ts';
import { double } from '../stand/double.ts';
import { BOOK, CONTACTS, contact, id, line, row, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone', 'Note'];
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const WRITE = { path: /:batchUpdate/, times: 1 };
const LANDED_MS = 240_000;

let stand: Stand;
let sent: MemorySentRows;
let nowMs = 0;
let story: [string, HistoryEntry][] = [];
beforeEach(async () => {
  nowMs = Date.now();
  story = [];
  sent = new MemorySentRows();
  sent.now = () => nowMs;
  const tabs = [{ title: 'Contacts', rows: 100, columns: 6, values: [HEADER, line(1), line(2)] }];
  stand = await startStand({ tabs, parts: { sent: double(sent) } });
  stand.put(contact(1), contact(2));
  await stand.flush();
});
afterEach(() => stand.close());

/** The write of contact 3 is given up without having been performed, and made anew; then time goes by. */
async function giveUp(): Promise<void> {
  stand.put(contact(3));
  stand.sandbox.faults.add({ ...WRITE, fault: { kind: 'reset' } });
  await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
  nowMs += 2_000;
  await stand.flushAll();
  expect(stand.values().slice(1)).toEqual([line(1), line(2), line(3)]);
  expect(await sent.open()).toHaveLength(1);
}
/** What had been sent then arrives. */
function land(at: number): void {
  const range = { sheetId: 0, dimension: 'ROWS', startIndex: at - 1, endIndex: at };
  const values = line(3).map((stringValue) => ({ userEnteredValue: { stringValue } }));
  const start = { sheetId: 0, rowIndex: at - 1, columnIndex: 0 };
  for (const request of [
    { insertDimension: { range, inheritFromBefore: true } },
    { updateCells: { start, rows: [{ values }], fields: 'userEnteredValue' } },
  ])
    stand.sandbox.staff.sheets.request({ spreadsheetId: BOOK, request });
}
const takeBack = (mirrors = [CONTACTS], signal = new AbortController().signal) =>
  new LateDoubles({
    ...{
      api: stand.api,
      mirrors,
      sent: double(sent),
      outbox: stand.outbox,
      tabs: new RememberedTabs(new MapMemory()),
    },
    ...{ rows: double(new MemorySheetRows(stand.outbox)), problems: stand.problems },
    history: { note: (key, entry) => void story.push([key, entry]) },
    ...{ clock: { now: () => nowMs }, log: stand.log, meter: stand.meter },
  }).takeBack(BOOK, { signal });
const standing = () => stand.values().filter(([key]) => key === id(3));

test('the copy that it leaves is taken back, and the story of the object says so', async () => {
  await giveUp();
  land(4);
  nowMs += LANDED_MS - 3_000;
  await takeBack();
  expect(standing()).toHaveLength(2);
  nowMs += 3_000;
  await takeBack();
  expect(standing()).toEqual([line(3)]);
  expect(story).toMatchObject([[`contact/${id(3)}`, { what: 'acted', code: 'own-double-cleared' }]]);
  await stand.flushAll();
  expect(
    stand
      .values()
      .filter((cells) => cells.length > 0)
      .slice(1),
  ).toEqual([line(1), line(2), line(3)]);
  expect(stand.problems.codes()).toEqual({});
  expect(await sent.open()).toEqual([]);
});

test('the row beside which people have written is the one that stays, also when it is the lower one', async () => {
  await giveUp();
  stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'D4', value: 'mine' });
  land(4);
  nowMs += LANDED_MS;
  await takeBack();
  expect(standing()).toEqual([[...line(3), 'mine']]);
});

test.each([
  [
    'in which people have written',
    () => stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'D5', value: 'mine' }),
  ],
  [
    'that differs in a cell',
    () => stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'B5', value: 'Somebody' }),
  ],
  [
    'in which a formula gives the same',
    () => stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'B5', value: '="Name 3"' }),
  ],
  [
    'on which somebody has left a note',
    () =>
      stand.sandbox.staff.sheets.request({
        spreadsheetId: BOOK,
        request: {
          updateCells: {
            start: { sheetId: 0, rowIndex: 4, columnIndex: 0 },
            rows: [{ values: [{ note: 'mine' }] }],
            fields: 'note',
          },
        },
      }),
  ],
])('a copy %s stays', async (_, change) => {
  await giveUp();
  stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'D4', value: 'kept' });
  land(5);
  change();
  const before = stand.values();
  nowMs += LANDED_MS;
  await takeBack();
  expect(stand.values()).toEqual(before);
  expect(await sent.open()).toEqual([]);
});

test('a copy that people made, of a row of which no write is open, stays and costs no look', async () => {
  stand.put(contact(3));
  await stand.flush();
  stand.sandbox.staff.sheets.duplicateRow({ ...AT, row: 4 });
  stand.sandbox.resetCounts();
  nowMs += LANDED_MS;
  await takeBack();
  expect(standing()).toHaveLength(2);
  expect(stand.sandbox.stats().calls).toBe(0);
});

test.each([
  ['after it was written anew', giveUp],
  [
    'before it was written anew',
    async () => {
      stand.put(contact(3));
      stand.sandbox.faults.add({ ...WRITE, fault: { kind: 'reset' } });
      await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
      nowMs += 2_000;
    },
  ],
])('a row whose object left the mirror %s, and that comes late, is taken away again', async (_, begin) => {
  await begin();
  stand.put(row(3, undefined));
  await stand.flushAll();
  expect(standing()).toEqual([]);
  land(4);
  stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'D4', value: 'mine' });
  nowMs += LANDED_MS;
  await takeBack();
  await stand.flushAll();
  expect(standing()).toEqual([]);
  expect(stand.values()[3]).toEqual(['', '', '', 'mine']);
  expect(await sent.open()).toEqual([]);
});

test('a row that was written anew and stands once is not written again', async () => {
  await giveUp();
  nowMs += LANDED_MS;
  await takeBack();
  expect(await stand.waiting()).toEqual([]);
  expect(stand.outbox.rewritten).toEqual([]);
});

test('a tab that cannot be read is looked at again', async () => {
  await giveUp();
  land(4);
  nowMs += LANDED_MS;
  stand.sandbox.staff.sheets.renameHeader({ ...AT, from: 'Name', to: 'Nom' });
  await takeBack();
  stand.sandbox.staff.sheets.renameHeader({ ...AT, from: 'Nom', to: 'Name' });
  await takeBack();
  expect(standing()).toEqual([line(3)]);
});

test('a write into a tab that left the mapping is forgotten without a look', async () => {
  await giveUp();
  nowMs += LANDED_MS;
  stand.sandbox.resetCounts();
  await takeBack([{ ...CONTACTS, tab: 'Another' }]);
  expect([stand.sandbox.stats().calls, await sent.open()]).toEqual([0, []]);
});

test('a write is open from before it leaves until it was answered, done or refused', async () => {
  stand.put(contact(3));
  let open = 0;
  await stand.flushWhile(() => {
    void sent.open().then((writes) => {
      open = writes.length;
    });
  });
  expect([open, await sent.open()]).toEqual([1, []]);
  stand.sandbox.changeQuotas({ sheetsWritesPerMinutePerUser: 0 });
  stand.put(contact(4));
  await expect(stand.flush()).rejects.toMatchObject({ code: 'google-quota' });
  expect(await sent.open()).toEqual([]);
});

test('people who sort while the copy is taken back lose nothing', async () => {
  await giveUp();
  stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'D2', value: 'about 1' });
  land(4);
  nowMs += LANDED_MS;
  const remove = stand.sandbox.faults.add({ ...WRITE, fault: { kind: 'delay', ms: 150 } });
  const before = stand.sandbox.faults.hits();
  const taken = takeBack();
  while (stand.sandbox.faults.hits() === before) await new Promise((done) => setTimeout(done, 2));
  stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name', descending: true });
  await taken;
  remove();
  await stand.flushAll();
  const keys = stand
    .values()
    .slice(1)
    .map(([key]) => key);
  for (const n of [1, 2, 3]) expect(keys).toContain(id(n));
  expect(stand.values().flat()).toContain('about 1');
});

test('a look that has lost its lease empties nothing (P7)', async () => {
  await giveUp();
  land(4);
  nowMs += LANDED_MS;
  await expect(takeBack([CONTACTS], AbortSignal.abort())).rejects.toMatchObject({ code: 'stopped' });
  expect(standing()).toHaveLength(2);
  await takeBack();
  expect(standing()).toEqual([line(3)]);
});

test('a copy of people that stays keeps no double far below it from being taken back', async () => {
  stand.put(contact(3), contact(4));
  stand.sandbox.faults.add({ ...WRITE, fault: { kind: 'reset' } });
  await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
  nowMs += 2_000;
  await stand.flushAll();
  stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'D4', value: 'kept' });
  land(5);
  stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'D5', value: 'mine' });
  const range = { sheetId: 0, dimension: 'ROWS', startIndex: 5, endIndex: 10_010 };
  stand.sandbox.staff.sheets.request({
    spreadsheetId: BOOK,
    request: { insertDimension: { range, inheritFromBefore: true } },
  });
  stand.sandbox.staff.sheets.addRow({ ...AT, values: line(4) });
  const standingOf = (n: number) => stand.values().filter(([key]) => key === id(n));
  expect([standingOf(3).length, standingOf(4).length]).toEqual([2, 2]);
  nowMs += LANDED_MS;
  await takeBack();
  expect([standingOf(3).length, standingOf(4).length]).toEqual([2, 1]);
  expect(await sent.open()).toEqual([]);
});

test('a write stamped by a host whose clock is ten minutes ahead is looked for as long as one of now', async () => {
  nowMs += 600_000;
  await giveUp();
  nowMs -= 600_000;
  await takeBack();
  expect(await sent.open()).toHaveLength(1);
  land(4);
  nowMs += LANDED_MS;
  await takeBack();
  expect(standing()).toEqual([line(3)]);
  expect(await sent.open()).toEqual([]);
});
