// Requests of spreadsheets.batchUpdate, after the discovery document. Requests that the sandbox does not perform are
// known by name only, so that they are not refused as unknown fields.
import {
  any,
  bool,
  double,
  int32,
  list,
  mapOf,
  object,
  oneOfStrings,
  type Shape,
  string,
  union,
} from '../request/shape.ts';
import {
  cellData,
  cellFormat,
  color,
  colorStyle,
  condition,
  gridRange,
  rows,
  themeColor,
  validationRule,
} from './cell-shapes.ts';
import {
  commentsMode,
  coordinate,
  dataFilterShape,
  developerMetadata,
  dimension,
  dimensionRange,
  protectedRange,
  sheetProperties,
} from './shapes.ts';

const pasteType = oneOfStrings(
  'PASTE_NORMAL',
  'PASTE_VALUES',
  'PASTE_FORMAT',
  'PASTE_NO_BORDERS',
  'PASTE_FORMULA',
  'PASTE_DATA_VALIDATION',
  'PASTE_CONDITIONAL_FORMATTING',
);
const sortSpecs = list(
  object({
    backgroundColor: color,
    backgroundColorStyle: colorStyle,
    dataSourceColumnReference: any,
    dimensionIndex: int32,
    foregroundColor: color,
    foregroundColorStyle: colorStyle,
    sortOrder: oneOfStrings('SORT_ORDER_UNSPECIFIED', 'ASCENDING', 'DESCENDING'),
  }),
);
const filterCriteria = object({
  condition,
  hiddenValues: list(string),
  visibleBackgroundColor: color,
  visibleBackgroundColorStyle: colorStyle,
  visibleForegroundColor: color,
  visibleForegroundColorStyle: colorStyle,
});
export const basicFilter = object({
  criteria: mapOf(filterCriteria),
  filterSpecs: list(object({ columnIndex: int32, dataSourceColumnReference: any, filterCriteria })),
  range: gridRange,
  sortSpecs,
  tableId: string,
});
const interpolation = object({
  color,
  colorStyle,
  type: oneOfStrings('INTERPOLATION_POINT_TYPE_UNSPECIFIED', 'MIN', 'MAX', 'NUMBER', 'PERCENT', 'PERCENTILE'),
  value: string,
});
export const conditionalRule = object({
  booleanRule: object({ condition, format: cellFormat }),
  gradientRule: object({ maxpoint: interpolation, midpoint: interpolation, minpoint: interpolation }),
  ranges: list(gridRange),
});
export const spreadsheetProperties = object({
  autoRecalc: oneOfStrings('RECALCULATION_INTERVAL_UNSPECIFIED', 'ON_CHANGE', 'MINUTE', 'HOUR'),
  defaultFormat: cellFormat,
  importFunctionsExternalUrlAccessAllowed: bool,
  iterativeCalculationSettings: object({ convergenceThreshold: double, maxIterations: int32 }),
  locale: string,
  spreadsheetTheme: object({
    primaryFontFamily: string,
    themeColors: list(object({ color: colorStyle, colorType: themeColor })),
  }),
  timeZone: string,
  title: string,
});

const table = object({
  columnProperties: list(
    object({
      columnIndex: int32,
      columnName: string,
      columnType: oneOfStrings(
        'COLUMN_TYPE_UNSPECIFIED',
        'DOUBLE',
        'CURRENCY',
        'PERCENT',
        'DATE',
        'TIME',
        'DATE_TIME',
        'TEXT',
        'BOOLEAN',
        'DROPDOWN',
        'FILES_CHIP',
        'PEOPLE_CHIP',
        'FINANCE_CHIP',
        'PLACE_CHIP',
        'RATINGS_CHIP',
      ),
      dataValidationRule: object({ condition }),
    }),
  ),
  name: string,
  range: gridRange,
  rowsProperties: object({
    firstBandColorStyle: colorStyle,
    footerColorStyle: colorStyle,
    headerColorStyle: colorStyle,
    secondBandColorStyle: colorStyle,
  }),
  tableId: string,
});

