// Bodies of Sheets v4, after its discovery document.
import { any, bool, int32, list, object, oneOfStrings, string, union } from '../request/shape.ts';
import { color, colorStyle, gridRange } from './cell-shapes.ts';

export const dimension = oneOfStrings('DIMENSION_UNSPECIFIED', 'ROWS', 'COLUMNS');
export const dimensionRange = object({ dimension, endIndex: int32, sheetId: int32, startIndex: int32 });
const locationType = oneOfStrings(
  'DEVELOPER_METADATA_LOCATION_TYPE_UNSPECIFIED',
  'ROW',
  'COLUMN',
  'SHEET',
  'SPREADSHEET',
);
const location = object({ dimensionRange, locationType, sheetId: int32, spreadsheet: bool });
const visibility = oneOfStrings('DEVELOPER_METADATA_VISIBILITY_UNSPECIFIED', 'DOCUMENT', 'PROJECT');
export const developerMetadata = object({
  location,
  metadataId: int32,
  metadataKey: string,
  metadataValue: string,
  visibility,
});
const lookup = object({
  locationMatchingStrategy: oneOfStrings(
    'DEVELOPER_METADATA_LOCATION_MATCHING_STRATEGY_UNSPECIFIED',
    'EXACT_LOCATION',
    'INTERSECTING_LOCATION',
  ),
  locationType,
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
  sheetType: oneOfStrings('SHEET_TYPE_UNSPECIFIED', 'GRID', 'OBJECT', 'DATA_SOURCE'),
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
export const coordinate = object({ columnIndex: int32, rowIndex: int32, sheetId: int32 });

export const commentsModes = [
  'COMMENTS_VIEW_MODE_UNSPECIFIED',
  'COMMENTS_VIEW_MODE_DEFAULT_FOR_CURRENT_ACCESS',
  'COMMENTS_VIEW_MODE_OMITTED',
  'COMMENTS_VIEW_MODE_INCLUDED',
];
export const commentsMode = oneOfStrings(...commentsModes);

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
  commentsViewMode: commentsMode,
  dataFilters: list(dataFilterShape),
  excludeTablesInBandedRanges: bool,
  includeGridData: bool,
});
