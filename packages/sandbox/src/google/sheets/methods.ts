// The methods of Sheets v4 that the sandbox performs, with the parameters and scopes of the discovery document.
import type { Method } from '../method.ts';
import { notInSandbox } from '../refusal.ts';
import type { QueryShape } from '../request/query.ts';
import { any, object, string } from '../request/shape.ts';
import { answerShapes } from './answers.ts';
import type { SheetsOffice } from './office.ts';
import { asRecorded } from './recorded.ts';
import { batchUpdateShape } from './request-shapes.ts';
import * as shapes from './shapes.ts';
import { Spreadsheets } from './spreadsheets.ts';
import { Values } from './values.ts';

const valueRender = ['FORMATTED_VALUE', 'UNFORMATTED_VALUE', 'FORMULA'];
const dateRender = ['SERIAL_NUMBER', 'FORMATTED_STRING'];
const reading: QueryShape = {
  dateTimeRenderOption: dateRender,
  majorDimension: ['DIMENSION_UNSPECIFIED', 'ROWS', 'COLUMNS'],
  valueRenderOption: valueRender,
};
const writing: QueryShape = {
  includeValuesInResponse: 'bool',
  responseDateTimeRenderOption: dateRender,
  responseValueRenderOption: valueRender,
  valueInputOption: ['INPUT_VALUE_OPTION_UNSPECIFIED', 'RAW', 'USER_ENTERED'],
};
const writeScopes = ['spreadsheets', 'drive', 'drive.file'];
const readScopes = [...writeScopes, 'spreadsheets.readonly', 'drive.readonly'];
const spreadsheet = 'v4/spreadsheets/{spreadsheetId}';
const values = `${spreadsheet}/values`;

export function sheetsMethods(office: SheetsOffice): Method[] {
  const desk = new Values(office);
  const books = new Spreadsheets(office);
  const method = (about: Omit<Method, 'service'>): Method => ({
    service: 'sheets',
    answer: answerShapes[about.id] ?? any,
    ...about,
    perform: async (call) => {
      const answer = await about.perform(call);
      return answer.body === undefined ? answer : { ...answer, body: asRecorded(answer.body) };
    },
  });
  /** POST methods that only read count as reads, but still need a scope for writing. */
  const read = (about: Omit<Method, 'service' | 'quota' | 'scopes'>): Method =>
    method({ quota: 'read', scopes: about.http === 'GET' ? readScopes : writeScopes, ...about });
  const write = (about: Omit<Method, 'service' | 'quota' | 'scopes'>): Method =>
    method({
      quota: 'write',
      scopes: writeScopes,
      ...about,
      perform: async (call) => {
        const answer = await about.perform(call);
        office.written(call.path['spreadsheetId'] ?? '');
        return answer;
      },
    });
  return [
    read({
      id: 'spreadsheets.get',
      http: 'GET',
      path: spreadsheet,
      query: {
        commentsViewMode: shapes.commentsModes,
        excludeTablesInBandedRanges: 'bool',
        includeGridData: 'bool',
        ranges: 'strings',
      },
      perform: (call) => books.get(call),
    }),
    read({
      id: 'spreadsheets.getByDataFilter',
      http: 'POST',
      path: `${spreadsheet}:getByDataFilter`,
      query: {},
      body: shapes.filteredSpreadsheetShape,
      perform: (call) => books.getByDataFilter(call),
    }),
    method({
      id: 'spreadsheets.batchUpdate',
      http: 'POST',
      quota: 'write',
      scopes: writeScopes,
      path: `${spreadsheet}:batchUpdate`,
      query: {},
      body: batchUpdateShape,
      perform: (call) => books.batchUpdate(call),
    }),
    read({
      id: 'spreadsheets.values.get',
      http: 'GET',
      path: `${values}/{range}`,
      query: reading,
      perform: (call) => desk.get(call),
    }),
    read({
      id: 'spreadsheets.values.batchGet',
      http: 'GET',
      path: `${values}:batchGet`,
      query: { ...reading, ranges: 'strings' },
      perform: (call) => desk.batchGet(call),
    }),
    read({
      id: 'spreadsheets.values.batchGetByDataFilter',
      http: 'POST',
      path: `${values}:batchGetByDataFilter`,
      query: {},
      body: shapes.filteredGetShape,
      perform: (call) => desk.batchGetByDataFilter(call),
    }),
    write({
      id: 'spreadsheets.values.update',
      http: 'PUT',
      path: `${values}/{range}`,
      query: writing,
      body: shapes.valueRangeShape,
      bodyField: 'data',
      perform: (call) => desk.update(call),
    }),
    write({
      id: 'spreadsheets.values.batchUpdate',
      http: 'POST',
      path: `${values}:batchUpdate`,
      query: {},
      body: shapes.batchValuesShape,
      perform: (call) => desk.batchUpdate(call),
    }),
    write({
      id: 'spreadsheets.values.batchUpdateByDataFilter',
      http: 'POST',
      path: `${values}:batchUpdateByDataFilter`,
      query: {},
      body: shapes.filteredUpdateShape,
      perform: (call) => desk.batchUpdateByDataFilter(call),
    }),
    write({
      id: 'spreadsheets.values.append',
      http: 'POST',
      path: `${values}/{range}:append`,
      query: { ...writing, insertDataOption: ['OVERWRITE', 'INSERT_ROWS'] },
      body: shapes.valueRangeShape,
      bodyField: 'data',
      perform: (call) => desk.append(call),
    }),
    write({
      id: 'spreadsheets.values.clear',
      http: 'POST',
      path: `${values}/{range}:clear`,
      query: {},
      body: object({}),
      perform: (call) => desk.clear(call),
    }),
    write({
      id: 'spreadsheets.values.batchClear',
      http: 'POST',
      path: `${values}:batchClear`,
      query: {},
      body: shapes.batchClearShape,
      perform: (call) => desk.batchClear(call),
    }),
    write({
      id: 'spreadsheets.values.batchClearByDataFilter',
      http: 'POST',
      path: `${values}:batchClearByDataFilter`,
      query: {},
      body: shapes.filteredClearShape,
      perform: (call) => desk.batchClearByDataFilter(call),
    }),
    read({
      id: 'spreadsheets.developerMetadata.search',
      http: 'POST',
      path: `${spreadsheet}/developerMetadata:search`,
      query: {},
      body: shapes.filteredClearShape,
      perform: (call) => books.searchMetadata(call),
    }),
    method({
      id: 'spreadsheets.developerMetadata.get',
      http: 'GET',
      quota: 'read',
      scopes: writeScopes,
      path: `${spreadsheet}/developerMetadata/{metadataId}`,
      query: {},
      perform: (call) => books.metadata(call),
    }),
    write({
      id: 'spreadsheets.create',
      http: 'POST',
      path: 'v4/spreadsheets',
      query: {},
      body: object({ properties: object({ title: string, timeZone: string }) }),
      perform: (call) => books.create(call),
    }),
    write({
      id: 'spreadsheets.sheets.copyTo',
      http: 'POST',
      path: `${spreadsheet}/sheets/{sheetId}:copyTo`,
      query: {},
      body: any,
      perform: () => refuse('spreadsheets.sheets.copyTo'),
    }),
  ];
}

/** Known to Google, but not to the sandbox. */
function refuse(id: string): never {
  throw notInSandbox(id);
}
