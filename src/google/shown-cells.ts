// The parts of tabs that a write returns, as they are right after it (Google, `includeSpreadsheetInResponse`): what to request, and how to
// read it.

import { randomInt } from 'node:crypto';
import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/index.js';
import { DateTime } from 'luxon';
import * as z from 'zod';
import { dayEndOf, dayStartOf, localAt, onClockOf, readLocal } from '../engine/zone-local.ts';

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
  /** The same cells, if they are one column of a large answer: the rows are then made anew at each look. */
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

/** Cells that one write may return: a cell takes about 100 bytes of an answer, and at most 64 MiB are read. */
export const CELLS_SHOWN_MAX = 200_000;

/** Sheet id to cells by row and column, unformatted; an empty string where a cell is empty or was not requested. */
export type ShownTabs = ReadonlyMap<number, readonly (readonly unknown[])[]>;

/** Two areas of one tab may start in the same cell, so all parts of a tab are merged into one grid, in any order. */
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
      return parts > 0 && sheet.data.length === parts ? [[sheetId, gridOf(sheet)] as const] : [];
    }),
  );
}

function gridOf({ data }: Sheet): readonly (readonly unknown[])[] {
  const grid: unknown[][] = [];
  for (const { startRow, startColumn, rowData } of data) {
    for (const [i, { values }] of rowData.entries()) {
      const row = startRow + i;
      for (const [j, { effectiveValue }] of values.entries()) {
        if (effectiveValue === undefined) continue;
        const cells = rowIn(grid, row);
        while (cells.length < startColumn + j) cells.push('');
        cells[startColumn + j] = plainValue(effectiveValue);
      }
    }
  }
  return grid;
}

/** Rows that were not requested share one array: there may be many above the end of a large tab. */
const BLANK: unknown[] = [];

