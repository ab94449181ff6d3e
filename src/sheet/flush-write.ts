import { RetryableError, TerminalError } from '../engine/errors.ts';
import type { KeyedTab } from '../engine/mirror.ts';
import type { PendingRow } from '../engine/sheet-row.ts';
import { GoogleFailure } from '../google/errors.ts';
import {
  type AreaValues,
  type CellData,
  type GridArea,
  type SheetRequest,
  type SheetsApi,
  type TabInfo,
  toGridRange,
} from '../google/sheets-api.ts';
import { CELLS_SHOWN_MAX, type ShownArea, type ShownRows, type ShownTabs } from '../google/shown-cells.ts';
import { beforeRequests } from './cells.ts';
import {
  type AddedColumns,
  filledCells,
  planWithout,
  type RowSpan,
  type RowWrite,
  type TabPlan,
  writesNothing,
} from './flush-plan.ts';
import { headersOf, type TabFault, withoutTypedLooks } from './tab-layout.ts';
import { columnArea, headerRow, holds, toCellData } from './tab-survey.ts';

/** True when a protection keeps the worker from editing some of these cells of the row. Without `columns`, the whole row counts. */
export function isLocked(tab: TabInfo, row: number, columns: readonly number[] | undefined): boolean {
  return tab.locks.some(({ area, except }) => {
    if (!isInside(row, area.startRow, area.endRow)) return false;
    if (columns === undefined) return !except.some((hole) => isInside(row, hole.startRow, hole.endRow));
    return columns.some(
      (column) => covers(area, row, column) && !except.some((hole) => covers(hole, row, column)),
    );
  });
}

function covers(area: GridArea, row: number, column: number): boolean {
  return isInside(row, area.startRow, area.endRow) && isInside(column, area.startColumn, area.endColumn);
}

function isInside(index: number, start = 0, end = Number.POSITIVE_INFINITY): boolean {
  return index >= start && index < end;
}

export interface WriteParts {
  readonly api: SheetsApi;
  readonly spreadsheetId: string;
  /** If true, Google's answer includes the tabs. */
  readonly isShown?: boolean;
  /**
   * Called with the plans of each try before it is sent, and with none once Google refused it. If the write rejects, the last call names
   * the plans that Google may have performed.
   */
  readonly onTry?: (plans: readonly TabPlan[]) => void;
}

export interface WriteOutcome {
  /** The plans as performed. */
  readonly plans: readonly TabPlan[];
  /** The tabs right after the write, if Google's answer includes them. */
  readonly shown: ShownTabs;
  /** Rows whose content Google refuses. */
  readonly refused: readonly { readonly row: PendingRow; readonly error: TerminalError }[];
  /** Tabs that could not take everything, with the reason. Rows they did not take stay in the outbox. */
  readonly faults: ReadonlyMap<KeyedTab, TabFault>;
}

/** Nothing was written, because the tab is no longer as it was read. */
export const SHEET_CHANGED = 'sheet-changed';
/** Google refused something without naming it. If it refused only what to show after the write, the write was performed. */
export const PERHAPS_WRITTEN = 'sheet-perhaps-written';
/** Tries per flush at a write that Google refuses; each one costs a write of the quota. Rows not reached wait for the next flush. */
const ATTEMPTS_MAX = 16;

/**
 * Performs the plans of one spreadsheet in one request, all or nothing. If Google refuses it, takes out what was refused and tries the
 * rest: first whole blocks, then row by row. Rejects with `RetryableError` (`sheet-changed`) when the rows have moved since they were read,
 * and with any other error that is not a refusal. `isShown` requests the tabs in the answer. A refusal that names no request then rejects
 * with `RetryableError` (`sheet-perhaps-written`).
 */
export async function writePlans(parts: WriteParts, plans: readonly TabPlan[]): Promise<WriteOutcome> {
  const attempt = new Attempt(parts, plans);
  for (let i = 0; i < ATTEMPTS_MAX; i += 1) {
    if (await attempt.isDone()) return attempt.outcome(true);
  }
  return attempt.outcome(false);
}

