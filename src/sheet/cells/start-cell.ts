// Reads the start of an appointment from a cell: a typed date with an hour, which Google keeps as a number. Pure. Only such a number is a
// wish, because the order of day and month in a text is ambiguous.
import type { RowEdit } from '../../engine/domain/row-edit.ts';
import { momentOf } from '../../google/typed-moment.ts';
import { spokenSerial } from '../target/typed-cell.ts';
import { cellText } from './normal-form.ts';

const DAY_S = 86_400;
/** Google's day 0, whatever the locale of the spreadsheet (Sheets API, DateTimeRenderOption). */
const DAY_ZERO_S = Date.UTC(1899, 11, 30) / 1000;
/** Serial number of the first day after the year 9999. */
const SERIAL_MAX = 2_958_466;

/** What users see in the cell, for example `2026-03-03T10:00:00`; the same in every zone. Undefined if the cell shows no date. */
export function figuresOf(cell: unknown): string | undefined {
  if (typeof cell === 'number') {
    if (!(cell >= 1 && cell < SERIAL_MAX)) return undefined;
    return new Date((DAY_ZERO_S + Math.round(cell * DAY_S)) * 1000).toISOString().slice(0, 19);
  }
  // Only the figures matter: in UTC no hour is skipped or repeated.
  return momentOf(cell, { zone: 'UTC', formats: [] })?.slice(0, 19);
}

/** A typed start as text. Adds the instant if it is a date with an hour, in whole minutes, that exists in the zone. */
export function startIn(cell: unknown, zone: string): Pick<RowEdit, 'text' | 'startsAt'> {
  if (typeof cell !== 'number') return { text: cellText(cell) };
  const text = spoken(cell);
  const moment = momentOf(cell, { zone, formats: [] });
  if (moment === undefined || !/T\d{2}:\d{2}:00/.test(moment)) return { text };
  return { text, startsAt: new Date(moment).toISOString() };
}

function spoken(serial: number): string {
  if (!Number.isFinite(serial) || serial < 0) return cellText(serial);
  if (serial < 1) return spokenSerial('time', serial) ?? cellText(serial);
  return spokenSerial(Number.isInteger(serial) ? 'date' : 'datetime', serial) ?? cellText(serial);
}
