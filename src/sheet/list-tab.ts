// The hidden tab that fills the drop-downs of a spreadsheet. Its columns are lists: a title in the first row, the items below it. Compares
// the tab as read with the wanted lists, and returns the requests that close the difference. Pure.

import { lettersOf, tabIdOf } from '../engine/ids.ts';
import type { Directory } from '../engine/mirror.ts';
import { foldedText } from '../engine/plain-text.ts';
import { trimmedCell } from '../engine/sheet-row.ts';
import type { SheetRequest, TabInfo } from '../google/sheets-api.ts';
import type { CellRule, WholeRule } from '../google/shown-cells.ts';

/** Most items of a list. Every drop-down refers to this many rows, so that a growing list changes no rule. */
export const ITEMS_MAX = 500;
/** Most lists of free times. Their columns follow the lists of names. */
export const TIME_LISTS_MAX = 40;

const TITLE = 'slotbridge lists';
const ROWS = ITEMS_MAX + 1;
/** Columns of the lists of names. The places never change, whatever the mapping uses. */
const NAME_LISTS = ['service', 'resource', 'branch'] as const;
const COLUMNS = NAME_LISTS.length + TIME_LISTS_MAX;

export type NameList = (typeof NAME_LISTS)[number];

export interface List {
  readonly title: string;
  readonly items: readonly string[];
}

export interface ListTab {
  readonly info: TabInfo;
  readonly values: readonly (readonly unknown[])[];
}

export function listTabId(installation: string): number {
  return tabIdOf(`slotbridge lists ${installation}`);
}

export function placeOfNames(list: NameList): number {
  return NAME_LISTS.indexOf(list);
}

/** The title that the tab has, or will get: people may already have a tab of that name. */
export function listTabTitle(tabs: readonly TabInfo[], sheetId: number): string {
  const own = tabs.find((tab) => tab.sheetId === sheetId);
  if (own !== undefined) return own.title;
  // Google compares tab titles without regard to case.
  const taken = new Set(tabs.map(({ title }) => title.toLowerCase()));
  let title = TITLE;
  for (let number = 2; taken.has(title.toLowerCase()); number += 1) title = `${TITLE} ${number}`;
  return title;
}

/** Lists of times keep their columns; new ones take columns of lists that no row needs any more. */
export function placesOfTimes(
  tab: ListTab | undefined,
  wanted: readonly string[],
): ReadonlyMap<string, number> {
  const titles = tab?.values[0] ?? [];
  const places = new Map<string, number>();
  const free: number[] = [];
  const asked = new Set(wanted.slice(0, TIME_LISTS_MAX));
  for (let column = NAME_LISTS.length; column < COLUMNS; column += 1) {
    const title = trimmedCell(titles[column]);
    if (asked.has(title) && !places.has(title)) places.set(title, column);
    else free.push(column);
  }
  for (const title of asked) {
    const column = places.has(title) ? undefined : free.shift();
    if (column !== undefined) places.set(title, column);
  }
  return places;
}

export function itemsAt({ values }: ListTab, column: number): readonly string[] {
  return values.slice(1, ROWS).flatMap((row) => trimmedCell(row[column]) || []);
}

/** `lists`: list by column. Columns without a list stay as they are. */
export function planLists(
  tab: ListTab | undefined,
  lists: ReadonlyMap<number, List>,
  { sheetId, title }: { readonly sheetId: number; readonly title: string },
): readonly SheetRequest[] {
  const changed = [...lists].filter(([column, list]) => tab === undefined || !isAsListed(tab, column, list));
  const ground = tab === undefined ? [made(sheetId, title)] : grown(tab.info);
  return [...ground, ...changed.map(([column, list]) => written(sheetId, column, list))];
}

/** A drop-down of a list. Not strict: people may type anything, and the worker answers. */
export function ruleOf(title: string, column: number): WholeRule {
  const letters = lettersOf(column);
  const tab = `'${title.replaceAll("'", "''")}'`;
  const values = [{ userEnteredValue: `=${tab}!$${letters}$2:$${letters}$${ROWS}` }];
  return { condition: { type: 'ONE_OF_RANGE', values }, strict: false, showCustomUi: true };
}

