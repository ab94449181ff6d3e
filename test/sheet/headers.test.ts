// Case 63: columns are found by their headers at each flush; what cannot be told apart stops that mirror and no other.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BOOK, CONTACTS, contact, id, line, row, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone'];
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const TARGET = `spreadsheet:${BOOK}/Contacts`;
const APPOINTMENTS = { ...CONTACTS, name: 'visits', tab: 'Visits' };
const appointment = (n: number) =>
  row(n, { Name: `Appointment ${n}`, Phone: null }, { mirror: 'visits', tab: 'Visits' });

describe('the header row of a tab', () => {
  let stand: Stand;
  beforeEach(async () => {
    stand = await startStand({
      tabs: [
        { title: 'Contacts', values: [HEADER, line(1)] },
        { title: 'Visits', values: [['Name', ' ID ', 'Mine', ' Phone']] },
      ],
      parts: { mirrors: [CONTACTS, APPOINTMENTS] },
    });
  });
  afterEach(() => stand.close());

  it('may have its columns in any order, among others, with spaces around the names', async () => {
    stand.put(appointment(1), appointment(2));
    await stand.flush();
    expect(stand.values('Visits').slice(1)).toEqual([
      ['Appointment 1', id(1)],
      ['Appointment 2', id(2)],
    ]);
  });

  it('a renamed header stops its mirror, the rows wait, and the other tab goes on', async () => {
    stand.sandbox.staff.sheets.renameHeader({ ...AT, from: 'Phone', to: 'Mobile' });
    stand.put(contact(1, 'New 1'), appointment(1));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 1 });
    expect(stand.problems.codes()).toEqual({ [TARGET]: 'header-missing' });
    expect(await stand.problems.list()).toMatchObject([{ names: ['Phone'] }]);
    expect(stand.values()).toEqual([['ID', 'Name', 'Mobile'], line(1)]);
    expect(stand.values('Visits')).toHaveLength(2);
    await expect(stand.flush()).rejects.toMatchObject({
      family: 'deferred',
      code: 'header-missing',
      message: expect.stringContaining('"Phone"'),
      advice: expect.stringContaining('"Phone"'),
      target: TARGET,
    });
  });

  it('a header that is put right again lets the mirror go on, and the problem is gone', async () => {
    stand.sandbox.staff.sheets.renameHeader({ ...AT, from: 'Phone', to: 'Mobile' });
    stand.put(contact(1, 'New 1'));
    await expect(stand.flush()).rejects.toMatchObject({ code: 'header-missing' });
    stand.sandbox.staff.sheets.renameHeader({ ...AT, from: 'Mobile', to: 'Phone' });
    expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
    expect(stand.problems.codes()).toEqual({});
    expect(stand.values()).toEqual([HEADER, line(1, 'New 1')]);
  });

  it('while a tab is not to be tried, nothing is asked of Google for it', async () => {
    stand.sandbox.staff.sheets.renameHeader({ ...AT, from: 'Phone', to: 'Mobile' });
    stand.put(contact(1, 'New 1'));
    await expect(stand.flush()).rejects.toMatchObject({ code: 'header-missing' });
    stand.problems.isTurn = false;
    stand.sandbox.resetCounts();
    await expect(stand.flush()).rejects.toMatchObject({ family: 'deferred', code: 'tab-paused' });
    expect(stand.sandbox.stats().calls).toBe(0);
    stand.put(appointment(1));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 1 });
  });

  it('a thousand rows that cannot be written do not hide the one that can', async () => {
    stand.sandbox.staff.sheets.renameHeader({ ...AT, from: 'Phone', to: 'Mobile' });
    stand.put(...Array.from({ length: 5_000 }, (_, n) => contact(n)), appointment(1));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 5_000 });
    expect(stand.problems.codes()).toEqual({ [TARGET]: 'header-missing' });
    stand.problems.isTurn = false;
    stand.put(appointment(2));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 5_000 });
  });

  it('two columns with a header of the mirror stop it: nobody can tell which one is meant', async () => {
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'F1', value: 'Name' });
    stand.put(contact(1, 'New 1'));
    await expect(stand.flush()).rejects.toMatchObject({ code: 'header-duplicate' });
    expect(stand.problems.codes()).toEqual({ [TARGET]: 'header-duplicate' });
    expect(stand.values()[1]).toEqual(line(1));
  });

  it('two columns with a header that is not the mirror’s are people’s business', async () => {
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'E1', value: 'Note' });
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'F1', value: 'Note' });
    stand.put(contact(1, 'New 1'));
    expect((await stand.flush()).written).toBe(1);
  });

  it('a column that is new in the mapping is not put into people’s sheet by surprise', async () => {
    await stand.close();
    const columns = [...CONTACTS.columns, { header: 'City', template: '{{ city }}' }];
    stand = await startStand({
      tabs: [{ title: 'Contacts', values: [HEADER, line(1)] }],
      parts: { mirrors: [{ ...CONTACTS, columns }] },
    });
    stand.put(row(1, { Name: 'A', Phone: 'B', City: 'C' }));
    await expect(stand.flush()).rejects.toMatchObject({
      code: 'header-missing',
      advice: expect.stringContaining('"City"'),
    });
    expect(stand.values()).toEqual([HEADER, line(1)]);
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'E1', value: 'City' });
    await stand.flush();
    expect(stand.values()[1]).toEqual([id(1), 'A', 'B', '', 'C']);
  });

  it('a blanked header row over rows that are still there stops the mirror', async () => {
    for (const cell of ['A1', 'B1', 'C1']) stand.sandbox.staff.sheets.setCell({ ...AT, cell, value: '' });
    stand.put(contact(1, 'New 1'), contact(2));
    await expect(stand.flush()).rejects.toMatchObject({ code: 'header-missing' });
    expect(stand.values()).toEqual([[], line(1)]);
  });
});
