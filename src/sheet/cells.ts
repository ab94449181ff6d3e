// Computes the mark that identifies a carried cell, and the text that users wrote in it. Pure. A cell that still means the same has not
// changed.

import type { CarryingMirror } from '../engine/mirror.ts';
import type {
  CarriedField,
  RowEdit,
  RowNote,
  RowRefusal,
  SheetCarry,
  ShownCells,
} from '../engine/row-edit.ts';
import { columnsHeaded, tickIn, trimmedCell } from '../engine/sheet-row.ts';
import type { AreaValues, SheetRequest } from '../google/sheets-api.ts';
import { momentOf } from '../google/shown-cells.ts';
import type { TabPlan } from './flush-plan.ts';
import { areasOf } from './moving-rows.ts';
import { cellHash, cellText, saysSame } from './normal-form.ts';
import { comparable } from './tab-survey.ts';
import { spokenSerial } from './typed-cell.ts';

export interface CellBy {
  readonly field: CarriedField;
  /** Country of phone numbers, ISO 3166. */
  readonly region?: string | undefined;
  /** For the text of a cell that held a number. */
  readonly isNumber?: boolean | undefined;
  /** IANA zone in which the tab shows times. */
  readonly zone?: string | undefined;
}

/** Fields that tell whose row it is. Excludes `lifecycle`, because many customers share one. */
export const IDENTIFYING: ReadonlySet<CarriedField> = new Set(['name', 'phone', 'email']);

/**
 * Identifies what the worker writes: a start by its figures and zone, anything else by a hash. Empty for a blank cell or an unticked box.
 */
export function cellMark(cell: unknown, by: CellBy): string {
  switch (by.field) {
    case 'start': {
      const said = figuresOrHash(cell);
      return said === '' ? '' : `${said} ${by.zone ?? 'UTC'}`;
    }
    case 'cancel':
      return cellHash(tickText(cell), { field: 'name' });
    case 'shown':
      return cellHash(shownText(cell), { field: 'name' });
    default:
      return cellHash(cellText(cell), { ...by, field: by.field, isNumber: by.isNumber ?? isNumber(cell) });
  }
}

/** True when a cell means what this mark identifies. The zone of a start is ignored, because users do not type it. */
export function saysMark(cell: unknown, by: CellBy, mark: string): boolean {
  switch (by.field) {
    case 'start':
      return figuresOrHash(cell) === figuresIn(mark);
    case 'cancel':
    case 'shown':
      return cellMark(cell, by) === mark;
    default:
      return saysSame(cellText(cell), { ...by, field: by.field, isNumber: isNumber(cell) }, mark);
  }
}

/** What users wrote, in the form that is stored and quoted. */
export function writtenIn(cell: unknown, by: CellBy): Pick<RowEdit, 'text' | 'isNumber' | 'startsAt'> {
  switch (by.field) {
    case 'start':
      return startIn(cell, by.zone ?? 'UTC');
    case 'cancel':
      return { text: tickText(cell) };
    default:
      return { text: cellText(cell), ...(isNumber(cell) && { isNumber: true }) };
  }
}

/** How many rows show a start in the future. Accurate to the nearest day, because zones are ignored. */
export function upcomingRows({ columns }: SheetCarry, rows: Iterable<ShownCells>, nowMs: number): number {
  const header = columns.find(({ field }) => field === 'start')?.header ?? '';
  const starts = [...rows].map(({ cells }) => Date.parse(`${figuresIn(cells[header] ?? '')}Z`));
  return starts.filter((startMs) => startMs > nowMs).length;
}

export function figuresIn(mark: string): string {
  return mark.split(' ')[0] ?? '';
}

export function zoneIn(mark: string): string {
  return mark.slice(figuresIn(mark).length + 1);
}

function isNumber(cell: unknown): boolean {
  return typeof cell === 'number';
}

function figuresOrHash(cell: unknown): string {
  return figuresOf(cell) ?? cellHash(cellText(cell), { field: 'name' });
}

/** A tick, also one that was written as a word, or what else was typed. */
function tickText(cell: unknown): string {
  if (tickIn(cell) === 'yes') return 'true';
  return cell === false ? '' : cellText(cell).trim();
}

function shownText(cell: unknown): string {
  return cellText(typeof cell === 'number' ? comparable(cell) : cell);
}