/**
 * Which list the rule offers. `other`: the rule refers to the tab, but to no list as a whole. Undefined for a rule that is not the
 * worker's.
 */
export function listOf(
  rule: Pick<CellRule, 'type' | 'values'> | undefined,
  title: string,
): number | 'other' | undefined {
  if (rule === undefined || rule.type !== 'ONE_OF_RANGE') return undefined;
  const [text = ''] = rule.values;
  const end = text.lastIndexOf('!');
  if (end < 0) return undefined;
  const name = text.slice(0, end).replace(/^=/, '');
  const tab = /^'.*'$/.test(name) ? name.slice(1, -1).replaceAll("''", "'") : name;
  if (tab.toLowerCase() !== title.toLowerCase()) return undefined;
  const range = text.slice(end + 1).replaceAll('$', '');
  for (let column = 0; column < COLUMNS; column += 1) {
    const letters = lettersOf(column);
    if (range === `${letters}2:${letters}${ROWS}`) return column;
  }
  return 'other';
}

function isAsListed({ values }: ListTab, column: number, { title, items }: List): boolean {
  if (trimmedCell(values[0]?.[column]) !== title) return false;
  for (let at = 0; at < Math.max(items.length, Math.min(values.length, ROWS) - 1); at += 1)
    if (trimmedCell(values[at + 1]?.[column]) !== (items[at] ?? '')) return false;
  return true;
}

function made(sheetId: number, title: string): SheetRequest {
  const gridProperties = { rowCount: ROWS, columnCount: COLUMNS };
  return { addSheet: { properties: { sheetId, title, hidden: true, gridProperties } } };
}

/** Restores rows or columns that people deleted from the tab. */
function grown({ sheetId, rows, columns }: TabInfo): readonly SheetRequest[] {
  const missing = [
    { dimension: 'ROWS', length: ROWS - rows },
    { dimension: 'COLUMNS', length: COLUMNS - columns },
  ];
  return missing.flatMap((each) => (each.length > 0 ? [{ appendDimension: { sheetId, ...each } }] : []));
}

/** Writes the whole column, so its former content is removed. Texts are never read as formulas (Google, ExtendedValue). */
function written(sheetId: number, column: number, { title, items }: List): SheetRequest {
  const rows = [title, ...items.slice(0, ITEMS_MAX)].map((text) => ({
    values: [{ userEnteredValue: { stringValue: text } }],
  }));
  const range = {
    ...{ sheetId, startRowIndex: 0, endRowIndex: ROWS },
    ...{ startColumnIndex: column, endColumnIndex: column + 1 },
  };
  return { updateCells: { range, rows, fields: 'userEnteredValue' } };
}

/** The names from which people choose. */
export type OfferedNames = Readonly<Record<NameList, readonly string[]>>;

interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * The names from which people choose: in alphabetical order, each once. Undefined until the lists have been read. Omits services of
 * `blocks`, by name or id, because people do not book them, and names that Google would read as a formula.
 */
export function offeredNames(
  { services, resources, branches }: Directory,
  hidden: readonly string[] = [],
): OfferedNames | undefined {
  if (services.size === 0) return undefined;
  const booked = [...services.values()].filter(
    ({ id, name }) => !hidden.some((each) => each === id || foldedText(each) === foldedText(name)),
  );
  return { service: listed(booked), resource: listed(resources.values()), branch: listed(branches.values()) };
}

function listed(things: Iterable<Named>): readonly string[] {
  const names = [...things].map(({ name }) => name.trim().replaceAll(/\s+/g, ' '));
  const shown = names.filter((name) => name !== '' && !/^[=+@-]/.test(name));
  return [...new Set(shown)].sort((a, b) => a.localeCompare(b)).slice(0, ITEMS_MAX);
}
