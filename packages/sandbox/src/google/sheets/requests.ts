// spreadsheets.batchUpdate: performs requests in order, as one transaction, with one reply for each.
import { type JsonObject, objectOf } from '../json.ts';
import { invalidArgument, notInSandbox } from '../refusal.ts';
import { copyPaste, deleteRange, findReplace, insertRange } from './blocks.ts';
import { appendCells, cutPaste, repeatCell, updateCells } from './cells.ts';
import {
  appendDimension,
  deleteDimension,
  insertDimension,
  moveDimension,
  sortRange,
  updateDimensionProperties,
} from './dimensions.ts';
import { mergeCells, unmergeCells } from './merges.ts';
import { within } from './office.ts';
import { addProtectedRange, deleteProtectedRange, updateProtectedRange } from './protections.ts';
import {
  addConditionalFormatRule,
  clearBasicFilter,
  deleteConditionalFormatRule,
  setBasicFilter,
  setDataValidation,
  updateSpreadsheetProperties,
} from './rules.ts';
import { addTable, updateTable } from './tables.ts';
import {
  addSheet,
  createDeveloperMetadata,
  deleteDeveloperMetadata,
  deleteSheet,
  duplicateSheet,
  updateDeveloperMetadata,
  updateSheetProperties,
} from './tabs.ts';
import type { Batch } from './workbook.ts';

const performers: Record<string, (batch: Batch, request: JsonObject) => unknown> = {
  addConditionalFormatRule,
  addProtectedRange,
  addSheet,
  addTable,
  appendCells,
  appendDimension,
  // The browser computes widths, so there is nothing to store.
  autoResizeDimensions: () => undefined,
  clearBasicFilter,
  copyPaste,
  createDeveloperMetadata,
  cutPaste,
  deleteConditionalFormatRule,
  deleteDeveloperMetadata,
  deleteDimension,
  deleteProtectedRange,
  deleteRange,
  deleteSheet,
  duplicateSheet,
  findReplace,
  insertDimension,
  insertRange,
  mergeCells,
  moveDimension,
  repeatCell,
  setBasicFilter,
  setDataValidation,
  sortRange,
  unmergeCells,
  updateCells,
  updateDeveloperMetadata,
  updateDimensionProperties,
  updateProtectedRange,
  updateSheetProperties,
  updateSpreadsheetProperties,
  updateTable,
};

/** Performs all requests and returns their replies, including empty ones. */
export function performRequests(batch: Batch, requests: readonly JsonObject[]): JsonObject[] {
  if (requests.length === 0) throw invalidArgument('Must specify at least one request.');
  return batch.book.atomically(() => requests.map((request, i) => performRequest(batch, request, i)));
}

function performRequest(batch: Batch, request: JsonObject, index: number): JsonObject {
  const name = Object.keys(request).find((key) => request[key] !== null && request[key] !== undefined);
  if (name === undefined) throw invalidArgument(`Invalid requests[${index}]: No request set.`);
  const perform = performers[name];
  if (perform === undefined) throw notInSandbox(`batchUpdate's ${name}`);
  // Most requests have an empty reply.
  return objectOf(within(`requests[${index}].${name}`, () => perform(batch, objectOf(request[name]))));
}
