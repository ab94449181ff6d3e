// CellData: how updateCells, appendCells and repeatCell write a cell, and how it is shown. They write only the fields
// of the mask, and clear a masked field that is missing in the data. A stringValue is always text.
import { isObject, type JsonObject, listOf, numberOf, objectOf, stringOf } from '../json.ts';
import { invalidArgument } from '../refusal.ts';
import { isWhole, type Mask, parseMask } from '../request/mask.ts';
import { type Cell, type CellValue, isBlank, withValue } from './cell.ts';
import { formatted } from './display.ts';
import { evaluate } from './input.ts';
import { tooLong } from './range.ts';

const cellCharsMax = 50_000;
/** Stored unchanged. */
const keptFields = ['dataValidation', 'textFormatRuns', 'chipRuns', 'pivotTable', 'dataSourceTable'];
/** In a mask they have no effect. */
const readOnlyFields = [
  'effectiveValue',
  'effectiveFormat',
  'formattedValue',
  'hyperlink',
  'dataSourceFormula',
];
const writtenFields = ['userEnteredValue', 'userEnteredFormat', 'note', ...keptFields];

/** The mask of a request. Throws when it is missing or names a field that CellData does not have. */
export function cellMask(fields: unknown): Mask {
  const text = stringOf(fields) ?? '';
  if (text === '')
    throw invalidArgument("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  const mask = parseMask(text);
  if (mask === undefined) throw invalidArgument(`Invalid field mask: ${text}`);
  for (const name of mask.children.keys()) {
    if (!writtenFields.includes(name) && !readOnlyFields.includes(name))
      throw invalidArgument(`Invalid field: ${name}`);
  }
  return mask;
}

export function writeCell(cell: Cell | undefined, data: JsonObject, mask: Mask): Cell | undefined {
  let next = cell;
  // The value first: it erases runs, also those that the same request then writes.
  for (const name of writtenFields.filter((each) => mask.all || mask.children.has(each))) {
    const below = mask.children.get(name) ?? { all: true, children: new Map() };
    if (name === 'userEnteredValue') next = writeValue(next, objectOf(data['userEnteredValue']));
    else if (name === 'userEnteredFormat')
      next = withPart(next, 'format', masked(next?.format, data['userEnteredFormat'], below));
    else if (name === 'note') next = withPart(next, 'note', stringOf(data['note']) || undefined);
    else if (keptFields.includes(name)) next = withPart(next, 'rest', { ...next?.rest, [name]: data[name] });
    if (name === 'chipRuns') checkChips(next?.value, listOf(data['chipRuns'] ?? []).map(objectOf));
  }
  if (
    next?.format?.['numberFormat'] !== undefined &&
    objectOf(next.format['numberFormat'])['type'] === undefined
  ) {
    throw invalidArgument('NumberFormat.type must be set.');
  }
  return next;
}

/** "Runs containing chips are represented by an @ placeholder", "only Drive files can be written" (ChipRun, RichLinkProperties). */
function checkChips(text: CellValue | undefined, runs: readonly JsonObject[]): void {
  for (const { chip, startIndex } of runs) {
    if (!isObject(chip) || Object.keys(chip).length === 0) continue;
    const link = stringOf(objectOf(chip['richLinkProperties'] ?? {})['uri']);
    if (String(text ?? '').charAt(numberOf(startIndex) ?? 0) !== '@')
      throw invalidArgument('A chip run must start at an @ of the text.');
    if (link !== undefined && !/^https:\/\/(?:docs|drive)\.google\.com\//.test(link))
      throw invalidArgument('Only links to Drive files can be written as chips.');
  }
}

/** The cell as `spreadsheets.get` shows it. */
export function showCell(cell: Cell | undefined): JsonObject {
  if (cell === undefined) return {};
  const shown: JsonObject = {};
  if (!isBlank(cell)) {
    const value = cell.value ?? '';
    shown['userEnteredValue'] = cell.formula === undefined ? extended(value) : { formulaValue: cell.formula };
    shown['effectiveValue'] = extended(value);
    shown['formattedValue'] = formatted(value, cell);
  }
  if (cell.format !== undefined) {
    shown['userEnteredFormat'] = cell.format;
    shown['effectiveFormat'] = cell.format;
  }
  if (cell.note !== undefined) shown['note'] = cell.note;
  return { ...shown, ...cell.rest };
}

function writeValue(cell: Cell | undefined, value: JsonObject): Cell | undefined {
  if (value['errorValue'] !== undefined) throw invalidArgument('ExtendedValue.errorValue is read-only.');
  const formula = stringOf(value['formulaValue']);
  if (formula !== undefined) {
    if (!formula.startsWith('=')) throw invalidArgument(`Invalid formula: ${formula.slice(0, 50)}`);
    return withValue(cell, evaluate(formula), formula);
  }
  const given = value['stringValue'] ?? value['numberValue'] ?? value['boolValue'];
  if (typeof given === 'string' && given.length > cellCharsMax) throw tooLong();
  const isNothing = given === undefined || given === null || given === '' || typeof given === 'object';
  return withValue(cell, isNothing ? undefined : given);
}

function withPart(
  cell: Cell | undefined,
  part: 'format' | 'note' | 'rest',
  value: unknown,
): Cell | undefined {
  const { [part]: _, ...others } = cell ?? {};
  const isNothing =
    value === undefined || (isObject(value) && Object.values(value).every((item) => item === undefined));
  const next = isNothing ? others : { ...others, [part]: value };
  return Object.keys(next).length === 0 ? undefined : (next as Cell);
}

/** The old format, with the masked fields taken from the new one. */
function masked(old: unknown, given: unknown, mask: Mask): JsonObject | undefined {
  if (isWhole(mask)) return isObject(given) ? given : undefined;
  const merged: JsonObject = { ...objectOf(old) };
  for (const [name, below] of mask.children) {
    const source = objectOf(given)[name];
    const next = isWhole(below) ? source : masked(merged[name], source, below);
    if (next === undefined || next === null) delete merged[name];
    else merged[name] = next;
  }
  return Object.keys(merged).length === 0 ? undefined : merged;
}

function extended(value: CellValue): JsonObject {
  if (typeof value === 'number') return { numberValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return { stringValue: value };
}
