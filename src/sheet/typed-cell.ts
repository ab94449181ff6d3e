// Input: a rendered template. Output: a cell of the column's type, and the format that shows it. Pure. Text that is no number, time or flag
// stays text: users see it in the sheet, and nothing is lost.

import { DateTime } from 'luxon';
import { DeferredError } from '../engine/errors.ts';
import type { Memory } from '../engine/memory.ts';
import type { ColumnType, SheetColumn } from '../engine/mirror.ts';
import { contentHash } from '../engine/object.ts';
import type { BookingAnswer, SheetBookings } from '../engine/outside-booking.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Cell, CellFormat, OutboxRow } from '../engine/sheet-row.ts';
import type { Claim } from '../engine/work.ts';
import { localAt } from '../engine/zone-local.ts';
import { unknownZoneAdvice } from '../engine/zone-news.ts';
import type { SheetsApi, SpreadsheetSettings } from '../google/sheets-api.ts';
import { comparable, storable } from './tab-survey.ts';

export interface TypedCell {
  readonly cell: Cell;
  /** Undefined: the cell needs no format. */
  readonly format: CellFormat | undefined;
}

/** `zone`: IANA zone of the spreadsheet's dates and times. `currency`: the text shown after an amount; empty for none. */
export function typedCell(
  column: Pick<SheetColumn, 'as' | 'format'>,
  rendered: Cell,
  about: { readonly zone: string; readonly currency: string },
): TypedCell {
  if (column.as === undefined || rendered === null) return plain(rendered);
  const text = String(rendered).trim();
  const { as, format } = column;
  switch (as) {
    case 'text':
      return plain(String(rendered));
    case 'boolean':
      return plain(flagOf(text) ?? rendered);
    case 'number':
      return numeric(
        numberOf(text),
        rendered,
        format === undefined ? undefined : { type: 'NUMBER', pattern: format },
      );
    case 'money': {
      const amount = numberOf(text);
      // The platform's amounts are hundredths: any smaller fraction is rounding noise from a template.
      const rounded = amount === undefined ? undefined : Math.round(amount * 100) / 100;
      return numeric(rounded, rendered, { type: 'CURRENCY', pattern: moneyPattern(format, about.currency) });
    }
    default:
      return numeric(serialOf(as, text, about.zone), rendered, TIME_FORMATS[as](format));
  }
}

/** Types whose numbers depend on the zone. */
export function hasZone(as: ColumnType | undefined): boolean {
  return as === 'date' || as === 'datetime' || as === 'time';
}

/** The date or time of a number in a column of that type, as its default format shows it. Undefined for other columns. */
export function spokenSerial(as: ColumnType, serial: number): string | undefined {
  if (!hasZone(as)) return undefined;
  const wall = DateTime.fromMillis(DAY_ZERO_MS + Math.round((serial * DAY_MS) / 1000) * 1000, {
    zone: 'utc',
  });
  if (!wall.isValid) return undefined;
  return wall.toFormat(as === 'date' ? 'yyyy-MM-dd' : as === 'time' ? 'HH:mm' : 'yyyy-MM-dd HH:mm');
}

const DAY_MS = 86_400_000;
/** Google's day 0, whatever the locale of the spreadsheet (Sheets API, DateTimeRenderOption). */
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);
/** Digits that a spreadsheet keeps of a number; it replaces further ones with zeros. */
const DIGITS_MAX = 15;
const MONEY_PATTERN = '#,##0.00';

const TIME_FORMATS = {
  date: (pattern = 'yyyy-mm-dd') => ({ type: 'DATE', pattern }),
  datetime: (pattern = 'yyyy-mm-dd hh:mm') => ({ type: 'DATE_TIME', pattern }),
  time: (pattern = 'hh:mm') => ({ type: 'TIME', pattern }),
} as const satisfies Readonly<Record<string, (pattern?: string) => CellFormat>>;

function plain(cell: Cell): TypedCell {
  return { cell, format: undefined };
}

function numeric(number: number | undefined, rendered: Cell, format: CellFormat | undefined): TypedCell {
  return number === undefined ? plain(rendered) : { cell: number, format };
}

/** Accepts only plain decimal numbers: not `0x10`, `1e3` or a blank, and no number that would lose digits before the point. */
function numberOf(text: string): number | undefined {
  const whole = /^[+-]?(?=\d)0*((?:[1-9]\d*)?)(?:\.\d+)?$/.exec(text)?.[1];
  return whole === undefined || whole.length > DIGITS_MAX ? undefined : Number(text);
}

