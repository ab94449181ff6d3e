import type { KeyedTab } from '../engine/mirror.ts';
import { columnsHeaded, trimmedCell } from '../engine/sheet-row.ts';

/** Columns of a mirror in a tab, zero-based. Users may reorder columns and add their own. */
export interface Layout {
  readonly keyColumn: number;
  /** Header to column, without the key column. */
  readonly columns: ReadonlyMap<string, number>;
}

/** Why a mirror cannot be written into its tab now. Safe to log and to show. */
export interface TabFault {
  readonly code: string;
  readonly message: string;
  readonly advice: string;
  /** As in `Problem`. */
  readonly names?: readonly string[];
}

/** Finds the mirror's headers in the first row of the tab, by their look. */
export function readLayout(header: readonly unknown[], mirror: KeyedTab): Layout | TabFault {
  const wanted = headersOf(mirror);
  const columns = columnsOf(header, wanted);
  const missing = wanted.filter((name) => columns.get(name)?.length === 0);
  if (missing.length > 0) return headerMissing(missing);
  const doubled = wanted.filter((name) => (columns.get(name)?.length ?? 0) > 1);
  if (doubled.length > 0) {
    return {
      code: 'header-duplicate',
      message: `several columns of the tab are headed ${listed(doubled)}`,
      names: doubled,
      advice: 'Rename all but one of them: the worker must not guess which one is meant.',
    };
  }
  return layoutOf(mirror, (name) => columns.get(name)?.[0] ?? -1);
}

function columnsOf(
  header: readonly unknown[],
  names: readonly string[],
): ReadonlyMap<string, readonly number[]> {
  const texts = header.map(trimmedCell);
  return new Map(names.map((name) => [name, columnsHeaded(texts, name)]));
}

/** Headers of the mirror that no column of the tab has. */
export function missingHeaders(header: readonly unknown[], mirror: KeyedTab): readonly string[] {
  return [...columnsOf(header, headersOf(mirror))].flatMap(([name, found]) =>
    found.length > 0 ? [] : [name],
  );
}

/** The layout that `readLayout` would find if the missing headers were written side by side from column `at` on. */
export function layoutWithAdded(header: readonly unknown[], mirror: KeyedTab, at: number): Layout | TabFault {
  const added = missingHeaders(header, mirror);
  const blanks = Array<string>(Math.max(0, at - header.length)).fill('');
  return readLayout([...header.slice(0, at), ...blanks, ...added], mirror);
}

/** Layout for a tab that has no columns yet, in the order of the mapping. */
export function freshLayout(mirror: KeyedTab): Layout {
  const wanted = headersOf(mirror);
  return layoutOf(mirror, (name) => wanted.indexOf(name));
}

/** All headers that the tab must have, in the order of the mapping. */
export function headersOf(mirror: KeyedTab): readonly string[] {
  const headers = mirror.columns.map(({ header }) => header.trim());
  const key = mirror.keyHeader.trim();
  return headers.includes(key) ? headers : [key, ...headers];
}

/** Headers that only the worker needs. It adds them to any tab, also to one that people have headed. */
export function workerHeaders({ carry }: KeyedTab): readonly string[] {
  if (carry === undefined) return [];
  const ticks = carry.columns.filter(({ field }) => field === 'cancel').map(({ header }) => header.trim());
  return [...ticks, carry.answerHeader.trim()];
}

export function isTabFault(value: object): value is TabFault {
  return 'code' in value;
}

export function isSameLayout(a: Layout, b: Layout): boolean {
  return (
    a.keyColumn === b.keyColumn &&
    [...a.columns].every(([header, column]) => b.columns.get(header) === column)
  );
}

export function headerMissing(missing: readonly string[]): TabFault {
  return {
    code: 'header-missing',
    message: `the first row of the tab lacks the header ${listed(missing)}`,
    names: missing,
    advice: `Write ${listed(missing)} into the first row, or empty the tab to have it laid out again. If a header was renamed, restore its name, or rename it in the mapping.`,
  };
}

export function keyRenamed(from: string, to: string): TabFault {
  return {
    code: 'key-header-renamed',
    message: `the mapping names the column with the ids "${to}", and in the tab it is still headed "${from}"`,
    names: [from, to],
    advice: `Rename the header "${from}" in the first row of the tab to "${to}": rows are found by that column. Or name it "${from}" again in the mapping.`,
  };
}

function layoutOf(mirror: KeyedTab, columnOf: (header: string) => number): Layout {
  const key = mirror.keyHeader.trim();
  const others = headersOf(mirror).filter((header) => header !== key);
  return { keyColumn: columnOf(key), columns: new Map(others.map((header) => [header, columnOf(header)])) };
}

function listed(headers: readonly string[]): string {
  return headers.map((header) => `"${header}"`).join(', ');
}
