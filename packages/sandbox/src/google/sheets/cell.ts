import type { JsonObject } from '../json.ts';

export type CellValue = string | number | boolean;

/** One cell. Cells are replaced, never mutated, because snapshots share them. */
export interface Cell {
  /** The value before formatting; for a formula, its result. */
  readonly value?: CellValue;
  /** With its leading `=`. */
  readonly formula?: string;
  readonly format?: JsonObject;
  readonly note?: string;
  /** Data validation, text runs and the like: stored, not interpreted. */
  readonly rest?: JsonObject;
}

export type Row = readonly (Cell | undefined)[];

/** Whether the cell has no value, whatever its format. */
export function isBlank(cell: Cell | undefined): boolean {
  return cell === undefined || (cell.value === undefined && cell.formula === undefined);
}

/**
 * The cell with another value and the same format. Undefined when nothing is left. "When writing a new user_entered_value, previous runs are
 * erased" (CellData.textFormatRuns, chipRuns).
 */
export function withValue(
  cell: Cell | undefined,
  value: CellValue | undefined,
  formula?: string,
): Cell | undefined {
  const { value: _, formula: __, rest, ...others } = cell ?? {};
  const { textFormatRuns: ___, chipRuns: ____, ...kept } = rest ?? {};
  const next: Cell = {
    ...others,
    ...(Object.keys(kept).length === 0 ? {} : { rest: kept }),
    ...(value === undefined ? {} : { value }),
    ...(formula === undefined ? {} : { formula }),
  };
  return Object.keys(next).length === 0 ? undefined : next;
}
