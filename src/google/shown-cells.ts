// The parts of tabs that a write returns, as they are right after it (Google, `includeSpreadsheetInResponse`): what to request, and how to
// read it.

import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/index.js';
import { DateTime } from 'luxon';
import * as z from 'zod';
import { lettersOf } from '../engine/ids.ts';
import { dayEndOf, dayStartOf, localAt, onClockOf, readLocal } from '../engine/zone-local.ts';
import type { PackedTexts } from './large-column.ts';

const gridIndex = z.number().int().nonnegative().default(0);

/**
 * An answer of `spreadsheets.getByDataFilter` with a field mask, whose cells have this shape (Google, GridData). `startRow` counts from 0.
 * Google leaves out zeros and empty lists.
 */
export function gridDataOf<Cell extends z.ZodType>(cell: Cell) {
  const row = z.object({ values: z.array(cell).default([]) });
  const data = z.object({ startRow: gridIndex, rowData: z.array(row).default([]) });
  const properties = z.object({ sheetId: gridIndex }).default({ sheetId: 0 });
  return z.object({ sheets: z.array(z.object({ properties, data: z.array(data).default([]) })).default([]) });
}

/** Part of a tab, zero-based and half-open; an absent bound is unbounded (Google, GridRange). */
export interface GridArea {
  readonly sheetId: number;
  readonly startRow?: number;
  readonly endRow?: number;
  readonly startColumn?: number;
  readonly endColumn?: number;
}

export interface AreaValues {
  /** Unformatted: text, number or boolean. Google omits trailing blanks; blanks in between are empty strings. */
  readonly rows: readonly (readonly unknown[])[];
  /** The same cells, if they are one column of a large answer: the rows then take memory once somebody looks at them. */
  readonly column?: PackedTexts;
  /** The last row that Google looked at, counted from 1. For an area without an end, the number of rows of the tab. */
  readonly lastRow: number | undefined;
  /** The tab's title at the time of the read. */
  readonly title?: string | undefined;
}

/** Part of a tab. `title` is the tab's title as last read, because the ranges of an answer use titles (Google, `responseRanges`). */
export interface ShownArea {
  readonly title: string;
  readonly area: GridArea;
}

/** Cells that one write may return: each takes about 100 bytes of the answer and 400 of memory. A read of more takes less. */
export const CELLS_SHOWN_MAX = 50_000;

/** By sheet id. */
export type ShownTabs = ReadonlyMap<number, ShownRows>;

/** Cells by row and column, unformatted. Blank rows are left out; an empty string is where a cell is empty or was not requested. */
export type ShownRows = ReadonlyMap<number, readonly unknown[]>;

/** Two areas of one tab may start in the same cell, so all parts of a tab are merged, in any order. */
export const SHOWN_FIELDS =
  'spreadsheetId,updatedSpreadsheet.sheets(properties.sheetId,data(startRow,startColumn,rowData.values.effectiveValue))';

/** Also returns how many cells a `findReplace` changed. */
export const REPLACED_FIELDS = `${SHOWN_FIELDS},replies.findReplace.valuesChanged`;

const index = z.number().int().nonnegative().default(0);
export const EXTENDED_VALUE = z.object({
  stringValue: z.string().optional(),
  numberValue: z.number().optional(),
  boolValue: z.boolean().optional(),
  errorValue: z.object({ type: z.string().default('') }).optional(),
});
const ROW = z.object({
  values: z.array(z.object({ effectiveValue: EXTENDED_VALUE.optional() })).default([]),
});
const SPREADSHEET = z.object({
  sheets: z
    .array(
      z.object({
        properties: z.object({ sheetId: index }).default({ sheetId: 0 }),
        data: z
          .array(z.object({ startRow: index, startColumn: index, rowData: z.array(ROW).default([]) }))
          .default([]),
      }),
    )
    .default([]),
});
type Sheet = z.output<typeof SPREADSHEET>['sheets'][number];

