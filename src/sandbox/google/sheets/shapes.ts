// Bodies of Sheets v4, after its discovery document. Requests that the sandbox does not perform are known by name
// only: they are refused as such, and not as unknown fields.
import {
  any,
  bool,
  double,
  int32,
  list,
  object,
  oneOfStrings,
  type Shape,
  string,
  union,
} from '../request/shape.ts';

const color = object({ alpha: double, blue: double, green: double, red: double });
const colorStyle = object({ rgbColor: color, themeColor: string });
const border = object({ color, colorStyle, style: string, width: int32 });
const textFormat = object({
  bold: bool,
  fontFamily: string,
  fontSize: int32,
  foregroundColor: color,
  foregroundColorStyle: colorStyle,
  italic: bool,
  link: object({ uri: string }),
  strikethrough: bool,
  underline: bool,
});
const cellFormat = object({
  backgroundColor: color,
  backgroundColorStyle: colorStyle,
  borders: object({ bottom: border, left: border, right: border, top: border }),
  horizontalAlignment: oneOfStrings('HORIZONTAL_ALIGN_UNSPECIFIED', 'LEFT', 'CENTER', 'RIGHT'),
  hyperlinkDisplayType: string,
  numberFormat: object({
    pattern: string,
    type: oneOfStrings(
      'NUMBER_FORMAT_TYPE_UNSPECIFIED',
      'TEXT',
      'NUMBER',
      'PERCENT',
      'CURRENCY',
      'DATE',
      'TIME',
      'DATE_TIME',
      'SCIENTIFIC',
    ),
  }),
  padding: object({ bottom: int32, left: int32, right: int32, top: int32 }),
  textDirection: string,
  textFormat,
  textRotation: object({ angle: int32, vertical: bool }),
  verticalAlignment: string,
  wrapStrategy: string,
});
const extendedValue = union('value', {
  boolValue: bool,
  errorValue: any,
  formulaValue: string,
  numberValue: double,
  stringValue: string,
});
const cellData = object({
  chipRuns: any,
  dataSourceFormula: any,
  dataSourceTable: any,
  dataValidation: any,
  effectiveFormat: cellFormat,
  effectiveValue: extendedValue,
  formattedValue: string,
  hyperlink: string,
  note: string,
  pivotTable: any,
  textFormatRuns: any,
  userEnteredFormat: cellFormat,
  userEnteredValue: extendedValue,
});
export const rows = list(object({ values: list(cellData) }));
export const gridRange = object({
  endColumnIndex: int32,
  endRowIndex: int32,
  sheetId: int32,
  startColumnIndex: int32,
  startRowIndex: int32,
});
const dimension = oneOfStrings('DIMENSION_UNSPECIFIED', 'ROWS', 'COLUMNS');
const dimensionRange = object({ dimension, endIndex: int32, sheetId: int32, startIndex: int32 });
const location = object({ dimensionRange, locationType: string, sheetId: int32, spreadsheet: bool });
const visibility = oneOfStrings('DEVELOPER_METADATA_VISIBILITY_UNSPECIFIED', 'DOCUMENT', 'PROJECT');
export const developerMetadata = object({
  location,
  metadataId: int32,
  metadataKey: string,
  metadataValue: string,
  visibility,
});
const lookup = object({
  locationMatchingStrategy: string,
  locationType: string,
  metadataId: int32,
  metadataKey: string,
  metadataLocation: location,
  metadataValue: string,
  visibility,
});
export const dataFilterShape = union('filter', {
  a1Range: string,
  developerMetadataLookup: lookup,
  gridRange,
});
export const sheetProperties = object({
  dataSourceSheetProperties: any,
  gridProperties: object({
    columnCount: int32,
    columnGroupControlAfter: bool,
    frozenColumnCount: int32,
    frozenRowCount: int32,
    hideGridlines: bool,
    rowCount: int32,
    rowGroupControlAfter: bool,
  }),
  hidden: bool,
  index: int32,
  rightToLeft: bool,
  sheetId: int32,
  sheetType: string,
  tabColor: color,
  tabColorStyle: colorStyle,
  title: string,
});
export const protectedRange = object({
  description: string,
  editors: object({ domainUsersCanEdit: bool, groups: list(string), users: list(string) }),
  namedRangeId: string,
  protectedRangeId: int32,
  range: gridRange,
  requestingUserCanEdit: bool,
  tableId: string,
  unprotectedRanges: list(gridRange),
  warningOnly: bool,
});
const coordinate = object({ columnIndex: int32, rowIndex: int32, sheetId: int32 });

