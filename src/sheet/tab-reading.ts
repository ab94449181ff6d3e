import { setImmediate } from 'node:timers/promises';
import { TerminalError } from '../engine/errors.ts';
import { isRowId, rowOrigin } from '../engine/ids.ts';
import type { Memory } from '../engine/memory.ts';
import { contentHash, formatKey } from '../engine/object.ts';
import {
  type BookingLanguage,
  ROW_INPUTS,
  type RowInput,
  type RowOutput,
  type SeenRowBooking,
  type SheetBookings,
  type UnclearInput,
} from '../engine/outside-booking.ts';
import { type CustomerMarks, customerMarks } from '../engine/person.ts';
import { decodeReferences, namedAlike } from '../engine/plain-text.ts';
import type { Clock } from '../engine/runtime.ts';
import {
  type Cell,
  columnsHeaded,
  isCellError,
  type Tick,
  tickIn,
  trimmedCell,
} from '../engine/sheet-row.ts';
import { unknownZoneAdvice } from '../engine/zone-news.ts';
import type { AreaValues, SheetsApi, SpreadsheetSettings } from '../google/sheets-api.ts';
import { atMidnight, isDaySerial, momentOf, type TypedClock } from '../google/shown-cells.ts';
import { listed, type TabFault } from './tab-layout.ts';

export function bookingKeyOf(id: string): string {
  return formatKey({ kind: 'booking', id });
}

/** The sighting of the row, as it goes to the intake. */
export function rowAsSeen(mapping: SheetBookings, row: TypedRow, sinceMs: number): SeenRowBooking {
  const { name, spreadsheetId, tab } = mapping;
  return {
    ...{ id: row.id, origin: rowOrigin(row.id), mapping: name, seen_at: new Date(sinceMs).toISOString() },
    ...{ state: 'live', place: 'row', spreadsheet_id: spreadsheetId, tab, row_id: row.id, cells: row.cells },
    ...(row.startsAt !== undefined && { starts_at: row.startsAt }),
    ...{ ready: row.ready, cancel: row.cancel },
    ...(row.unclear !== undefined && { unclear: row.unclear }),
    ...(row.appointment !== '' && { known_appointment: row.appointment }),
  };
}

/** A row as one reading showed it. */
export interface TypedRow {
  /** Zero-based; valid only at the moment of the reading. */
  readonly row: number;
  readonly id: string;
  /** What the worker's own columns hold. */
  readonly status: string;
  readonly appointment: string;
  readonly bookedAt?: unknown;
  /** People's own cells, without blank ones and ticks. */
  readonly cells: Readonly<Partial<Record<RowInput, Cell>>>;
  readonly startsAt: string | undefined;
  readonly ready: boolean;
  readonly cancel: boolean;
  /** As in `SeenRowBooking`. */
  readonly unclear?: UnclearInput | undefined;
  /** Hash of `cells`: equal for rows with the same content. */
  readonly print: string;
}

const TICKS: readonly string[] = ['ready', 'cancel'];
/** Columns that do not make a row count. */
const NOT_TELLING: ReadonlySet<string> = new Set([...TICKS, 'appointment', 'booked_at']);
const MINUTES_OF_DAY = 1_440;

/** Forms leave character references in what people typed. Names of the platform are compared as they are. */
const FREE_TEXT: readonly RowInput[] = ['name', 'comment'];

/** Rows that are read before other work gets its turn. */
const ROWS_AT_ONCE = 500;

