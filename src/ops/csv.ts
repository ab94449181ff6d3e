/** RFC 4180, with a header. Cells that a spreadsheet would take for a formula get a leading apostrophe. */
export function csv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => row.map(quoted).join(',')).join('\r\n');
}

/** Spreadsheets skip invisible characters before they look for a formula. */
function quoted(cell: string): string {
  const text = /^[\s\p{C}]*[=+\-@]|^[\t\r\n]/u.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
