/** What a cell may hold. Text is never read as a formula; null empties the cell. */
export type Cell = string | number | boolean | null;

/** A cell of a header, key or id for comparison: trimmed text, whatever type people have made of it. */
export function trimmedCell(cell: unknown): string {
  return cell === undefined || cell === null ? '' : String(cell).trim();
}

/** How a cell shows its number; pattern as in Google's number formats. A checkbox is a rule of the cell, independent of its pattern. */
export interface CellFormat {
  readonly type: 'NUMBER' | 'CURRENCY' | 'DATE' | 'DATE_TIME' | 'TIME' | 'CHECKBOX';
  readonly pattern: string;
}

/** A tab, whichever mirror writes into it. */
export interface SheetSpot {
  readonly spreadsheetId: string;
  readonly tab: string;
}

/** A row waiting to be written: everything that the mirror owns in it. */
export interface OutboxRow {
  readonly spreadsheetId: string;
  readonly tab: string;
  readonly mirror: string;
  /** `formatKey` of the object. */
  readonly key: string;
  /** The text in the key column: the object's id. */
  readonly rowKey: string;
  /** Header to cell, without the key column. `undefined`: empty the owned cells of the row, including the key. */
  readonly cells: Readonly<Record<string, Cell>> | undefined;
  readonly hash: string;
  /** Header to format, for typed cells with a value: a new row gets them. */
  readonly formats?: Readonly<Record<string, CellFormat>>;
  /** Headers whose format differs from the one last given to this row: an existing row gets it, too. */
  readonly reformat?: readonly string[];
  /** True if the row was confirmed in this tab and must stay away if people have deleted it since. */
  readonly staysAway?: boolean;
  /** `filterMark` of the object. */
  readonly standing?: string;
  /** Header to the hash of what is written, for cells that people may change (`ShownCells`). */
  readonly shown?: Readonly<Record<string, string>>;
  /** True for what is only ever written beside people's text: without their row nothing is written, not even a header. */
  readonly inPlaceOnly?: boolean;
  /** No row of the object is known here, and the mirror would not begin one now: write an existing row, add none. */
  readonly onlyIfThere?: true;
  /** The place that the row moves from, where it is or may be. Once it was seen in its new tab, the old row is emptied. */
  readonly movesFrom?: SheetSpot;
  /** The row that a move left behind: empty it, the object's row is elsewhere. `forced`: even if people wrote beside it. */
  readonly leftBehind?: { readonly forced: boolean };
  /** As in the link. */
  readonly staysUntilMs?: number;
  /** When the oldest change in it happened, epoch milliseconds; for the lag. */
  readonly occurredAtMs: number | undefined;
}

/** A row in the outbox; `version` shows whether it was replaced meanwhile. */
export interface PendingRow extends OutboxRow {
  readonly version: number;
}
