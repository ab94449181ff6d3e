// What people do in the spreadsheet: booking rows, by whose phone stands in them, and the tabs of the mirrors.

import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { DateTime } from 'luxon';
import type { Deed, MirrorTab, TabName } from './act.ts';
import { startOf } from './calendar-hands.ts';
import { noteColumn, peoplesCellsOf } from './judge.ts';
import { type Cell, newSubject, Skipped, type Subject } from './ledger.ts';
import { BOOK, INTAKE_HEADERS, type IntakeHeader } from './names.ts';
import { contactOf } from './platform-hands.ts';
import type { Stage } from './stage.ts';
import { appointmentOf, newPhone, spoken } from './subjects.ts';

type DeedOf<Name extends Deed['do']> = Extract<Deed, { do: Name }>;
type Hands<Names extends Deed['do']> = {
  readonly [Name in Names]: (stage: Stage, deed: DeedOf<Name>) => void;
};

const YES = 'yes';
const RENAMED = 'Renamed';
const NAMES = { anna: 'Anna Petrova', boris: 'Boris Ivanov', vera: 'Vera Orlova' } as const;

export const sheetHands: Hands<
  | 'type-row'
  | 'paste-rows'
  | 'tick-ready'
  | 'tick-cancel'
  | 'change-start'
  | 'change-person'
  | 'empty-id'
  | 'copy-row'
  | 'type-over'
  | 'delete-row'
  | 'sort'
  | 'insert-row'
  | 'delete-line'
  | 'overtype'
  | 'note'
  | 'type-appointment'
  | 'tick-appointment'
  | 'type-name'
  | 'sort-column'
  | 'fill-down'
  | 'cut'
  | 'rename-header'
  | 'header-back'
  | 'unshare-sheet'
  | 'share-sheet'