/** Omits rows with only ticks and the worker's cells, as a column of boxes makes them, and the header of a second table. */
export async function readRows(
  grid: readonly (readonly unknown[])[],
  columns: IntakeColumns,
  clock: TypedClock,
): Promise<readonly TypedRow[]> {
  const telling = [...columns].flatMap(([meaning, column]) => (NOT_TELLING.has(meaning) ? [] : [column]));
  const known = [...columns.values()];
  const rows: TypedRow[] = [];
  let read = 0;
  for (const [row, values] of grid.entries()) {
    if (telling.every((at) => isUntold(values[at]))) continue;
    if (known.every((at) => trimmedCell(values[at]) === trimmedCell(grid[0]?.[at]))) continue;
    const typed = readRow(values, { row, columns, clock });
    if (typed.id !== '' || typed.status !== '' || !isBlank(typed)) rows.push(typed);
    read += 1;
    if (read % ROWS_AT_ONCE === 0) await setImmediate();
  }
  return rows;
}

function isUntold(cell: unknown): boolean {
  return cell === false || trimmedCell(cell) === '';
}

/** True when people have typed nothing into the row; an unticked box counts as nothing. */
export function isBlank({ cells }: TypedRow): boolean {
  return Object.values(cells).every(isUntold);
}

/** The worker's own cells by header, as they were read. */
export function answerIn(
  { columns }: SheetBookings,
  { status, appointment, bookedAt }: TypedRow,
): Readonly<Record<string, unknown>> {
  const cells: [string | undefined, unknown][] = [
    [columns.status, status],
    [columns.appointment, appointment],
    [columns.booked_at, bookedAt],
  ];
  return Object.fromEntries(
    cells.flatMap(([header, cell]) => (header === undefined ? [] : [[header.trim(), cell]])),
  );
}

export function customerInRow(cells: TypedRow['cells']): CustomerMarks {
  const { contact_id: contactId, phone, email, name } = cells;
  return customerMarks({ contactId, phone, email, name });
}

function readRow(
  values: readonly unknown[],
  { row, columns, clock }: { row: number; columns: IntakeColumns; clock: TypedClock },
): TypedRow {
  const at = (meaning: RowInput | RowOutput) => {
    const column = columns.get(meaning);
    return column === undefined ? undefined : values[column];
  };
  const cells = Object.fromEntries(
    ROW_INPUTS.flatMap((meaning) => {
      const cell = TICKS.includes(meaning) ? null : cellOf(meaning, at(meaning));
      return cell === null ? [] : [[meaning, cell] as const];
    }),
  );
  const [ready, cancel] = [columns.has('ready') ? tickIn(at('ready')) : 'yes', tickIn(at('cancel'))] as const;
  const isError = ROW_INPUTS.some((meaning) => isCellError(at(meaning)));
  return {
    row,
    id: trimmedCell(at('id')),
    status: trimmedCell(at('status')),
    appointment: trimmedCell(at('appointment')),
    bookedAt: at('booked_at'),
    cells,
    startsAt: momentOf(at('starts_at'), clock),
    ...{ ready: ready === 'yes', cancel: cancel === 'yes' },
    unclear: unclearIn({ ready, cancel, isError }),
    print: contentHash(cells),
  };
}

function cellOf(meaning: RowInput, value: unknown): Cell {
  if (isCellError(value)) return null;
  // Google may change line ends when a row is copied or edited: the text is still the same.
  if (typeof value === 'string') {
    const text = value.replaceAll(/\r\n?/g, '\n').trim();
    return (FREE_TEXT.includes(meaning) ? decodeReferences(text) : text) || null;
  }
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'number') return null;
  // Sheets turns a typed `1:30` into a fraction of a day. `0.5` may be half an hour as well as 12:00, so it gives no length.
  const isDayFraction = meaning === 'duration' && value > 0 && value < 1 && !/^0\.\d\d?$/.test(String(value));
  return isDayFraction ? Math.round(value * MINUTES_OF_DAY) : value;
}

/** A row that says neither is being typed, and nobody waits for an answer. */
function unclearIn({
  ready,
  cancel,
  isError,
}: {
  ready: Tick;
  cancel: Tick;
  isError: boolean;
}): UnclearInput | undefined {
  if (isError) return ready === 'no' && cancel === 'no' ? undefined : 'formula';
  if (cancel !== 'no') return cancel === 'unclear' ? 'cancel' : undefined;
  return ready === 'unclear' ? 'ready' : undefined;
}

