import { cutText } from '../../engine/domain/plain-text.ts';
import type { Cell } from '../../engine/domain/sheet-row.ts';
import type { CellData } from '../../google/sheets-api.ts';

/** Google's limit of characters in one cell. */
export const CELL_CHARS_MAX = 50_000;
const CUT_MARKER = '… [cut]';

/**
 * The value a cell will hold, for comparison with what is read: text that fits, and null for empty text. Replaces lone surrogates, which
 * cannot be sent. Lines end with `\n`: Google does not document whether it keeps `\r\n`, and a cell read back differently would be
 * rewritten forever.
 */
export function storable(cell: Cell | undefined): Cell {
  if (cell === undefined || cell === '') return null;
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : null;
  return typeof cell === 'string' ? cut(oneBreak(cell)) : cell;
}

/** Google never parses `stringValue` as a formula, a date or a number (Google, ExtendedValue). */
export function toCellData(cell: Cell): CellData {
  const value = storable(cell);
  switch (typeof value) {
    case 'string':
      return { userEnteredValue: { stringValue: value } };
    case 'number':
      return { userEnteredValue: { numberValue: value } };
    case 'boolean':
      return { userEnteredValue: { boolValue: value } };
    default:
      // The field mask names the value and the data omits it, so Google empties the cell.
      return {};
  }
}

/** True when a cell, read unformatted, holds this value. */
export function holds(read: unknown, cell: Cell | undefined): boolean {
  const value = storable(cell);
  if (typeof read === 'number' && typeof value === 'number') {
    return Math.abs(read - value) <= NUMBER_TOLERANCE * Math.max(Math.abs(read), Math.abs(value));
  }
  return fingerprint(read) === fingerprint(value);
}

/** Equal for equal cells; blank and empty text are the same. */
export function fingerprint(value: unknown): string {
  if (value === undefined || value === null || value === '') return '';
  return JSON.stringify(typeof value === 'number' ? comparable(value) : value);
}

/**
 * Rounds a number to 13 digits, because a spreadsheet keeps only 15. A time of day in whole seconds is never so close to a rounding
 * boundary that the last digits decide.
 */
export function comparable(number: number): number {
  return Number(number.toPrecision(NUMBER_DIGITS));
}

/** Approximate size of a cell in a request, in bytes. */
export function bytesOf(cell: Cell | undefined): number {
  return CELL_OVERHEAD_BYTES + (typeof cell === 'string' ? Math.min(cell.length, CELL_CHARS_MAX) : 8);
}

const CELL_OVERHEAD_BYTES = 45;
const NUMBER_DIGITS = 13;
/** Relative. Serial numbers of present-day dates that are one second apart differ from the tenth digit on. */
const NUMBER_TOLERANCE = 1e-12;

function oneBreak(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
}

function cut(text: string): string {
  if (text.length <= CELL_CHARS_MAX) return cutText(text, CELL_CHARS_MAX);
  return cutText(text, CELL_CHARS_MAX - CUT_MARKER.length) + CUT_MARKER;
}
