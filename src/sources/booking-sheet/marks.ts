import type { TerminalError } from '../../domain/errors.ts';
import type { SheetBookings } from '../../domain/outside-booking.ts';
import type { IntakeColumns, IntakeFault } from './columns.ts';
import { FLAGS, type Flag, isFlag } from './flags.ts';
import type { TypedRow } from './typed-row.ts';
import type { CellWrite } from './write-cells.ts';

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
