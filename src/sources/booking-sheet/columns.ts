import type { RowInput, RowOutput, SheetBookings } from '../../domain/outside-booking.ts';
import { trimmedCell } from '../../domain/sheet-row.ts';

/** Why nothing can be taken from a tab now; safe to log and to show. */
export interface IntakeFault {
  readonly code: string;
  readonly message: string;
  readonly advice: string;
}

/** Column of each meaning; zero-based. */
export type IntakeColumns = ReadonlyMap<RowInput | RowOutput, number>;

/** Finds columns by name at every look: people reorder columns and add their own. Spaces around a header are ignored. */
export function findColumns(
  header: readonly unknown[],
  { columns }: Pick<SheetBookings, 'columns'>,
): IntakeColumns | IntakeFault {
  const found = header.map(trimmedCell);
  const wanted = Object.entries(columns).map(([meaning, name]) => [meaning, name.trim()] as const);
  const missing = wanted.flatMap(([, name]) => (found.includes(name) ? [] : [name]));
  if (missing.length > 0) {
    return {
      code: 'header-missing',
      message: `the first row of the tab lacks the header ${listed(missing)}`,
      advice: `Write ${listed(missing)} into the first row. If a header was renamed, restore its name, or rename it in the mapping. Until then nothing is taken from the tab, and nothing in it is lost.`,
    };
  }
  // Confusing the two would book the wrong service, or call the wrong customer.
  const doubled = wanted.flatMap(([, name]) =>
    found.indexOf(name) === found.lastIndexOf(name) ? [] : [name],
  );
  if (doubled.length > 0) {
    return {
      code: 'header-duplicate',
      message: `several columns of the tab are headed ${listed(doubled)}`,
      advice: 'Rename all but one of them: the worker must not guess which one is meant.',
    };
  }
  return new Map(wanted.map(([meaning, name]) => [meaning as RowInput | RowOutput, found.indexOf(name)]));
}

export function isIntakeFault(value: object): value is IntakeFault {
  return 'code' in value;
}

function listed(headers: readonly string[]): string {
  return headers.map((header) => `"${header}"`).join(', ');
}