/** The answer to a write. An unreadable spreadsheet counts as not shown, because the write itself is done. */
export const WRITTEN = z.object({
  spreadsheetId: z.string(),
  /** One reply per request, in order. */
  replies: z
    .array(z.object({ findReplace: z.object({ valuesChanged: index }).partial().optional() }))
    .default([]),
  updatedSpreadsheet: SPREADSHEET.optional().catch(undefined),
});

/** The tabs that Google returned completely. */
export function shownTabs(
  { updatedSpreadsheet }: z.output<typeof WRITTEN>,
  asked: readonly ShownArea[],
): ShownTabs {
  const sheets = updatedSpreadsheet?.sheets ?? [];
  return new Map(
    sheets.flatMap((sheet) => {
      const { sheetId } = sheet.properties;
      const parts = asked.filter(({ area }) => area.sheetId === sheetId).length;
      return parts > 0 && sheet.data.length === parts ? [[sheetId, rowsOf(sheet)] as const] : [];
    }),
  );
}

function rowsOf({ data }: Sheet): ShownRows {
  const rows = new Map<number, unknown[]>();
  for (const { startRow, startColumn, rowData } of data) {
    for (const [i, { values }] of rowData.entries()) {
      const cells = rows.get(startRow + i) ?? [];
      for (const [j, { effectiveValue }] of values.entries()) {
        if (effectiveValue === undefined) continue;
        while (cells.length < startColumn + j) cells.push('');
        cells[startColumn + j] = plainValue(effectiveValue);
      }
      if (cells.length > 0) rows.set(startRow + i, cells);
    }
  }
  return rows;
}

/** The value in the form that a read of unformatted values returns. */
export function plainValue(value: z.output<typeof EXTENDED_VALUE>): unknown {
  if (value.errorValue !== undefined) return ERROR_TEXTS.get(value.errorValue.type) ?? '#ERROR!';
  return value.stringValue ?? value.numberValue ?? value.boolValue ?? '';
}

/** How Google shows each ErrorType. */
const ERROR_TEXTS = new Map([
  ['NULL_VALUE', '#NULL!'],
  ['DIVIDE_BY_ZERO', '#DIV/0!'],
  ['VALUE', '#VALUE!'],
  ['REF', '#REF!'],
  ['NAME', '#NAME?'],
  ['NUM', '#NUM!'],
  ['N_A', '#N/A'],
  ['LOADING', 'Loading...'],
]);

/** The area in A1 notation. */
export function a1Of({ title, area }: ShownArea): string {
  const name = `'${title.replaceAll("'", "''")}'`;
  const { startRow, endRow, startColumn, endColumn } = area;
  if (startColumn === undefined && endColumn === undefined) {
    return endRow === undefined ? name : `${name}!${(startRow ?? 0) + 1}:${endRow}`;
  }
  const firstRow = startRow === undefined && endRow === undefined ? '' : (startRow ?? 0) + 1;
  const from = `${lettersOf(startColumn ?? 0)}${firstRow}`;
  return `${name}!${from}:${lettersOf((endColumn ?? LAST_COLUMN) - 1)}${endRow ?? ''}`;
}

/** Google's limit for one tab. */
const LAST_COLUMN = 18_278;

/** The tab's title in one of Google's ranges: `'It''s'!A1:B2`. */
export function titleIn(range: string): string | undefined {
  const end = range.lastIndexOf('!');
  if (end <= 0) return undefined;
  const name = range.slice(0, end);
  const isQuoted = name.length >= 2 && name.startsWith("'") && name.endsWith("'");
  return isQuoted ? name.slice(1, -1).replaceAll("''", "'") : name;
}

// Cells with their values and the rules of their data validation, as of one moment (Google, CellData).

export interface CellRule {
  /** Type of the rule's `BooleanCondition`. */
  readonly type: string;
  /** The values as typed by the user; a range begins with `=`. */
  readonly values: readonly string[];
  /** The rule as Google returns it, so that it can be set again. */
  readonly whole: WholeRule;
}

export type WholeRule = sheets_v4.Schema$DataValidationRule;

