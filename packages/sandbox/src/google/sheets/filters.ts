// Data filters: a range in A1, a GridRange, or a lookup of developer metadata. Each becomes ranges of tabs.
import { type JsonObject, numberOf, objectOf, stringOf } from '../json.ts';
import { invalidArgument } from '../refusal.ts';
import type { Area } from './a1.ts';
import { type Found, metadataMatching } from './metadata.ts';
import type { Tab } from './tab.ts';
import type { Target, Workbook } from './workbook.ts';

/** All ranges that the filter selects. A lookup may select zero or several. */
export function targetsOf(book: Workbook, filter: JsonObject): Target[] {
  const a1 = stringOf(filter['a1Range']);
  if (a1 !== undefined) return [book.resolve(a1)];
  if (filter['gridRange'] !== undefined) return [gridTarget(book, objectOf(filter['gridRange']))];
  if (filter['developerMetadataLookup'] !== undefined) {
    return metadataMatching(book, objectOf(filter['developerMetadataLookup'])).flatMap((found) =>
      targetOfMetadata(book, found),
    );
  }
  throw invalidArgument('Must specify at least one DataFilter.');
}

/** The tab with this id. Throws Google's 400 for an unknown id. */
export function tabOf(book: Workbook, sheetId: unknown): Tab {
  // protobuf reads a missing id as 0.
  const id = numberOf(sheetId) ?? 0;
  const tab = book.tabWithId(id);
  if (tab === undefined) throw invalidArgument(`No grid with id: ${id}`);
  return tab;
}

export function gridTarget(book: Workbook, range: JsonObject): Target {
  return book.targetOf(tabOf(book, range['sheetId']), gridArea(range));
}

export function gridArea(range: JsonObject): Area {
  const area = {
    rowStart: numberOf(range['startRowIndex']) ?? 0,
    rowEnd: numberOf(range['endRowIndex']),
    columnStart: numberOf(range['startColumnIndex']) ?? 0,
    columnEnd: numberOf(range['endColumnIndex']),
    isCell: false,
  };
  for (const [name, value] of Object.entries(range)) {
    if (name !== 'sheetId' && (numberOf(value) ?? 0) < 0)
      throw invalidArgument(`GridRange.${name} must not be negative.`);
  }
  const isTurned =
    (area.rowEnd ?? Infinity) <= area.rowStart || (area.columnEnd ?? Infinity) <= area.columnStart;
  if (isTurned) throw invalidArgument('GridRange end index must be after its start index.');
  return area;
}

function targetOfMetadata(book: Workbook, { tab, entry }: Found): Target[] {
  if (tab === undefined) return [];
  const { at } = entry;
  if (at === undefined) return [book.targetOf(tab, undefined)];
  const box =
    at.dimension === 'ROWS'
      ? { ...tab.box, rowStart: at.start, rowEnd: at.end }
      : { ...tab.box, columnStart: at.start, columnEnd: at.end };
  return [{ tab, box, isCell: false, isBeyondGrid: false }];
}
