import type { Cell } from '../../../domain/sheet-row.ts';
import type { CellData } from '../../../google/sheets-api.ts';

/** Google's limit of one cell. */
export const CELL_CHARS_MAX = 50_000;
const CUT_MARKER = '… [cut]';

/**
 * What a cell will hold, so that it can be compared with what is read: text that fits, nothing for empty text.
 * A half of a surrogate pair is no text that can be sent. Lines end with `\n`: whether Google keeps `\r\n` is not documented, and a cell
 * that came back otherwise would be written again and again.
 */
export function storable(cell: Cell | undefined): Cell {
  if (cell === undefined || cell === '') return null;
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : null;
  return typeof cell === 'string' ? cut(oneBreak(cell)).replace(/\p{Surrogate}/gu, '\uFFFD') : cell;
}

/** `stringValue` is never read as a formula, a date or a number (Google, ExtendedValue). */
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
      // Named in the field mask and absent here: the cell is emptied.
      return {};
  }
}

/** True when a cell, as it was read unformatted, holds this. */
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
 * The number as far as it survives a spreadsheet, which keeps 15 digits of it. A time of day in whole seconds is never so close to
 * the middle between two of these that its last digits could decide.
 */
export function comparable(number: number): number {
  return Number(number.toPrecision(NUMBER_DIGITS));
}

/** About how many bytes a cell takes in a request. */
export function bytesOf(cell: Cell | undefined): number {
  return CELL_OVERHEAD_BYTES + (typeof cell === 'string' ? Math.min(cell.length, CELL_CHARS_MAX) : 8);
}

const CELL_OVERHEAD_BYTES = 45;
const NUMBER_DIGITS = 13;
/** Relative. Seconds of a serial number of our days differ from the tenth digit on. */
const NUMBER_TOLERANCE = 1e-12;

function oneBreak(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
}

function cut(text: string): string {
  if (text.length <= CELL_CHARS_MAX) return text;
  const end = CELL_CHARS_MAX - CUT_MARKER.length;
  // Not between the halves of a character.
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return text.slice(0, isHalf ? end - 1 : end) + CUT_MARKER;
}