> = {
  'type-row': typeRow,

  'paste-rows'(stage, { rows: pasted }) {
    for (const row of pasted) typeRow(stage, { ...row, ready: true });
  },

  'tick-ready'(stage, { who }) {
    const subject = stage.ledger.subject(who);
    put(stage, rowOf(stage, subject), { Ready: YES });
    subject.isHalfTyped = false;
  },

  'tick-cancel'(stage, { who }) {
    const subject = stage.ledger.subject(who);
    put(stage, rowOf(stage, subject), { Cancel: YES });
    subject.cancels.push('row');
    subject.isTicked = true;
  },

  'change-start'(stage, { who, slot }) {
    const subject = stage.ledger.subject(who);
    const start = stage.hour(slot);
    put(stage, rowOf(stage, subject), { Start: typed(start) });
    subject.wishes.push({ by: 'row', start });
  },

  'change-person'(stage, { who, with: person }) {
    const subject = stage.ledger.subject(who);
    put(stage, rowOf(stage, subject), { With: NAMES[person] });
    subject.wishes.push({ by: 'row', resource: stage.ids.people[person] });
  },

  'empty-id'(stage, { who }) {
    const subject = stage.ledger.subject(who);
    // If two rows share a phone, the one without an id would become a booking of its own.
    if (rowsOf(stage, subject).length !== 1) throw new Skipped('it has been copied');
    const row = rowOf(stage, subject);
    if (cellOf(stage, row, 'Booking') === '') throw new Skipped('it has no id');
    put(stage, row, { Booking: '' });
    subject.isMuddled = true;
  },

  'copy-row'(stage, { who }) {
    const subject = stage.ledger.subject(who);
    const row = rowOf(stage, subject);
    // Without an id of its own the copy would be a booking of its own: so also right after it was typed over a copied row.
    const id = cellOf(stage, row, 'Booking');
    if (id === '') throw new Skipped('it has no id');
    const bearers = rows(stage, 'Intake').filter((_, at) => cellOf(stage, at + 1, 'Booking') === id);
    if (bearers.length > rowsOf(stage, subject).length) throw new Skipped('its id is another row’s still');
    stage.google.staff.sheets.duplicateRow({ spreadsheetId: BOOK, tab: 'Intake', row });
    subject.isMuddled = true;
  },

  'type-over'(stage, { who, as, slot, which }) {
    const rows = rowsOf(stage, stage.ledger.subject(who));
    if (rows.length < 2) throw new Skipped('there is no copy of it');
    const row = (which === 'upper' ? rows[0] : rows.at(-1)) ?? 0;
    const phone = newPhone(as);
    const start = stage.hour(slot);
    const isReady = cellOf(stage, row, 'Ready') !== '';
    put(stage, row, { Name: `Guest ${as}`, Phone: spoken(phone), Start: typed(start), Note: as });
    const person =
      Object.entries(NAMES).find(([, name]) => name === cellOf(stage, row, 'With'))?.[0] ?? 'anna';
    const resource = stage.ids.people[person as keyof typeof NAMES];
    const subject = stage.ledger.add(
      newSubject(
        { name: as, origin: 'row', phone, isHalfTyped: !isReady, isMuddled: true },
        { by: 'row', start, resource },
      ),
    );
    if (cellOf(stage, row, 'Cancel') !== '') subject.cancels.push('row');
  },

  'delete-row'(stage, { who }) {
    const subject = stage.ledger.subject(who);
    const rows = rowsOf(stage, subject);
    stage.google.staff.sheets.deleteRow({ spreadsheetId: BOOK, tab: 'Intake', row: rowOf(stage, subject) });
    subject.isMuddled = true;
    if (rows.length > 1) return;
    subject.isRowGone = true;
    subject.isTakenBack = true;
  },

  sort(stage, { tab, column, descending }) {
    if (rows(stage, tab).length < 3) throw new Skipped('there is nothing to sort');
    stage.google.staff.sheets.sortTab({
      spreadsheetId: BOOK,
      tab,
      column: letterOf(tab, column),
      descending,
    });
  },

  'insert-row'(stage, { tab, row }) {
    if (row > rows(stage, tab).length) throw new Skipped('there are not so many rows');
    stage.google.staff.sheets.insertRow({ spreadsheetId: BOOK, tab, row });
  },

  'delete-line'(stage, { tab, nth }) {
    const row = lineOf(stage, tab, nth);
    const id = String(rows(stage, tab)[row - 1]?.[0] ?? '');
    stage.google.staff.sheets.deleteRow({ spreadsheetId: BOOK, tab, row });
    stage.ledger.notes.delete(id);
    stage.ledger.goneLines.add(id);
  },

  overtype(stage, { tab, nth }) {
    const row = lineOf(stage, tab, nth);
    const column = letter(tab === 'Visits' ? 3 : 1);
    stage.google.staff.sheets.setCell({ spreadsheetId: BOOK, tab, cell: `${column}${row}`, value: 'oops' });
    // Where names are carried it is one.
    const id = String(rows(stage, tab)[row - 1]?.[0]);
    if (tab === 'Contacts' && stage.ledger.cells.has(id)) stage.ledger.wishCell(id, 'oops');
  },

  note(stage, { who, word }) {
    const { id, row } = bookedRow(stage, who);
    const cell = `${letter(noteColumn(stage.settings))}${row}`;
    stage.google.staff.sheets.setCell({ spreadsheetId: BOOK, tab: 'Visits', cell, value: word });
    stage.ledger.notes.set(id, word);
  },

  'type-appointment'(stage, { who, slot }) {
    const start = stage.hour(slot);
    const subject = stage.ledger.subject(who);
    const { row } = bookedRow(stage, who);
    const cut = valueIn(stage, 'Visits', row) === '' ? stage.ledger.cutStarts.get(subject) : undefined;
    putIn(stage, 'Visits', { row, header: 'Start', value: typed(start) });
    subject.wishes.push({ by: 'row', start });
    // The gap is filled. Whoever looks now sees two rows, each with a start that somebody typed.
    cut?.into.wishes.push({ by: 'row', start: cut.start });
  },

  'tick-appointment'(stage, { who }) {
    const { row, isLive } = bookedRow(stage, who);
    if (!isLive) throw new Skipped('it is cancelled');
    putIn(stage, 'Visits', { row, header: 'Cancel', value: true });
    stage.ledger.subject(who).cancels.push('row');
  },

  'type-name'(stage, { who, to }) {
    const id = contactOf(stage, who);
    const row = rowOfId(stage, 'Contacts', id);
    putIn(stage, 'Contacts', { row, header: 'Name', value: to });
    stage.ledger.wishCell(id, to);
  },

  'sort-column'(stage, { tab, column, descending }) {
    const count = rows(stage, tab).length;
    if (count < 3) throw new Skipped('there is nothing to sort');
    const at = letterOf(tab, column);
    stage.ledger.isTorn = true;
    // A word stands beside whichever id comes to its row.
    if (tab === 'Visits' && column === 'ID') stage.ledger.notes.clear();
    stage.google.staff.sheets.sortRange({
      ...{ spreadsheetId: BOOK, tab, range: `${at}2:${at}${count}`, column: at, descending },
    });
  },

  'fill-down'(stage, { tab, nth, over }) {
    const row = lineOf(stage, tab, nth);
    stage.ledger.isTorn = true;
    const header = CARRIED[tab];
    const value = valueIn(stage, tab, row);
    for (let below = row + 1; below <= Math.min(row + over, rows(stage, tab).length); below += 1)
      putIn(stage, tab, { row: below, header, value });
  },

  cut(stage, { tab, nth, to }) {
    const [row, other] = [lineOf(stage, tab, nth), lineOf(stage, tab, to)];
    if (row === other) throw new Skipped('it is the same cell');
    stage.ledger.isTorn = true;
    const header = CARRIED[tab];
    if (tab === 'Visits') noteCut(stage, row, other);
    putIn(stage, tab, { row: other, header, value: valueIn(stage, tab, row) });
    putIn(stage, tab, { row, header, value: '' });
  },

  'rename-header'(stage, { tab, column }) {
    if (headerAt(stage, tab, column) !== column) throw new Skipped('there is no such header');
    rename(stage, { tab, column }, RENAMED);
  },

  'header-back'(stage, { tab, column }) {
    if (headerAt(stage, tab, column) === RENAMED) rename(stage, { tab, column }, column);
  },

  'unshare-sheet'(stage) {
    stage.google.revokeAccess(BOOK, defaultAccount);
  },

  'share-sheet'(stage) {
    stage.google.grantAccess(BOOK, defaultAccount);
  },
};

