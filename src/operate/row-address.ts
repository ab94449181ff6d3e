import type { RowAsked } from './mirrored-rows.ts';

/** Reads `Contacts!12`, `'Past weeks'!A12`, `row 12`, `строка 12`. */
export function readRowAddress(text: string): RowAsked | undefined {
  const plain = /^(?:row|строка)\s+(\d{1,7})$/i.exec(text);
  if (plain !== null) return rowOf(plain[1]);
  const at = text.lastIndexOf('!');
  const cell = at < 1 ? null : /^\$?[a-z]{0,3}\$?(\d{1,7})$/i.exec(text.slice(at + 1));
  if (cell === null) return undefined;
  const tab = text.slice(0, at).trim();
  const isQuoted = tab.length > 2 && tab.startsWith("'") && tab.endsWith("'");
  const row = rowOf(cell[1]);
  return row && { ...row, tab: isQuoted ? tab.slice(1, -1).replaceAll("''", "'") : tab };
}

/** The first row contains the headers. */
function rowOf(digits: string | undefined): RowAsked | undefined {
  const row = Number(digits);
  return row > 1 ? { row } : undefined;
}
