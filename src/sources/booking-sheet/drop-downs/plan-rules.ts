// Takes one tab's rules as read and the drop-downs that its columns should have. Returns the requests that close the difference. A
// drop-down replaces people's own rules in its cells; all other rules are left alone. Pure.
import type { RuledCells, WholeRule } from '../../../google/ruled-cells.ts';
import type { SheetRequest, TabInfo } from '../../../google/sheets-api.ts';
import { listOf, ruleOf } from './list-tab.ts';

/** What a column should have, by row. */
export interface ColumnWish {
  /** A list of the hidden tab; undefined: no drop-down of the worker. */
  readonly listFor: (row: number) => number | undefined;
  /** People's own rule that was there before a drop-down hit the cell by mistake. */
  readonly formerly?: (row: number) => WholeRule | undefined;
}

export interface RuledTab {
  readonly info: TabInfo;
  readonly cells: RuledCells;
  /** Number of rows that get drop-downs, including the header. */
  readonly rows: number;
  /** Columns of the entry, and those that an earlier write may have hit by mistake. */
  readonly columns: ReadonlyMap<number, ColumnWish>;
  /** Title of the hidden tab. */
  readonly lists: string;
}

export interface PlannedRules {
  readonly requests: readonly SheetRequest[];
  /** Columns that get a write. */
  readonly written: readonly number[];
  /** Columns that need a change but are protected. */
  readonly locked: readonly number[];
}

interface Run {
  readonly from: number;
  to: number;
  /** Undefined removes the rule. */
  readonly rule: WholeRule | undefined;
  readonly list: number | undefined;
}

/** Separate pieces of one column in one write: more are written as one, if all its rows have the same list. */
const RUNS_MAX = 20;

export function planRules(tab: RuledTab): PlannedRules {
  const requests: SheetRequest[] = [];
  const [written, locked]: [number[], number[]] = [[], []];
  for (const [column, wish] of tab.columns) {
    const runs = runsOf(tab, column, wish);
    if (runs.length === 0) continue;
    if (isLocked(tab, column)) {
      locked.push(column);
      continue;
    }
    written.push(column);
    requests.push(...runs.map((run) => requestOf(tab, column, run)));
  }
  return { requests, written, locked };
}

function runsOf(
  { cells, rows, lists }: RuledTab,
  column: number,
  { listFor, formerly }: ColumnWish,
): readonly Run[] {
  const runs: Run[] = [];
  for (let row = 1; row < rows; row += 1) {
    const list = listFor(row);
    const now = listOf(cells.rules[row]?.[column], lists);
    if (now === list) continue;
    const last = runs.at(-1);
    const rule = list === undefined ? formerly?.(row) : ruleOf(lists, list);
    if (last !== undefined && last.to === row && isSame(last.rule, rule)) last.to = row + 1;
    else runs.push({ from: row, to: row + 1, rule, list });
  }
  const [first] = runs;
  if (first?.list === undefined || runs.length <= RUNS_MAX) return runs;
  for (let row = 1; row < rows; row += 1) if (listFor(row) !== first.list) return runs;
  return [{ ...first, to: runs.at(-1)?.to ?? first.to }];
}

function isSame(one: WholeRule | undefined, other: WholeRule | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Includes rows that a filter hides, or they would never get the rule. */
function requestOf({ info }: RuledTab, column: number, { from, to, rule }: Run): SheetRequest {
  const range = {
    ...{ sheetId: info.sheetId, startRowIndex: from, endRowIndex: to },
    ...{ startColumnIndex: column, endColumnIndex: column + 1 },
  };
  return { setDataValidation: { range, ...(rule && { rule }), filteredRowsIncluded: true } };
}

function isLocked({ info, rows }: RuledTab, column: number): boolean {
  return info.locks.some(({ area, except }) => {
    const isHit = (at: typeof area) =>
      (at.startColumn ?? 0) <= column && column < (at.endColumn ?? Number.POSITIVE_INFINITY);
    const isBelowHeader = (area.endRow ?? Number.POSITIVE_INFINITY) > 1 && (area.startRow ?? 0) < rows;
    const isOpen = except.some(
      (hole) => isHit(hole) && (hole.startRow ?? 0) <= 1 && (hole.endRow ?? Number.POSITIVE_INFINITY) >= rows,
    );
    return isHit(area) && isBelowHeader && !isOpen;
  });
}