// Reads what the id cell of a row means.

export type IdCell =
  | { readonly as: 'none' }
  /** A person says that the row is a booking of its own, whatever it looks like. */
  | { readonly as: 'new' }
  | { readonly as: 'own'; readonly id: string }
  /** The worker set the row aside: the id is another row's, or its owner is unclear. */
  | { readonly as: 'aside'; readonly id: string; readonly flag: AsideFlag; readonly of: string }
  /** Typed, mistyped, or brought from another spreadsheet. */
  | { readonly as: 'foreign' };

export type AsideFlag = 'copy' | 'which';

const NEW = /^(?:new|новая)$/iu;
const ASIDE = /^(copy|which) ([0-9a-f-]{36})(?: ([0-9a-f]{8}))?$/;
const OF_CHARS = 8;

export function readIdCell(text: string, spreadsheets: readonly string[]): IdCell {
  if (text === '') return { as: 'none' };
  if (NEW.test(text)) return { as: 'new' };
  if (isRowId(text, ...spreadsheets)) return { as: 'own', id: text };
  const [, flag, id = '', of = ''] = ASIDE.exec(text) ?? [];
  return isRowId(id, ...spreadsheets) ? { as: 'aside', id, flag: flag as AsideFlag, of } : { as: 'foreign' };
}

/**
 * Replaces the id in the cell: the choice between rows that share an id is made once, and travels with the row. The flush then finds the id
 * in one row only. The end of the text says for which row it is meant, because people may sort while it is written.
 */
export function asideText(flag: AsideFlag, id: string, print: string): string {
  return `${flag} ${id} ${rowMark(print)}`;
}

/** Identifies a row by its content. */
export function rowMark(print: string): string {
  return contentHash(print).slice(0, OF_CHARS);
}

type Grid = readonly (readonly unknown[])[];

interface Known {
  readonly atMs: number;
  readonly days: string;
  readonly timed: ReadonlySet<number>;
}

/** Formulas whose value changes although nobody types. */
const VOLATILE = /^=.*\b(?:TODAY|NOW|RAND|RANDBETWEEN|RANDARRAY)\s*\(/is;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** By whole days (one in spring or autumn lasts an hour less or more), or into the midst of a minute. Nobody types such a moment. */
function isMovedByClock(from: string | undefined, to: string | undefined): boolean {
  const [atMs, byMs] = [Date.parse(to ?? ''), Date.parse(to ?? '') - Date.parse(from ?? '')];
  const days = Math.round(byMs / DAY_MS);
  // Its start was not read: perhaps it is such a formula already.
  return from === undefined || atMs % 60_000 !== 0 || (days > 0 && Math.abs(byMs - days * DAY_MS) <= HOUR_MS);
}

/** A cell; `title`: of its tab, in lower case, empty for the tab of the row. */
interface Place {
  readonly title: string;
  readonly row: number;
  readonly column: number;
}

/** Characters of formulas, and cells of ranges, in which the starts of one poll are followed. Beyond it they count as typed. */
const FOLLOWED_MAX = 1_000_000;
const FORMULA_CHARS_MAX = 5_000;
/** Other tabs into which starts are followed at once. */
const TABS_FOLLOWED_MAX = 3;
/** A cell, or a range of cells or columns, perhaps of another tab. Google's titles have at most 100 characters. */
const REFERENCE =
  /(?:'((?:[^']|''){1,100})'!|(?<![\p{L}\p{N}_.])([\p{L}\p{N}_.]{1,100})!|(?<![\p{L}\p{N}_.!:$]))\$?([a-z]{1,3})\$?(\d{1,7})?(?::\$?([a-z]{1,3})\$?(\d{1,7})?)?(?![\p{L}\p{N}_(])/giu;

