// The displayed value of a cell: FORMATTED_VALUE as a person sees it in an en_US spreadsheet, the plain value, or
// the formula.
import { objectOf, stringOf } from '../json.ts';
import { type Cell, type CellValue, isBlank } from './cell.ts';
import { formatNumber } from './number-pattern.ts';

export type ValueRender = 'FORMATTED_VALUE' | 'UNFORMATTED_VALUE' | 'FORMULA';
export type DateRender = 'SERIAL_NUMBER' | 'FORMATTED_STRING';

export interface Rendering {
  value: ValueRender;
  date: DateRender;
}

const defaultPatterns: Record<string, string> = {
  NUMBER: '#,##0.00',
  PERCENT: '0.00%',
  CURRENCY: '"$"#,##0.00',
  DATE: 'm/d/yyyy',
  TIME: 'h:mm:ss am/pm',
  DATE_TIME: 'm/d/yyyy h:mm:ss',
  SCIENTIFIC: '0.00E+00',
};
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** A blank cell is the empty text. */
export function display(cell: Cell | undefined, how: Rendering): CellValue {
  if (cell === undefined || isBlank(cell)) return '';
  if (how.value === 'FORMULA' && cell.formula !== undefined) return cell.formula;
  const value = cell.value ?? '';
  if (how.value === 'FORMATTED_VALUE') return formatted(value, cell);
  if (how.value === 'UNFORMATTED_VALUE' && how.date === 'FORMATTED_STRING' && isDated(cell))
    return formatted(value, cell);
  return value;
}

export function formatted(value: CellValue, cell: Cell): string {
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'string') return value;
  const { type, pattern } = formatOf(cell);
  if (type === undefined) return general(value);
  if (type === 'TEXT') return general(value);
  if (isDatePattern(type)) return formatDate(value, pattern);
  return pattern === 'General' ? general(value) : (formatNumber(value, pattern) ?? general(value));
}

function formatOf(cell: Cell): { type: string | undefined; pattern: string } {
  const format = objectOf(cell.format?.['numberFormat']);
  const type = stringOf(format['type']);
  return { type, pattern: stringOf(format['pattern']) ?? defaultPatterns[type ?? ''] ?? 'General' };
}

function isDated(cell: Cell): boolean {
  return typeof cell.value === 'number' && isDatePattern(formatOf(cell).type);
}

function isDatePattern(type: string | undefined): boolean {
  return type === 'DATE' || type === 'TIME' || type === 'DATE_TIME';
}

/** Without a format: whole numbers in full, others to about ten digits. */
function general(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  if (Math.abs(value) >= 1e15)
    return value
      .toExponential(5)
      .replace(/\.?0+e/, 'E')
      .replace('e', 'E');
  return String(Number(value.toPrecision(10)));
}

function formatDate(serial: number, pattern: string): string {
  const seconds = Math.round(serial * 86_400);
  const moment = new Date(Date.UTC(1899, 11, 30) + seconds * 1000);
  const isHalfDay = /am\/pm|a\/p/i.test(pattern);
  const tokens = pattern.match(/"[^"]*"|\\.|\[h+\]|\[m+\]|\[s+\]|am\/pm|a\/p|y+|m+|d+|h+|s+|./gi) ?? [];
  return tokens
    .map((token, i) => {
      const letter = token[0]?.toLowerCase() ?? '';
      if (token.startsWith('"')) return token.slice(1, -1);
      if (token.startsWith('\\')) return token.slice(1);
      if (token.startsWith('[')) return elapsed(seconds, token);
      if (/^(am\/pm|a\/p)$/i.test(token))
        return (moment.getUTCHours() < 12 ? 'AM' : 'PM').slice(0, token.length === 3 ? 1 : 2);
      if (letter === 'm' && isMinute(tokens, i)) return pad(moment.getUTCMinutes(), token.length);
      return datePart(letter, token.length, { moment, isHalfDay }) ?? token;
    })
    .join('');
}

/** `[h]`, `[m]`, `[s]`: a duration, not a time of day. */
function elapsed(seconds: number, token: string): string {
  const unit = { h: 3600, m: 60, s: 1 }[token[1]?.toLowerCase() ?? 's'] ?? 1;
  return pad(Math.floor(seconds / unit), token.length - 2);
}

/** `m` is a minute after hours or before seconds, otherwise a month. */
function isMinute(tokens: readonly string[], at: number): boolean {
  const letters = tokens.map((token) => token.replace('[', '')[0]?.toLowerCase() ?? '');
  const isPart = (letter: string): boolean => /[ymdhs]/.test(letter);
  return letters.slice(0, at).findLast(isPart) === 'h' || letters.slice(at + 1).find(isPart) === 's';
}

function datePart(
  letter: string,
  length: number,
  of: { moment: Date; isHalfDay: boolean },
): string | undefined {
  const { moment, isHalfDay } = of;
  const hour = moment.getUTCHours();
  if (letter === 'y')
    return length <= 2 ? pad(moment.getUTCFullYear() % 100, 2) : String(moment.getUTCFullYear());
  if (letter === 'd')
    return length <= 2 ? pad(moment.getUTCDate(), length) : named(weekdays[moment.getUTCDay()], length);
  if (letter === 'm')
    return length <= 2 ? pad(moment.getUTCMonth() + 1, length) : named(months[moment.getUTCMonth()], length);
  if (letter === 'h') return pad(isHalfDay ? hour % 12 || 12 : hour, length);
  if (letter === 's') return pad(moment.getUTCSeconds(), length);
  return undefined;
}

function named(name: string | undefined, length: number): string {
  return length === 3 ? (name ?? '').slice(0, 3) : (name ?? '');
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