/** Requests that the sandbox performs, with their bodies. */
const performed: Record<string, Shape> = {
  addProtectedRange: object({ protectedRange }),
  addSheet: object({ properties: sheetProperties }),
  appendCells: object({ fields: string, rows, sheetId: int32, tableId: string }),
  appendDimension: object({ dimension, length: int32, sheetId: int32 }),
  autoResizeDimensions: object({ dataSourceSheetDimensions: any, dimensions: dimensionRange }),
  createDeveloperMetadata: object({ developerMetadata }),
  cutPaste: object({ destination: coordinate, pasteType: string, source: gridRange }),
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
    sortSpecs: list(
      object({
        backgroundColor: color,
        backgroundColorStyle: colorStyle,
        dataSourceColumnReference: any,
        dimensionIndex: int32,
        foregroundColor: color,
        foregroundColorStyle: colorStyle,
        sortOrder: oneOfStrings('SORT_ORDER_UNSPECIFIED', 'ASCENDING', 'DESCENDING'),
      }),
    ),
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
  'addBanding addChart addCommentReply addConditionalFormatRule addDataSource addDimensionGroup addFilterView addNamedRange addSlicer addTable autoFill cancelDataSourceRefresh clearBasicFilter copyPaste deleteBanding deleteComment deleteCommentReply deleteConditionalFormatRule deleteDataSource deleteDimensionGroup deleteDuplicates deleteEmbeddedObject deleteFilterView deleteNamedRange deleteRange deleteTable duplicateFilterView findReplace insertComment insertRange mergeCells pasteData randomizeRange refreshDataSource setBasicFilter setDataValidation textToColumns trimWhitespace unmergeCells updateBanding updateBorders updateChartSpec updateCommentPost updateConditionalFormatRule updateDataSource updateDimensionGroup updateEmbeddedObjectBorder updateEmbeddedObjectPosition updateFilterView updateNamedRange updateSlicerSpec updateSpreadsheetProperties updateTable';

export const batchUpdateShape = object({
  commentsViewMode: string,
  includeSpreadsheetInResponse: bool,
  requests: list(
    union('kind', { ...Object.fromEntries(knownByName.split(' ').map((name) => [name, any])), ...performed }),
  ),
  responseIncludeGridData: bool,
  responseRanges: list(string),
});

export const majorShape = oneOfStrings('DIMENSION_UNSPECIFIED', 'ROWS', 'COLUMNS');
const valueRender = oneOfStrings('FORMATTED_VALUE', 'UNFORMATTED_VALUE', 'FORMULA');
const dateRender = oneOfStrings('SERIAL_NUMBER', 'FORMATTED_STRING');
const inputOption = oneOfStrings('INPUT_VALUE_OPTION_UNSPECIFIED', 'RAW', 'USER_ENTERED');
const responding = {
  includeValuesInResponse: bool,
  responseDateTimeRenderOption: dateRender,
  responseValueRenderOption: valueRender,
  valueInputOption: inputOption,
};

export const valueRangeShape = object({ majorDimension: majorShape, range: string, values: list(list(any)) });
export const batchValuesShape = object({ ...responding, data: list(valueRangeShape) });
export const batchClearShape = object({ ranges: list(string) });
export const filteredGetShape = object({
  dataFilters: list(dataFilterShape),
  dateTimeRenderOption: dateRender,
  majorDimension: majorShape,
  valueRenderOption: valueRender,
});
export const filteredUpdateShape = object({
  ...responding,
  data: list(object({ dataFilter: dataFilterShape, majorDimension: majorShape, values: list(list(any)) })),
});
export const filteredClearShape = object({ dataFilters: list(dataFilterShape) });
export const filteredSpreadsheetShape = object({
  commentsViewMode: string,
  dataFilters: list(dataFilterShape),
  excludeTablesInBandedRanges: bool,
  includeGridData: bool,
});
