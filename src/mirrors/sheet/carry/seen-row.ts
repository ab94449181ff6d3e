import type { RowDoubt, RowEdit, SheetCarry, ShownCells } from '../../../domain/row-edit.ts';
import type { GoneCell } from './gone-cells.ts';

/** A row as it stood. */
export interface SeenRow {
  /** `formatKey` of the object whose id stands in it. */
  readonly key: string;
  /** Header to cell, of the carried columns. */
  readonly cells: Readonly<Record<string, unknown>>;
  /** The same of the rows above and below it, where they are known. */
  readonly beside?: readonly Readonly<Record<string, unknown>>[];
}

export interface JudgedBy {
  readonly mirror: string;
  readonly carry: SheetCarry;
  /** What each row was shown as; unknown for rows that are not named. */
  readonly shown: ReadonlyMap<string, ShownCells>;
  /** More marks of what the worker may have written into a cell, from writes without a known end. */
  readonly tried: (key: string, header: string) => readonly string[];
  /** By how many the ticked rows without a known object changed. */
  readonly strayTicks?: number;
  /** The starts that all rows of the tab say now, also rows without an object. */
  readonly starts?: readonly string[];
  /** What people had done in rows until a write went over them. */
  readonly goneCells?: readonly GoneCell[];
  /** Keys that stand in several rows. */
  readonly doubled: ReadonlySet<string>;
  /** How many rows the tab has. */
  readonly rows: number;
  /** IANA zone in which the tab shows times now. */
  readonly zone?: string;
  /** The rows were copied by a write that went over them: of the other rows of that moment nothing is known. */
  readonly isOverwritten?: boolean;
  readonly sinceMs: number;
  readonly nowMs: number;
}

/** A row in which something was changed. */
export interface ChangedRow {
  readonly row: SeenRow;
  readonly edits: readonly RowEdit[];
}

/** Why a change is not believed; asked once all changes are known. */
export type Doubts = (row: SeenRow, edit: RowEdit) => RowDoubt | undefined;

/** A look at the whole tab. */
export interface Look {
  readonly mirror: string;
  /** Rows that are not as they were confirmed. */
  readonly edited: readonly SeenRow[];
  /** Ticked rows without an object, and ticked copies. */
  readonly strayTicks: number;
  /** Figures of every start that stands in the tab. */
  readonly starts: readonly string[];
  /** Object keys of the rows that are. */
  readonly right: readonly string[];
  /** Object keys whose ids stand in several rows. */
  readonly doubled: ReadonlySet<string>;
  /** Every row was read. */
  readonly isWhole: boolean;
  /** Before the tab was read; epoch milliseconds. */
  readonly startedAtMs: number;
}