// Reads the start of an appointment from a cell: a typed date with an hour, which Google keeps as a number. Pure. Only such a number is a
// wish, because the order of day and month in a text is ambiguous.

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
function startIn(cell: unknown, zone: string): Pick<RowEdit, 'text' | 'startsAt'> {
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

/**
 * The answer beside a row whose cells users changed: whole sentences for a receptionist, without codes. Empty when there is nothing to say.
 */
export function noteText(
  { done: carriedBefore, refused: refusedBefore, held = [] }: Pick<RowNote, 'done' | 'refused' | 'held'>,
  { language, columns }: Pick<SheetCarry, 'language' | 'columns'>,
): string {
  const words = WORDS[language];
  const fieldOf = (header: string): CarriedField | undefined =>
    columns.find((column) => column.header === header)?.field;
  const isHeld = (header: string) => held.some((edit) => edit.header === header);
  const done = carriedBefore.filter((header) => !isHeld(header));
  const refused = refusedBefore.filter(({ header }) => !isHeld(header));
  const waiting = held.map(
    ({ header, text }) => `${words.waits(header)}${text === '' ? '' : ` ${words.wrote(quoted(text))}`}`,
  );
  const [moved, cancelled] = (['start', 'cancel'] as const).map((field) =>
    done.some((header) => fieldOf(header) === field),
  );
  const changed = done.filter((header) => !['start', 'cancel'].includes(fieldOf(header) ?? ''));
  const carried = [
    ...(moved === true ? [words.moved] : []),
    ...(cancelled === true ? [words.cancelled] : []),
    ...(changed.length === 0 ? [] : [`${words.done} ${changed.join(', ')}.`]),
  ];
  const own = refused.filter(({ wrote, said }) => wrote !== undefined || said !== undefined);
  const others = [...new Set(refused.map(({ code }) => code))].flatMap((code) => {
    const headers = refused.flatMap((each) =>
      each.code === code && !own.includes(each) ? [each.header] : [],
    );
    return headers.length === 0 ? [] : [`${words.not} ${headers.join(', ')}. ${words.why[code]}`];
  });
  for (const { header, code, wrote, said } of own) {
    const isPhone = code === 'unreadable' && fieldOf(header) === 'phone';
    const why = said ?? `${words.not} ${header}. ${isPhone ? words.phone : words.why[code]}`;
    others.push(wrote === undefined ? why : `${why}${said === undefined ? ' ' : '\n'}${words.wrote(wrote)}`);
  }
  return [...carried, ...waiting, ...others].join('\n');
}

/** Longest quotation of a user's text in an answer. */
const QUOTED_CHARS_MAX = 100;

export function quoted(text: string): string {
  return [...text].slice(0, QUOTED_CHARS_MAX).join('');
}

interface Words {
  /** A change that waits for a person. */
  readonly waits: (header: string) => string;
  readonly done: string;
  readonly moved: string;
  readonly cancelled: string;
  readonly not: string;
  readonly wrote: (text: string) => string;
  /** A number that could be two people's, or nobody's. */
  readonly phone: string;
  readonly why: Readonly<Record<RowRefusal, string>>;
}

const WORDS: Readonly<Record<'en' | 'ru', Words>> = {
  en: {
    waits: (header) =>
      `Not changed yet: ${header}. Much was typed within an hour, so a person is asked first. You need not type it again.`,
    done: 'Changed in the booking system:',
    moved: 'Moved in the booking system.',
    cancelled: 'Cancelled in the booking system.',
    not: 'Not changed:',
    wrote: (text) => `Somebody wrote: "${text}".`,
    phone:
      "Please write the phone number with its country code and an apostrophe before it ('+49 170 1234567). It cannot be read for certain as it is written.",
    why: {
      unknown: 'It is not known what this row said before. Please make the change again.',
      copied:
        'The id of this row stands in several rows. Please remove the copies, then make the change again.',
      unproven:
        'Neither name, phone nor e-mail of this row stayed as it was, so nothing shows whose row it is. Please change one cell at a time, or change it in the booking system.',
      mixed:
        'Other cells of this row were changed as well, so nothing shows whose row it is. Please change one cell at a time, or change it in the booking system.',
      again:
        'Another row says the same hour, or the row beside it nearly so, as after dragging or copying cells. If it is meant, please write it once more.',
      former:
        'The cell said this before it was changed in the booking system. If it is meant, please write it once more.',
      older:
        'Several rows went back to what they said before, as after restoring an older version. If it is meant, please change one row at a time.',
      ticks:
        'Several rows were ticked at once. Please tick one row, and wait for its answer before the next one.',
      renewed: 'This row was just being rewritten. Please make the change again.',
      'no-start':
        'Please write a date with an hour, in whole minutes, as it stands in the other rows of this column.',
      'no-tick': 'Only a tick cancels an appointment. Please write yes to cancel it.',
      'only-shown': 'Only the start can be changed here. Please change the rest in the booking system.',
      past: 'This time has already passed.',
      started: 'The appointment has already begun.',
      'not-movable': 'This appointment can no longer be moved.',
      'not-cancellable': 'This appointment can no longer be cancelled.',
      elsewhere:
        'Another row says or said the same, as after sorting or copying cells. If it is meant, please change it in the booking system.',
      displaced:
        'Other cells of this column stand in other rows than before, as after sorting or copying cells. Nothing shows in which row this was written. Please write it once more where it belongs.',
      many: 'Too many rows were changed at once. Please change fewer, or change them in the booking system.',
      emptied: 'An emptied cell changes nothing. Please change it in the booking system.',
      unreadable: 'The booking system cannot take this as it is written.',
      'changed-meanwhile': 'It was changed in the booking system in the meantime, and that counts.',
      'not-found': 'The booking system no longer shows this.',
      refused: 'The booking system refuses it.',
      'mass-edit-declined':
        'Much was typed within an hour, and a person declined this. If it is meant, please write it again.',
    },
  },
  ru: {
    waits: (header) =>
      `Пока не изменено: ${header}. За час введено много, поэтому сначала спросят человека. Повторять не нужно.`,
    done: 'Изменено в системе записи:',
    moved: 'Перенесено в системе записи.',
    cancelled: 'Отменено в системе записи.',
    not: 'Не изменено:',
    phone:
      "Напишите номер телефона с кодом страны и апострофом перед ним ('+49 170 1234567). В этом виде его нельзя прочитать однозначно.",
    wrote: (text) => `Было написано: «${text}».`,
    why: {
      unknown: 'Неизвестно, что стояло в этой строке раньше. Внесите, пожалуйста, изменение ещё раз.',
      copied:
        'Идентификатор этой строки стоит в нескольких строках. Удалите, пожалуйста, копии и внесите изменение ещё раз.',
      unproven:
        'Ни имя, ни телефон, ни почта в этой строке не остались прежними, и неясно, чья она. Меняйте, пожалуйста, по одной ячейке или измените данные в системе записи.',
      mixed:
        'В этой строке изменены и другие ячейки, и неясно, чья она. Меняйте, пожалуйста, по одной ячейке или измените данные в системе записи.',
      again:
        'В другой строке стоит то же время, а в соседней почти то же, как после протягивания или копирования ячеек. Если так и нужно, напишите, пожалуйста, ещё раз.',
      former:
        'Так в ячейке было до изменения в системе записи. Если так и нужно, напишите, пожалуйста, ещё раз.',
      older:
        'В нескольких строках снова стоит прежнее, как после восстановления старой версии. Если так и нужно, меняйте, пожалуйста, по одной строке.',
      ticks:
        'Отмечено несколько строк сразу. Отметьте, пожалуйста, одну строку и дождитесь ответа, прежде чем отмечать следующую.',
      renewed: 'В эту самую минуту строка записывалась заново. Внесите, пожалуйста, изменение ещё раз.',
      'no-start':
        'Напишите, пожалуйста, дату и время с точностью до минуты, как в других строках этого столбца.',
      'no-tick': 'Визит отменяется только отметкой. Напишите «да», чтобы отменить.',
      'only-shown': 'Здесь можно изменить только начало. Остальное измените, пожалуйста, в системе записи.',
      past: 'Это время уже прошло.',
      started: 'Визит уже начался.',
      'not-movable': 'Этот визит уже нельзя перенести.',
      'not-cancellable': 'Этот визит уже нельзя отменить.',
      elsewhere:
        'То же самое стоит или стояло в другой строке, как после сортировки или копирования ячеек. Если так и нужно, измените это, пожалуйста, в системе записи.',
      displaced:
        'Другие ячейки этого столбца стоят не в своих строках, как после сортировки или копирования ячеек. Неясно, в какой строке это было написано. Напишите, пожалуйста, ещё раз там, где нужно.',
      many: 'Изменено слишком много строк сразу. Измените, пожалуйста, меньше строк или сделайте это в системе записи.',
      emptied: 'Пустая ячейка ничего не меняет. Измените это, пожалуйста, в системе записи.',
      unreadable: 'Система записи не может принять это в таком виде.',
      'changed-meanwhile': 'Тем временем это изменили в системе записи, и действует то значение.',
      'not-found': 'Система записи этого больше не показывает.',
      refused: 'Система записи это не принимает.',
      'mass-edit-declined':
        'За час введено много, и человек это отклонил. Если так и нужно, напишите, пожалуйста, ещё раз.',
    },
  },
};

// Before a write overwrites cells that users may change, it copies the header and the rows into a hidden tab of its own. Google performs a
// batch as a whole, so nothing can come between the copy and the write.

/** Title of the hidden tab. */
export function beforeTitle(sheetId: number): string {
  return `slotbridge-before-${sheetId}`;
}

/** Returns no requests if the plan overwrites nothing. The copy keeps the tab's columns and puts the rows directly below each other. */
export function beforeRequests(
  { view, inPlace }: TabPlan,
  before: NonNullable<TabPlan['before']>,
): readonly SheetRequest[] {
  if (inPlace.size === 0) return [];
  const columnCount = Math.max(view.layout.keyColumn, ...view.layout.columns.values()) + 1;
  const areas = [{ startRow: 0, endRow: 1 }, ...areasOf(view.sheetId, [...inPlace.keys()])];
  const rowCount = areas.reduce((sum, { startRow, endRow }) => sum + endRow - startRow, 0);
  const gridProperties = { rowCount, columnCount };
  const title = beforeTitle(before.sheetId);
  const made = { addSheet: { properties: { sheetId: before.sheetId, title, hidden: true, gridProperties } } };
  let at = 0;
  const copies = areas.flatMap(({ startRow, endRow }): SheetRequest[] => {
    const columns = { startColumnIndex: 0, endColumnIndex: columnCount };
    const source = { sheetId: view.sheetId, startRowIndex: startRow, endRowIndex: endRow, ...columns };
    const to = at + endRow - startRow;
    const destination = { sheetId: before.sheetId, startRowIndex: at, endRowIndex: to, ...columns };
    at = to;
    // The format tells a day from its midnight.
    return ['PASTE_VALUES', 'PASTE_FORMAT'].map((pasteType) => ({
      copyPaste: { source, destination, pasteType, pasteOrientation: 'NORMAL' },
    }));
  });
  return [made, ...copies];
}

/**
 * The rows of the hidden tab, by the headers in the copy, because users may have moved columns in that moment. Undefined unless each header
 * appears exactly once.
 */
export function rowsBefore(
  mirror: Pick<CarryingMirror, 'keyHeader' | 'carry'>,
  { rows }: AreaValues,
): readonly { readonly id: string; readonly cells: Readonly<Record<string, unknown>> }[] | undefined {
  const [header = [], ...others] = rows;
  const columns = carriedColumns(mirror, header);
  if (columns === undefined) return undefined;
  const { keyColumn, own } = columns;
  return others.map((row) => ({
    id: trimmedCell(row[keyColumn]),
    cells: Object.fromEntries(own.map(({ header, column }) => [header, row[column]])),
  }));
}

interface CarriedColumns {
  readonly keyColumn: number;
  readonly own: readonly { readonly header: string; readonly column: number }[];
}

/** Where the ids and the carried cells are. Undefined unless each header appears exactly once. */
export function carriedColumns(
  { keyHeader, carry }: Pick<CarryingMirror, 'keyHeader' | 'carry'>,
  headerRow: readonly unknown[],
): CarriedColumns | undefined {
  const names = headerRow.map(trimmedCell);
  const headers = carry.columns.map(({ header }) => header);
  const columns = [keyHeader, ...headers].map((name) => columnsHeaded(names, name));
  if (columns.some((found) => found.length !== 1)) return undefined;
  const [keyColumn = -1, ...own] = columns.flat();
  return { keyColumn, own: headers.map((header, at) => ({ header, column: own[at] ?? -1 })) };
}
