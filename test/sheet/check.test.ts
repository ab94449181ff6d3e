// A look at what stands in the tabs: rows deleted or changed by people (cases 50, 60, 62, 65, 68).

import { queryObjects } from 'node:v8';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SheetCheck, SheetMirror } from '../../src/engine/mirror.ts';
import type { SheetRows } from '../../src/engine/sheet-rows.ts';
import { compareCells, SheetChecker } from '../../src/sheet/check.ts';
import { type KnownColumns, RememberedTabs } from '../../src/sheet/tab-survey.ts';
import { SheetZones } from '../../src/sheet/typed-cell.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { MemorySheetRows } from '../doubles/sheet-rows.ts';
import { double } from '../stand/double.ts';
import { atLength } from '../stand/runs.ts';
import { BOOK, CONTACTS, contact, id, line, row, type Stand, startStand } from './stand.ts';

const MOSCOW = { timeZone: 'Europe/Moscow', shownZone: 'Europe/Moscow' };
const HEADER = ['ID', 'Name', 'Phone'];
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const DAY_MS = 86_400_000;
const RESTORE: SheetCheck = { everyMs: 600_000, removed: 'restore', edited: 'restore' };
const LEAVE: SheetCheck = { everyMs: 600_000, removed: 'leave', edited: 'leave' };

