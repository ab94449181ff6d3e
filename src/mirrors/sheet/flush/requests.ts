import type { CellFormat } from '../../../domain/sheet-row.ts';
import type { CellData, SheetRequest } from '../../../google/sheets-api.ts';
import { beforeRequests } from '../carry/before-image.ts';
import { toCellData } from '../tab/cell-data.ts';
import { headersOf } from '../tab/layout.ts';
import type { AddedColumns, RowWrite, TabPlan } from './plan.ts';

/** A request, and the rows it serves: Google names a refused request by its index. */
export interface OwnedRequest {
  readonly request: SheetRequest;
  readonly plan: TabPlan;
  readonly rows: readonly { readonly row: number; readonly write: RowWrite }[];
  /** Without this request, no row of the plan can be written. */
  readonly isLayout?: boolean;
}

/**
 * Translates a plan into Google's requests: rows in place first, while they are where they were read, then fresh rows. Neighbouring cells
 * share a request. With `isolated`, each row has its own.
 */
export function requestsOf(plan: TabPlan, isolated = false): readonly OwnedRequest[] {
  const requests: OwnedRequest[] = [];
  const add = (request: SheetRequest, rows: OwnedRequest['rows'] = []) =>
    requests.push({ request, plan, rows });
  const { sheetId } = plan.view;

  const { addedColumns } = plan.view;
  if (addedColumns !== undefined) {
    for (const request of columnRequests(sheetId, addedColumns))
      requests.push({ request, plan, rows: [], isLayout: true });
  }
  for (const request of beforeRequests(plan)) requests.push({ request, plan, rows: [], isLayout: true });
  for (const rows of blocks([...plan.inPlace], isolated)) addCells(rows, VALUE);
  addFormats([...plan.inPlace]);
  if (plan.fresh.length === 0) return requests;

  const isBlank = plan.view.blankColumns !== undefined;
  if (isBlank) for (const request of headerRequests(plan)) add(request);
  const isLast = plan.view.rowCount !== undefined && plan.insertAt >= plan.view.rowCount;
  const range = {
    sheetId,
    dimension: 'ROWS',
    startIndex: plan.insertAt,
    endIndex: plan.insertAt + plan.fresh.length,
  };
  const fresh = plan.fresh.map((write, i) => [plan.insertAt + i, write] as [number, RowWrite]);
  const hasDataAbove = plan.insertAt > 1;
  // After the last row of the grid, a new row can only inherit from the row before (Google, InsertDimensionRequest).
  add(
    { insertDimension: { range, inheritFromBefore: hasDataAbove || isLast } },
    fresh.map(([row, write]) => ({ row, write })),
  );
  for (const rows of blocks(fresh, isolated))
    addCells(rows, !hasDataAbove && isLast ? VALUE_AND_FORMAT : VALUE);
  addFormats(fresh);
  // Last, because Google refuses to freeze all rows of a grid: now there is a row below the header.
  if (isBlank) add(freeze(sheetId));
  return requests;

  /** Separate from the values: Google clears a field that the mask names in every cell that does not set it. */
  function addFormats(rows: readonly [number, RowWrite][]): void {
    const columns = new Set(rows.flatMap(([, write]) => [...(write.formats?.keys() ?? [])]));
    for (const column of columns) {
      const formatted = rows.filter(([, write]) => write.formats?.has(column));
      for (const block of neighbours(formatted, isolated)) {
        const start = { sheetId, rowIndex: block[0]?.[0] ?? 0, columnIndex: column };
        const looks = block.map(([, write]) => write.formats?.get(column));
        const isBox = looks.some((look) => look?.type === 'CHECKBOX');
        const data = looks.map((look) => ({ values: [isBox ? BOX : toNumberFormat(look)] }));
        add(
          { updateCells: { start, rows: data, fields: isBox ? 'dataValidation' : NUMBER_FORMAT } },
          block.map(([row, write]) => ({ row, write })),
        );
      }
    }
  }

  function addCells(rows: readonly [number, RowWrite][], fields: string): void {
    const [firstRow, firstWrite] = rows[0] ?? [];
    if (firstRow === undefined || firstWrite === undefined) return;
    const owners = rows.map(([row, write]) => ({ row, write }));
    for (const columns of runs([...firstWrite.cells.keys()])) {
      const start = { sheetId, rowIndex: firstRow, columnIndex: columns[0] ?? 0 };
      const data = rows.map(([, write]) => ({
        values: columns.map((column) => toCellData(write.cells.get(column) ?? null)),
      }));
      add({ updateCells: { start, rows: data, fields } }, owners);
    }
  }
}