class Attempt {
  readonly #api: SheetsApi;
  readonly #spreadsheetId: string;
  readonly #isShown: boolean;
  readonly #onTry: (plans: readonly TabPlan[]) => void;
  #plans: readonly TabPlan[];
  #shown: ShownTabs = new Map();
  #isIsolated = false;
  #tabs: readonly TabInfo[] | undefined;
  readonly #refused: { row: PendingRow; error: TerminalError }[] = [];
  readonly #faults = new Map<KeyedTab, TabFault>();

  constructor(parts: WriteParts, plans: readonly TabPlan[]) {
    this.#api = parts.api;
    this.#spreadsheetId = parts.spreadsheetId;
    this.#isShown = parts.isShown ?? false;
    this.#onTry = parts.onTry ?? (() => undefined);
    this.#plans = plans;
  }

  outcome(isWritten: boolean): WriteOutcome {
    const plans = isWritten ? this.#plans : [];
    return { plans, shown: this.#shown, refused: this.#refused, faults: this.#faults };
  }

  /** Tries once. False when something was taken out and the rest must be tried. */
  async isDone(): Promise<boolean> {
    this.#plans = this.#plans.filter((plan) => !writesNothing(plan));
    if (this.#plans.length === 0) return true;
    const requests: OwnedRequest[] = [];
    for (const plan of this.#plans) requests.push(...requestsOf(plan, this.#isIsolated));
    const shown = this.#isShown ? areasToShow(this.#plans) : [];
    this.#onTry(this.#plans);
    try {
      this.#shown = await this.#api.write(
        this.#spreadsheetId,
        requests.map(({ request }) => request),
        shown,
      );
      return true;
    } catch (error) {
      const refusal = readRefusal(error);
      if (refusal === undefined) throw error;
      if (shown.length > 0 && refusal.request === undefined) throw this.#openError(error);
      if (refusal.kind === 'stale') throw this.#staleError(error);
      this.#onTry([]);
      await this.#takeOut(refusal, refusal.request === undefined ? undefined : requests[refusal.request]);
      return false;
    }
  }

  async #takeOut(refusal: Refusal, owner: OwnedRequest | undefined): Promise<void> {
    if (refusal.kind === 'full' && this.#plans.some((plan) => plan.fresh.length > 0)) {
      // Google's limit counts the whole spreadsheet: existing rows can still be written.
      for (const plan of this.#plans) if (plan.fresh.length > 0) this.#dropFresh(plan, SHEET_FULL);
      return;
    }
    const widened = this.#plans.find(({ view }) => view.addedColumns !== undefined);
    if (refusal.kind === 'full' && widened !== undefined) {
      this.#dropPlan(widened, SHEET_FULL);
      return;
    }
    const copying = this.#plans.filter(({ before }) => before !== undefined);
    if (refusal.kind === 'full' && copying.length > 0) {
      for (const plan of copying) this.#dropPlan(plan, COPY_FULL);
      return;
    }
    if (owner?.request.updateTable !== undefined) {
      // Rows below a table are better than none.
      const { table: _, ...without } = owner.plan;
      this.#plans = this.#plans.map((plan) => (plan === owner.plan ? without : plan));
      return;
    }
    if (owner?.isLayout === true) {
      const isLockedTab =
        refusal.kind === 'protected' || ((await this.#tab(owner.plan))?.locks.length ?? 0) > 0;
      this.#dropPlan(owner.plan, isLockedTab ? PROTECTED : refusedFault(refusal.error));
      return;
    }
    if (owner === undefined) {
      if (refusal.kind === 'protected') this.#dropAll(PROTECTED);
      else this.#halve(refusal.error);
      return;
    }
    if (refusal.kind === 'protected' || (await this.#isProtected(owner))) {
      await this.#dropProtected(owner);
      return;
    }
    const untyped = withoutTypedLooks(owner.plan, (await this.#tab(owner.plan)) ?? {});
    if (requestsOf(untyped, true).length < requestsOf(owner.plan, true).length) {
      this.#plans = this.#plans.map((plan) => (plan === owner.plan ? untyped : plan));
      return;
    }
    const [only, ...others] = owner.rows;
    if (only === undefined) this.#dropFresh(owner.plan, refusedFault(refusal.error));
    else if (others.length > 0) this.#isIsolated = true;
    else this.#refuse(only[1], refusal.error);
  }

  /** Google's message is in the language of the spreadsheet, so look at the protected ranges instead (Google, ProtectedRange). */
  async #isProtected({ plan, request, rows }: OwnedRequest): Promise<boolean> {
    const tab = await this.#tab(plan);
    if (tab === undefined) return false;
    if (request.insertDimension !== undefined) return isLocked(tab, plan.insertAt, undefined);
    return rows.some(([row, write]) => isLocked(tab, row, [...write.cells.keys()]));
  }

  /** Drops all rows of the tab under a protection in one step. Otherwise each would cost a refused batch. */
  async #dropProtected({ plan, rows }: OwnedRequest): Promise<void> {
    if (rows.every(([, write]) => plan.fresh.includes(write))) {
      this.#dropFresh(plan, PROTECTED);
      return;
    }
    const tab = await this.#tab(plan);
    const isUnder = (write: RowWrite, row: number | 'fresh') =>
      row !== 'fresh' && tab !== undefined && isLocked(tab, row, [...write.cells.keys()]);
    const known = [...plan.inPlace].some(([row, write]) => isUnder(write, row));
    // If no protection is visible, leave out all rows in place.
    this.#replace(
      plan,
      planWithout(plan, (write, row) => (known ? isUnder(write, row) : row !== 'fresh')),
      PROTECTED,
    );
  }

  async #tab({ view }: TabPlan): Promise<TabInfo | undefined> {
    this.#tabs ??= await this.#api.tabs(this.#spreadsheetId);
    return this.#tabs.find(({ sheetId }) => sheetId === view.sheetId);
  }

  /** Google did not name the refused request: try half of the rows, then half of those, down to a single row. */
  #halve(error: TerminalError): void {
    const writes = this.#plans.flatMap((plan) => [...plan.inPlace.values(), ...plan.fresh]);
    const [only] = writes;
    if (writes.length === 1 && only !== undefined) {
      this.#refuse(only, error);
      return;
    }
    const kept = new Set(writes.slice(0, Math.ceil(writes.length / 2)));
    this.#plans = this.#plans.map((plan) => planWithout(plan, (write) => !kept.has(write)));
  }

  #refuse(refused: RowWrite, error: TerminalError): void {
    this.#plans = this.#plans.map((plan) => planWithout(plan, (write) => write === refused));
    if (refused.pending !== undefined) this.#refused.push({ row: refused.pending, error });
  }

  #dropAll(fault: TabFault): void {
    for (const plan of this.#plans) this.#dropPlan(plan, fault);
  }

  #dropPlan(plan: TabPlan, fault: TabFault): void {
    this.#replace(
      plan,
      planWithout(plan, () => true),
      fault,
    );
  }

  #dropFresh(plan: TabPlan, fault: TabFault): void {
    this.#replace(
      plan,
      planWithout(plan, (_, row) => row === 'fresh'),
      fault,
    );
  }

  #replace(plan: TabPlan, by: TabPlan, fault: TabFault): void {
    this.#faults.set(plan.mirror, fault);
    this.#plans = this.#plans.map((other) => (other === plan ? by : other));
  }

  #openError(cause: unknown): RetryableError {
    const message = 'Google refused something of the write, and did not say what';
    return new RetryableError(PERHAPS_WRITTEN, message, {
      target: `spreadsheet:${this.#spreadsheetId}`,
      cause,
    });
  }

  #staleError(cause: unknown): RetryableError {
    return new RetryableError(SHEET_CHANGED, 'people changed the spreadsheet before it was written', {
      target: `spreadsheet:${this.#spreadsheetId}`,
      cause,
    });
  }
}

