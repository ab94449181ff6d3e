import type { TerminalError } from '../../domain/errors.ts';
import type { SheetBookings } from '../../domain/outside-booking.ts';
import type { IntakeColumns, IntakeFault } from './columns.ts';
import { FLAGS, isFlag } from './flags.ts';
import type { Judgement } from './judge.ts';
import type { PencilMark } from './pencil.ts';
import type { TypedRow } from './typed-row.ts';

export interface JudgedTab {
  readonly judgement: Judgement;
  readonly columns: IntakeColumns;
  readonly sheetId: number;
  /** All that stand in the tab. */
  readonly ids: ReadonlySet<string>;
}

export interface TabMarks {
  readonly mapping: SheetBookings;
  readonly ids: readonly PencilMark[];
  readonly flags: readonly PencilMark[];
  /** Keys of rows whose answer is to be written again. */
  readonly again: readonly string[];
}

export function flagMarks(tab: JudgedTab, { language }: SheetBookings) {
  const { bearers, newcomers, flagged } = tab.judgement;
  const marks: PencilMark[] = [];
  for (const { row, flag } of flagged) {
    const text = FLAGS[language][flag];
    if (row.status === text) continue;
    marks.push({ ...markAt(tab, row, 'status'), cell: text });
    // They are the original's. What is under a foreign id may be all that tells whose row it was.
    for (const output of flag === 'copy' ? (['appointment', 'booked_at'] as const) : []) {
      if (tab.columns.has(output)) marks.push({ ...markAt(tab, row, output), cell: null });
    }
  }
  const cleared = [...bearers, ...newcomers].filter(({ status }) => isFlag(status));
  for (const row of cleared) marks.push({ ...markAt(tab, row, 'status'), cell: null });
  return { marks, cleared };
}

export function markAt(
  tab: JudgedTab,
  { row }: TypedRow,
  output: 'id' | 'status' | 'appointment' | 'booked_at',
) {
  return { sheetId: tab.sheetId, row, column: tab.columns.get(output) ?? 0 };
}

/** What Google refuses for good is for people to mend. */
export function refusedFault(error: TerminalError, column: 'id' | 'status'): IntakeFault {
  const about =
    column === 'id'
      ? 'rows get no id, so that new ones are not booked'
      : 'copies cannot be told that they are copies';
  return {
    code: 'intake-write-refused',
    message: `Google refuses to write into the ${column} column: ${about} (${error.code})`,
    advice:
      "If the column is protected, let the worker's service account edit it (Google Sheets, Data, Protect sheets and ranges).",
  };
}
