// How an input value becomes a cell value. RAW stores it unchanged. USER_ENTERED parses it as if a user had typed it: formulas run,
// "001" is 1, phone numbers are numbers and dates are serial numbers.
import { DateTime } from 'luxon';
import { type JsonObject, objectOf } from '../json.ts';
import { type Cell, type CellValue, withValue } from './cell.ts';

export type InputOption = 'RAW' | 'USER_ENTERED';

const dateFormats: [string, string, string][] = [
  ['yyyy-M-d', 'DATE', 'yyyy-mm-dd'],
  ['M/d/yyyy', 'DATE', 'm/d/yyyy'],
  ['MMM d, yyyy', 'DATE', 'mmm d, yyyy'],
  ['d MMM yyyy', 'DATE', 'd mmm yyyy'],
  ['yyyy-M-d H:mm', 'DATE_TIME', 'yyyy-mm-dd h:mm'],
  ['yyyy-M-d H:mm:ss', 'DATE_TIME', 'yyyy-mm-dd h:mm:ss'],
  ['M/d/yyyy H:mm', 'DATE_TIME', 'm/d/yyyy h:mm'],
  ['M/d/yyyy H:mm:ss', 'DATE_TIME', 'm/d/yyyy h:mm:ss'],
  ['H:mm', 'TIME', 'h:mm'],
  ['H:mm:ss', 'TIME', 'h:mm:ss'],
];

/** The new cell, or undefined when nothing is left of it. An empty text clears the value. */
export function enter(cell: Cell | undefined, given: CellValue, option: InputOption): Cell | undefined {
  if (given === '') return withValue(cell, undefined);
  if (option === 'RAW' || typeof given !== 'string') return withValue(cell, given);
  // In a cell of plain text, everything typed stays text, even formulas.
  if (objectOf(cell?.format?.['numberFormat'])['type'] === 'TEXT') return withValue(cell, given);
  if (given.startsWith("'")) return withValue(cell, given.slice(1));
  if (given.startsWith('=') && given.length > 1) return withValue(cell, evaluate(given), given);
  const typed = readTyped(given.trim());
  if (typed === undefined) return withValue(cell, given);
  const entered = withValue(cell, typed.value);
  // Keep a format that a user chose.
  const hasFormat = cell?.format?.['numberFormat'] !== undefined;
  return typed.format === undefined || hasFormat
    ? entered
    : { ...entered, format: { ...cell?.format, numberFormat: typed.format } };
}

/**
 * The sandbox does not calculate formulas. It evaluates constants and simple sums; anything else becomes the error that a user would
 * see.
 */
export function evaluate(formula: string): CellValue {
  const body = formula.slice(1).trim();
  const text = /^"((?:[^"]|"")*)"$/.exec(body)?.[1];
  if (text !== undefined) return text.replaceAll('""', '"');
  if (/^-?\d+(\.\d+)?$/.test(body)) return Number(body);
  if (/^(TRUE|FALSE)$/i.test(body)) return body.toUpperCase() === 'TRUE';
  const sum = /^(-?\d+(?:\.\d+)?)\s*\+\s*(-?\d+(?:\.\d+)?)$/.exec(body);
  if (sum !== null) return Number(sum[1]) + Number(sum[2]);
  return /^[A-Za-z.]+\(/.test(body) ? '#NAME?' : '#ERROR!';
}

function readTyped(text: string): { value: CellValue; format?: JsonObject } | undefined {
  if (/^(true|false)$/i.test(text)) return { value: text.toLowerCase() === 'true' };
  const percent = /^([+-]?\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent !== undefined)
    return {
      value: Number(percent) / 100,
      format: { type: 'PERCENT', pattern: percent.includes('.') ? '0.00%' : '0%' },
    };
  const money = /^\$(\d{1,3}(?:,\d{3})*|\d+)(\.\d+)?$/.exec(text);
  if (money !== null) {
    const pattern = money[2] === undefined ? '"$"#,##0' : '"$"#,##0.00';
    return {
      value: Number(`${money[1]?.replaceAll(',', '')}${money[2] ?? ''}`),
      format: { type: 'CURRENCY', pattern },
    };
  }
  const grouped = /^[+-]?\d{1,3}(?:,\d{3})+(\.\d*)?$/.exec(text);
  if (grouped !== null) {
    const pattern = grouped[1] === undefined ? '#,##0' : '#,##0.00';
    return { value: Number(text.replaceAll(',', '')), format: { type: 'NUMBER', pattern } };
  }
  if (/^[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d*)?(e[+-]?\d+)?$/i.test(text) || /^[+-]?\.\d+$/.test(text))
    return { value: Number(text.replaceAll(',', '')) };
  // "+1 555 123 4567" loses its plus and its blanks.
  if (/^\+\d[\d ]+$/.test(text)) return { value: Number(text.replaceAll(' ', '')) };
  return readDate(text);
}

function readDate(text: string): { value: number; format: JsonObject } | undefined {
  if (!/^[\dA-Z]/i.test(text) || text.length > 24 || !/\d/.test(text)) return undefined;
  for (const [form, type, pattern] of dateFormats) {
    const moment = DateTime.fromFormat(text, form, { zone: 'utc', locale: 'en-US' });
    if (!moment.isValid) continue;
    const serial = serialOf(moment);
    return { value: type === 'TIME' ? serial % 1 : serial, format: { type, pattern } };
  }
  return undefined;
}

/** Days since 30 December 1899. */
function serialOf(moment: DateTime): number {
  return (moment.toMillis() - Date.UTC(1899, 11, 30)) / 86_400_000;
}