/** A whole tab: its values and rules. Trailing blanks are omitted; a cell without a rule is undefined. */
export interface RuledCells {
  readonly values: readonly (readonly unknown[])[];
  readonly rules: readonly (readonly (CellRule | undefined)[])[];
}

export const RULED_FIELDS = 'sheets(properties.sheetId,data(rowData.values(effectiveValue,dataValidation)))';

/** No defaults here: the rule is written back exactly as read. */
const CONDITION = z.looseObject({
  type: z.string().optional(),
  values: z.array(z.looseObject({ userEnteredValue: z.string().optional() })).optional(),
});
const CELL = z.object({
  effectiveValue: EXTENDED_VALUE.optional(),
  dataValidation: z.looseObject({ condition: CONDITION.optional() }).optional(),
});

export const RULED = gridDataOf(CELL);

/** By sheet id. Omits a tab that Google did not return. */
export function ruledCells({ sheets }: z.output<typeof RULED>): ReadonlyMap<number, RuledCells> {
  return new Map(
    sheets.flatMap(({ properties, data: [data] }) => {
      if (data === undefined) return [];
      const rows = data.rowData.map(({ values }) => values);
      const values = rows.map((cells) =>
        cells.map(({ effectiveValue }) => (effectiveValue === undefined ? '' : plainValue(effectiveValue))),
      );
      const rules = rows.map((cells) =>
        cells.map(({ dataValidation }) => {
          const condition = dataValidation?.condition;
          if (condition === undefined) return undefined;
          const typed = (condition.values ?? []).map((each) => each.userEnteredValue ?? '');
          return { type: condition.type ?? '', values: typed, whole: dataValidation as WholeRule };
        }),
      );
      return [[properties.sheetId, { values, rules }] as const];
    }),
  );
}

// Parses an appointment's start from what a user typed into a cell. Returns nothing unless the instant is certain.

const DAY_S = 86_400;
/** Google's day 0 in every locale (Sheets API, DateTimeRenderOption). */
const DAY_ZERO = DateTime.utc(1899, 12, 30);

/** Formats of times typed as text, in the order in which they are tried. */
const PATTERNS = [
  'd.M.yyyy H:mm',
  'd.M.yyyy H:mm:ss',
  'd.M.yy H:mm',
  'yyyy-MM-dd H:mm',
  'yyyy-MM-dd H:mm:ss',
];

/** How to interpret the times that people type. */
export interface TypedClock {
  /** IANA zone. */
  readonly zone: string;
  /** luxon patterns, tried before all others. */
  readonly formats: readonly string[];
}

/**
 * RFC 3339 with offset, in the zone's local time unless the text names its own offset. A typed date is a serial number (Sheets API,
 * SERIAL_NUMBER). Undefined for anything else: a day without an hour, a text that is not a time, an hour skipped in spring. In the hour
 * that occurs twice in autumn, the first occurrence is meant (case 44).
 */
export function momentOf(cell: unknown, { zone, formats }: TypedClock): string | undefined {
  if (typeof cell === 'number') return fromSerial(cell, zone);
  if (typeof cell !== 'string') return undefined;
  const typed = cell.trim().replaceAll(/[\s\u00a0]+/g, ' ');
  const text = typed.replace(', ', ' ');
  for (const pattern of [...formats, ...PATTERNS]) {
    const seen = pattern.includes(',') ? typed : text;
    const read = DateTime.fromFormat(seen, pattern, { zone: 'utc', locale: 'en' });
    if (read.isValid) return onClock(read, zone);
  }
  const { offset, ...iso } = ISO_TYPED.exec(text)?.groups ?? {};
  if (iso['day'] === undefined || isHourRange(text)) return undefined;
  const local = `${iso['day']}T${iso['hour']}`;
  if (offset !== undefined) {
    const own = DateTime.fromISO(local + offset, { setZone: true });
    return own.isValid ? (own.toISO({ suppressMilliseconds: true }) ?? undefined) : undefined;
  }
  const read = DateTime.fromISO(local, { zone: 'utc' });
  return read.isValid ? onClock(read, zone) : undefined;
}

