// A process dies, or loses its connection, between a write and the look at what it hit (P1, P6, P9; cases 60 and 61).

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemorySentRows } from '../doubles/sent-rows.ts';
import { double } from '../stand/double.ts';
import { BOOK, contact, id, line, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone', 'Note'];
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const NUMBERS = [1, 2, 3, 4, 5, 6];
const noted = (n: number) => [...line(n), `note of ${n}`];
const COVERED = { 'sheet-covered:contacts/Contacts B5, B6': 'cells-covered' };
const LEFT = { 'sheet-cells:contacts': 'cells-left' };

let stand: Stand;
let sent: MemorySentRows;
let nowMs = 0;
beforeEach(async () => {
  nowMs = Date.now();
  sent = new MemorySentRows();
  sent.now = () => {
    nowMs += 1;
    return nowMs;
  };
  const values = [HEADER, ...NUMBERS.map(noted)];
  const tabs = [{ title: 'Contacts', rows: 50, columns: 8, values }];
  stand = await startStand({ tabs, parts: { sent: double(sent), clock: { now: () => nowMs } } });
  stand.put(...NUMBERS.map((n) => contact(n)));
  await stand.flushAll();
});
afterEach(() => stand.close());

const move = (column: string, before: string) =>
  stand.sandbox.staff.sheets.moveColumn({ ...AT, column, before });
const insert = (before: string) => stand.sandbox.staff.sheets.insertColumn({ ...AT, before, header: 'Mine' });

/** People act before the write arrives. Google performs it, and the process sees nothing more of the tab. */
async function dieAfterWrite(people: () => void, kind: 'delay' | 'commit-then-reset' = 'delay') {
  const blind: (() => void)[] = [];
  const onStrike = () => {
    people();
    blind.push(stand.sandbox.faults.add({ path: /batchGetByDataFilter/, fault: { kind: 'reset' } }));
  };
  const fault = kind === 'delay' ? ({ kind, ms: 0 } as const) : ({ kind } as const);
  stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault, onStrike });
  await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
  expect(blind).toHaveLength(1);
  for (const remove of blind) remove();
  stand.restart();
}

/** What stands under the mirror's headers, and what stands elsewhere. Blank rows do not count. */
function seen() {
  const [header = [], ...rows] = stand.values();
  const isOwn = (name: unknown) => ['ID', 'Name', 'Phone'].includes(String(name));
  const own = rows.map((cells) => ['ID', 'Name', 'Phone'].map((name) => cells[header.indexOf(name)] ?? ''));
  const others = rows.flatMap((cells) => cells.filter((cell, at) => !isOwn(header[at]) && cell !== ''));
  return { own: own.filter((cells) => cells.some((cell) => cell !== '')).sort(), others: others.sort() };
}
const NOTES = NUMBERS.map((n) => `note of ${n}`);

const CHANGES = {
  'the notes moved to the front': () => move('Note', 'ID'),
  'the notes moved behind the id': () => move('Note', 'Name'),
  'the notes moved before the phone': () => move('Note', 'Phone'),
  'the id moved behind the phone': () => move('ID', 'Note'),
  'the id moved behind the name': () => move('ID', 'Phone'),
  'the phone moved to the front': () => move('Phone', 'ID'),
  'a column inserted at the front': () => insert('ID'),
  'a column inserted before the phone': () => insert('Phone'),
};
const names = Object.keys(CHANGES) as (keyof typeof CHANGES)[];

describe.each(['delay', 'commit-then-reset'] as const)('the answer: %s', (kind) => {
  it.each(names)(
    '%s while a row is added: after the restart it is whole, and nothing else of it stays',
    async (change) => {
      stand.put(contact(7));
      await dieAfterWrite(CHANGES[change], kind);
      await stand.flushAll();
      expect(seen()).toEqual({ own: [...NUMBERS, 7].map((n) => line(n)), others: NOTES });
      expect(stand.problems.codes()).toEqual({});
    },
  );

  // The tab proves nothing where only cells of people's columns hold the same.
  const NAMED: readonly string[] = ['the notes moved before the phone', 'a column inserted before the phone'];
  it.each(names)(
    '%s while a row is updated: after the restart it is whole, and what stays elsewhere is named',
    async (change) => {
      stand.put(contact(4, 'New 4', 'phone 4'), contact(5, 'New 5', 'phone 5'));
      await dieAfterWrite(CHANGES[change], kind);
      await stand.flushAll();
      const { own, others } = seen();
      const isNew = (n: number) => n === 4 || n === 5;
      expect(own).toEqual(NUMBERS.map((n) => (isNew(n) ? line(n, `New ${n}`, `phone ${n}`) : line(n))));
      const strangers = others.filter((cell) => !NOTES.includes(String(cell)));
      expect(strangers).toEqual(NAMED.includes(change) ? ['phone 4', 'phone 5'] : []);
      const covered = change === 'the notes moved behind the id';
      const named = { ...(NAMED.includes(change) ? LEFT : {}), ...(covered ? COVERED : {}) };
      expect(stand.problems.codes()).toEqual(named);
    },
  );
});

it.each([
  ['before Google gets the repair', 'reset'],
  ['before the answer of the repair', 'commit-then-reset'],
] as const)('a process that dies %s: after the restart nothing stays in the new column', async (_, kind) => {
  stand.put(contact(7), contact(4, 'New 4', 'phone 4'));
  const first = { kind: 'delay', ms: 0 } as const;
  const once = { path: /:batchUpdate/, times: 1 };
  stand.sandbox.faults.add({ ...once, fault: first, onStrike: () => insert('Phone') });
  stand.sandbox.faults.add({ ...once, fault: { kind } });
  await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
  stand.restart();
  await stand.flushAll();
  expect(seen()).toEqual({
    own: [1, 2, 3, 4, 5, 6, 7].map((n) => (n === 4 ? line(4, 'New 4', 'phone 4') : line(n))),
    others: NOTES,
  });
  expect(stand.problems.codes()).toEqual({});
});