/** What the starts of one poll have in common. */
interface Followed {
  readonly formulas: ReadonlyMap<string, Grid>;
  /** Cells and ranges that no clock changes. */
  readonly calm: Set<string>;
  /** Tabs that are missing. */
  readonly unread: Set<string>;
  left: number;
}

/** Whether the value of the cell changes by itself: by its formula, or by a cell to which that refers. */
function isOfClock(start: Place, shared: Followed): boolean {
  const { formulas, calm, unread } = shared;
  const seen = new Set<string>();
  const isNew = (name: string) => !calm.has(name) && seen.size < seen.add(name).size;
  const places = [start];
  for (let place = places.pop(); place !== undefined && shared.left > 0; place = places.pop()) {
    const { title, row, column } = place;
    const cell = formulas.get(title)?.[row]?.[column];
    if (!isFormula(cell) || !isNew(`${title} ${row} ${column}`)) continue;
    const code = cell.slice(0, FORMULA_CHARS_MAX).replaceAll(/"[^"]*"/g, '');
    if (VOLATILE.test(code)) return true;
    shared.left -= code.length;
    for (const [text, quoted, plain, letters = '', from, lettersTo, to] of code.matchAll(REFERENCE)) {
      const there = (quoted?.replaceAll("''", "'") ?? plain)?.toLowerCase() ?? title;
      const isArea = from !== undefined || lettersTo !== undefined;
      if (!isArea || !isNew(`${there} ${text}`)) continue;
      const grid = formulas.get(there);
      if (grid === undefined) unread.add(there);
      const first = Number(from ?? 1) - 1;
      const end = lettersTo === undefined ? first + 1 : Number(to ?? Number.POSITIVE_INFINITY);
      const [left, right] = [columnNamed(letters), columnNamed(lettersTo ?? letters)];
      for (const [at, cells] of (grid ?? []).slice(first, end).entries()) {
        shared.left -= 1;
        for (let c = left; c <= right && c < cells.length && shared.left > 0; c += 1, shared.left -= 1)
          if (isFormula(cells[c])) places.push({ title: there, row: first + at, column: c });
      }
    }
  }
  for (const name of seen) calm.add(name);
  return false;
}

/** Those of the rows whose start a clock changes. Reads all formulas of the tab, and of others into which the starts lead. */
async function clockMoved(
  api: Pick<SheetsApi, 'readTyped' | 'tabs'>,
  at: { readonly spreadsheetId: string; readonly sheetId: number; readonly column: number },
  moved: ReadonlySet<number>,
): Promise<ReadonlySet<number>> {
  const formulas = new Map<string, Grid>();
  const read = async (title: string, sheetId: number) => {
    const [typed] = await api.readTyped(at.spreadsheetId, [{ sheetId }]);
    formulas.set(title, typed?.rows ?? []);
  };
  const look = () => {
    const shared: Followed = { formulas, calm: new Set(), unread: new Set(), left: FOLLOWED_MAX };
    const found = [...moved].filter((row) => isOfClock({ title: '', row, column: at.column }, shared));
    return { found: new Set(found), unread: shared.unread };
  };
  await read('', at.sheetId);
  const first = look();
  if (first.found.size === moved.size || first.unread.size === 0) return first.found;
  for (const { title, sheetId } of await api.tabs(at.spreadsheetId)) {
    const name = title.toLowerCase();
    if (first.unread.has(name) && formulas.size <= TABS_FOLLOWED_MAX) await read(name, sheetId);
  }
  return look().found;
}

function isFormula(cell: unknown): cell is string {
  return typeof cell === 'string' && cell.startsWith('=');
}

