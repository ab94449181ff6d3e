import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wireText } from '../../demo/judge/company.ts';
import { type Mirrored, mirrorByHand, SPREADSHEET } from './mirrored.ts';

const CONTACTS = { spreadsheetId: SPREADSHEET, tab: 'Contacts' };
const APPOINTMENTS = { spreadsheetId: SPREADSHEET, tab: 'Appointments' };

describe('the judge of sheets', () => {
  let mirrored: Mirrored;
  beforeEach(async () => {
    mirrored = await mirrorByHand();
  });
  afterEach(() => mirrored.close());

  const sheets = () => mirrored.google.staff.sheets;
  /** The id in a row, as people count rows. */
  const keyAt = (tab: string, row: number) =>
    wireText(mirrored.google.truth.values(SPREADSHEET, tab)[row - 1]?.[0]);

  it('misses a row that was deleted', () => {
    const id = keyAt('Contacts', 3);
    sheets().deleteRow({ ...CONTACTS, row: 3 });
    expect(mirrored.differences()).toEqual([{ kind: 'missing', place: 'tab Contacts', id, what: 'no row' }]);
  });

  it('sees a row that is there twice', () => {
    const id = keyAt('Appointments', 4);
    sheets().duplicateRow({ ...APPOINTMENTS, row: 4 });
    expect(mirrored.differences()).toEqual([
      { kind: 'doubled', place: 'tab Appointments', id, what: 'one row more' },
    ]);
  });

  it('sees the row of a contact that was deleted on the platform', () => {
    const id = keyAt('Contacts', 2);
    mirrored.platform.dashboard.deleteContact(id);
    expect(mirrored.differences()).toEqual([
      { kind: 'stale', place: 'tab Contacts', id, what: 'a row of no object' },
    ]);
  });

  it('sees the row of a contact that the mapping does not take any more', () => {
    const id = keyAt('Contacts', 2);
    mirrored.platform.dashboard.changeContact(id, { lifecycle: 'churned' });
    expect(mirrored.differences()).toMatchObject([
      { kind: 'stale', place: 'tab Contacts', id },
      { kind: 'missing', place: 'tab Win-back', id },
    ]);
  });

  it.each([
    ['Leads', 'Outcome'],
    ['Conversations', 'Messages'],
  ])('sees one cell of %s', (tab, column) => {
    const [header = [], row = []] = mirrored.google.truth.values(SPREADSHEET, tab);
    const values = header.map((name, at) => (name === column ? 'lost' : wireText(row[at])));
    sheets().setRow({ spreadsheetId: SPREADSHEET, tab, row: 2, values });
    expect(mirrored.differences().filter((one) => one.what.includes(column))).toMatchObject([
      { kind: 'stale', place: `tab ${tab}`, id: wireText(row[0]) },
    ]);
  });

  it('sees cells without an id', () => {
    sheets().addRow({ ...CONTACTS, values: ['', 'Left over'] });
    expect(mirrored.differences()).toMatchObject([{ kind: 'stale', what: 'a row of no object' }]);
  });

  it('sees one cell', () => {
    const id = keyAt('Appointments', 5);
    const [row = []] = mirrored.google.truth.values(SPREADSHEET, 'Appointments').slice(4, 5);
    const [wrong, ...rest] = [...row.slice(0, 4), 'lost', ...row.slice(5)];
    sheets().setRow({ ...APPOINTMENTS, row: 5, values: [wrong ?? '', ...rest] });
    const statuses = mirrored.differences().filter((one) => one.what.includes('Status'));
    expect(statuses).toMatchObject([{ kind: 'stale', id }]);
  });

  it('sees a phone that became a number', () => {
    const values = mirrored.google.truth.values(SPREADSHEET, 'Contacts');
    const row = values.findIndex((cells) => wireText(cells[2]).startsWith('+')) + 1;
    // Typed by a person, "+7…" is a number.
    sheets().setRow({ ...CONTACTS, row, values: values[row - 1] ?? [] });
    expect(mirrored.differences().filter((one) => one.what.includes('Phone'))).toMatchObject([
      { kind: 'stale', place: 'tab Contacts' },
    ]);
  });

  it('finds rows wherever people have sorted them to, and columns wherever they have moved them', () => {
    sheets().sortTab({ ...CONTACTS, column: 'Name', descending: true });
    sheets().moveColumn({ ...CONTACTS, column: 'Phone', before: 'ID' });
    sheets().insertColumn({ ...CONTACTS, before: 'Name', header: 'Notes' });
    expect(mirrored.differences()).toEqual([]);
  });

  it('misses a header, and with it the cells of its column', () => {
    sheets().deleteColumn({ ...APPOINTMENTS, column: 'Service' });
    const found = mirrored.differences();
    expect(found[0]).toEqual({
      kind: 'missing',
      place: 'tab Appointments',
      id: 'Service',
      what: '0 headers of that name',
    });
    expect(found.length).toBe(1 + mirrored.platform.truth.appointments().length);
  });

  it('misses everything in an empty tab', () => {
    mirrored.google.addSpreadsheet(SPREADSHEET, {
      shareWith: [],
      tabs: ['Contacts', 'Win-back', 'Leads', 'Conversations', 'Appointments'].map((title) => ({ title })),
    });
    const rows = mirrored.differences().filter((one) => one.what === 'no row');
    const appointments = mirrored.platform.truth.appointments().length;
    expect(rows.length).toBeGreaterThan(appointments);
  });
});
