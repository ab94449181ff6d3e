// Things on top of the cells: data validation, conditional formats, the basic filter, and the spreadsheet's own properties. They are
// stored and shown. Only the filter has an effect: the rows that it hides are marked.

import { isZone } from '../../zones/local.ts';
import { type JsonObject, listOf, numberOf, objectOf, stringOf } from '../json.ts';
import { invalidArgument, notInSandbox } from '../refusal.ts';
import { parseMask, touches } from '../request/mask.ts';
import { showTitle } from './a1.ts';
import type { Cell } from './cell.ts';
import { display } from './display.ts';
import { gridTarget, tabOf } from './filters.ts';
import { gridOf } from './protections.ts';
import { filled } from './range.ts';
import type { Filter, Tab } from './tab.ts';
import { checkTyped } from './tables.ts';
import type { Batch, Workbook } from './workbook.ts';

/** Sets the validation; without a rule, clears it. Values that violate the rule stay, and the API may still write such values. */
export function setDataValidation(batch: Batch, request: JsonObject): void {
  const { tab, box } = gridTarget(batch.book, objectOf(request['range']));
  const rule = request['rule'] === undefined ? undefined : objectOf(request['rule']);
  if (rule !== undefined) checkRule(batch, rule);
  batch.book.checkProtection(tab, box, batch.principal);
  checkTyped(tab, box);
  for (let r = box.rowStart; r < box.rowEnd; r += 1) {
    const row: (Cell | undefined)[] = [...tab.row(r)];
    for (let c = box.columnStart; c < box.columnEnd; c += 1) row[c] = validated(row[c], rule);
    tab.setRow(r, filled(row));
  }
}

function checkRule(batch: Batch, rule: JsonObject): void {
  const condition = objectOf(rule['condition']);
  if (condition['type'] === undefined) throw invalidArgument('A data validation rule needs a condition.');
  if (condition['type'] !== 'ONE_OF_RANGE') return;
  // "Requires a single ConditionValue, and the value must be a valid range in A1 notation."
  const values = listOf(condition['values']).map((value) => stringOf(objectOf(value)['userEnteredValue']));
  const [range = ''] = values;
  if (values.length !== 1) throw invalidArgument('ONE_OF_RANGE requires a single ConditionValue.');
  batch.book.resolve(range.replace(/^=/, ''));
}

/** Rules follow the tab that they refer to, as formulas do. If the tab was deleted (`title` undefined), only an error remains. */
export function retarget(book: Workbook, former: string, title: string | undefined): void {
  const names = [`=${showTitle(former)}!`, `='${former.replaceAll("'", "''")}'!`];
  for (const tab of book.tabs) {
    for (let r = 0; r < tab.usedRows; r += 1) {
      const row = tab.row(r);
      if (!row.some((cell) => cell?.rest?.['dataValidation'] !== undefined)) continue;
      tab.setRow(
        r,
        row.map((cell) => retargeted(cell, names, title)),
      );
    }
  }
}

function retargeted(cell: Cell | undefined, names: readonly string[], title: string | undefined) {
  const rule = cell?.rest?.['dataValidation'];
  if (cell === undefined || rule === undefined) return cell;
  const condition = objectOf(objectOf(rule)['condition']);
  const [text = ''] = listOf(condition['values']).map((value) =>
    String(objectOf(value)['userEnteredValue'] ?? ''),
  );
  const name = names.find((each) => text.startsWith(each));
  if (condition['type'] !== 'ONE_OF_RANGE' || name === undefined) return cell;
  const next = title === undefined ? '=#REF!' : `=${showTitle(title)}!${text.slice(name.length)}`;
  return validated(cell, {
    ...objectOf(rule),
    condition: { ...condition, values: [{ userEnteredValue: next }] },
  });
}

export function addConditionalFormatRule(batch: Batch, request: JsonObject): void {
  const rule = objectOf(request['rule']);
  const ranges = listOf(rule['ranges']).map(objectOf);
  const [first] = ranges;
  if (first === undefined) throw invalidArgument('A conditional format rule needs a range.');
  if ((rule['booleanRule'] === undefined) === (rule['gradientRule'] === undefined))
    throw invalidArgument('Exactly one of booleanRule and gradientRule must be set.');
  const { tab } = gridTarget(batch.book, first);
  for (const range of ranges)
    if (gridTarget(batch.book, range).tab !== tab)
      throw invalidArgument('All ranges of a conditional format must be on one sheet.');
  const held = rulesOf(tab);
  const index = numberOf(request['index']) ?? 0;
  if (index < 0 || index > held.length) throw invalidArgument(`index[${index}] is out of range.`);
  keep(tab, 'conditionalFormats', [...held.slice(0, index), rule, ...held.slice(index)]);
}

export function deleteConditionalFormatRule(batch: Batch, request: JsonObject): JsonObject {
  const tab = tabOf(batch.book, request['sheetId']);
  const held = rulesOf(tab);
  const index = numberOf(request['index']) ?? 0;
  const rule = held[index];
  if (rule === undefined)
    throw invalidArgument(`No conditional format on sheet: ${tab.properties.sheetId} at index: ${index}`);
  keep(
    tab,
    'conditionalFormats',
    held.filter((other) => other !== rule),
  );
  return { deleteConditionalFormatRule: { rule } };
}

