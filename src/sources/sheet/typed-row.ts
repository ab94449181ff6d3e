import { type CustomerMarks, customerMarks } from '../../domain/customer.ts';
import { ROW_INPUTS, type RowInput, type RowOutput } from '../../domain/outside-booking.ts';
import type { Cell } from '../../domain/sheet-row.ts';
import { contentHash } from '../../domain/snapshot.ts';
import { type IntakeColumns, textOf } from './columns.ts';
import { momentOf, type TypedClock } from './moment.ts';

/** A row as one reading showed it. */
export interface TypedRow {
  /** Zero-based; true for the moment of the reading only. */
  readonly row: number;
  readonly id: string;
  /** What stands in the worker's own columns. */
  readonly status: string;
  readonly appointment: string;
  /** People's own, blank ones left out, the ticks aside. */
  readonly cells: Readonly<Partial<Record<RowInput, Cell>>>;
  readonly startsAt: string | undefined;
  readonly ready: boolean;
  readonly cancel: boolean;
  /** Hash of `cells`: equal for rows that say the same. */
  readonly print: string;
}

const TICKS: readonly string[] = ['ready', 'cancel'];
const TICKED = /^(?:true|yes|y|x|✓|✔|1|да|ok|истина)$/iu;
const MINUTES_OF_DAY = 1_440;

/** Rows in which nothing stands in these columns are left out. */
export function readRows(
  grid: readonly (readonly unknown[])[],
  columns: IntakeColumns,
  clock: TypedClock,
): readonly TypedRow[] {
  return grid.flatMap((values, row) => {
    if (row === 0) return [];
    const typed = readRow(values, { row, columns, clock });
    return typed.id === '' && typed.status === '' && isBlank(typed) ? [] : [typed];
  });
}

/** Nobody has typed anything into it; a box that is not ticked says nothing. */
export function isBlank({ cells }: TypedRow): boolean {
  return Object.keys(cells).length === 0;
}

/** Whom the row names. */
export function customerIn(cells: TypedRow['cells']): CustomerMarks {
  const { contact_id: contactId, phone, email, name } = cells;
  return customerMarks({ contactId, phone, email, name });
}

function readRow(
  values: readonly unknown[],
  { row, columns, clock }: { row: number; columns: IntakeColumns; clock: TypedClock },
): TypedRow {
  const at = (meaning: RowInput | RowOutput) => {
    const column = columns.get(meaning);
    return column === undefined ? undefined : values[column];
  };
  const cells = Object.fromEntries(
    ROW_INPUTS.flatMap((meaning) => {
      const cell = TICKS.includes(meaning) ? null : cellOf(meaning, at(meaning));
      return cell === null ? [] : [[meaning, cell] as const];
    }),
  );
  return {
    row,
    id: textOf(at('id')),
    status: textOf(at('status')),
    appointment: textOf(at('appointment')),
    cells,
    startsAt: momentOf(at('starts_at'), clock),
    ready: columns.has('ready') ? isTicked(at('ready')) : true,
    cancel: isTicked(at('cancel')),
    print: contentHash(cells),
  };
}

function cellOf(meaning: RowInput, value: unknown): Cell {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim();
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'number') return null;
  // `1:30` becomes a part of a day when it is typed.
  return meaning === 'duration' && value > 0 && value < 1 ? Math.round(value * MINUTES_OF_DAY) : value;
}

function isTicked(cell: unknown): boolean {
  return cell === true || TICKED.test(textOf(cell));
}
