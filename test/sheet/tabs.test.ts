// Tabs that people rename, delete, make or empty (case 65).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BOOK, CONTACTS, contact, id, line, row, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone'];
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };

describe('a tab', () => {
  let stand: Stand;
  const begun: string[] = [];
  beforeEach(async () => {
    begun.length = 0;
    stand = await startStand({
      tabs: [{ title: 'Contacts', values: [HEADER, line(1)] }, { title: 'Other' }],
      parts: { onTabBegun: ({ mirror }) => void begun.push(mirror) },
    });
    stand.put(contact(1));
    await stand.flush();
    stand.sandbox.resetCounts();
  });
  afterEach(() => stand.close());

  it('that was renamed is found again, at no cost', async () => {
    stand.sandbox.staff.sheets.renameTab({ ...AT, to: "People's list" });
    stand.put(contact(1, 'New 1'), contact(2));
    await stand.flush();
    expect(stand.values("People's list")).toEqual([HEADER, line(1, 'New 1'), line(2)]);
    expect(stand.sandbox.stats().calls).toBe(2);
  });

  it('that was renamed is not confused with a new one of its old name', async () => {
    stand.sandbox.staff.sheets.renameTab({ ...AT, to: 'Archive' });
    stand.sandbox.staff.sheets.addTab(AT);
    stand.put(contact(1, 'New 1'));
    await stand.flush();
    expect(stand.values('Archive')).toEqual([HEADER, line(1, 'New 1')]);
    expect(stand.values('Contacts')).toEqual([]);
  });

  it('that was deleted and made anew is begun again', async () => {
    stand.sandbox.staff.sheets.renameTab({ ...AT, to: 'Old' });
    stand.sandbox.staff.sheets.addTab(AT);
    stand.sandbox.staff.sheets.deleteTab({ spreadsheetId: BOOK, tab: 'Old' });
    stand.put(contact(1, 'New 1'));
    await stand.flush();
    expect(stand.values()).toEqual([HEADER, line(1, 'New 1')]);
    expect(begun).toEqual(['contacts']);
  });

  it('that does not exist is a problem with advice; its rows wait and are written once it is there', async () => {
    stand.sandbox.staff.sheets.deleteTab(AT);
    stand.put(contact(1, 'New 1'));
    await expect(stand.flush()).rejects.toMatchObject({
      family: 'deferred',
      code: 'tab-not-found',
      advice: expect.stringContaining('"Contacts"'),
    });
    expect(stand.problems.codes()).toEqual({ [`spreadsheet:${BOOK}/Contacts`]: 'tab-not-found' });
    stand.sandbox.staff.sheets.addTab(AT);
    expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
    expect(stand.problems.codes()).toEqual({});
  });

  it('that does not exist keeps no other tab from its rows', async () => {
    const other = { ...CONTACTS, name: 'other', tab: 'Other' };
    const gone = { ...CONTACTS, name: 'gone', tab: 'Gone' };
    await stand.close();
    stand = await startStand({
      tabs: [{ title: 'Contacts' }, { title: 'Other' }],
      parts: { mirrors: [CONTACTS, other, gone] },
    });
    stand.put(
      row(1, { Name: 'x', Phone: 'y' }, { mirror: 'gone', tab: 'Gone' }),
      contact(2),
      row(3, { Name: 'z', Phone: null }, { mirror: 'other', tab: 'Other' }),
    );
    expect(await stand.flush()).toEqual({ written: 2, remaining: 1 });
    expect(stand.sandbox.stats().callsByMethod['spreadsheets.batchUpdate']).toBe(1);
    expect(stand.values()).toEqual([HEADER, line(2)]);
    expect(stand.values('Other')).toEqual([HEADER, [id(3), 'z']]);
  });

  it('whose name people gave to the tab of another mirror is a problem; its rows wait, and are written once it is there again (P1)', async () => {
    const other = { ...CONTACTS, name: 'other', tab: 'Other' };
    const ofOther = (n: number) =>
      row(n, { Name: `Other ${n}`, Phone: null }, { mirror: 'other', tab: 'Other' });
    await stand.close();
    stand = await startStand({
      tabs: [{ title: 'Contacts' }, { title: 'Other' }],
      parts: { mirrors: [CONTACTS, other] },
    });
    const people = stand.sandbox.staff.sheets;
    stand.put(contact(1), ofOther(8));
    await stand.flushAll();
    people.deleteTab({ spreadsheetId: BOOK, tab: 'Other' });
    people.renameTab({ ...AT, to: 'Other' });
    stand.put(contact(2), ofOther(9));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 1 });
    expect(stand.problems.codes()).toEqual({ [`spreadsheet:${BOOK}/Other`]: 'tab-not-found' });
    stand.put(contact(3));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 1 });
    expect(stand.values('Other')).toEqual([HEADER, line(1), line(2), line(3)]);
    people.renameTab({ spreadsheetId: BOOK, tab: 'Other', to: 'Contacts' });
    people.addTab({ spreadsheetId: BOOK, tab: 'Other' });
    await stand.flushAll();
    expect(stand.values()).toEqual([HEADER, line(1), line(2), line(3)]);
    expect(stand.values('Other')).toEqual([HEADER, [id(9), 'Other 9']]);
    expect(stand.problems.codes()).toEqual({});
  });

  it('that people emptied gets its header and the waiting rows, and is said to have been begun', async () => {
    stand.sandbox.staff.sheets.blankTab(AT);
    stand.put(contact(2));
    await stand.flush();
    expect(stand.values()).toEqual([HEADER, line(2)]);
    expect(begun).toEqual(['contacts']);
  });

  it('that people emptied is said to have been begun even when the answer is lost', async () => {
    stand.sandbox.staff.sheets.blankTab(AT);
    stand.put(contact(2));
    stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'commit-then-reset' } });
    expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
    expect(stand.values()).toEqual([HEADER, line(2)]);
    expect(begun).toEqual(['contacts']);
  });

  it('that people emptied is not written for rows that are to be taken away', async () => {
    stand.sandbox.staff.sheets.blankTab(AT);
    stand.put(row(1, undefined));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
    expect(stand.values()).toEqual([]);
  });

  it('rows of a mirror that left the mapping are dropped, and what stands in the tab stays', async () => {
    stand.put(row(5, { Name: 'x', Phone: null }, { mirror: 'former' }), contact(2));
    await stand.flushAll();
    expect(await stand.flush()).toEqual({ written: 0, remaining: 0 });
    expect(stand.values()).toEqual([HEADER, line(1), line(2)]);
  });

  it('that somebody fills while it is taken for empty keeps what they typed beside the header', async () => {
    stand.sandbox.staff.sheets.blankTab(AT);
    stand.put(contact(2));
    await stand.flushWhile(() =>
      stand.sandbox.staff.sheets.setRow({ ...AT, row: 2, values: ['', '', '', 'mine'] }),
    );
    await stand.flushAll();
    expect(stand.values()).toEqual([HEADER, line(2), ['', '', '', 'mine']]);
  });

  it('two rows with one key: the first is kept up to date, the other is told of and left alone (case 62)', async () => {
    stand.sandbox.staff.sheets.duplicateRow({ ...AT, row: 2 });
    stand.put(contact(1, 'New 1'), contact(2));
    await stand.flush();
    expect(stand.values()).toEqual([HEADER, line(1, 'New 1'), line(1), line(2)]);
    expect(stand.problems.codes()).toEqual({ [`spreadsheet:${BOOK}/Contacts`]: 'duplicate-key' });
    stand.problems.isTurn = false;
    stand.put(contact(1, 'Newer 1'));
    expect((await stand.flush()).written).toBe(1);
    stand.sandbox.staff.sheets.deleteRow({ ...AT, row: 3 });
    stand.put(contact(1, 'Newest 1'));
    await stand.flush();
    expect(stand.problems.codes()).toEqual({});
  });
});
