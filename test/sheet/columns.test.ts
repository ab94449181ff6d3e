// Columns that come into the mapping and leave it (cases 63, 73).

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SheetMirror } from '../../src/engine/mirror.ts';
import type { SheetCarry } from '../../src/engine/row-edit.ts';
import type { UnkeptRows } from '../../src/engine/sheet-rows.ts';
import { createSheetFlusher } from '../../src/sheet/flush.ts';
import { RememberedTabs } from '../../src/sheet/tab-survey.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { double } from '../stand/double.ts';
import { BOOK, CONTACTS, contact, id, line, row, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone'];
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const TARGET = `spreadsheet:${BOOK}/Contacts`;
const CITY = { header: 'City', template: '{{ city }}' };
const living = (n: number, city: string) => row(n, { Name: `Name ${n}`, Phone: null, City: city });

describe('a mapping that changes its columns', () => {
  let stand: Stand;
  const tabs = () => new RememberedTabs(new MapMemory());
  let memory = tabs();
  beforeEach(async () => {
    memory = tabs();
    stand = await startStand({
      tabs: [{ title: 'Contacts', rows: 20, columns: 5 }],
      parts: { tabs: double(memory) },
    });
    stand.put(contact(1), contact(2));
    await stand.flush();
  });
  afterEach(() => stand.close());

  /** The worker is started again with another mapping. */
  async function flushWith(columns: SheetMirror['columns'], about: Partial<SheetMirror> = {}) {
    const mirror = { ...CONTACTS, columns, ...about } as SheetMirror;
    const { api, outbox, unkept, problems, log, meter } = stand;
    const clock = { now: () => Date.now() };
    const parts = {
      api,
      outbox,
      unkept: double<UnkeptRows>(unkept),
      problems,
      log,
      meter,
      clock,
      tabs: memory,
      mirrors: [mirror],
    };
    return createSheetFlusher(parts).flush(BOOK, new AbortController());
  }
  const reader = () => stand.values();

  it('adds the new one behind everything that people use, header or not', async () => {
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'D1', value: 'Note' });
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'E3', value: 'no header over me' });
    stand.put(living(1, 'Bern'), living(3, 'Basel'));
    expect(await flushWith([...CONTACTS.columns, CITY])).toEqual({ written: 2, remaining: 0 });
    expect(reader()).toEqual([
      [...HEADER, 'Note', '', 'City'],
      [id(1), 'Name 1', '', '', '', 'Bern'],
      [...line(2), '', 'no header over me'],
      [id(3), 'Name 3', '', '', '', 'Basel'],
    ]);
  });

  describe('columns that only the worker needs, at its first look at a tab that people have headed', () => {
    const carry: SheetCarry = {
      ...{ answerHeader: 'Answer', conflict: 'platform', language: 'en', notifyCustomer: false },
      columns: [{ header: 'Cancel', field: 'cancel' }],
    };
    const own = [
      { header: 'Cancel', template: 'false', as: 'boolean' as const },
      { header: 'Answer', template: '' },
    ];
    const answered = row(3, { Name: 'Name 3', Phone: null, Cancel: false, Answer: null });
    beforeEach(() => {
      memory = tabs();
    });

    it('are added behind what people use, and rows are written', async () => {
      stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'E1', value: 'Note' });
      stand.put(answered);
      expect(await flushWith([...CONTACTS.columns, ...own], { carry })).toEqual({ written: 1, remaining: 0 });
      expect(reader()[0]).toEqual([...HEADER, '', 'Note', 'Cancel', 'Answer']);
      expect(reader()[3]).toEqual([id(3), 'Name 3', '', '', '', false]);
      expect(stand.problems.codes()).toEqual({});
    });

    it('are no fault beside a header of the mapping that is missing: people are asked for that one alone', async () => {
      stand.put(answered);
      const columns = [...CONTACTS.columns, CITY, ...own];
      await expect(flushWith(columns, { carry })).rejects.toMatchObject({
        code: 'header-missing',
        message: 'the first row of the tab lacks the header "City"',
      });
      expect(reader()[0]).toEqual(HEADER);
    });

    it('are asked for when people took them away later: ticks under another header would be lost', async () => {
      stand.put(answered);
      await flushWith([...CONTACTS.columns, ...own], { carry });
      stand.sandbox.staff.sheets.renameHeader({ ...AT, from: 'Cancel', to: 'Off' });
      stand.put(row(3, { Name: 'New 3', Phone: null, Cancel: false, Answer: null }));
      await expect(flushWith([...CONTACTS.columns, ...own], { carry })).rejects.toMatchObject({
        message: expect.stringContaining('"Cancel"'),
      });
    });
  });

  it('adds it once, also when the answer to the writing is lost', async () => {
    stand.put(living(1, 'Bern'));
    stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'commit-then-reset' } });
    await flushWith([...CONTACTS.columns, CITY]);
    stand.put(living(2, 'Basel'));
    await flushWith([...CONTACTS.columns, CITY]);
    expect(reader()[0]).toEqual([...HEADER, 'City']);
    expect(reader().map((cells) => cells[3])).toEqual(['City', 'Bern', 'Basel']);
  });

  it('writes nothing over what somebody begins there in that moment', async () => {
    stand.put(living(1, 'Bern'));
    stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'delay', ms: 150 } });
    const before = stand.sandbox.faults.hits();
    const flushed = flushWith([...CONTACTS.columns, CITY]);
    while (stand.sandbox.faults.hits() === before) await new Promise((done) => setTimeout(done, 2));
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'D1', value: 'Mine' });
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'D2', value: 'my note' });
    await flushed;
    const [header = [], first = []] = reader();
    expect(first[header.indexOf('Mine')]).toBe('my note');
    expect(first[header.indexOf('City')]).toBe('Bern');
  });

  it('tells what to do when it cannot be added because the tab is protected', async () => {
    stand.sandbox.staff.sheets.protectRange(AT);
    stand.put(living(1, 'Bern'));
    await expect(flushWith([...CONTACTS.columns, CITY])).rejects.toMatchObject({ code: 'protected-range' });
    expect(stand.problems.codes()).toEqual({ [TARGET]: 'protected-range' });
    expect(reader()).toEqual([HEADER, line(1), line(2)]);
    expect(await stand.waiting()).toEqual([id(1)]);
  });

  it('leaves a removed one where it is, as it is, and says so once', async () => {
    const columns = CONTACTS.columns.slice(0, 2);
    stand.put(row(1, { Name: 'New 1' }));
    await flushWith(columns);
    stand.put(row(2, { Name: 'New 2' }));
    await flushWith(columns);
    expect(reader()).toEqual([HEADER, line(1, 'New 1'), line(2, 'New 2')]);
    const told = stand.log.lines.filter((each) => JSON.stringify(each).includes('columns left the mapping'));
    expect(told).toHaveLength(1);
  });

  it('takes a renamed one for a new one, and the old one stays', async () => {
    const columns = CONTACTS.columns.map((each) =>
      each.header === 'Phone' ? { ...each, header: 'Mobile' } : each,
    );
    stand.put(row(1, { Name: 'New 1', Mobile: '+1' }));
    await flushWith(columns);
    expect(reader()).toEqual([[...HEADER, 'Mobile'], [...line(1, 'New 1'), '+1'], line(2)]);
  });

  it('does not mind another order', async () => {
    stand.put(contact(1, 'New 1'));
    await flushWith([...CONTACTS.columns].reverse());
    expect(reader()).toEqual([HEADER, line(1, 'New 1'), line(2)]);
  });

  it('asks for the new name of the key column in the tab, for rows could not be found without it', async () => {
    const columns = CONTACTS.columns.map((each) =>
      each.header === 'ID' ? { ...each, header: 'Key' } : each,
    );
    stand.put(contact(1, 'New 1'));
    await expect(flushWith(columns, { keyHeader: 'Key' })).rejects.toMatchObject({
      code: 'key-header-renamed',
      advice: expect.stringContaining('"ID"'),
    });
    expect(reader()).toEqual([HEADER, line(1), line(2)]);
    stand.sandbox.staff.sheets.renameHeader({ ...AT, from: 'ID', to: 'Key' });
    await flushWith(columns, { keyHeader: 'Key' });
    expect(reader()[1]).toEqual(line(1, 'New 1'));
  });

  it('asks people about a header that they renamed, although another one is new', async () => {
    stand.sandbox.staff.sheets.renameHeader({ ...AT, from: 'Phone', to: 'Tel' });
    stand.put(living(1, 'Bern'));
    await expect(flushWith([...CONTACTS.columns, CITY])).rejects.toMatchObject({
      code: 'header-missing',
      message: expect.not.stringContaining('City'),
    });
    expect(reader()[0]).toEqual(['ID', 'Name', 'Tel']);
  });
});
