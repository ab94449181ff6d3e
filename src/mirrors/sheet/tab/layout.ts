import type { KeyedTab } from '../../../domain/mirror.ts';
import { trimmedCell } from '../../../domain/sheet-row.ts';

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
}

/** Finds the mirror's headers in the first row of the tab, ignoring spaces around them. */
export function readLayout(header: readonly unknown[], mirror: KeyedTab): Layout | TabFault {
  const found = header.map(trimmedCell);
  const wanted = headersOf(mirror);
  const missing = wanted.filter((name) => !found.includes(name));
  if (missing.length > 0) return headerMissing(missing);
  const doubled = wanted.filter((name) => found.indexOf(name) !== found.lastIndexOf(name));
  if (doubled.length > 0) {
    return {
      code: 'header-duplicate',
      message: `several columns of the tab are headed ${listed(doubled)}`,
      advice: 'Rename all but one of them: the worker must not guess which one is meant.',
    };
  }
  return layoutOf(mirror, (name) => found.indexOf(name));
}

/** Headers of the mirror that no column of the tab has. */
export function missingHeaders(header: readonly unknown[], mirror: KeyedTab): readonly string[] {
  const found = header.map(trimmedCell);
  return headersOf(mirror).filter((name) => !found.includes(name));
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
    advice: `Write ${listed(missing)} into the first row, or empty the tab to have it laid out again. If a header was renamed, restore its name, or rename it in the mapping.`,
  };
}

export function keyRenamed(from: string, to: string): TabFault {
  return {
    code: 'key-header-renamed',
    message: `the mapping names the column with the ids "${to}", and in the tab it is still headed "${from}"`,
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
