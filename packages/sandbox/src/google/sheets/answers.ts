// The answers of Sheets, after its discovery document. A field mask may name nothing else.
import { any, int32, list, object, type Shape, string } from '../request/shape.ts';
import { gridRange, rows } from './cell-shapes.ts';
import { basicFilter, conditionalRule, spreadsheetProperties } from './request-shapes.ts';
import {
  commentsMode,
  dataFilterShape,
  developerMetadata,
  protectedRange,
  sheetProperties,
  valueRangeShape,
} from './shapes.ts';

const gridData = object({
  columnMetadata: any,
  rowData: rows,
  rowMetadata: any,
  startColumn: int32,
  startRow: int32,
});

const spreadsheetShape = object({
  comments: any,
  commentsViewMode: commentsMode,
  dataSourceSchedules: any,
  dataSources: any,
  developerMetadata: list(developerMetadata),
  namedRanges: any,
  properties: spreadsheetProperties,
  sheets: list(
    object({
      bandedRanges: any,
      basicFilter,
      charts: any,
      columnGroups: any,
      commentAnchors: any,
      conditionalFormats: list(conditionalRule),
      data: list(gridData),
      developerMetadata: list(developerMetadata),
      filterViews: any,
      merges: list(gridRange),
      properties: sheetProperties,
      protectedRanges: list(protectedRange),
      rowGroups: any,
      slicers: any,
      tables: any,
    }),
  ),
  spreadsheetId: string,
  spreadsheetUrl: string,
});

const updatedShape = {
  spreadsheetId: string,
  updatedCells: int32,
  updatedColumns: int32,
  updatedData: valueRangeShape,
  updatedRange: string,
  updatedRows: int32,
};
const totalShape = {
  spreadsheetId: string,
  totalUpdatedCells: int32,
  totalUpdatedColumns: int32,
  totalUpdatedRows: int32,
  totalUpdatedSheets: int32,
};

/** Answers by method, for the check of field masks. */
export const answerShapes: Readonly<Record<string, Shape>> = {
  'spreadsheets.get': spreadsheetShape,
  'spreadsheets.getByDataFilter': spreadsheetShape,
  'spreadsheets.batchUpdate': object({
    commentUpdateState: string,
    replies: any,
    spreadsheetId: string,
    updatedSpreadsheet: spreadsheetShape,
  }),
  'spreadsheets.values.get': valueRangeShape,
  'spreadsheets.values.batchGet': object({ spreadsheetId: string, valueRanges: list(valueRangeShape) }),
  'spreadsheets.values.batchGetByDataFilter': object({
    spreadsheetId: string,
    valueRanges: list(object({ dataFilters: list(dataFilterShape), valueRange: valueRangeShape })),
  }),
  'spreadsheets.values.update': object(updatedShape),
  'spreadsheets.values.append': object({
    spreadsheetId: string,
    tableRange: string,
    updates: object(updatedShape),
  }),
  'spreadsheets.values.batchUpdate': object({ ...totalShape, responses: list(object(updatedShape)) }),
  'spreadsheets.values.batchUpdateByDataFilter': object({
    ...totalShape,
    responses: list(object({ ...updatedShape, dataFilter: dataFilterShape })),
  }),
  'spreadsheets.values.clear': object({ clearedRange: string, spreadsheetId: string }),
  'spreadsheets.values.batchClear': object({ clearedRanges: list(string), spreadsheetId: string }),
  'spreadsheets.values.batchClearByDataFilter': object({
    clearedRanges: list(string),
    spreadsheetId: string,
  }),
};