describe('a look at the tab', () => {
  let stand: Stand;
  let nowMs = 0;
  beforeEach(async () => {
    nowMs = Date.now();
    stand = await startStand({ tabs: [{ title: 'Contacts', rows: 100, columns: 6 }] });
    stand.put(...[1, 2, 3].map((n) => contact(n)));
    await stand.flush();
    stand.sandbox.resetCounts();
    stand.problems.now = () => nowMs;
  });
  afterEach(() => stand.close());

  function checker(
    check: SheetCheck,
    mirror: SheetMirror = CONTACTS,
    tabs = new RememberedTabs(new MapMemory()),
  ): SheetChecker {
    return new SheetChecker({
      api: stand.api,
      rows: double(new MemorySheetRows(stand.outbox)),
      unkept: double(stand.unkept),
      mirrors: [{ ...mirror, check }],
      tabs: double(tabs),
      zones: new SheetZones({ api: stand.api, memory: new MapMemory(), problems: stand.problems }),
      problems: stand.problems,
      clock: { now: () => nowMs },
      log: stand.log,
    });
  }
  const rows = () => stand.values().filter((cells) => cells.some((cell) => cell !== ''));
  const deleteAll = () => {
    for (let at = 0; at < 3; at += 1) stand.sandbox.staff.sheets.deleteRow({ ...AT, row: 2 });
  };

  it('a copied row is named at the next look, and stays named when its object has left, until it is deleted', async () => {
    const looking = checker(RESTORE);
    stand.sandbox.staff.sheets.duplicateRow({ ...AT, row: 3 });
    await looking.check(BOOK);
    const copies = { 'sheet-copies:contacts': 'duplicate-key' };
    expect(stand.problems.codes()).toEqual(copies);
    stand.put(row(2, undefined));
    await stand.flushAll();
    await looking.check(BOOK);
    expect(stand.problems.codes()).toMatchObject(copies);
    expect(rows().filter(([key]) => key === id(2))).toEqual([line(2)]);
    const at = stand.values().findIndex(([key]) => key === id(2)) + 1;
    stand.sandbox.staff.sheets.deleteRow({ ...AT, row: at });
    await looking.check(BOOK);
    expect(stand.problems.codes()).toEqual({});
  });

  it('that is as it was written changes nothing, also when people sorted it and wrote beside it', async () => {
    stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Name', descending: true });
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'E2', value: 'mine' });
    stand.sandbox.staff.sheets.moveColumn({ ...AT, column: 'Phone', before: 'Name' });
    await checker(RESTORE).check(BOOK);
    expect(await stand.waiting()).toEqual([]);
    expect(stand.problems.codes()).toEqual({});
  });

  it('costs four reads at most while the place of the tab is not known yet, and writes nothing', async () => {
    const looking = checker(RESTORE);
    await looking.check(BOOK);
    stand.sandbox.resetCounts();
    await looking.check(BOOK);
    expect(stand.sandbox.stats().callsByMethod).toEqual({
      'spreadsheets.get': 1,
      'spreadsheets.values.batchGetByDataFilter': 2,
    });
  });

  it('remembers the columns of a tab once, whatever the number of looks, and again after Redis was wiped', async () => {
    let writes = 0;
    const columns = new Map<string, KnownColumns>();
    const tabs = Object.assign(new RememberedTabs(new MapMemory()), {
      columns: async (_: string, tab: string) => columns.get(tab),
      setColumns: async (_: string, tab: string, known: KnownColumns) => {
        writes += 1;
        columns.set(tab, known);
      },
    });
    const looking = checker(RESTORE, CONTACTS, tabs);
    for (let looks = 0; looks < 5; looks += 1) await looking.check(BOOK);
    expect(writes).toBe(1);
    columns.clear();
    await looking.check(BOOK);
    expect(columns.get('Contacts')).toEqual({ key: 'ID', headers: HEADER });
    expect(writes).toBe(2);
  });

  atLength.test('keeps nothing of a look, however many follow', async () => {
    const LOOKS = 20;
    const looking = checker(RESTORE);
    const counts: number[] = [];
    for (let rounds = 0; rounds < 5; rounds += 1) {
      for (let looks = 0; looks < LOOKS; looks += 1) await looking.check(BOOK);
      // What can be reached after a collection, not bytes.
      counts.push(queryObjects(Object, { format: 'count' }) ?? 0);
    }
    const [before = 0, between = 0, after = 0] = counts.slice(-3);
    // What a look leaves behind is there after each round; what else this process does is not.
    expect(Math.min(between - before, after - between)).toBeLessThan(LOOKS / 2);
  });

  it('brings back a row that people deleted', async () => {
    stand.sandbox.staff.sheets.deleteRow({ ...AT, row: 3 });
    await checker(RESTORE).check(BOOK);
    await stand.flushAll();
    expect(rows().slice(1).sort()).toEqual([line(1), line(2), line(3)]);
  });

  it('puts back a cell that people changed, and leaves their own cells in that row', async () => {
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'B3', value: 'Somebody else' });
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'E3', value: 'mine' });
    stand.sandbox.resetCounts();
    await checker(RESTORE).check(BOOK);
    expect(await stand.waiting()).toEqual([id(2)]);
    await stand.flushAll();
    expect(stand.values()[2]).toEqual([...line(2), '', 'mine']);
  });

  it('finds a number that was typed for a text, and a formula that gives another value', async () => {
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'C2', value: '41780001' });
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'B3', value: '=1+1' });
    await checker(RESTORE).check(BOOK);
    expect((await stand.waiting()).sort()).toEqual([id(1), id(2)]);
  });

  it('leaves changed cells and deleted rows where that is the setting', async () => {
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'B3', value: 'Somebody else' });
    stand.sandbox.staff.sheets.deleteRow({ ...AT, row: 2 });
    const looking = checker(LEAVE);
    await looking.check(BOOK);
    expect(stand.outbox.link(`contact/${id(1)}`, 'contacts')?.hash).not.toBe('left');
    await looking.check(BOOK);
    expect(await stand.waiting()).toEqual([]);
    expect(stand.outbox.link(`contact/${id(1)}`, 'contacts')?.hash).toBe('left');
    expect(stand.outbox.link(`contact/${id(2)}`, 'contacts')?.hash).not.toBe('left');
  });

  it('a row that was only cut and is pasted before the next look has never been away', async () => {
    stand.sandbox.staff.sheets.deleteRow({ ...AT, row: 2 });
    const looking = checker(LEAVE);
    await looking.check(BOOK);
    stand.sandbox.staff.sheets.insertRow({ ...AT, row: 4, values: line(1) });
    await looking.check(BOOK);
    expect(stand.outbox.link(`contact/${id(1)}`, 'contacts')?.hash).not.toBe('left');
  });

  it('a row that had been left and that people put back is kept up to date again', async () => {
    stand.sandbox.staff.sheets.deleteRow({ ...AT, row: 2 });
    const looking = checker(LEAVE);
    await looking.check(BOOK);
    await looking.check(BOOK);
    stand.sandbox.staff.sheets.addRow({ ...AT, values: [id(1), 'old', ''] });
    await looking.check(BOOK);
    expect(await stand.waiting()).toEqual([id(1)]);
    await stand.flushAll();
    expect(rows().at(-1)).toEqual(line(1));
  });

  it('a row whose object changed before the look stays away as well', async () => {
    stand.sandbox.staff.sheets.deleteRow({ ...AT, row: 2 });
    stand.put(row(1, { Name: 'New 1', Phone: null }, { staysAway: true }), contact(2, 'New 2'));
    expect(await stand.flush()).toEqual({ written: 2, remaining: 0 });
    expect(rows()).toEqual([HEADER, line(2, 'New 2'), line(3)]);
    expect(stand.outbox.link(`contact/${id(1)}`, 'contacts')?.hash).toBe('left');
  });

  it('rows of a tab that was blanked were not deleted one by one: they come back with its header', async () => {
    stand.sandbox.staff.sheets.blankTab(AT);
    stand.put(row(1, { Name: 'New 1', Phone: null }, { staysAway: true }));
    await stand.flushAll();
    expect(rows()).toEqual([HEADER, [id(1), 'New 1']]);
  });

  describe('where many rows are missing at once', () => {
    beforeEach(async () => {
      stand.put(...Array.from({ length: 40 }, (_, n) => contact(n + 1)));
      await stand.flushAll();
      const range = { sheetId: 0, dimension: 'ROWS', startIndex: 1, endIndex: 36 };
      stand.sandbox.staff.sheets.request({ spreadsheetId: BOOK, request: { deleteDimension: { range } } });
    });

    it('tells of them, writes them again, and is content when they are there', async () => {
      const looking = checker(RESTORE);
      await looking.check(BOOK);
      expect(stand.problems.codes()).toEqual({ 'sheet-check:contacts': 'rows-missing' });
      await stand.flushAll();
      expect(rows()).toHaveLength(41);
      await looking.check(BOOK);
      expect(stand.problems.codes()).toEqual({});
    });

    it('does not believe for a day that they are to stay away', async () => {
      const looking = checker(LEAVE);
      const left = () =>
        [...stand.outbox.linksOf('contacts').values()].filter(({ hash }) => hash === 'left').length;
      await looking.check(BOOK);
      await looking.check(BOOK);
      expect([left(), stand.problems.codes()]).toEqual([0, { 'sheet-check:contacts': 'rows-missing' }]);
      nowMs += DAY_MS + 60_000;
      await looking.check(BOOK);
      expect(left()).toBe(35);
      await looking.check(BOOK);
      expect(stand.problems.codes()).toEqual({});
    });
  });

  it('a tab that holds nothing at all is told of and not acted upon', async () => {
    stand.put(...Array.from({ length: 40 }, (_, n) => contact(n + 1)));
    await stand.flushAll();
    stand.sandbox.staff.sheets.blankTab(AT);
    await checker(LEAVE).check(BOOK);
    await checker(RESTORE).check(BOOK);
    expect(await stand.waiting()).toEqual([]);
    expect(stand.problems.codes()).toEqual({ 'sheet-check:contacts': 'rows-missing' });
  });

  it('a tab whose header was renamed, and one that is gone, is told of and nothing is concluded from it', async () => {
    stand.sandbox.staff.sheets.renameHeader({ ...AT, from: 'Name', to: 'Nom' });
    const looking = checker(LEAVE);
    await looking.check(BOOK);
    expect(stand.problems.codes()).toEqual({ 'sheet-check:contacts': 'header-missing' });
    stand.sandbox.staff.sheets.renameHeader({ ...AT, from: 'Nom', to: 'Name' });
    await looking.check(BOOK);
    expect(stand.problems.codes()).toEqual({});
    stand.sandbox.staff.sheets.addTab({ spreadsheetId: BOOK, tab: 'Other' });
    stand.sandbox.staff.sheets.deleteTab(AT);
    await looking.check(BOOK);
    await looking.check(BOOK);
    expect(stand.problems.codes()).toEqual({ 'sheet-check:contacts': 'tab-not-found' });
    expect([...stand.outbox.linksOf('contacts').values()].some(({ hash }) => hash === 'left')).toBe(false);
  });

  it('a reading that fails concludes nothing', async () => {
    deleteAll();
    stand.sandbox.faults.add({ times: 1, fault: { kind: 'status', status: 503 } });
    await expect(checker(RESTORE).check(BOOK)).rejects.toMatchObject({ family: 'retryable' });
    expect(await stand.waiting()).toEqual([]);
  });

  it('of two rows with one key the upper one is the mirror’s (case 62)', async () => {
    stand.sandbox.staff.sheets.duplicateRow({ ...AT, row: 2 });
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'B3', value: 'a copy' });
    await checker(RESTORE).check(BOOK);
    expect(await stand.waiting()).toEqual([]);
  });

  it('a spreadsheet with 8 of its 10 million cells is told of, until it is smaller (case 68)', async () => {
    stand.sandbox.staff.sheets.addTab({ spreadsheetId: BOOK, tab: 'Big', rows: 800_000, columns: 10 });
    const looking = checker(RESTORE);
    await looking.check(BOOK);
    expect(stand.problems.codes()).toEqual({ [`spreadsheet-size:${BOOK}`]: 'sheet-nearly-full' });
    stand.sandbox.staff.sheets.deleteTab({ spreadsheetId: BOOK, tab: 'Big' });
    await looking.check(BOOK);
    expect(stand.problems.codes()).toEqual({});
  });

  it('dates are written again when people give the spreadsheet another zone, and only where it matters', async () => {
    const memory = new MapMemory();
    const zones = new SheetZones({ api: stand.api, memory, problems: stand.problems });
    const dated = [
      ...CONTACTS.columns.slice(0, 2),
      { header: 'Phone', template: '{{ x }}', as: 'date' as const },
    ];
    const look = (about: Partial<SheetMirror>) =>
      new SheetChecker({
        ...{
          api: stand.api,
          rows: double(new MemorySheetRows(stand.outbox)),
          unkept: double(stand.unkept),
          tabs: new RememberedTabs(new MapMemory()),
          zones,
        },
        mirrors: [{ ...CONTACTS, check: RESTORE, ...about } as SheetMirror],
        ...{ problems: stand.problems, clock: { now: () => nowMs }, log: stand.log },
      }).check(BOOK);
    await look({ columns: dated });
    expect(await zones.zoneOf(BOOK)).toBe('UTC');
    await zones.note(BOOK, MOSCOW);
    await look({});
    await zones.note(BOOK, MOSCOW);
    await look({ columns: dated, timezone: 'Europe/Berlin' });
    expect(await stand.waiting()).toEqual([]);
    await zones.note(BOOK, MOSCOW);
    await look({ columns: dated });
    expect((await stand.waiting()).sort()).toEqual([id(1), id(2), id(3)]);
  });

  it('dates are written again after another zone also when the worker dies before all have a turn (P1)', async () => {
    const memory = new MapMemory();
    const zones = new SheetZones({ api: stand.api, memory, problems: stand.problems });
    const dated = [
      ...CONTACTS.columns.slice(0, 2),
      { header: 'Phone', template: '{{ x }}', as: 'date' as const },
    ];
    const rows = new MemorySheetRows(stand.outbox);
    let deaths = 1;
    const mortal: SheetRows = double({
      known: (place) => rows.known(place),
      leave: (...left) => rows.leave(...left),
      restore: async (keys, mirror) => {
        deaths -= 1;
        if (deaths >= 0) throw new Error('killed');
        await rows.restore(keys, mirror);
      },
    });
    const looking = new SheetChecker({
      ...{
        api: stand.api,
        rows: mortal,
        unkept: double(stand.unkept),
        tabs: new RememberedTabs(new MapMemory()),
        zones,
      },
      mirrors: [{ ...CONTACTS, columns: dated, check: RESTORE }],
      ...{ problems: stand.problems, clock: { now: () => nowMs }, log: stand.log },
    });
    await zones.note(BOOK, MOSCOW);
    await expect(looking.check(BOOK)).rejects.toThrow('killed');
    // Whoever has a turn now must write the new zone.
    expect(await zones.zoneOf(BOOK)).toBe('UTC');
    await looking.check(BOOK);
    expect((await stand.waiting()).sort()).toEqual([id(1), id(2), id(3)]);
    stand.put(...[1, 2, 3].map((n) => contact(n)));
    await stand.flushAll();
    await looking.check(BOOK);
    expect(await stand.waiting()).toEqual([]);
  });

  it('no row that is known, no request', async () => {
    await checker(RESTORE, { ...CONTACTS, name: 'other' }).check(BOOK);
    expect(stand.sandbox.stats().calls).toBe(0);
  });
});