export function setBasicFilter(batch: Batch, request: JsonObject): void {
  const filter = objectOf(request['filter']);
  // Google would immediately sort.
  for (const name of ['sortSpecs', 'tableId'])
    if (filter[name] !== undefined) throw notInSandbox(`setBasicFilter with ${name}`);
  const { tab, box } = gridTarget(batch.book, objectOf(filter['range']));
  const specs =
    filter['filterSpecs'] === undefined
      ? Object.entries(objectOf(filter['criteria'] ?? {})).map(
          ([at, criteria]) => [Number(at), criteria] as const,
        )
      : listOf(filter['filterSpecs'])
          .map(objectOf)
          .map((spec) => [numberOf(spec['columnIndex']) ?? 0, spec['filterCriteria']] as const);
  const hidden = specs.map(([column, criteria]) => {
    const { hiddenValues = [], ...others } = objectOf(criteria ?? {});
    if (Object.keys(others).length > 0) throw notInSandbox('a filter by a condition or a colour');
    return [column, listOf(hiddenValues).map(String)] as const;
  });
  tab.filter = { box, hidden: new Map(hidden) };
}

export function clearBasicFilter(batch: Batch, request: JsonObject): void {
  tabOf(batch.book, request['sheetId']).filter = undefined;
}

/** Both forms of the criteria are shown, whichever was given. */
export function showFilter(tab: Tab, { box, hidden }: Filter): JsonObject {
  const range = { sheetId: tab.properties.sheetId, ...gridOf(box) };
  const specs = [...hidden].map(([columnIndex, values]) => ({
    columnIndex,
    filterCriteria: { hiddenValues: [...values] },
  }));
  if (specs.length === 0) return { range };
  const criteria = Object.fromEntries(specs.map((spec) => [String(spec.columnIndex), spec.filterCriteria]));
  return { range, criteria, filterSpecs: specs };
}

/** True if people do not see the row because of the filter. Reads of the API return it all the same. */
export function isHiddenByFilter(tab: Tab, at: number): boolean {
  const { filter } = tab;
  if (filter === undefined || at <= filter.box.rowStart || at >= filter.box.rowEnd) return false;
  return [...filter.hidden].some(([column, values]) =>
    values.includes(
      String(display(tab.cell(at, column), { value: 'FORMATTED_VALUE', date: 'SERIAL_NUMBER' })),
    ),
  );
}

const readOnlyProperties = ['defaultFormat', 'spreadsheetTheme'];

export function updateSpreadsheetProperties(batch: Batch, request: JsonObject): void {
  const mask = parseMask(String(request['fields'] ?? ''));
  if (mask === undefined)
    throw invalidArgument("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  const given = objectOf(request['properties']);
  const { book } = batch;
  const about = { ...book.about };
  if (touches(mask, ['title'])) about.title = stringOf(given['title']) ?? '';
  if (about.title === '') throw invalidArgument('The title of a spreadsheet cannot be empty.');
  if (touches(mask, ['timeZone'])) about.timeZone = stringOf(given['timeZone']) ?? about.timeZone;
  // In CLDR form, or a custom one such as GMT-07:00 (SpreadsheetProperties.timeZone).
  if (!isZone(about.timeZone) && !/^GMT[+-]\d{2}:\d{2}$/.test(about.timeZone))
    throw invalidArgument(`Invalid time zone: ${about.timeZone}`);
  if (touches(mask, ['locale'])) about.locale = stringOf(given['locale']) ?? about.locale;
  // Another locale would change how numbers and dates are read; the sandbox writes them in en_US.
  if (about.locale !== 'en_US') throw notInSandbox('a locale other than en_US');
  if (touches(mask, ['autoRecalc'])) about.autoRecalc = stringOf(given['autoRecalc']) ?? about.autoRecalc;
  const other = readOnlyProperties.find((name) => !mask.all && mask.children.has(name));
  if (other !== undefined) throw invalidArgument(`${other} is read-only.`);
  book.about = about;
}

function validated(cell: Cell | undefined, rule: JsonObject | undefined): Cell | undefined {
  const { dataValidation: _, ...others } = cell?.rest ?? {};
  const rest: JsonObject = rule === undefined ? others : { ...others, dataValidation: rule };
  const { rest: __, ...plain } = cell ?? {};
  const next: Cell = Object.keys(rest).length === 0 ? plain : { ...plain, rest };
  return Object.keys(next).length === 0 ? undefined : next;
}

function rulesOf(tab: Tab): JsonObject[] {
  return listOf(tab.overlays['conditionalFormats']).map(objectOf);
}

function keep(tab: Tab, name: string, value: JsonObject | JsonObject[] | undefined): void {
  const { [name]: _, ...others } = tab.overlays;
  const isNothing = value === undefined || (Array.isArray(value) && value.length === 0);
  tab.overlays = isNothing ? others : { ...others, [name]: value };
}
