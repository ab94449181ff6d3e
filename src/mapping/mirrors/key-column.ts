import type { Advice } from '../problem.ts';
import { didYouMean } from '../suggest.ts';

export interface KeyedColumn {
  readonly header: string;
  readonly template: string | undefined;
}

/**
 * The column by which rows are found again: the one that `sheet.key` names, otherwise the only column that is exactly `{{ id }}`. Any other
 * content would not be unique, or would change.
 */
export function findKeyColumn(
  columns: readonly KeyedColumn[],
  key: string | undefined,
): { readonly header: string } | { readonly advice: Advice } {
  const holdingId = columns.filter((column) => /^\s*\{\{-?\s*id\s*-?\}\}\s*$/.test(column.template ?? ''));
  const [first, second] = holdingId;
  if (key !== undefined) return namedColumn(columns, holdingId, key);
  if (first === undefined) {
    return {
      advice: {
        what: 'no column shows the id, so the worker could not find rows again',
        fix: 'add one: ID: "{{ id }}"',
      },
    };
  }
  if (second !== undefined) {
    return {
      advice: {
        what: `${holdingId.length} columns show the id: ${holdingId.map((column) => column.header).join(', ')}`,
        fix: `say which one identifies the rows: sheet: { key: ${JSON.stringify(first.header)} }`,
      },
    };
  }
  return { header: first.header };
}

function namedColumn(
  columns: readonly KeyedColumn[],
  holdingId: readonly KeyedColumn[],
  key: string,
): { readonly header: string } | { readonly advice: Advice } {
  const headers = columns.map((column) => column.header);
  if (!headers.includes(key)) {
    return {
      advice: {
        what: 'names a column that does not exist',
        fix: `${didYouMean(key, headers)}name one of the columns: ${headers.join(', ')}`,
      },
    };
  }
  if (!holdingId.some((column) => column.header === key)) {
    return {
      advice: {
        what: 'names a column that does not show the id',
        fix: `write ${JSON.stringify(key)}: "{{ id }}" in columns, or name another column`,
      },
    };
  }
  return { header: key };
}