export const SHEET_FULL: TabFault = {
  code: 'sheet-full',
  message: 'the spreadsheet has as many cells as Google allows: no row can be added',
  advice: 'Delete empty columns, old rows or unused tabs, or give the mirror another spreadsheet.',
};

const COPY_FULL: TabFault = {
  ...SHEET_FULL,
  message:
    'the spreadsheet has as many cells as Google allows: rows whose cells people may change wait, because what stands there cannot be copied first',
};

const PROTECTED: TabFault = {
  code: 'protected-range',
  message: 'a protected range covers cells of the mirror, and the worker may not edit it',
  advice:
    "Let the worker's service account edit it (Google Sheets, Data, Protect sheets and ranges), or leave the mirror's columns out of it.",
};

function refusedFault(error: TerminalError): TabFault {
  return {
    code: 'tab-refused',
    message: error.message,
    advice: 'See whether the tab is an ordinary one and can be edited by the worker.',
  };
}

/**
 * Why Google refused a batch. No part of the batch was performed.
 * - `stale`: rows, columns or a tab that were read are gone.
 * - `full`: the spreadsheet has reached Google's limit of cells.
 * - `other`: a protection, reported in another language, or the content itself.
 */
export interface Refusal {
  readonly kind: 'stale' | 'full' | 'protected' | 'other';
  /** Index of the refused request, if Google names it. */
  readonly request: number | undefined;
  readonly error: TerminalError;
}

