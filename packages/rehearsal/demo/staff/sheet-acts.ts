// What the office does in the spreadsheet while the worker writes rows.
import { wireText } from '../judge/company.ts';
import type { StaffCast } from './cast.ts';
import { CORRECTED_TAB } from './corrections.ts';

export const NOTES = 'Notes';
/** The worker never clears rows of appointments, so a word beside one must stay. */
export const NOTED_TAB = 'Appointments';
const SORTED = ['Name', 'Phone', 'Customer', 'Status'] as const;

export function sort(cast: StaffCast): void {
  const tab = cast.random.pick(['Contacts', NOTED_TAB] as const);
  const header = headerOf(cast, tab);
  const column = SORTED.find((name) => header.includes(name) && cast.random.below(2) === 0) ?? header[0];
  if (column === undefined || column === '') return;
  const descending = cast.random.below(2) === 0;
  cast.google.staff.sheets.sortTab({ ...place(cast, tab), column, descending });
}

export function insertBlankRow(cast: StaffCast): void {
  const row = 2 + cast.random.below(20);
  cast.google.staff.sheets.insertRow({
    ...place(cast, cast.random.pick(['Contacts', 'Leads'] as const)),
    row,
  });
}

/** Deletes a row of the worker's by mistake. */
export function deleteRow(cast: StaffCast): void {
  const rows = cast.google.truth.values(cast.spreadsheetId, NOTED_TAB);
  if (rows.length < 3) return;
  const row = 2 + cast.random.below(rows.length - 1);
  cast.ledger.rowDeleted(wireText(rows[row - 1]?.[idColumn(cast)]));
  cast.google.staff.sheets.deleteRow({ ...place(cast, NOTED_TAB), row });
}

/** Writes a word into people's own column. The first call adds the column. */
export function writeNote(cast: StaffCast): void {
  const header = headerOf(cast, NOTED_TAB);
  const rows = cast.google.truth.values(cast.spreadsheetId, NOTED_TAB);
  if (header.length < 2 || rows.length < 3) return;
  const known = header.indexOf(NOTES);
  const column = known === -1 ? header.length : known;
  const sheet = place(cast, NOTED_TAB);
  if (known === -1) cast.google.staff.sheets.setCell({ ...sheet, cell: `${letter(column)}1`, value: NOTES });
  const row = 1 + cast.random.below(rows.length - 1);
  const id = wireText(rows[row]?.[idColumn(cast)]);
  if (id === '') return;
  const word = `ask again ${cast.random.below(1_000)}`;
  cast.google.staff.sheets.setCell({ ...sheet, cell: `${letter(column)}${row + 1}`, value: word });
  cast.ledger.note(id, word);
}

/** Overwrites a cell by mistake, in a row of the worker's. In a blank row the word would belong to people. */
export function overtype(cast: StaffCast): void {
  const header = headerOf(cast, 'Contacts');
  const rows = cast.google.truth.values(cast.spreadsheetId, 'Contacts');
  const column = header.indexOf('Name');
  if (column === -1 || rows.length < 3) return;
  const row = 2 + cast.random.below(rows.length - 2);
  if (wireText(rows[row - 1]?.[header.indexOf('ID')]) === '') return;
  cast.google.staff.sheets.setCell({
    ...place(cast, 'Contacts'),
    cell: `${letter(column)}${row}`,
    value: 'oops',
  });
}

/** Corrects the name in a random row that the worker has written. */
export function correctName({ google, spreadsheetId, random, corrections }: StaffCast): void {
  const rows = google.truth.values(spreadsheetId, CORRECTED_TAB);
  const id = (rows[0] ?? []).indexOf('ID');
  if (id === -1 || rows.length < 3) return;
  const row = 1 + random.below(rows.length - 1);
  const contactId = wireText(rows[row]?.[id]);
  if (contactId === '') return;
  const value = corrections.next(contactId);
  google.staff.sheets.typeInto({
    ...{ spreadsheetId, tab: CORRECTED_TAB, row: row + 1, column: 'Name', value },
  });
}

function place({ spreadsheetId }: StaffCast, tab: string) {
  return { spreadsheetId, tab };
}

function headerOf({ google, spreadsheetId }: StaffCast, tab: string): readonly string[] {
  return (google.truth.values(spreadsheetId, tab)[0] ?? []).map(wireText);
}

function idColumn(cast: StaffCast): number {
  return headerOf(cast, NOTED_TAB).indexOf('ID');
}

function letter(column: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + column);
}
