import { setImmediate } from 'node:timers/promises';
import { contentHash } from '../../engine/domain/object.ts';
import {
  ROW_INPUTS,
  type RowInput,
  type RowOutput,
  type UnclearInput,
} from '../../engine/domain/outside-booking.ts';
import { type CustomerMarks, customerMarks } from '../../engine/domain/person.ts';
import { decodeReferences } from '../../engine/domain/plain-text.ts';
import { type Cell, isCellError, type Tick, tickIn, trimmedCell } from '../../engine/domain/sheet-row.ts';
import { momentOf, type TypedClock } from '../../google/typed-moment.ts';
import type { IntakeColumns } from './columns.ts';

/** A row as one reading showed it. */
export interface TypedRow {
  /** Zero-based; valid only at the moment of the reading. */
  readonly row: number;
  readonly id: string;
  /** What the worker's own columns hold. */
  readonly status: string;
  readonly appointment: string;
  /** People's own cells, without blank ones and ticks. */
  readonly cells: Readonly<Partial<Record<RowInput, Cell>>>;
  readonly startsAt: string | undefined;
  readonly ready: boolean;
  readonly cancel: boolean;
  /** As in `SeenRowBooking`. */
  readonly unclear?: UnclearInput | undefined;
  /** Hash of `cells`: equal for rows with the same content. */
  readonly print: string;
}

const TICKS: readonly string[] = ['ready', 'cancel'];
/** Columns that do not make a row count. */
const NOT_TELLING: ReadonlySet<string> = new Set([...TICKS, 'appointment', 'booked_at']);
const MINUTES_OF_DAY = 1_440;

/** Forms leave character references in what people typed. Names of the platform are compared as they are. */
const FREE_TEXT: readonly RowInput[] = ['name', 'comment'];

/** Rows that are read before other work gets its turn. */
const ROWS_AT_ONCE = 500;

/**
 * Omits rows that have only ticks and the worker's appointment cells. A column of unticked boxes fills a tab to its end, and costs next to
 * nothing.
 */
export async function readRows(
  grid: readonly (readonly unknown[])[],
  columns: IntakeColumns,
  clock: TypedClock,
): Promise<readonly TypedRow[]> {
  const telling = [...columns].flatMap(([meaning, column]) => (NOT_TELLING.has(meaning) ? [] : [column]));
  const rows: TypedRow[] = [];
  let read = 0;
  for (const [row, values] of grid.entries()) {
    if (row === 0 || telling.every((column) => isBlankCell(values[column]))) continue;
    const typed = readRow(values, { row, columns, clock });
    if (typed.id !== '' || typed.status !== '' || !isBlank(typed)) rows.push(typed);
    read += 1;
    if (read % ROWS_AT_ONCE === 0) await setImmediate();
  }
  return rows;
}

function isBlankCell(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** True when people have typed nothing into the row; an unticked box counts as nothing. */
export function isBlank({ cells }: TypedRow): boolean {
  return Object.keys(cells).length === 0;
}

/** The customer that the row names. */
export function customerInRow(cells: TypedRow['cells']): CustomerMarks {
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
  const [ready, cancel] = [columns.has('ready') ? tickIn(at('ready')) : 'yes', tickIn(at('cancel'))] as const;
  const isError = ROW_INPUTS.some((meaning) => isCellError(at(meaning)));
  return {
    row,
    id: trimmedCell(at('id')),
    status: trimmedCell(at('status')),
    appointment: trimmedCell(at('appointment')),
    cells,
    startsAt: momentOf(at('starts_at'), clock),
    ...{ ready: ready === 'yes', cancel: cancel === 'yes' },
    unclear: unclearIn({ ready, cancel, isError }),
    print: contentHash(cells),
  };
}

function cellOf(meaning: RowInput, value: unknown): Cell {
  if (isCellError(value)) return null;
  // Google may change line ends when a row is copied or edited: the text is still the same.
  if (typeof value === 'string') {
    const text = value.replaceAll(/\r\n?/g, '\n').trim();
    return (FREE_TEXT.includes(meaning) ? decodeReferences(text) : text) || null;
  }
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'number') return null;
  // Sheets turns a typed `1:30` into a fraction of a day.
  return meaning === 'duration' && value > 0 && value < 1 ? Math.round(value * MINUTES_OF_DAY) : value;
}

/** A row that says neither is being typed, and nobody waits for an answer. */
function unclearIn({
  ready,
  cancel,
  isError,
}: {
  ready: Tick;
  cancel: Tick;
  isError: boolean;
}): UnclearInput | undefined {
  if (isError) return ready === 'no' && cancel === 'no' ? undefined : 'formula';
  if (cancel !== 'no') return cancel === 'unclear' ? 'cancel' : undefined;
  return ready === 'unclear' ? 'ready' : undefined;
}