/** A is 0, AA is 26. */
function columnNamed(letters: string): number {
  return [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** How often the formats of unchanged days are read again: somebody may add 00:00 to a day. */
const FRESH_FOR_MS = 60_000;

/** Tells days from days at 00:00 by the formats of their cells. Costs one read a minute while a tab has such cells. */
export class Midnights {
  readonly #known = new Map<number, Known>();

  /** The grid, in which a day at 00:00 is a moment. */
  async in(
    api: Pick<SheetsApi, 'timedRows'>,
    tab: {
      readonly spreadsheetId: string;
      readonly sheetId: number;
      readonly column: number;
      readonly grid: Grid;
      readonly nowMs: number;
    },
  ): Promise<Grid> {
    const { spreadsheetId, sheetId, column, grid, nowMs } = tab;
    const rows = [...grid.keys()].filter((row) => row > 0 && isDaySerial(grid[row]?.[column]));
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return grid;
    const days = rows.map((row) => `${row} ${String(grid[row]?.[column])}`).join(',');
    const known = this.#known.get(sheetId);
    const isFresh = known?.days === days && Math.abs(nowMs - known.atMs) < FRESH_FOR_MS;
    const area = { sheetId, startRow: first, endRow: last + 1, startColumn: column, endColumn: column + 1 };
    const timed = isFresh ? known.timed : await api.timedRows(spreadsheetId, area);
    if (!isFresh) this.#known.set(sheetId, { atMs: nowMs, days, timed });
    const midnights = new Set(rows.filter((row) => timed.has(row)));
    return grid.map((cells, row) =>
      midnights.has(row) ? cells.map((cell, at) => (at === column ? atMidnight(cell) : cell)) : cells,
    );
  }

  /**
   * The rows, of which those ask that a formula of the clock would move: nobody wished that. Costs one read while a start has moved as such
   * a formula moves it. A formula costs a read of its tab, and of others into which it leads.
   */
  async steady(
    api: Pick<SheetsApi, 'readTyped' | 'tabs'>,
    bearers: readonly { readonly row: TypedRow }[],
    tab: {
      readonly spreadsheetId: string;
      readonly sheetId: number;
      readonly columns: IntakeColumns;
      readonly last: (id: string) => { readonly startsAt?: string | undefined } | undefined;
    },
  ): Promise<readonly TypedRow[]> {
    const { spreadsheetId, sheetId, columns, last } = tab;
    const moved = new Set<number>();
    for (const { row } of bearers) {
      const known = row.cancel || row.startsAt === undefined ? undefined : last(row.id);
      if (known !== undefined && isMovedByClock(known.startsAt, row.startsAt)) moved.add(row.row);
    }
    const rows = bearers.map(({ row }) => row);
    if (moved.size === 0) return rows;
    const startColumn = columns.get('starts_at') ?? 0;
    const startRow = Math.min(...moved);
    const starts = {
      sheetId,
      startRow,
      startColumn,
      endRow: Math.max(...moved) + 1,
      endColumn: startColumn + 1,
    };
    const [own] = await api.readTyped(spreadsheetId, [starts]);
    for (const row of moved) if (!isFormula(own?.rows[row - startRow]?.[0])) moved.delete(row);
    if (moved.size === 0) return rows;
    const found = await clockMoved(api, { spreadsheetId, sheetId, column: startColumn }, moved);
    const isVolatile = ({ row }: TypedRow) => found.has(row);
    return rows.map((row) =>
      isVolatile(row) ? { ...row, startsAt: undefined, unclear: 'volatile' as const } : row,
    );
  }
}

/** How often a spreadsheet's zone is read: people change it once in years. Until a change is noticed, times are read as before. */
const SETTINGS_EVERY_MS = 900_000;
const UNKNOWN_EVERY_MS = 60_000;

type Setting = Pick<SpreadsheetSettings, 'timeZone' | 'shownZone'>;

interface ClockParts {
  readonly api: Pick<SheetsApi, 'settings'>;
  readonly memory: Pick<Memory, 'get' | 'set'>;
  readonly clock: Clock;
}

/** The zone in which people mean the times that they type: the entry's, else the spreadsheet's (File, Settings). */
export class SheetClocks {
  readonly #parts: ClockParts;
  readonly #read = new Map<string, { readonly setting: Setting; readonly atMs: number }>();

  constructor(parts: ClockParts) {
    this.#parts = parts;
  }

  /**
   * A new zone of the spreadsheet would change the hour of every row, and move every appointment. A settings change does not mean that, so
   * nothing is taken until a person has said which zone it is.
   */
  async zoneOf({ name, spreadsheetId, timezone }: SheetBookings): Promise<string | IntakeFault> {
    if (timezone !== undefined) return timezone;
    const { memory } = this.#parts;
    const { timeZone: zone, shownZone } = await this.#settingOf(spreadsheetId);
    if (zone === undefined) return unknownZone(shownZone);
    const fact = `intake-zone ${name}`;
    const before = await memory.get(fact);
    if (before === undefined) await memory.set(fact, zone);
    if (before === undefined || before === zone) return zone;
    return {
      code: 'intake-zone-changed',
      message: `the spreadsheet's time zone was ${before} and is ${zone} now: every row would mean another hour`,
      names: [before, zone],
      advice: `Set it back (Google Sheets, File, Settings), or write the zone that people mean into the mapping: from: { timezone: ${before} }.`,
    };
  }

  async #settingOf(spreadsheetId: string): Promise<Setting> {
    const { api, clock } = this.#parts;
    const known = this.#read.get(spreadsheetId);
    // Read more often while the zone is unknown: somebody is about to choose another one.
    const everyMs = known?.setting.timeZone === undefined ? UNKNOWN_EVERY_MS : SETTINGS_EVERY_MS;
    if (known !== undefined && Math.abs(clock.now() - known.atMs) < everyMs) return known.setting;
    const setting = await api.settings(spreadsheetId);
    this.#read.set(spreadsheetId, { setting, atMs: clock.now() });
    return setting;
  }
}

function unknownZone(shown: string): IntakeFault {
  return {
    code: 'sheet-zone-unknown',
    message: `the spreadsheet has a time zone that is not known here: ${shown.slice(0, 60)}`,
    names: [shown.slice(0, 60)],
    advice: `${unknownZoneAdvice(shown)} Or write the zone that people mean into the mapping: from: { timezone: … }.`,
  };
}

/** The status of rows that are not acted upon: each says what to do next. */
export type Flag = 'copy' | 'which' | 'lost' | 'foreign' | 'unbooked' | 'undecided';

/** The worker recognizes cells by these exact words: a changed word is no longer recognized where an earlier version wrote it. */
export const FLAGS: Readonly<Record<BookingLanguage, Readonly<Record<Flag, string>>>> = {
  en: {
    copy: 'Copy of another row: clear the ID cell to book it.',
    which:
      'Which of these rows is the appointment? Several have its ID, and all were changed. Clear the ID cell of each row that is a new booking.',
    lost: 'Is this row a new booking? Then write NEW into its ID cell. It looks like a row that lost its ID: if so, put the ID back.',
    foreign:
      'The ID was changed or is from elsewhere: put it back, or clear the ID cell to book this row anew.',
    unbooked: 'Not booked, so there is nothing to cancel. Clear the cancel cell to book this row.',
    undecided:
      'Not cancelled: is this row a copy, or the appointment of a row that is gone or was typed over? Clear the cancel cell to go on.',
  },
  ru: {
    copy: 'Копия другой строки: очистите ячейку с ID, чтобы записать её.',
    which:
      'Какая из этих строк относится к записи? Её ID стоит в нескольких, и все они изменены. Очистите ячейку с ID в каждой строке, которая является новой записью.',
    lost: 'Это новая запись? Тогда напишите NEW в ячейку с ID. Похоже, строка потеряла свой ID: если так, верните его.',
    foreign:
      'ID изменён или взят из другого места: верните его или очистите ячейку с ID, чтобы записать эту строку заново.',
    unbooked: 'Не записано, отменять нечего. Чтобы записать эту строку, очистите ячейку отмены.',
    undecided:
      'Не отменено: это копия или запись из строки, которая удалена или занята другим клиентом? Чтобы продолжить, очистите ячейку отмены.',
  },
};

/** Checks every language: the setting may have changed since the text was written. */
export function flagIn(text: string): Flag | undefined {
  const flags = Object.values(FLAGS).flatMap((ofLanguage) => Object.entries(ofLanguage));
  return flags.find(([, words]) => words === text)?.[0] as Flag | undefined;
}

export function isFlag(text: string): boolean {
  return flagIn(text) !== undefined;
}

export function isToldOfNothing({ status }: TypedRow): boolean {
  const flag = flagIn(status);
  return flag === 'unbooked' || flag === 'undecided';
}

/** Why nothing can be taken from a tab now; safe to log and to show. */
export type IntakeFault = TabFault;

/** Column of each meaning; zero-based. */
export type IntakeColumns = ReadonlyMap<RowInput | RowOutput, number>;

/** Finds columns by name at every look: people reorder columns, add their own, and write headers in several lines. */
export function findColumns(
  header: readonly unknown[],
  { columns }: Pick<SheetBookings, 'columns'>,
): IntakeColumns | IntakeFault {
  const texts = header.map(trimmedCell);
  const wanted = Object.entries(columns).map(
    ([meaning, name]) => [meaning, name.trim(), columnsHeaded(texts, name)] as const,
  );
  const missing = wanted.flatMap(([, name, found]) => (found.length > 0 ? [] : [name]));
  if (missing.length > 0) {
    return {
      code: 'header-missing',
      message: `the first row of the tab lacks the header ${listed(missing)}`,
      names: missing,
      advice: `Write ${listed(missing)} into the first row. If a header was renamed, restore its name, or rename it in the mapping. Until then nothing is taken from the tab, and nothing in it is lost.`,
    };
  }
  // Confusing the two would book the wrong service, or call the wrong customer.
  const doubled = wanted.flatMap(([, name, found]) => (found.length > 1 ? [name] : []));
  if (doubled.length > 0) {
    return {
      code: 'header-duplicate',
      message: `several columns of the tab are headed ${listed(doubled)}`,
      names: doubled,
      advice: 'Rename all but one of them: the worker must not guess which one is meant.',
    };
  }
  return new Map(
    wanted.map(([meaning, , [column = -1]]) => [meaning as RowInput | RowOutput, column] as const),
  );
}

export function isIntakeFault(value: object): value is IntakeFault {
  return 'code' in value;
}

/** The sheet id behind the title that the mapping gives a tab: a renamed tab keeps its id. */
export interface TabIds {
  get(spreadsheetId: string, tab: string): Promise<number | undefined>;
  set(spreadsheetId: string, tab: string, sheetId: number): Promise<void>;
  forget(spreadsheetId: string, tab: string): Promise<void>;
}

/** `grid` undefined: Google returned nothing about the tab, which is not the same as blank (case 65). */
export type TabReading =
  | {
      readonly sheetId: number;
      readonly grid: AreaValues['rows'] | undefined;
      /** The title at that moment. */
      readonly title?: string | undefined;
    }
  | IntakeFault;

/** How long to wait for another reading of the spreadsheet to share. */
export interface Waiting {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

export interface TabsAsked {
  readonly spreadsheetId: string;
  readonly mappings: readonly SheetBookings[];
  readonly waiting?: Waiting | undefined;
}

/**
 * Reads all tabs of the entries at one moment. Costs one read, or none if it shares another reading. A tab that is new, renamed back or
 * gone costs two more, and a renamed one costs one.
 */
export async function readTabs(
  parts: { readonly api: SheetsApi; readonly tabs: TabIds },
  { spreadsheetId, mappings, waiting }: TabsAsked,
): Promise<ReadonlyMap<SheetBookings, TabReading>> {
  const { api, tabs } = parts;
  const ids = new Map<SheetBookings, number>();
  for (const mapping of mappings) {
    const id = await tabs.get(spreadsheetId, mapping.tab);
    if (id !== undefined) ids.set(mapping, id);
  }
  if (ids.size === mappings.length) {
    try {
      const readings = await readAll(ids, (areas) =>
        waiting === undefined ? api.read(spreadsheetId, areas) : api.readAlong(spreadsheetId, areas, waiting),
      );
      const renamed = new Map<SheetBookings, number>();
      for (const [mapping, reading] of readings)
        if (!isIntakeFault(reading) && reading.title !== undefined && reading.title !== mapping.tab)
          renamed.set(mapping, reading.sheetId);
      if (renamed.size === 0 || !(await isTitleTaken(api, spreadsheetId, renamed))) return readings;
    } catch (error) {
      // A tab was deleted, so Google refuses the whole reading.
      if (!(error instanceof TerminalError)) throw error;
    }
  }
  return readAnew(parts, spreadsheetId, mappings);
}

/** People renamed an entry's tab, and gave its title to another one: they book in that one now. */
async function isTitleTaken(
  api: Pick<SheetsApi, 'tabs'>,
  spreadsheetId: string,
  renamed: ReadonlyMap<SheetBookings, number>,
): Promise<boolean> {
  const standing = await api.tabs(spreadsheetId);
  return [...renamed].some(([{ tab }, known]) => {
    const [titled] = namedAlike(standing, tab, ({ title }) => title);
    return titled !== undefined && titled.sheetId !== known;
  });
}

async function readAnew(
  { api, tabs }: { readonly api: SheetsApi; readonly tabs: TabIds },
  spreadsheetId: string,
  mappings: readonly SheetBookings[],
): Promise<ReadonlyMap<SheetBookings, TabReading>> {
  const standing = await api.tabs(spreadsheetId);
  const ids = new Map<SheetBookings, number>();
  const faults = new Map<SheetBookings, IntakeFault>();
  const titled = new Set(
    mappings.flatMap(({ tab }) => namedAlike(standing, tab, ({ title }) => title)[0]?.sheetId ?? []),
  );
  for (const mapping of mappings) {
    const { tab } = mapping;
    const known = await tabs.get(spreadsheetId, tab);
    const byId = standing.find(({ sheetId }) => sheetId === known && !titled.has(sheetId));
    const found = namedAlike(standing, tab, ({ title }) => title)[0] ?? byId;
    if (found === undefined) {
      if (known !== undefined) await tabs.forget(spreadsheetId, tab);
      faults.set(mapping, tabNotFound(tab));
      continue;
    }
    if (found.sheetId !== known) await tabs.set(spreadsheetId, tab, found.sheetId);
    ids.set(mapping, found.sheetId);
  }
  return new Map([...faults, ...(await readAll(ids, (areas) => api.read(spreadsheetId, areas)))]);
}

async function readAll(
  ids: ReadonlyMap<SheetBookings, number>,
  read: (areas: readonly { readonly sheetId: number }[]) => ReturnType<SheetsApi['read']>,
): Promise<ReadonlyMap<SheetBookings, TabReading>> {
  if (ids.size === 0) return new Map();
  const found = await read([...ids.values()].map((sheetId) => ({ sheetId })));
  return new Map(
    [...ids].map(([mapping, sheetId], i) => {
      const { rows: grid, title } = found[i] ?? {};
      return [mapping, { sheetId, grid, title }] as const;
    }),
  );
}

function tabNotFound(tab: string): IntakeFault {
  return {
    code: 'tab-not-found',
    message: `the spreadsheet has no tab "${tab}"`,
    advice: `Add a tab named "${tab}" with the headers of the mapping, or correct its name in the mapping.`,
  };
}