it('parts of a tab without rows of the mirror are not read again', async () => {
  const ROWS = 30_002;
  const ids = Array.from({ length: ROWS }, (_, i) => id(i + 1));
  const values = [HEADER, ...ids.map((key, i) => [key, `Name ${i + 1}`])];
  const stand = await startStand({ tabs: [{ title: 'Contacts', rows: ROWS + 1, columns: 3, values }] });
  const compared = await compareCells(stand.api, CONTACTS, {
    view: {
      ...{ sheetId: 0, keys: ['ID', ...ids], rowCount: ROWS + 1 },
      layout: { keyColumn: 0, columns: new Map([['Name', 1]]) },
    },
    rows: new Map([[`contact/${id(15_000)}`, 'another']]),
  });
  const { calls } = stand.sandbox.stats();
  await stand.close();
  expect(compared.edited.map(({ cells }) => cells)).toEqual([{ Name: 'Name 15000' }]);
  expect([calls, compared.isWhole]).toEqual([1, true]);
});

it('a changed row has both of its neighbours, also between the rows of one read and those of the next', async () => {
  const ROWS = 10_002;
  const ids = Array.from({ length: ROWS }, (_, i) => id(i + 1));
  const values = [HEADER, ...ids.map((key, i) => [key, `Name ${i + 1}`])];
  const stand = await startStand({ tabs: [{ title: 'Contacts', rows: ROWS + 1, columns: 3, values }] });
  const columns = new Map([['Name', 1]]);
  const compared = await compareCells(stand.api, CONTACTS, {
    view: { sheetId: 0, layout: { keyColumn: 0, columns }, keys: ['ID', ...ids], rowCount: ROWS + 1 },
    rows: new Map([1, 10_000, 10_001, ROWS].map((n) => [`contact/${id(n)}`, 'another'])),
  });
  await stand.close();
  const named = compared.edited.map(({ cells, beside }) =>
    [beside?.[0], cells, beside?.[1]].map((of) => of?.['Name']),
  );
  expect(named).toEqual([
    [undefined, 'Name 1', 'Name 2'],
    ['Name 9999', 'Name 10000', 'Name 10001'],
    ['Name 10000', 'Name 10001', 'Name 10002'],
    ['Name 10001', 'Name 10002', undefined],
  ]);
});
