import { randomUUID } from 'node:crypto';
import { newRowId } from '../../src/engine/ids.ts';

/** An id as of any row of this spreadsheet. */
export function anyRowId(spreadsheetId: string, isSaidNew = false): string {
  return newRowId({ spreadsheetId, isSaidNew, seed: randomUUID(), entry: 'any', print: 'any', nth: 0 });
}
