import { RetryableError, TerminalError } from '../engine/errors.ts';
import type { SheetBookings } from '../engine/outside-booking.ts';
import { type Cell, trimmedCell } from '../engine/sheet-row.ts';
import { GoogleFailure } from '../google/errors.ts';
import type { CellData, SheetRequest, SheetsApi } from '../google/sheets-api.ts';
import { CELLS_SHOWN_MAX, type ShownArea, type ShownTabs } from '../google/shown-cells.ts';
import {
  FLAGS,
  type Flag,
  type IntakeColumns,
  type IntakeFault,
  isFlag,
  isIntakeFault,
  type TabReading,
  type TypedRow,
} from './tab-reading.ts';

/** The new content of one cell, at the place where it was just read. */
export interface CellWrite {
  readonly sheetId: number;
  readonly row: number;
  readonly column: number;
  /** Null empties it. */
  readonly cell: Cell;
}

interface WriteResult {
  /** A write that Google refuses for good, usually because of a protected column. */
  readonly refused?: TerminalError;
  /** The tabs right after the write; empty when Google did not show them. */
  readonly shown: ShownTabs;
}

/**
 * Writes the marks in one request, all or none of them. Sheets has no conditional writes (Google has no etag for cells). So callers judge
 * by what is there afterwards, as shown or read again. Rejects with `DeferredError`. A lost answer resolves with nothing shown, because the
 * next reading shows what was written. `show`: the areas that the answer should include. A refusal that names no request may be about
 * those.
 */
export async function writeCells(
  api: SheetsApi,
  spreadsheetId: string,
  { marks, show }: { readonly marks: readonly CellWrite[]; readonly show: readonly ShownArea[] },
): Promise<WriteResult> {
  const nothing = new Map();
  if (marks.length === 0) return { shown: nothing };
  try {
    return { shown: await api.write(spreadsheetId, marks.map(requestOf), show) };
  } catch (error) {
    if (error instanceof RetryableError) return { shown: nothing };
    if (!(error instanceof TerminalError)) throw error;
    const { cause } = error;
    const isOpen = show.length > 0 && cause instanceof GoogleFailure && cause.refusedRequest() === undefined;
    return isOpen ? { shown: nothing } : { refused: error, shown: nothing };
  }
}

function requestOf({ sheetId, row, column, cell }: CellWrite): SheetRequest {
  return {
    updateCells: {
      start: { sheetId, rowIndex: row, columnIndex: column },
      // `stringValue` is never read as a formula (Google, ExtendedValue); a cell without a value is emptied.
      rows: [{ values: [cellData(cell)] }],
      fields: 'userEnteredValue',
    },
  };
}

function cellData(cell: Cell): CellData {
  switch (typeof cell) {
    case 'string':
      return { userEnteredValue: { stringValue: cell } };
    case 'number':
      return { userEnteredValue: { numberValue: cell } };
    case 'boolean':
      return { userEnteredValue: { boolValue: cell } };
    default:
      return {};
  }
}

/** The tab that is being judged. */
export interface TabGround {
  readonly columns: IntakeColumns;
  readonly sheetId: number;
}

export interface TabMarks {
  readonly mapping: SheetBookings;
  readonly ids: readonly CellWrite[];
  readonly flags: readonly CellWrite[];
  /** Keys of rows whose answer must be written again. */
  readonly again: readonly string[];
}

export interface FlaggedRow {
  readonly row: TypedRow;
  readonly flag: Flag;
}

/** With these flags, the appointment shown is another row's. With any other flag, it may be the only clue whose row it was. */
const NOT_ITS_OWN: ReadonlySet<Flag> = new Set(['copy', 'unbooked']);

/** Writes flags into status cells. Removes flags that are no longer true, and answers from rows that have none (`unanswered`). */
export function flagMarks(
  tab: TabGround,
  rows: {
    readonly flagged: readonly FlaggedRow[];
    readonly unanswered: readonly TypedRow[];
    readonly others: readonly TypedRow[];
  },
  { language }: SheetBookings,
): readonly CellWrite[] {
  const { flagged, unanswered, others } = rows;
  const marks: CellWrite[] = [];
  for (const { row, flag } of flagged) {
    const text = FLAGS[language][flag];
    if (row.status === text) continue;
    marks.push({ ...markAt(tab, row, 'status'), cell: text });
    if (NOT_ITS_OWN.has(flag)) marks.push(...withoutAppointment(tab, row));
  }
  for (const row of unanswered) {
    marks.push({ ...markAt(tab, row, 'status'), cell: null }, ...withoutAppointment(tab, row));
  }
  for (const row of others) {
    if (isFlag(row.status)) marks.push({ ...markAt(tab, row, 'status'), cell: null });
  }
  return marks;
}