/** Undefined unless Google refused the request itself (a 400). */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof TerminalError) || !(error.cause instanceof GoogleFailure)) return undefined;
  const { cause } = error;
  return { kind: kindOf(cause.words()), request: cause.refusedRequest(), error };
}

function kindOf(words: string): Refusal['kind'] {
  if (/limit of [\d,.]+ cells/i.test(words)) return 'full';
  if (
    /No grid with id|exceeds? grid limits|after (the )?last (row|column|index)|beyond the last|must be less than the grid/i.test(
      words,
    )
  )
    return 'stale';
  return /protected/i.test(words) ? 'protected' : 'other';
}

/** A request, and the rows whose cells it writes: Google names a refused request by its index. */
interface OwnedRequest {
  readonly request: SheetRequest;
  readonly plan: TabPlan;
  readonly rows: readonly (readonly [row: number, write: RowWrite])[];
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
  const { sheetId, layout } = plan.view;

  const { addedColumns, grid } = plan.view;
  const added = addedColumns === undefined ? [] : columnRequests(sheetId, addedColumns);
  const copied = plan.before === undefined ? [] : beforeRequests(plan, plan.before);
  for (const request of [...added, ...copied]) requests.push({ request, plan, rows: [], isLayout: true });
  const inPlace: readonly [number, RowWrite][] =
    grid === undefined
      ? [...plan.inPlace]
      : [...plan.inPlace].map(([row, write]) => [row, withoutTexts(write, grid[row])]);
  for (const rows of blocks(inPlace)) addCells(rows, VALUE);
  for (const [row, write] of plan.inPlace)
    for (const [column, cell] of write.cells) {
      const text = grid?.[row]?.[column];
      if (cell !== null || typeof text !== 'string' || text === '') continue;
      add({ findReplace: clearedText({ sheetId, row, column }, text) }, [[row, write]]);
    }
  for (const [row, write] of plan.inPlace) {
    if (filledCells(write, layout) === write.cells) continue;
    const cell = { sheetId, row, column: layout.keyColumn };
    add({ findReplace: clearedId(cell, write.key) }, [[row, write]]);
  }
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
  add({ insertDimension: { range, inheritFromBefore: hasDataAbove || isLast } });
  for (const rows of blocks(fresh)) addCells(rows, !hasDataAbove && isLast ? VALUE_AND_FORMAT : VALUE);
  addFormats(fresh);
  // Says the whole range, so it does not matter whether the insertion has already changed it.
  if (plan.table !== undefined)
    add({
      updateTable: {
        table: { tableId: plan.table.id, range: toGridRange(plan.table.area) },
        fields: 'range',
      },
    });
  // Last, because Google refuses to freeze all rows of a grid: now there is a row below the header.
  if (isBlank) add(freeze(sheetId));
  return requests;

  /** Groups neighbouring rows that fill the same columns. */
  function blocks(rows: readonly [number, RowWrite][]): readonly [number, RowWrite][][] {
    return neighbours(rows, isolated, (a, b) =>
      hasSameColumns(filledCells(a, layout), filledCells(b, layout)),
    );
  }