function rowIn(grid: unknown[][], row: number): unknown[] {
  const length = grid.length;
  if (row >= length) {
    grid.length = row + 1;
    grid.fill(BLANK, length);
  }
  const known = grid[row] ?? BLANK;
  if (known !== BLANK) return known;
  const cells: unknown[] = [];
  grid[row] = cells;
  return cells;
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

/** 0 is A, 26 is AA. */
function lettersOf(column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return letters;
}

// Cells with their values and the rules of their data validation, as of one moment (Google, CellData).

/** The data validation rule of a cell. */
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

// The values of one column with a cell for each row of a large tab, such as its ids. As strings in arrays they would take ten times as much.

/** A key column as trimmed text, by row. An array of texts is one. */
export interface Texts extends Iterable<string> {
  readonly length: number;
  at(row: number): string | undefined;
  entries(): Iterable<[number, string]>;
  includes(text: string): boolean;
}

const ID_BYTES = 16;
/** Hexadecimal figures of an id, a hyphen before each of these. */
const HYPHENS = [8, 12, 16, 20];
const DELETED = -1;

/** Holds ids in 16 bytes each, and everything else as it is. Finds the row of an id. */
export class PackedTexts implements Texts {
  #length = 0;
  /** Zero bytes where the row holds no id. */
  #ids = Buffer.alloc(ID_BYTES * 1_024);
  /** Cells that are no ids, by row. Blank ones are left out. */
  readonly #others = new Map<number, unknown>();
  /** Rows by the hash of their id, each one more; the first free place ends a search. */
  #places = new Int32Array(0);
  #taken = 0;
  #last = 0;
  #doubledRows = 0;
  readonly #doubled = new Set<string>();
  readonly #seed = randomInt(2 ** 31) | 1;

  get length(): number {
    return this.#length;
  }

  /** Rows whose id another row further up had when they were set. */
  get doubledRows(): number {
    return this.#doubledRows;
  }

  isDoubled(id: string): boolean {
    return this.#doubled.has(id);
  }

  /** The last row with an id; 0 without one. */
  get lastId(): number {
    return this.#last;
  }

  get otherCells(): number {
    return this.#others.size;
  }

  /** Cells that are no ids. */
  others(): readonly (readonly [row: number, text: string])[] {
    return [...this.#others].map(([row, cell]) => [row, trimmed(cell)] as const);
  }

  at(row: number): string | undefined {
    if (row < 0 || row >= this.#length) return undefined;
    return this.#isId(row) ? this.#idAt(row) : trimmed(this.#others.get(row));
  }

  /** The cells as they were read. */
  rows(): readonly (readonly unknown[])[] {
    return Array.from({ length: this.#length }, (_, row) => {
      const cell = this.#isId(row) ? this.#idAt(row) : this.#others.get(row);
      return cell === undefined ? [] : [cell];
    });
  }

  *entries(): Generator<[number, string]> {
    for (let row = 0; row < this.#length; row += 1) yield [row, this.at(row) ?? ''];
  }

  *[Symbol.iterator](): Generator<string> {
    for (const [, text] of this.entries()) yield text;
  }

  includes(text: string): boolean {
    return this.rowOf(text) !== undefined || this.#otherRow(text) !== undefined;
  }

  /** The row of an id: the first, unless it was set since. */
  rowOf(id: string): number | undefined {
    const bytes = Buffer.alloc(ID_BYTES);
    if (!writeId(id, bytes, 0)) return this.#otherRow(id);
    const place = this.#placeOf(bytes, 0);
    return place === undefined ? undefined : (this.#places[place] ?? 0) - 1;
  }

  push(cell: unknown): void {
    this.#length += 1;
    this.set(this.#length - 1, cell);
  }

  set(row: number, cell: unknown): void {
    this.#grow();
    if (this.#isId(row)) this.#unindex(row);
    this.#others.delete(row);
    this.#ids.fill(0, row * ID_BYTES, (row + 1) * ID_BYTES);
    if (typeof cell === 'string' && writeId(cell, this.#ids, row * ID_BYTES)) {
      this.#last = Math.max(this.#last, row);
      this.#index(row);
      return;
    }
    while (this.#last > 0 && !this.#isId(this.#last)) this.#last -= 1;
    if (cell !== undefined && cell !== null && cell !== '') this.#others.set(row, cell);
  }

  /** Cells at the row and below move down. */
  insert(at: number, cells: readonly string[]): void {
    const below = Array.from({ length: Math.max(0, this.#length - at) }, (_, i) => {
      const row = at + i;
      return this.#isId(row) ? this.#idAt(row) : this.#others.get(row);
    });
    for (let row = at; row < this.#length; row += 1) this.set(row, undefined);
    this.#length = Math.max(this.#length, at) + cells.length;
    for (const [i, cell] of [...cells, ...below].entries()) this.set(at + i, cell);
  }

  #isId(row: number): boolean {
    for (let at = row * ID_BYTES; at < (row + 1) * ID_BYTES; at += 1) if (this.#ids[at] !== 0) return true;
    return false;
  }

  #idAt(row: number): string {
    const figures = this.#ids.toString('hex', row * ID_BYTES, (row + 1) * ID_BYTES);
    return [0, ...HYPHENS].map((from, i) => figures.slice(from, HYPHENS[i])).join('-');
  }

  #otherRow(text: string): number | undefined {
    const rows = [...this.#others].flatMap(([row, cell]) => (trimmed(cell) === text ? [row] : []));
    return rows.length === 0 ? undefined : rows.reduce((first, row) => Math.min(first, row));
  }

  #index(row: number): void {
    if (2 * (this.#taken + 1) > this.#places.length) this.#reindex();
    if (this.#placeOf(this.#ids, row * ID_BYTES) !== undefined) {
      this.#doubledRows += 1;
      this.#doubled.add(this.#idAt(row));
      return;
    }
    let place = this.#hash(this.#ids, row * ID_BYTES);
    while (this.#places[place] !== 0) place = (place + 1) % this.#places.length;
    this.#places[place] = row + 1;
    this.#taken += 1;
  }

  #unindex(row: number): void {
    const place = this.#placeOf(this.#ids, row * ID_BYTES);
    if (place === undefined || this.#places[place] !== row + 1) return;
    const id = this.#idAt(row);
    const isOther = (other: number) => other !== row && this.#isId(other) && this.#idAt(other) === id;
    let next = this.#doubled.has(id) ? 0 : this.#length;
    while (next < this.#length && !isOther(next)) next += 1;
    this.#places[place] = next < this.#length ? next + 1 : DELETED;
  }

  #reindex(): void {
    const rows = this.#places.filter((row) => row > 0);
    this.#places = new Int32Array(Math.max(1_024, 4 * rows.length));
    this.#taken = rows.length;
    for (const row of rows) {
      let place = this.#hash(this.#ids, (row - 1) * ID_BYTES);
      while (this.#places[place] !== 0) place = (place + 1) % this.#places.length;
      this.#places[place] = row;
    }
  }

  /** Where the id stands in the index. */
  #placeOf(bytes: Buffer, at: number): number | undefined {
    if (this.#places.length === 0) return undefined;
    for (let place = this.#hash(bytes, at); ; place = (place + 1) % this.#places.length) {
      const row = this.#places[place] ?? 0;
      if (row === 0) return undefined;
      if (row === DELETED) continue;
      const own = (row - 1) * ID_BYTES;
      if (bytes.compare(this.#ids, own, own + ID_BYTES, at, at + ID_BYTES) === 0) return place;
    }
  }

  /** Nobody who types ids knows the seed, and so which of them meet. */
  #hash(bytes: Buffer, at: number): number {
    let hash = this.#seed;
    for (let i = 0; i < ID_BYTES; i += 4) {
      hash = Math.imul(hash ^ bytes.readInt32LE(at + i), 0x85ebca6b);
      hash = Math.imul(hash ^ (hash >>> 15), this.#seed);
    }
    return ((hash ^ (hash >>> 16)) >>> 0) % this.#places.length;
  }

  #grow(): void {
    if (this.#length * ID_BYTES <= this.#ids.length) return;
    const ids = Buffer.alloc(Math.ceil(this.#length * 1.5) * ID_BYTES);
    this.#ids.copy(ids);
    this.#ids = ids;
  }
}

function trimmed(cell: unknown): string {
  return cell === undefined || cell === null ? '' : String(cell).trim();
}

/** False for anything but an id in lower case, and for the one of zeros only. */
function writeId(text: string, into: Buffer, at: number): boolean {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)) return false;
  if (text.startsWith('00000000-0000-0000-0000-000000000000')) return false;
  into.write(text.replaceAll('-', ''), at, ID_BYTES, 'hex');
  return true;
}

// A large answer is read in pieces: its text and all of its cells at once would take five times its size.

const PIECE_BYTES = 65_536;
/** A column with more cells that are no ids is not packed: they are looked through one by one. */
const OTHERS_MAX = 1_000;
const [QUOTE, BACKSLASH, OPEN, CLOSE, COMMA] = [...'"\\[],'].map((sign) => sign.charCodeAt(0));

/** As `JSON.parse`. Lists of rows under `values` with one cell at most in each are `PackedTexts`. */
export function parseInPieces(bytes: Buffer): unknown {
  const lists: unknown[] = [];
  const rest: string[] = [];
  let from = 0;
  for (let at = rowsFrom(bytes, from); at !== -1; at = rowsFrom(bytes, from)) {
    rest.push(bytes.toString('utf8', from, at), String(lists.length));
    const { list, end } = readRows(bytes, at);
    lists.push(list);
    from = end;
  }
  rest.push(bytes.toString('utf8', from));
  const putBack = (key: string, value: unknown) =>
    key === 'values' && typeof value === 'number' ? lists[value] : value;
  return JSON.parse(rest.join(''), lists.length === 0 ? undefined : putBack);
}

/** Where the next list of rows begins; -1 without one. Within a text, quotation marks are escaped. */
function rowsFrom(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf('"values"', from); at !== -1; at = bytes.indexOf('"values"', at + 1)) {
    const [head = ''] = /^"values"\s*:\s*(?=\[\s*\[)/.exec(bytes.toString('latin1', at, at + 200)) ?? [];
    if (head !== '') return at + head.length;
  }
  return -1;
}

function readRows(bytes: Buffer, start: number): { readonly list: unknown; readonly end: number } {
  let packed: PackedTexts | undefined = new PackedTexts();
  const rows: unknown[] = [];
  const take = (from: number, to: number) => {
    for (const row of JSON.parse(`[${bytes.toString('utf8', from, to)}]`) as unknown[]) {
      const isPacked = Array.isArray(row) && row.length <= 1 && (packed?.otherCells ?? 0) < OTHERS_MAX;
      if (packed !== undefined && isPacked) packed.push(row[0]);
      else {
        for (const before of packed?.rows() ?? []) rows.push(before);
        packed = undefined;
        rows.push(row);
      }
    }
  };
  let [depth, isText, from] = [0, false, start + 1];
  for (let at = start; at < bytes.length; at += 1) {
    const sign = bytes[at];
    if (isText && sign === BACKSLASH) at += 1;
    else if (sign === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (sign === OPEN) depth += 1;
    else if (sign === CLOSE) depth -= 1;
    const isEnd = depth === 0;
    if (isText || !(isEnd || (depth === 1 && sign === COMMA && at - from > PIECE_BYTES))) continue;
    take(from, at);
    from = at + 1;
    if (isEnd) return { list: packed ?? rows, end: from };
  }
  throw new SyntaxError('the answer ends within its rows');
}