/** All formatted rows of a column have a checkbox, or all have a number format. */
const BOX: CellData = { dataValidation: { condition: { type: 'BOOLEAN' } } };

function toNumberFormat(format: CellFormat | undefined): CellData {
  return { userEnteredFormat: { numberFormat: { ...format } } };
}

const VALUE = 'userEnteredValue';
const HEADER_FIELDS = 'userEnteredValue,userEnteredFormat.textFormat.bold';
/** Users' colours and fonts of the cell stay. */
const NUMBER_FORMAT = 'userEnteredFormat.numberFormat';
/** For rows that inherited the header's formatting: removes it. */
const VALUE_AND_FORMAT = 'userEnteredValue,userEnteredFormat';

/** Groups neighbouring rows that write the same columns. */
function blocks(rows: readonly [number, RowWrite][], isolated: boolean): readonly [number, RowWrite][][] {
  return neighbours(rows, isolated, hasSameColumns);
}

function neighbours(
  rows: readonly [number, RowWrite][],
  isolated: boolean,
  belong: (a: RowWrite, b: RowWrite) => boolean = () => true,
): readonly [number, RowWrite][][] {
  const result: [number, RowWrite][][] = [];
  for (const item of rows) {
    const block = result.at(-1);
    const last = block?.at(-1);
    const isNext = last !== undefined && last[0] + 1 === item[0] && belong(last[1], item[1]);
    if (block !== undefined && isNext && !isolated) block.push(item);
    else result.push([item]);
  }
  return result;
}

function hasSameColumns(a: RowWrite, b: RowWrite): boolean {
  return a.cells.size === b.cells.size && [...a.cells.keys()].every((column) => b.cells.has(column));
}

/** Columns in ascending order, split wherever a column in between belongs to users. */
function runs(columns: readonly number[]): readonly number[][] {
  const result: number[][] = [];
  for (const column of [...columns].sort((a, b) => a - b)) {
    const run = result.at(-1);
    if (run !== undefined && run.at(-1) === column - 1) run.push(column);
    else result.push([column]);
  }
  return result;
}

/** Inserts columns instead of writing into existing ones: a user may just have begun to use those cells. */
function columnRequests(sheetId: number, { at, headers, isLast }: AddedColumns): readonly SheetRequest[] {
  const range = { sheetId, dimension: 'COLUMNS', startIndex: at, endIndex: at + headers.length };
  return [
    // Inherit from the blank column that follows, because the users' last column may have any formatting.
    { insertDimension: { range, inheritFromBefore: isLast } },
    {
      updateCells: {
        start: { sheetId, rowIndex: 0, columnIndex: at },
        rows: [{ values: headers.map(headerCell) }],
        fields: HEADER_FIELDS,
      },
    },
  ];
}

function headerCell(header: string): CellData {
  return {
    userEnteredValue: { stringValue: header },
    userEnteredFormat: { textFormat: { bold: true } },
  };
}

function headerRequests({ mirror, view }: TabPlan): readonly SheetRequest[] {
  const headers = headersOf(mirror);
  const missing = headers.length - (view.blankColumns ?? 0);
  const grow: SheetRequest = {
    appendDimension: { sheetId: view.sheetId, dimension: 'COLUMNS', length: missing },
  };
  const write: SheetRequest = {
    updateCells: {
      start: { sheetId: view.sheetId, rowIndex: 0, columnIndex: 0 },
      rows: [{ values: headers.map(headerCell) }],
      fields: HEADER_FIELDS,
    },
  };
  return missing > 0 ? [grow, write] : [write];
}

function freeze(sheetId: number): SheetRequest {
  return {
    updateSheetProperties: {
      properties: { sheetId, gridProperties: { frozenRowCount: 1 } },
      fields: 'gridProperties.frozenRowCount',
    },
  };
}