  /** Separate from the values: Google clears a field that the mask names in every cell that does not set it. */
  function addFormats(rows: readonly [number, RowWrite][]): void {
    const byColumn = new Map<number, [number, RowWrite][]>();
    for (const row of rows)
      for (const column of row[1].formats?.keys() ?? []) {
        const formatted = byColumn.get(column);
        if (formatted === undefined) byColumn.set(column, [row]);
        else formatted.push(row);
      }
    for (const [column, formatted] of byColumn)
      for (const block of neighbours(formatted, isolated)) {
        const start = { sheetId, rowIndex: block[0]?.[0] ?? 0, columnIndex: column };
        const isBox = block.some(([, { formats }]) => formats?.get(column)?.type === 'CHECKBOX');
        const data = block.map(([, { formats }]) => ({
          values: [isBox ? BOX : { userEnteredFormat: { numberFormat: { ...formats?.get(column) } } }],
        }));
        add({ updateCells: { start, rows: data, fields: isBox ? 'dataValidation' : NUMBER_FORMAT } }, block);
      }
  }

  function addCells(rows: readonly [number, RowWrite][], fields: string): void {
    const [firstRow, firstWrite] = rows[0] ?? [];
    if (firstRow === undefined || firstWrite === undefined) return;
    for (const columns of runs([...filledCells(firstWrite, layout).keys()])) {
      const start = { sheetId, rowIndex: firstRow, columnIndex: columns[0] ?? 0 };
      const data = rows.map(([, write]) => ({
        values: columns.map((column) => toCellData(write.cells.get(column) ?? null)),
      }));
      add({ updateCells: { start, rows: data, fields } }, rows);
    }
  }
}

/** Empties the cell only if it holds the id, perhaps between blanks. */
function clearedId(
  { sheetId, row, column }: { readonly sheetId: number; readonly row: number; readonly column: number },
  id: string,
): NonNullable<SheetRequest['findReplace']> {
  const rows = { startRowIndex: row, endRowIndex: row + 1 };
  const range = { sheetId, ...rows, startColumnIndex: column, endColumnIndex: column + 1 };
  return { find: `\\s*${id}\\s*`, searchByRegex: true, matchCase: true, replacement: '', range };
}

/** Empties the cell of a repair only if it still says that: people may have moved rows or typed there since the look. */
function clearedText(
  { sheetId, row, column }: { readonly sheetId: number; readonly row: number; readonly column: number },
  find: string,
): NonNullable<SheetRequest['findReplace']> {
  const rows = { startRowIndex: row, endRowIndex: row + 1 };
  const range = { sheetId, ...rows, startColumnIndex: column, endColumnIndex: column + 1 };
  return { find, matchCase: true, matchEntireCell: true, replacement: '', range };
}

/** The write without the texts that `clearedText` empties. */
function withoutTexts(write: RowWrite, before: readonly unknown[] | undefined): RowWrite {
  if (before === undefined) return write;
  const cells = [...write.cells].filter(
    ([column, cell]) => cell !== null || typeof before[column] !== 'string',
  );
  return { ...write, cells: new Map(cells) };
}

/** All formatted rows of a column have a checkbox, or all have a number format. */
const BOX: CellData = { dataValidation: { condition: { type: 'BOOLEAN' } } };

const VALUE = 'userEnteredValue';
const HEADER_FIELDS = 'userEnteredValue,userEnteredFormat.textFormat.bold';
/** Users' colours and fonts of the cell stay. */
const NUMBER_FORMAT = 'userEnteredFormat.numberFormat';
/** For rows that inherited the header's formatting: removes it. */
const VALUE_AND_FORMAT = 'userEnteredValue,userEnteredFormat';

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