function typeRow(
  stage: Stage,
  { as, slot, with: person, ready, onto }: Omit<DeedOf<'type-row'>, 'do'>,
): void {
  const phone = newPhone(as);
  const start = startOf(stage, slot, onto);
  const values = [
    'Haircut',
    typed(start),
    NAMES[person],
    `Guest ${as}`,
    spoken(phone),
    ready ? YES : '',
    '',
    as,
  ];
  stage.google.staff.sheets.addRow({ spreadsheetId: BOOK, tab: 'Intake', values });
  stage.ledger.add(
    newSubject(
      { name: as, origin: 'row', phone, isHalfTyped: !ready, isClash: onto !== undefined },
      { by: 'row', start, resource: stage.ids.people[person] },
    ),
  );
}

/** In row 1, from the left. */
const HEADERS: Readonly<Record<TabName, readonly string[]>> = {
  Visits: ['ID', 'Status', 'Start', 'Who'],
  Contacts: ['ID', 'Name', 'Phone'],
  Intake: INTAKE_HEADERS,
};

/** What the office may change there. */
const CARRIED = { Visits: 'Start', Contacts: 'Name' } as const;

/** Puts every header back that people have renamed. */
export function restoreHeaders(stage: Stage): void {
  for (const tab of Object.keys(HEADERS) as TabName[])
    for (const column of HEADERS[tab])
      if (headerAt(stage, tab, column) === RENAMED) rename(stage, { tab, column }, column);
}

export function rows(stage: Stage, tab: TabName): readonly (readonly Cell[])[] {
  return stage.google.truth.values(BOOK, tab);
}

/** Notes what people's cells hold after a hand; before the next one they have to hold the same. */
export function notePeoplesCells(stage: Stage): void {
  stage.ledger.peoplesCells = peoplesCellsOf(rows(stage, 'Intake'));
}

export function checkPeoplesCells(stage: Stage): void {
  const now = peoplesCellsOf(rows(stage, 'Intake'));
  if (JSON.stringify(now) === JSON.stringify(stage.ledger.peoplesCells)) return;
  stage.ledger.caught.push(
    `cells that people typed were changed: ${stage.ledger.peoplesCells.filter((row) => !now.includes(row)).join(' | ')}`,
  );
}

