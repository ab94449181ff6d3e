import { unbroken } from '../engine/domain/text-lines.ts';

/** RFC 4180, with a header, and one line for each row. Cells that a spreadsheet would take for a formula get a leading apostrophe. */
export function csv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => row.map(quoted).join(',')).join('\r\n');
}

/** Spreadsheets skip invisible characters before they look for a formula. */
function quoted(cell: string): string {
  const line = cell.split('\t').map(unbroken).join('\t');
  const text = /^[\s\p{C}]*[=+\-@]|^\t/u.test(line) ? `'${line}` : line;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