function hasSameColumns(a: RowWrite['cells'], b: RowWrite['cells']): boolean {
  return a.size === b.size && [...a.keys()].every((column) => b.has(column));
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

/** A group of written rows that are close together, and the area of the tab that shows them. */
interface WrittenArea {
  readonly area: Required<GridArea>;
  readonly rows: readonly (readonly [number, RowWrite])[];
}

/** Areas per tab in one read: scattered rows are read together with the rows between them. */
const AREAS_MAX = 100;

/** The areas that a plan has written, from its leftmost to its rightmost column, with the rows in order. */
export function writtenAreas(plan: TabPlan): readonly WrittenArea[] {
  const fresh = plan.fresh.map((write, i) => [plan.insertAt + i, write] as const);
  const rows = [...plan.inPlace, ...fresh].sort(([a], [b]) => a - b);
  let [startColumn, endColumn] = [Number.POSITIVE_INFINITY, 1];
  for (const [, { cells }] of rows)
    for (const column of cells.keys()) {
      startColumn = Math.min(startColumn, column);
      endColumn = Math.max(endColumn, column + 1);
    }
  let groups = groupRows(rows, 1);
  for (let gap = 2; groups.length > AREAS_MAX; gap *= 2) groups = groupRows(rows, gap);
  return groups.map((group) => {
    const [startRow, lastRow] = [group[0]?.[0] ?? 0, group.at(-1)?.[0] ?? 0];
    const area = { sheetId: plan.view.sheetId, startRow, endRow: lastRow + 1, startColumn, endColumn };
    return { area, rows: group };
  });
}

/**
 * Areas that the write's answer must include: each tab's header row, what was read of its key column, and the written cells. Then nothing
 * has to be read after it.
 * Leaves out tabs without a known title. Returns none if they would be too large.
 */
export function areasToShow(plans: readonly TabPlan[]): readonly ShownArea[] {
  let cells = 0;
  const shown: ShownArea[] = [];
  for (const plan of plans) {
    const { title, sheetId, layout, keys, rowCount = keys.length } = plan.view;
    const spans: readonly Partial<RowSpan>[] = plan.view.spans ?? [{}];
    if (title === undefined) continue;
    const column = columnArea(sheetId, layout.keyColumn);
    shown.push({ title, area: headerRow(sheetId) });
    for (const span of spans) {
      const { startRow = 0, endRow = rowCount } = span;
      cells += endRow - startRow;
      shown.push({ title, area: { ...column, ...span } });
    }
    cells += plan.fresh.length;
    for (const { area } of writtenAreas(plan)) {
      cells += (area.endRow - area.startRow) * (area.endColumn - area.startColumn);
      shown.push({ title, area: withinGrid(area, rowCount) });
    }
  }
  return cells > CELLS_SHOWN_MAX ? [] : shown;
}

/**
 * If the write itself adds the rows, the area stays open at the end. Google does not say whether it resolves the area before or after the
 * write.
 */
function withinGrid(area: WrittenArea['area'], rowCount: number): GridArea {
  if (area.endRow <= rowCount) return area;
  const { endRow: _, ...open } = area;
  return { ...open, startRow: Math.min(area.startRow, Math.max(0, rowCount - 1)) };
}

/** The values of the area, cut from a tab that the write has shown. */
export function shownIn(shown: ShownRows, { area }: WrittenArea): AreaValues {
  const { startRow, endRow, startColumn, endColumn } = area;
  const rows = Array.from({ length: endRow - startRow }, (_, i) => shown.get(startRow + i) ?? []);
  return { rows: rows.map((cells) => cells.slice(startColumn, endColumn)), lastRow: undefined };
}

/** True when every written cell holds its value. */
export function holdsAll({ area, rows }: WrittenArea, read: AreaValues | undefined): boolean {
  if (read === undefined) return false;
  return rows.every(([row, write]) => {
    const cells = read.rows[row - area.startRow] ?? [];
    return [...write.cells].every(([column, cell]) => holds(cells[column - area.startColumn], cell));
  });
}

function groupRows(rows: WrittenArea['rows'], gap: number): readonly WrittenArea['rows'][] {
  const groups: (readonly [number, RowWrite])[][] = [];
  for (const item of rows) {
    const group = groups.at(-1);
    const last = group?.at(-1)?.[0];
    if (group !== undefined && last !== undefined && item[0] - last <= gap) group.push(item);
    else groups.push([item]);
  }
  return groups;
}