function flagOf(text: string): boolean | undefined {
  const word = text.toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

/** The currency is quoted text, so that a code with a meaning in patterns (`h`, `d`, `0`) is not interpreted. */
function moneyPattern(format: string | undefined, currency: string): string {
  const shown = currency.replaceAll(/["\\\p{Cc}]/gu, '').trim();
  return shown === '' ? (format ?? MONEY_PATTERN) : `${format ?? MONEY_PATTERN}" ${shown}"`;
}

/** Days since day 0 on the clock of the zone. A text without an offset is already on that clock. */
function serialOf(as: 'date' | 'datetime' | 'time', text: string, zone: string): number | undefined {
  const isClock = /^\d{1,2}:\d{2}(?::\d{2})?$/.test(text);
  if (isClock && as !== 'time') return undefined;
  const iso = isClock
    ? `1970-01-01T${text.padStart(text.length + (text.indexOf(':') === 1 ? 1 : 0), '0')}`
    : text;
  const hasOffset = /^[^T ]*[T ]\d{2}[\d:.,]*(?:Z|[+-]\d{2}(?::?\d{2})?)(?:\[[^[\]]*\])?$/i.test(iso);
  const read = DateTime.fromISO(iso.replace(' ', 'T'), { zone: 'utc' });
  if (!read.isValid || !/^\d{4}-\d{2}-\d{2}/.test(iso)) return undefined;
  const local = hasOffset ? localAt(read.toMillis(), zone) : read;
  const wallMs = local.startOf('second').setZone('utc', { keepLocalTime: true }).toMillis();
  const days = (wallMs - DAY_ZERO_MS) / DAY_MS;
  if (!Number.isFinite(days)) return undefined;
  if (as === 'date') return Math.floor(days);
  return as === 'datetime' ? days : (((wallMs % DAY_MS) + DAY_MS) % DAY_MS) / DAY_MS;
}

/** How long dates wait for a known zone: slightly longer than the 15 s after which the problem board lets one caller retry. */
const UNKNOWN_WAIT_MS = 20_000;

/**
 * The time zone in which a spreadsheet shows its dates, from the settings that users choose. It is read once per spreadsheet and stored, so
 * that objects never wait for Google over a setting that rarely changes.
 */
export class SheetZones {
  readonly #api: SheetsApi;
  readonly #memory: Memory;
  readonly #problems: ProblemBoard;

  constructor(parts: { api: SheetsApi; memory: Memory; problems: ProblemBoard }) {
    this.#api = parts.api;
    this.#memory = parts.memory;
    this.#problems = parts.problems;
  }

  /**
   * A zone name that luxon accepts. If no zone is known yet and Google returns none or an unknown one, rejects with one of the three
   * families.
   */
  async zoneOf(spreadsheetId: string): Promise<string> {
    const known = await this.#memory.get(nameOf(spreadsheetId));
    if (known !== undefined) return known;
    if (!(await this.#problems.mayTry(targetOf(spreadsheetId)))) throw unknownZone(spreadsheetId);
    const settings = await this.#api.settings(spreadsheetId);
    await this.note(spreadsheetId, settings);
    if (settings.timeZone === undefined) throw unknownZone(spreadsheetId);
    return settings.timeZone;
  }

  /**
   * Stores the zone as just read. Returns true when a different zone was known before, so every date of the spreadsheet must be rewritten.
   * Does so at each call until `rewritten`, because the process may die in between. An unknown zone is reported as a problem, and dates keep
   * using the previous one.
   */
  async note(
    spreadsheetId: string,
    { timeZone, shownZone }: Pick<SpreadsheetSettings, 'timeZone' | 'shownZone'>,
  ): Promise<boolean> {
    const target = targetOf(spreadsheetId);
    if (timeZone === undefined) {
      await this.#problems.raise({ target, ...unknownZoneFault(shownZone) });
      return false;
    }
    await this.#problems.clear(target);
    const before = await this.#memory.get(nameOf(spreadsheetId));
    if (before !== undefined && before !== timeZone) await this.#memory.set(changeOf(spreadsheetId), before);
    if (before !== timeZone) await this.#memory.set(nameOf(spreadsheetId), timeZone);
    return (await this.#memory.get(changeOf(spreadsheetId))) !== undefined;
  }

  /** Call once every object with a date in the spreadsheet has a turn. */
  async rewritten(spreadsheetId: string): Promise<void> {
    await this.#memory.forget(changeOf(spreadsheetId));
  }
}

function unknownZoneFault(shown: string) {
  return {
    code: 'sheet-zone-unknown',
    message: `the spreadsheet has a time zone that is not known here: ${shown.slice(0, 60)}`,
    names: [shown.slice(0, 60)],
    advice: `${unknownZoneAdvice(shown)} Or write the zone of its dates into the mapping: timezone.`,
  };
}

function unknownZone(spreadsheetId: string): DeferredError {
  return new DeferredError('sheet-zone-unknown', 'dates wait for a time zone that is known', {
    target: targetOf(spreadsheetId),
    retryAfterMs: UNKNOWN_WAIT_MS,
  });
}

function targetOf(spreadsheetId: string): string {
  return `spreadsheet-zone:${spreadsheetId}`;
}

function nameOf(spreadsheetId: string): string {
  return `sheet-zone ${spreadsheetId}`;
}

function changeOf(spreadsheetId: string): string {
  return `sheet-zone-before ${spreadsheetId}`;
}

export interface RowContent {
  readonly cells: Readonly<Record<string, Cell>>;
  /** Only typed cells that have a value. */
  readonly formats: Readonly<Record<string, CellFormat>>;
}

/**
 * Equal for rows that look the same. The part before the dash covers the cells alone, so it can be compared with a tab: reads return values
 * but no formats.
 */
export function rowHash({ cells, formats }: RowContent): string {
  const patterns: Record<string, string> = {};
  for (const [header, { pattern }] of Object.entries(formats)) patterns[header] = pattern;
  const ofCells = cellsHash(cells);
  return Object.keys(patterns).length === 0 ? ofCells : `${ofCells}-${contentHash(patterns)}`;
}

/** The cell part of `rowHash`, for cells read from a tab. */
export function cellsHash(cells: Readonly<Record<string, unknown>>): string {
  return contentHash(
    Object.fromEntries(Object.entries(cells).map(([header, cell]) => [header, comparableCell(cell)])),
  );
}

/** The part of a row's hash that covers the cells. */
export function cellsPart(hash: string): string {
  return hash.split('-')[0] ?? '';
}

export function answerContent({ columns }: SheetBookings, answer: BookingAnswer, zone: string): RowContent {
  const time = typedCell({ as: 'datetime' }, answer.startsAt ?? null, { zone, currency: '' });
  const cells: [string | undefined, Cell][] = [
    [columns.status, answer.text],
    [columns.appointment, answer.appointmentId ?? null],
    [columns.booked_at, time.cell],
  ];
  const isTimed = columns.booked_at !== undefined && time.format !== undefined;
  return {
    cells: Object.fromEntries(
      cells.flatMap(([header, cell]) => (header === undefined ? [] : [[header.trim(), storable(cell)]])),
    ),
    formats: isTimed && time.format ? { [columns.booked_at.trim()]: time.format } : {},
  };
}

/** Earlier answers kept of each row. */
const ANSWERS_KEPT_MAX = 8;

/** What a booking row showed before, and the formats of its answer. The worker sets a format once; afterwards it belongs to the users. */
export function answerLooks(
  { links }: Claim,
  mirror: string,
  { cells, formats }: RowContent,
): Pick<OutboxRow, 'answered' | 'formats' | 'reformat'> {
  const { hash = '', answered: earlier = [], formats: given = {} } = links[mirror]?.sheet ?? {};
  const before = new Set([cellsPart(hash), ...earlier]);
  for (const each of ['', cellsHash(cells)]) before.delete(each);
  const kept = [...before].slice(0, ANSWERS_KEPT_MAX);
  const answered = kept.length > 0 ? { answered: kept } : {};
  const reformat = Object.keys(formats).filter((header) => given[header] !== formats[header]?.pattern);
  if (Object.keys(formats).length === 0) return answered;
  return reformat.length === 0 ? { ...answered, formats } : { ...answered, formats, reformat };
}

function comparableCell(cell: unknown): unknown {
  if (cell === undefined || cell === '') return null;
  return typeof cell === 'number' ? comparable(cell) : cell;
}
