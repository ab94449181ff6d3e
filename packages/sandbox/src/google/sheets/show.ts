// A spreadsheet as spreadsheets.get shows it.
import type { JsonObject } from '../json.ts';
import type { Box } from './a1.ts';
import { showCell } from './celldata.ts';
import { showMetadata } from './metadata.ts';
import { gridOf, showProtection } from './protections.ts';
import { isHiddenByFilter, showFilter } from './rules.ts';
import type { Tab } from './tab.ts';
import { showTable } from './tables.ts';
import type { Target, Workbook } from './workbook.ts';

export interface Showing {
  /** Only these ranges and their sheets; undefined: everything. */
  targets: Target[] | undefined;
  hasGridData: boolean;
  /** The caller, on whom some fields depend; undefined: the owner. */
  viewer?: string | undefined;
}

export function showSpreadsheet(book: Workbook, { targets, hasGridData, viewer }: Showing): JsonObject {
  const tabs =
    targets === undefined
      ? book.tabs
      : book.tabs.filter((tab) => targets.some((target) => target.tab === tab));
  const shown: JsonObject = {
    spreadsheetId: book.id,
    properties: {
      ...book.about,
      defaultFormat: {},
    },
    sheets: tabs.map((tab) => {
      const boxes =
        targets === undefined
          ? [tab.box]
          : targets.filter((target) => target.tab === tab).map((target) => target.box);
      return showTab(book, tab, { boxes: hasGridData ? boxes : undefined, viewer });
    }),
    spreadsheetUrl: `https://docs.google.com/spreadsheets/d/${book.id}/edit`,
  };
  if (book.metadata.length > 0)
    shown['developerMetadata'] = book.metadata.map((entry) => showMetadata({ tab: undefined, entry }));
  return shown;
}

export function showProperties(book: Workbook, tab: Tab): JsonObject {
  const { sheetId, title, hidden, frozenRowCount, frozenColumnCount, extra } = tab.properties;
  const gridProperties: JsonObject = { rowCount: tab.rowCount, columnCount: tab.columnCount };
  if (frozenRowCount > 0) gridProperties['frozenRowCount'] = frozenRowCount;
  if (frozenColumnCount > 0) gridProperties['frozenColumnCount'] = frozenColumnCount;
  const shown: JsonObject = {
    sheetId,
    title,
    index: book.tabs.indexOf(tab),
    sheetType: 'GRID',
    gridProperties,
    ...extra,
  };
  if (hidden) shown['hidden'] = true;
  return shown;
}

function showTab(
  book: Workbook,
  tab: Tab,
  { boxes, viewer }: { boxes: Box[] | undefined; viewer: string | undefined },
): JsonObject {
  const shown: JsonObject = { properties: showProperties(book, tab), ...tab.overlays };
  const { sheetId } = tab.properties;
  if (tab.filter !== undefined) shown['basicFilter'] = showFilter(tab, tab.filter);
  if (tab.tables.length > 0) shown['tables'] = tab.tables.map((table) => showTable(tab, table));
  if (tab.merges.length > 0) shown['merges'] = tab.merges.map((box) => ({ sheetId, ...gridOf(box) }));
  if (boxes !== undefined) shown['data'] = boxes.map((box) => showGrid(tab, box));
  const anchored = tab.metadata.filter((entry) => entry.at === undefined);
  if (anchored.length > 0) shown['developerMetadata'] = anchored.map((entry) => showMetadata({ tab, entry }));
  if (tab.protections.length > 0)
    shown['protectedRanges'] = tab.protections.map((protection) =>
      showProtection(book, { tab, protection, viewer }),
    );
  return shown;
}

function showGrid(tab: Tab, box: Box): JsonObject {
  const rowData: JsonObject[] = [];
  for (let r = box.rowStart; r < Math.min(box.rowEnd, tab.usedRows); r += 1) {
    const cells = tab.row(r).slice(box.columnStart, box.columnEnd).map(showCell);
    rowData.push(cells.length === 0 ? {} : { values: cells });
  }
  const grid: JsonObject = {};
  if (rowData.length > 0) grid['rowData'] = rowData;
  const rows = rowData.map((_, r) =>
    isHiddenByFilter(tab, box.rowStart + r) ? { hiddenByFilter: true } : {},
  );
  if (tab.filter !== undefined) grid['rowMetadata'] = rows;
  // protobuf omits a zero.
  if (box.rowStart > 0) grid['startRow'] = box.rowStart;
  if (box.columnStart > 0) grid['startColumn'] = box.columnStart;
  return grid;
}