it('a blank row inserted where a row is updated: its place is named until somebody has emptied it', async () => {
  stand.put(contact(4, 'New 4'));
  await dieAfterWrite(() => stand.sandbox.staff.sheets.insertRow({ ...AT, row: 5 }));
  await stand.flushAll();
  expect(stand.problems.codes()).toEqual(LEFT);
  expect(await stand.problems.list()).toMatchObject([
    {
      message:
        'people moved rows or columns under a write, which may have left cells in the tab Contacts: row 5 (B, C)',
    },
  ]);
  expect(JSON.stringify([await stand.problems.list(), stand.log.lines])).not.toMatch(/New 4|\+4178/);
  const before = stand.values();
  nowMs += 240_000;
  await stand.flush();
  expect(stand.values()).toEqual(before);
  for (const cell of ['B5', 'C5']) stand.sandbox.staff.sheets.setCell({ ...AT, cell, value: '' });
  nowMs += 240_000;
  await stand.flush();
  expect(stand.problems.codes()).toEqual({});
  expect(await sent.open()).toEqual([]);
});

it('P9: cells that an earlier write has left stay named while a later one has left none', async () => {
  stand.put(contact(4, 'New 4'));
  await dieAfterWrite(() => stand.sandbox.staff.sheets.insertRow({ ...AT, row: 5 }));
  await stand.flushAll();
  expect(stand.problems.codes()).toEqual(LEFT);
  stand.put(contact(1, 'New 1'));
  stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'reset' } });
  await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
  await stand.flushAll();
  expect(seen().own).toContainEqual(line(1, 'New 1'));
  expect(stand.problems.codes()).toEqual(LEFT);
});

it.each([
  [
    'typed beside the row the same name and phone, while the write was never performed',
    () => {
      for (const [cell, value] of [
        ['E5', 'New 4'],
        ['F5', 'phone 4'],
      ] as const)
        stand.sandbox.staff.sheets.setCell({ ...AT, cell, value });
      move('Note', 'ID');
      for (const column of ['Mine', 'Other'])
        stand.sandbox.staff.sheets.insertColumn({ ...AT, before: 'Name', header: column });
    },
  ],
] as const)('P6: nothing is emptied of what people have %s', async (_, people) => {
  stand.put(contact(4, 'New 4', 'phone 4'));
  stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'reset' } });
  await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
  people();
  stand.restart();
  await stand.flushAll();
  expect(seen().others).toEqual([...NOTES, 'New 4', 'phone 4'].sort());
});

it('P6: two columns inserted, and the new name and phone typed there by hand: both stay, and are named', async () => {
  stand.put(contact(4, 'New 4', 'phone 4'));
  stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'reset' } });
  await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
  insert('Name');
  stand.sandbox.staff.sheets.insertColumn({ ...AT, before: 'Name', header: 'Other' });
  for (const [cell, value] of [
    ['B5', 'New 4'],
    ['C5', 'phone 4'],
  ] as const)
    stand.sandbox.staff.sheets.setCell({ ...AT, cell, value });
  stand.restart();
  await stand.flushAll();
  expect(seen().others).toEqual([...NOTES, 'New 4', 'phone 4'].sort());
  expect(stand.problems.codes()).toEqual(LEFT);
});

it('P6: what people have typed into the half row stays, and the row is named', async () => {
  stand.put(contact(7));
  await dieAfterWrite(() => insert('ID'));
  stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'B8', value: 'typed by hand' });
  await stand.flushAll();
  expect(seen().own).toContainEqual(line(7));
  expect(JSON.stringify(stand.values())).toContain('typed by hand');
  expect(stand.problems.codes()).toEqual(LEFT);
});

it('P9: what is stored of a write says nothing that its cells say, and is gone when it was checked', async () => {
  stand.put(contact(7), contact(4, 'New 4'));
  await dieAfterWrite(() => insert('ID'));
  const open = await sent.open();
  expect(open.flatMap(({ rows }) => rows)).toHaveLength(2);
  expect(JSON.stringify(open)).not.toMatch(/Name 7|New 4|\+4178|note of/);
  await stand.flushAll();
  nowMs += 240_000;
  stand.put(contact(1, 'New 1'));
  await stand.flush();
  expect((await sent.open()).flatMap(({ rows }) => rows.map(({ rowKey }) => rowKey))).toEqual([id(4), id(7)]);
});

it.each([
  ['that was performed: it takes its place', { kind: 'delay', ms: 0 }, ['stray']],
  [
    'whose answer is lost: both stay, because it may come late',
    { kind: 'commit-then-reset' },
    ['in-place', 'stray'],
  ],
] as const)('P9: a lost repair is stored beside the write %s', async (_, fault, kinds) => {
  stand.put(contact(4, 'New 4', 'phone 4'));
  const once = { path: /:batchUpdate/, times: 1 };
  stand.sandbox.faults.add({ ...once, fault, onStrike: () => insert('Phone') });
  stand.sandbox.faults.add({ ...once, fault: { kind: 'reset' } });
  await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
  expect((await sent.open()).map(({ rows }) => rows[0]?.cells?.kind)).toEqual(kinds);
});
