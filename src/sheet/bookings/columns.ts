import type { RowInput, RowOutput, SheetBookings } from '../../engine/domain/outside-booking.ts';
import { columnsHeaded, trimmedCell } from '../../engine/domain/sheet-row.ts';

/** Why nothing can be taken from a tab now; safe to log and to show. */
export interface IntakeFault {
  readonly code: string;
  readonly message: string;
  readonly advice: string;
  /** As in `Problem`. */
  readonly names?: readonly string[];
}

/** Column of each meaning; zero-based. */
export type IntakeColumns = ReadonlyMap<RowInput | RowOutput, number>;

/** Finds columns by name at every look: people reorder columns, add their own, and write headers in several lines. */
export function findColumns(
  header: readonly unknown[],
  { columns }: Pick<SheetBookings, 'columns'>,
): IntakeColumns | IntakeFault {
  const texts = header.map(trimmedCell);
  const wanted = Object.entries(columns).map(
    ([meaning, name]) => [meaning, name.trim(), columnsHeaded(texts, name)] as const,
  );
  const missing = wanted.flatMap(([, name, found]) => (found.length > 0 ? [] : [name]));
  if (missing.length > 0) {
    return {
      code: 'header-missing',
      message: `the first row of the tab lacks the header ${listed(missing)}`,
      names: missing,
      advice: `Write ${listed(missing)} into the first row. If a header was renamed, restore its name, or rename it in the mapping. Until then nothing is taken from the tab, and nothing in it is lost.`,
    };
  }
  // Confusing the two would book the wrong service, or call the wrong customer.
  const doubled = wanted.flatMap(([, name, found]) => (found.length > 1 ? [name] : []));
  if (doubled.length > 0) {
    return {
      code: 'header-duplicate',
      message: `several columns of the tab are headed ${listed(doubled)}`,
      names: doubled,
      advice: 'Rename all but one of them: the worker must not guess which one is meant.',
    };
  }
  return new Map(
    wanted.map(([meaning, , [column = -1]]) => [meaning as RowInput | RowOutput, column] as const),
  );
}

export function isIntakeFault(value: object): value is IntakeFault {
  return 'code' in value;
}

function listed(headers: readonly string[]): string {
  return headers.map((header) => `"${header}"`).join(', ');
}