const ISO_TYPED =
  /^(?<day>\d{4}-\d{2}-\d{2})[T ](?<hour>\d{2}:?\d{2}(?::?\d{2}(?:[.,]\d{1,9})?)?) ?(?<offset>Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** `2026-03-03 10:00-11:00` means from ten to eleven: no offset of that size lies ahead of the hour that a person types. */
function isHourRange(text: string): boolean {
  const [, from = '', to = ''] = /^[\d-]+ (\d{2}):?\d{2} ?-(\d{2})/.exec(text) ?? [];
  return to !== '' && Number(to) >= Number(from);
}

/** Marks a serial number as a moment: less than the half second that `fromSerial` rounds away. */
const MOMENT_DAYS = 0.25 / DAY_S;
/** Serial number of the first day after the year 9999. */
const SERIAL_MAX = 2_958_466;

/** True for a number that is a day, perhaps at 00:00. */
export function isDaySerial(cell: unknown): cell is number {
  return typeof cell === 'number' && Number.isInteger(cell) && cell >= 1 && cell < SERIAL_MAX;
}

/** A day that its cell shows with 00:00, in a form that is read as that moment. */
export function atMidnight(cell: unknown): unknown {
  return isDaySerial(cell) ? cell + MOMENT_DAYS : cell;
}

/** Formats of a day without an hour, typed as text. */
const DAY_PATTERNS = ['d.M.yyyy', 'd.M.yy', 'yyyy-MM-dd'];

/** The day in a cell, with or without an hour, in the zone's local time; `date` is ISO 8601. */
export function dayIn(
  cell: unknown,
  clock: TypedClock,
): { readonly date: string; readonly fromMs: number; readonly toMs: number } | undefined {
  const { zone } = clock;
  const moment = momentOf(cell, clock);
  const day = moment === undefined ? dateOf(cell, zone) : readLocal(moment, zone);
  if (day === undefined || !day.isValid) return undefined;
  const from = dayStartOf(day);
  return {
    date: from.toFormat('yyyy-MM-dd'),
    fromMs: from.toMillis(),
    toMs: dayEndOf(from).toMillis(),
  };
}

function dateOf(cell: unknown, zone: string): DateTime | undefined {
  if (typeof cell === 'number') {
    if (!Number.isInteger(cell) || cell < 1) return undefined;
    return onClockOf(zone, DAY_ZERO.plus({ days: cell }));
  }
  if (typeof cell !== 'string') return undefined;
  const read = DAY_PATTERNS.map((pattern) =>
    DateTime.fromFormat(cell.trim(), pattern, { zone: 'utc', locale: 'en' }),
  ).find(({ isValid }) => isValid);
  return read && onClockOf(zone, read);
}

/**
 * The form in which free times are offered: Google and `momentOf` read it in every locale. Undefined for the second occurrence of a
 * repeated hour.
 */
export function offeredTime(atMs: number, clock: TypedClock): string | undefined {
  const text = localAt(atMs, clock.zone).toFormat('yyyy-MM-dd HH:mm');
  return Date.parse(momentOf(text, clock) ?? '') === atMs ? text : undefined;
}

function fromSerial(serial: number, zone: string): string | undefined {
  // An integer is a day without an hour, unless its cell's format says otherwise: see `atMidnight`.
  if (!Number.isFinite(serial) || serial < 1 || Number.isInteger(serial)) return undefined;
  // Google stores 15 digits: the seconds are exact, smaller digits are rounding errors.
  const read = DAY_ZERO.plus({ seconds: Math.round(serial * DAY_S) });
  return read.isValid ? onClock(read, zone) : undefined;
}

/** The same wall-clock time in the zone. */
function onClock(figures: DateTime, zone: string): string | undefined {
  const [there] = onClockOf(zone, figures).getPossibleOffsets();
  const isShown = there?.isValid === true && there.hour === figures.hour && there.minute === figures.minute;
  return isShown ? (there.toISO({ suppressMilliseconds: true }) ?? undefined) : undefined;
}