function headerAt(stage: Stage, tab: TabName, column: string): string {
  return String(rows(stage, tab)[0]?.[HEADERS[tab].indexOf(column)] ?? '');
}

function rename(
  stage: Stage,
  { tab, column }: { readonly tab: TabName; readonly column: string },
  value: string,
): void {
  stage.google.staff.sheets.setCell({ spreadsheetId: BOOK, tab, cell: `${letterOf(tab, column)}1`, value });
}

/** Some row of the mirror's that holds anything, as people count. */
function lineOf(stage: Stage, tab: TabName, nth: number): number {
  const filled = rows(stage, tab).flatMap((cells, index) => (index > 0 && cells[0] ? [index + 1] : []));
  const row = filled[nth % Math.max(1, filled.length)];
  if (row === undefined) throw new Skipped('the tab is empty');
  return row;
}

function bookedRow(stage: Stage, who: string) {
  const appointment = appointmentOf(stage, stage.ledger.subject(who));
  if (appointment === undefined) throw new Skipped('it is not booked');
  const id = String(appointment['id']);
  return { id, row: rowOfId(stage, 'Visits', id), isLive: appointment['status'] !== 'cancelled' };
}

/** What stands in the column that people may change. */
function valueIn(stage: Stage, tab: MirrorTab, row: number): Cell {
  return rows(stage, tab)[row - 1]?.[HEADERS[tab].indexOf(CARRIED[tab])] ?? '';
}

/** A start that the worker wrote is known to be its row's own; one that somebody typed last is not. */
function noteCut(stage: Stage, row: number, other: number): void {
  const subjectAt = (line: number) => {
    const id = rows(stage, 'Visits')[line - 1]?.[0] ?? '';
    return [...stage.ledger.subjects.values()].find((each) => appointmentOf(stage, each)?.['id'] === id);
  };
  const [from, into] = [subjectAt(row), subjectAt(other)];
  const last = from?.wishes.at(-1);
  if (from === undefined || into === undefined || last?.by !== 'row' || last.start === undefined) return;
  stage.ledger.cutStarts.set(from, { into, start: last.start });
}

function rowOfId(stage: Stage, tab: MirrorTab, id: string): number {
  const row = rows(stage, tab).findIndex((cells) => cells[0] === id) + 1;
  if (row < 2) throw new Skipped('it has no row');
  return row;
}

/** By what stands in row 1: the worker has added some of the columns. */
function putIn(
  stage: Stage,
  tab: MirrorTab,
  { row, header, value }: { readonly row: number; readonly header: string; readonly value: Cell },
): void {
  const column = rows(stage, tab)[0]?.indexOf(header) ?? -1;
  if (column === -1) throw new Skipped('there is no such column');
  stage.google.staff.sheets.setCell({ spreadsheetId: BOOK, tab, cell: `${letter(column)}${row}`, value });
}

function rowsOf(stage: Stage, { phone }: Subject): number[] {
  const column = INTAKE_HEADERS.indexOf('Phone');
  return rows(stage, 'Intake').flatMap((cells, index) =>
    cells[column] === spoken(phone) ? [index + 1] : [],
  );
}

function rowOf(stage: Stage, subject: Subject): number {
  const row = rowsOf(stage, subject)[0];
  if (row === undefined) throw new Skipped('its row is gone');
  return row;
}

function cellOf(stage: Stage, row: number, header: IntakeHeader): string {
  return String(rows(stage, 'Intake')[row - 1]?.[INTAKE_HEADERS.indexOf(header)] ?? '');
}

/** One cell after the other. */
function put(stage: Stage, row: number, values: Partial<Record<IntakeHeader, string>>): void {
  for (const [header, value] of Object.entries(values)) {
    const cell = `${letterOf('Intake', header)}${row}`;
    stage.google.staff.sheets.setCell({ spreadsheetId: BOOK, tab: 'Intake', cell, value });
  }
}

function letterOf(tab: TabName, column: string): string {
  return letter(HEADERS[tab].indexOf(column));
}

function letter(column: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + column);
}

function typed(iso: string): string {
  return DateTime.fromISO(iso, { zone: 'Europe/Moscow' }).toFormat('yyyy-MM-dd HH:mm');
}
