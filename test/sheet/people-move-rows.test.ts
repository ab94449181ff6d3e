// Cases 60 and 61: people sort, insert, delete and move while the worker writes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OutboxRow } from '../../src/engine/sheet-row.ts';
import { BOOK, contact, id, line, row, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone', 'Note'];
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
/** What people wrote beside the n-th contact. */
const note = (n: number) => `note of ${n}`;
const noted = (n: number, name?: string) => [...line(n, name), note(n)];
const NUMBERS = [1, 2, 3, 4, 5, 6];

/** Names run against the ids, so that sorting by name turns the tab around. */
const name = (n: number) => `Name ${9 - n}`;

describe('people change the tab between the reading and the writing', () => {
  let stand: Stand;
  beforeEach(async () => {
    const values = [HEADER, ...NUMBERS.map((n) => noted(n, name(n)))];
    stand = await startStand({ tabs: [{ title: 'Contacts', rows: 50, columns: 8, values }] });
    stand.put(...NUMBERS.map((n) => contact(n, name(n))));
    await stand.flushAll();
  });
  afterEach(() => stand.close());

  function afterNextWrite(people: () => void): void {
    let isDone = false;
    stand.sandbox.onSheetWrite(() => {
      if (!isDone) people();
      isDone = true;
    });
  }

  /** One row per contact with its newest cells, and beside each what people wrote there. */
  function expectRight(newNames: Record<number, string>, numbers = NUMBERS): void {
    const rows = stand.values().slice(1);
    const expected = numbers.map((n) => noted(n, newNames[n] ?? name(n)));
    expect(rows.filter((cells) => cells.some((cell) => cell !== '')).sort()).toEqual(expected.sort());
  }

  it('sorting: the rows that were hit are written again, nothing is lost, doubled or mixed up', async () => {
    stand.put(contact(1, 'New 1'), contact(2, 'New 2'));
    await stand.flushWhile(() => stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name' }));
    expect(stand.outbox.rewritten.sort()).toEqual([`contact/${id(5)}`, `contact/${id(6)}`]);
    await stand.flushAll();
    expectRight({ 1: 'New 1', 2: 'New 2' });
  });

  it('sorting under a row of nothing but blanks: the row that was blanked is written again', async () => {
    stand.put(row(1, { Name: null, Phone: null }));
    await stand.flushWhile(() => stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name' }));
    expect(stand.outbox.rewritten).toEqual([`contact/${id(6)}`]);
    await stand.flushAll();
    const rows = stand.values().slice(1);
    expect(rows.find(([key]) => key === id(6))).toEqual(noted(6, name(6)));
    expect(rows.find(([key]) => key === id(1))).toEqual([id(1), '', '', note(1)]);
  });

  it('sorting right after the writing, so that its answer shows it, costs nothing but a look', async () => {
    stand.put(contact(1, 'New 1'), contact(2, 'New 2'));
    afterNextWrite(() => stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Phone', descending: true }));
    stand.sandbox.resetCounts();
    await stand.flush();
    expect(stand.sandbox.stats().callsByMethod).toMatchObject({
      'spreadsheets.values.batchGetByDataFilter': 2,
    });
    expect(stand.outbox.rewritten).toEqual([]);
    expect(await stand.waiting()).toEqual([]);
    expectRight({ 1: 'New 1', 2: 'New 2' });
  });

  it('sorting after the answer is of no concern to the flush', async () => {
    stand.put(contact(1, 'New 1'), contact(2, 'New 2'));
    await stand.flush();
    stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Phone', descending: true });
    expect(await stand.waiting()).toEqual([]);
    expect(await stand.flush()).toEqual({ written: 0, remaining: 0 });
    expectRight({ 1: 'New 1', 2: 'New 2' });
  });

  it('sorting before the writing and back after it is seen through, though every key stands where it stood', async () => {
    stand.put(contact(1, 'New 1'));
    afterNextWrite(() => stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'ID' }));
    await stand.flushWhile(() => stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name' }));
    expect(stand.outbox.rewritten).toEqual([`contact/${id(6)}`]);
    await stand.flushAll();
    expectRight({ 1: 'New 1' });
  });

  it('sorting while rows are added: the new ones stand once', async () => {
    stand.put(contact(1, 'New 1'), contact(7), contact(8));
    await stand.flushWhile(() => stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name' }));
    await stand.flushAll();
    const rows = stand.values().slice(1);
    expect(rows.map(([key]) => key).sort()).toEqual([...NUMBERS, 7, 8].map(id));
    expect(rows.filter(([key]) => key === id(7) || key === id(8)).sort()).toEqual([line(7), line(8)]);
    expect(rows.find(([key]) => key === id(1))).toEqual(noted(1, 'New 1'));
    expect(rows.find(([key]) => key === id(6))).toEqual(noted(6, name(6)));
  });

  it('a blank row inserted exactly there is left blank again', async () => {
    stand.put(contact(2, 'New 2'));
    await stand.flushWhile(() => stand.sandbox.staff.sheets.insertRow({ ...AT, row: 3 }));
    await stand.flushAll();
    expect(stand.values()[2]).toEqual([]);
    expectRight({ 2: 'New 2' });
  });

  it('a row inserted further up shifts the write by one: the neighbour is written again', async () => {
    stand.put(contact(4, 'New 4'));
    await stand.flushWhile(() => stand.sandbox.staff.sheets.insertRow({ ...AT, row: 2 }));
    expect(stand.outbox.rewritten).toEqual([`contact/${id(3)}`]);
    await stand.flushAll();
    expectRight({ 4: 'New 4' });
  });

  it('a row deleted by people comes back when it is written, and its neighbour is mended', async () => {
    stand.put(contact(2, 'New 2'));
    await stand.flushWhile(() => stand.sandbox.staff.sheets.deleteRow({ ...AT, row: 3 }));
    await stand.flushAll();
    const rows = stand.values().slice(1);
    expect(rows.map(([key]) => key).sort()).toEqual(NUMBERS.map(id));
    expect(rows.find(([key]) => key === id(2))).toEqual(line(2, 'New 2'));
    expect(rows.find(([key]) => key === id(3))).toEqual(noted(3, name(3)));
  });

  it('clearing the wrong row after a sort: its object comes back, no cell of people is lost', async () => {
    stand.put(row(1, undefined));
    await stand.flushWhile(() => stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name' }));
    expect(stand.outbox.rewritten).toEqual([`contact/${id(6)}`]);
    await stand.flushAll();
    const rows = stand.values().slice(1);
    expect(
      rows
        .map(([key]) => key)
        .filter((key) => key !== '' && key !== undefined)
        .sort(),
    ).toEqual([2, 3, 4, 5, 6].map(id));
    expect(rows.find(([key]) => key === id(6))?.slice(0, 3)).toEqual(line(6, name(6)));
    expect(
      rows
        .map((cells) => cells[3])
        .filter(Boolean)
        .sort(),
    ).toEqual(NUMBERS.map(note));
  });

  it('clearing a row that people delete meanwhile: the one that moved up comes back', async () => {
    stand.put(row(3, undefined));
    await stand.flushWhile(() => stand.sandbox.staff.sheets.deleteRow({ ...AT, row: 4 }));
    await stand.flushAll();
    const rows = stand.values().slice(1);
    expect(
      rows
        .map(([key]) => key)
        .filter((key) => key !== '')
        .sort(),
    ).toEqual([1, 2, 4, 5, 6].map(id));
    expect(rows.find(([key]) => key === id(4))?.slice(0, 3)).toEqual(line(4, name(4)));
  });

  it('a column inserted among the written ones is left as it was, and the cells reach their own', async () => {
    stand.put(contact(2, 'New 2'), contact(3, 'New 3'));
    await stand.flushWhile(() =>
      stand.sandbox.staff.sheets.insertColumn({ ...AT, before: 'Name', header: 'Mine' }),
    );
    await stand.flushAll();
    const [header, ...rows] = stand.values();
    expect(header).toEqual(['ID', 'Mine', 'Name', 'Phone', 'Note']);
    const expected = NUMBERS.map((n) => [
      id(n),
      '',
      ...noted(n, { 2: 'New 2', 3: 'New 3' }[n] ?? name(n)).slice(1),
    ]);
    expect(rows).toEqual(expected);
  });

  /** Every way to move, insert or delete a column that shifts the cells of the mirror, or puts people's cells between them. */
  const COLUMN_CHANGES = {
    'the notes moved to the front': () => move('Note', 'ID'),
    'the notes moved behind the id': () => move('Note', 'Name'),
    'the notes moved before the phone': () => move('Note', 'Phone'),
    'the id moved behind the phone': () => move('ID', 'Note'),
    'the id moved behind the name': () => move('ID', 'Phone'),
    'the phone moved to the front': () => move('Phone', 'ID'),
    'a column inserted at the front': () => insert('ID'),
    'a column inserted behind the id': () => insert('Name'),
    'a column inserted before the phone': () => insert('Phone'),
    'the notes moved to the front, and the tab sorted': () => {
      move('Note', 'ID');
      stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name' });
    },
    'the id moved behind the phone, and a row deleted': () => {
      move('ID', 'Note');
      stand.sandbox.staff.sheets.deleteRow({ ...AT, row: 2 });
    },
  };
  const move = (column: string, before: string) =>
    stand.sandbox.staff.sheets.moveColumn({ ...AT, column, before });
  const insert = (before: string) =>
    stand.sandbox.staff.sheets.insertColumn({ ...AT, before, header: 'Mine' });

  /** The mirror's cells by their headers, and all of people's cells. A row without an id shows nothing of a customer. */
  function expectWhole(wanted: readonly string[][]): void {
    const [header = [], ...rows] = stand.values();
    const under = (cells: readonly unknown[], name: string) => cells[header.indexOf(name)] ?? '';
    const own = rows.map((cells) => ['ID', 'Name', 'Phone'].map((name) => under(cells, name)));
    expect(own.filter((cells) => cells.some((cell) => cell !== '')).sort()).toEqual([...wanted].sort());
    const others = header.flatMap((name, at) =>
      ['ID', 'Name', 'Phone'].includes(String(name)) ? [] : rows.map((cells) => cells[at] ?? ''),
    );
    expect(others.filter((cell) => cell !== '' && !/^note of \d$/.test(String(cell)))).toEqual([]);
  }

  const allNames = Object.keys(COLUMN_CHANGES) as (keyof typeof COLUMN_CHANGES)[];
  it.each(allNames)(
    '%s while a row is added: it is whole, and no other cell holds any of it',
    async (change) => {
      stand.put(contact(7), contact(8));
      await stand.flushWhile(COLUMN_CHANGES[change]);
      await stand.flushAll();
      const isDeleted = change.endsWith('deleted');
      expectWhole([
        ...NUMBERS.filter((n) => !isDeleted || n !== 1).map((n) => line(n, name(n))),
        ...[line(7), line(8)],
      ]);
    },
  );

  // Where ids were overwritten, a row that people deleted in that moment cannot be told from the one that was hit: both come back.
  it.each(allNames)('%s while a row is updated: it is whole, and so is every other row', async (change) => {
    stand.put(contact(4, 'New 4'), contact(5, 'New 5'));
    await stand.flushWhile(COLUMN_CHANGES[change]);
    await stand.flushAll();
    expectWhole(NUMBERS.map((n) => line(n, n === 4 || n === 5 ? `New ${n}` : name(n))));
  });

  it.each(allNames)('%s while a row is cleared: nothing of it stays', async (change) => {
    stand.put(row(4, undefined));
    await stand.flushWhile(COLUMN_CHANGES[change]);
    await stand.flushAll();
    expectWhole([1, 2, 3, 5, 6].map((n) => line(n, name(n))));
  });

  it.each(allNames)('%s while a row is added, and the answer is lost: it is whole', async (change) => {
    stand.put(contact(7), contact(4, 'New 4'));
    const fault = { kind: 'commit-then-reset' } as const;
    stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault, onStrike: COLUMN_CHANGES[change] });
    await stand.flush().catch(() => undefined);
    await stand.flushAll();
    expectWhole([...NUMBERS.map((n) => line(n, n === 4 ? 'New 4' : name(n))), line(7)]);
  });

  /** People move rows and columns in one moment. What they wrote beside a contact stays in its row, and no other cell holds any of it. */
  const BOTH: Readonly<
    Record<string, { writes: () => OutboxRow[]; people: () => void; names: (string | undefined)[] }>
  > = {
    'a row deleted, the tab sorted and the phone moved before the name': {
      writes: () => [contact(6, 'New 6')],
      people: () => {
        move('Phone', 'Name');
        stand.sandbox.staff.sheets.deleteRow({ ...AT, row: 3 });
        stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name' });
      },
      names: [name(1), undefined, name(3), name(4), name(5), 'New 6'],
    },
    'a blank row inserted, and a column at the front': {
      writes: () => [contact(4, 'New 4'), contact(6, 'New 6')],
      people: () => {
        stand.sandbox.staff.sheets.insertRow({ ...AT, row: 3 });
        insert('ID');
      },
      names: [name(1), name(2), name(3), 'New 4', name(5), 'New 6'],
    },
    'two rows swapped, and a column inserted at the front': {
      writes: () => [contact(4, 'New 4'), contact(6, 'New 6')],
      people: () => {
        stand.sandbox.staff.sheets.moveRow({ ...AT, row: 5, before: 2 });
        stand.sandbox.staff.sheets.moveRow({ ...AT, row: 3, before: 6 });
        insert('ID');
      },
      names: [name(1), name(2), name(3), 'New 4', name(5), 'New 6'],
    },
    'the tab sorted, and a column inserted before the phone, while a row is cleared': {
      writes: () => [contact(1, 'New 1'), row(4, undefined)],
      people: () => {
        stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'ID', descending: true });
        insert('Phone');
      },
      names: ['New 1', name(2), name(3), undefined, name(5), name(6)],
    },
    'a row moved down, and the id behind the name, while a row is cleared': {
      writes: () => [contact(5, 'New 5'), row(2, undefined)],
      people: () => {
        stand.sandbox.staff.sheets.moveRow({ ...AT, row: 4, before: 8 });
        move('ID', 'Phone');
      },
      names: [name(1), undefined, name(3), name(4), 'New 5', name(6)],
    },
  };
  it.each(Object.entries(BOTH))('P2, P6, P9: %s: each row is whole, with its note', async (_, about) => {
    stand.put(...about.writes().map((write) => ({ ...write, staysAway: true })));
    await stand.flushWhile(about.people);
    await stand.flushAll();
    const wanted = about.names.flatMap((now, at) => (now === undefined ? [] : [line(at + 1, now)]));
    expectWhole(wanted);
    const [header = [], ...rows] = stand.values();
    const noteOf = (key: string | undefined) =>
      rows.find((cells) => cells[header.indexOf('ID')] === key)?.[header.indexOf('Note')];
    expect(wanted.map(([key]) => noteOf(key))).toEqual(wanted.map(([key]) => note(Number(key?.slice(-12)))));
  });

  it('P6, P9: a column inserted and a row deleted while a row is updated, and the answer is lost: nothing stays in the new column', async () => {
    stand.put(contact(2, 'New 2'));
    const onStrike = () => {
      stand.sandbox.staff.sheets.deleteRow({ ...AT, row: 6 });
      insert('Phone');
    };
    const fault = { kind: 'commit-then-reset' } as const;
    stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault, onStrike });
    await stand.flush().catch(() => undefined);
    await stand.flushAll();
    expectWhole([1, 2, 3, 4, 6].map((n) => line(n, n === 2 ? 'New 2' : name(n))));
  });

  it('P1, P2: a row moved while cells return under their moved headers: no id goes over another one', async () => {
    const wanted = NUMBERS.map((n) => (n === 4 ? line(4, 'New 4', '+41990004') : line(n, name(n))));
    stand.put(contact(4, 'New 4', '+41990004'));
    const moments = [
      () => insert('Phone'),
      () => stand.sandbox.staff.sheets.moveRow({ ...AT, row: 5, before: 2 }),
    ];
    const fault = { kind: 'delay', ms: 0 } as const;
    for (const onStrike of moments)
      stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault, onStrike });
    await stand.flushAll();
    expect(stand.sandbox.faults.hits()).toBe(2);
    const [header = [], ...rows] = stand.values();
    const own = rows.map((cells) => ['ID', 'Name', 'Phone'].map((text) => cells[header.indexOf(text)]));
    expect(own.sort()).toEqual(wanted);
  });

  it('a column of the mirror deleted while rows are written: no other column holds any of its cells', async () => {
    stand.put(contact(7), contact(4, 'New 4'));
    await stand.flushWhile(() => stand.sandbox.staff.sheets.deleteColumn({ ...AT, column: 'Name' }));
    stand.sandbox.staff.sheets.insertColumn({ ...AT, before: 'Phone', header: 'Name' });
    await stand.flushAll();
    const [header, ...rows] = stand.values();
    expect(header).toEqual(['ID', 'Name', 'Phone', 'Note']);
    expect(
      rows.map((cells) => cells[3] ?? '').filter((cell) => !/^(note of \d)?$/.test(String(cell))),
    ).toEqual([]);
    expect(rows.filter(([key]) => key === id(7) || key === id(4)).map((cells) => cells.slice(0, 3))).toEqual([
      line(4, 'New 4'),
      line(7),
    ]);
  });

  it('columns moved between two flushes are found by their headers', async () => {
    stand.sandbox.staff.sheets.moveColumn({ ...AT, column: 'ID', before: 'Note' });
    stand.sandbox.staff.sheets.moveColumn({ ...AT, column: 'Note', before: 'Name' });
    stand.put(contact(2, 'New 2'), contact(7));
    await stand.flushAll();
    expect(stand.values()[0]).toEqual(['Note', 'Name', 'Phone', 'ID']);
    expect(stand.values()[2]).toEqual([note(2), 'New 2', line(2)[2], id(2)]);
    expect(stand.values()[7]).toEqual(['', line(7)[1], line(7)[2], id(7)]);
  });

  it('rows that were deleted so that the grid ends sooner refuse the write, and nothing is written wrongly', async () => {
    stand.put(contact(6, 'New 6'));
    await expect(
      stand.flushWhile(() => {
        const range = { sheetId: 0, dimension: 'ROWS', startIndex: 3, endIndex: 50 };
        stand.sandbox.staff.sheets.request({ spreadsheetId: BOOK, request: { deleteDimension: { range } } });
      }),
    ).rejects.toMatchObject({ family: 'retryable', code: 'sheet-changed' });
    await stand.flushAll();
    expect(stand.values().slice(1)).toEqual([noted(1, name(1)), noted(2, name(2)), line(6, 'New 6')]);
  });

  it('no name, phone or note stands in any line of the log', async () => {
    stand.put(contact(1, 'New 1'), row(2, undefined));
    await stand.flushWhile(() => stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name' }));
    await stand.flushAll();
    expect(stand.log.lines.length).toBeGreaterThan(1);
    expect(JSON.stringify(stand.log.lines)).not.toMatch(/New 1|Name \d|\+41|note of/);
  });
});
