import type { RowDoubt, RowEdit, SheetCarry, ShownCells } from '../../engine/domain/row-edit.ts';
import type { GoneCell } from './gone-cells.ts';

/** A row as a look or a before-image showed it. */
export interface SeenRow {
  /** `formatKey` of the object whose id the row holds. */
  readonly key: string;
  /** Header to cell, for the carried columns. */
  readonly cells: Readonly<Record<string, unknown>>;
  /** The cells of the rows above and below it, if known. */
  readonly beside?: readonly Readonly<Record<string, unknown>>[];
}

export interface JudgedBy {
  readonly mirror: string;
  readonly carry: SheetCarry;
  /** What each row was last shown as. Rows that are missing here are unknown. */
  readonly shown: ReadonlyMap<string, ShownCells>;
  /** Further marks of what the worker may have written into a cell, from writes without a known end. */
  readonly tried: (key: string, header: string) => readonly string[];
  /** By how much the number of ticked rows without a known object changed since the last look. */
  readonly strayTicks?: number;
  /** All starts the tab now shows, including rows without an object. */
  readonly starts?: readonly string[];
  /** What users had done in rows before a write overwrote them. */
  readonly goneCells?: readonly GoneCell[];
  /** Keys that appear in several rows. */
  readonly doubled: ReadonlySet<string>;
  /** Number of rows in the tab. */
  readonly rows: number;
  /** IANA zone in which the tab now shows times. */
  readonly zone?: string;
  /** The rows come from a before-image, so the other rows of that moment are unknown. */
  readonly isOverwritten?: boolean;
  readonly sinceMs: number;
  readonly nowMs: number;
}

/** A row with at least one change. */
export interface ChangedRow {
  readonly row: SeenRow;
  readonly edits: readonly RowEdit[];
}

/** Why a change is not believed. Call it only when all changes are known. */
export type Doubts = (row: SeenRow, edit: RowEdit) => RowDoubt | undefined;

/** Result of a look at the tab of a mirror. */
export interface Look {
  readonly mirror: string;
  /** Rows that differ from what was confirmed. */
  readonly edited: readonly SeenRow[];
  /** Ticked rows without an object, and ticked copies. */
  readonly strayTicks: number;
  /** Figures of every start in the tab. */
  readonly starts: readonly string[];
  /** Object keys of the rows that match what was confirmed. */
  readonly right: readonly string[];
  /** Object keys whose ids appear in several rows. */
  readonly doubled: ReadonlySet<string>;
  /** True if every row was read. */
  readonly isWhole: boolean;
  /** When the look started, before the tab was read; epoch milliseconds. */
  readonly startedAtMs: number;
}