/** Requests that the sandbox performs, with their bodies. */
const performed: Record<string, Shape> = {
  addConditionalFormatRule: object({ index: int32, rule: conditionalRule }),
  clearBasicFilter: object({ sheetId: int32 }),
  copyPaste: object({
    destination: gridRange,
    pasteOrientation: oneOfStrings('NORMAL', 'TRANSPOSE'),
    pasteType,
    source: gridRange,
  }),
  deleteConditionalFormatRule: object({ index: int32, sheetId: int32 }),
  deleteRange: object({ range: gridRange, shiftDimension: dimension }),
  findReplace: object({
    allSheets: bool,
    find: string,
    includeFormulas: bool,
    matchCase: bool,
    matchEntireCell: bool,
    range: gridRange,
    replacement: string,
    searchByRegex: bool,
    sheetId: int32,
  }),
  insertRange: object({ range: gridRange, shiftDimension: dimension }),
  setBasicFilter: object({ filter: basicFilter }),
  setDataValidation: object({ filteredRowsIncluded: bool, range: gridRange, rule: validationRule }),
  updateSpreadsheetProperties: object({ fields: string, properties: spreadsheetProperties }),
  addProtectedRange: object({ protectedRange }),
  addSheet: object({ properties: sheetProperties }),
  addTable: object({ table }),
  mergeCells: object({
    mergeType: oneOfStrings('MERGE_ALL', 'MERGE_COLUMNS', 'MERGE_ROWS'),
    range: gridRange,
  }),
  unmergeCells: object({ range: gridRange }),
  updateTable: object({ fields: string, table }),
  appendCells: object({ fields: string, rows, sheetId: int32, tableId: string }),
  appendDimension: object({ dimension, length: int32, sheetId: int32 }),
  autoResizeDimensions: object({ dataSourceSheetDimensions: any, dimensions: dimensionRange }),
  createDeveloperMetadata: object({ developerMetadata }),
  cutPaste: object({ destination: coordinate, pasteType, source: gridRange }),
  deleteDeveloperMetadata: object({ dataFilter: dataFilterShape }),
  deleteDimension: object({ range: dimensionRange }),
  deleteProtectedRange: object({ protectedRangeId: int32 }),
  deleteSheet: object({ sheetId: int32 }),
  duplicateSheet: object({
    insertSheetIndex: int32,
    newSheetId: int32,
    newSheetName: string,
    sourceSheetId: int32,
  }),
  insertDimension: object({ inheritFromBefore: bool, range: dimensionRange }),
  moveDimension: object({ destinationIndex: int32, source: dimensionRange }),
  repeatCell: object({ cell: cellData, fields: string, range: gridRange }),
  sortRange: object({
    range: gridRange,
    sortSpecs,
  }),
  updateCells: object({ fields: string, range: gridRange, rows, start: coordinate }),
  updateDeveloperMetadata: object({ dataFilters: list(dataFilterShape), developerMetadata, fields: string }),
  updateDimensionProperties: object({
    dataSourceSheetRange: any,
    fields: string,
    properties: object({
      dataSourceColumnReference: any,
      developerMetadata: any,
      hiddenByFilter: bool,
      hiddenByUser: bool,
      pixelSize: int32,
    }),
    range: dimensionRange,
  }),
  updateProtectedRange: object({ fields: string, protectedRange }),
  updateSheetProperties: object({ fields: string, properties: sheetProperties }),
};

const knownByName =
  'addBanding addChart addCommentReply addDataSource addDimensionGroup addFilterView addNamedRange addSlicer autoFill cancelDataSourceRefresh deleteBanding deleteComment deleteCommentReply deleteDataSource deleteDimensionGroup deleteDuplicates deleteEmbeddedObject deleteFilterView deleteNamedRange deleteTable duplicateFilterView insertComment pasteData randomizeRange refreshDataSource textToColumns trimWhitespace updateBanding updateBorders updateChartSpec updateCommentPost updateConditionalFormatRule updateDataSource updateDimensionGroup updateEmbeddedObjectBorder updateEmbeddedObjectPosition updateFilterView updateNamedRange updateSlicerSpec';

export const batchUpdateShape = object({
  commentsViewMode: commentsMode,
  includeSpreadsheetInResponse: bool,
  requests: list(
    union('kind', { ...Object.fromEntries(knownByName.split(' ').map((name) => [name, any])), ...performed }),
  ),
  responseIncludeGridData: bool,
  responseRanges: list(string),
});