/** Empties the cells that show the appointment of another row. */
export function withoutAppointment(tab: TabGround, row: TypedRow): readonly CellWrite[] {
  const outputs = (['appointment', 'booked_at'] as const).filter((output) => tab.columns.has(output));
  return outputs.map((output) => ({ ...markAt(tab, row, output), cell: null }));
}

export function markAt(
  tab: TabGround,
  { row }: TypedRow,
  output: 'id' | 'status' | 'appointment' | 'booked_at',
) {
  return { sheetId: tab.sheetId, row, column: tab.columns.get(output) ?? 0 };
}

/** A write that Google refuses for good, for people to fix. */
export function refusedFault(error: TerminalError, column: 'id' | 'status'): IntakeFault {
  const about =
    column === 'id'
      ? 'rows get no id, so that new ones are not booked'
      : 'copied rows cannot be marked as copies';
  return {
    code: 'intake-write-refused',
    message: `Google refuses to write into the ${column} column: ${about} (${error.code})`,
    advice:
      "If the column is protected, let the worker's service account edit it (Google Sheets, Data, Protect sheets and ranges).",
  };
}

type Grid = readonly (readonly unknown[])[];

/** The marks sent to a tab, and the tab just before. */
export interface SentMarks {
  readonly marks: readonly CellWrite[];
  readonly grid: Grid;
}

/**
 * Restores cells of people's columns that marks hit, because a column was inserted, moved or deleted while they were on their way. Marks
 * that reached their column are left alone, in whatever row.
 */
export function strayMarks({ marks, grid: before }: SentMarks, now: Grid): readonly CellWrite[] {
  const [headersBefore, headers] = [before, now].map((grid) => (grid[0] ?? []).map(trimmedCell));
  return marks.flatMap((mark) => {
    const { row, column, cell } = mark;
    const header = headers?.[column] ?? '';
    if (header === headersBefore?.[column] || trimmedCell(now[row]?.[column]) !== trimmedCell(cell))
      return [];
    const was = header === '' ? -1 : (headersBefore?.indexOf(header) ?? -1);
    const former = was < 0 ? null : cellOf(before[row]?.[was]);
    return trimmedCell(former) === trimmedCell(cell) ? [] : [{ ...mark, cell: former }];
  });
}

function cellOf(value: unknown): Cell {
  const isCell = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isCell && value !== '' ? value : null;
}

// Builds the reading that would follow a write of marks, without another request. The write's answer shows the tabs, and only the marks
// have changed. Pure.

type Readings = ReadonlyMap<SheetBookings, TabReading>;

/** All tabs in full; none if one of them cannot be shown, or together they are too large. */
export function tabsToShow(readings: Readings): readonly ShownArea[] {
  const areas: ShownArea[] = [];
  let cells = 0;
  for (const reading of readings.values()) {
    if (isIntakeFault(reading) || reading.grid === undefined || reading.title === undefined) return [];
    cells += reading.grid.reduce((sum, row) => sum + row.length, 0);
    areas.push({ title: reading.title, area: { sheetId: reading.sheetId } });
  }
  return cells > CELLS_SHOWN_MAX ? [] : areas;
}

/**
 * The cells as they were read, plus the marks. An answer to a write may show typed text differently from a reading, so that a row would
 * seem to change. So the answer is only compared with the cells that were read. Undefined: read the tabs again.
 */
export function readingsAfter(
  readings: Readings,
  plans: readonly TabMarks[],
  shown: ShownTabs,
): Readings | undefined {
  const after = new Map<SheetBookings, TabReading>();
  for (const [mapping, reading] of readings) {
    const now = isIntakeFault(reading) ? undefined : shown.get(reading.sheetId);
    if (isIntakeFault(reading) || reading.grid === undefined || now === undefined) return undefined;
    const marks = plans.flatMap((plan) => (plan.mapping === mapping ? [...plan.ids, ...plan.flags] : []));
    const grid = withMarks(reading.grid, marks);
    if (!isSame(grid, now)) return undefined;
    after.set(mapping, { ...reading, grid });
  }
  return after;
}

function withMarks(grid: Grid, marks: readonly CellWrite[]): Grid {
  const marked = grid.map((row) => [...row]);
  for (const { row, column, cell } of marks) {
    while (marked.length <= row) marked.push([]);
    const cells = marked[row] ?? [];
    while (cells.length < column) cells.push('');
    cells[column] = cell ?? '';
  }
  return marked;
}

function isSame(a: Grid, b: Grid): boolean {
  for (let row = 0; row < Math.max(a.length, b.length); row += 1) {
    const [one = [], other = []] = [a[row], b[row]];
    for (let column = 0; column < Math.max(one.length, other.length); column += 1)
      if ((one[column] ?? '') !== (other[column] ?? '')) return false;
  }
  return true;
}
