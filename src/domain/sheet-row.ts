/** What a cell may hold. Text is never read as a formula; null empties the cell. */
export type Cell = string | number | boolean | null;

/** A cell of a header, key or id as it is compared: trimmed text, whatever people have made of it. */
export function trimmedCell(cell: unknown): string {
  return cell === undefined || cell === null ? '' : String(cell).trim();
}

/** How a cell shows its number; pattern as in Google's number formats. A checkbox is a rule of the cell, whatever its pattern. */
export interface CellFormat {
  readonly type: 'NUMBER' | 'CURRENCY' | 'DATE' | 'DATE_TIME' | 'TIME' | 'CHECKBOX';
  readonly pattern: string;
}

/** A tab, whichever mirror writes into it. */
export interface SheetSpot {
  readonly spreadsheetId: string;
  readonly tab: string;
}

/** A row waiting to be written: the whole of what the mirror owns in it. */
export interface OutboxRow {
  readonly spreadsheetId: string;
  readonly tab: string;
  readonly mirror: string;
  /** `formatKey` of the object. */
  readonly key: string;
  /** The text in the key column: the object's id. */
  readonly rowKey: string;
  /** Header to cell, without the key column. `undefined`: the owned cells of the row are emptied, the key with them. */
  readonly cells: Readonly<Record<string, Cell>> | undefined;
  readonly hash: string;
  /** Header to format, of the typed cells that have a value: a row that is begun gets them. */
  readonly formats?: Readonly<Record<string, CellFormat>>;
  /** Headers whose format is not the one that this row was last given: it is written where the row stands, too. */
  readonly reformat?: readonly string[];
  /** True when the row was confirmed in this tab and shall stay away if people have deleted it since. */
  readonly staysAway?: boolean;
  /** `filterMark` of the object. */
  readonly standing?: string;
  /** The cells that people may change: header to the hash of what is written (`ShownCells`). */
  readonly shown?: Readonly<Record<string, string>>;
  /** True for what is only ever written beside what people wrote: without their row there is nothing to write, and no header either. */
  readonly inPlaceOnly?: boolean;
  /** Nothing is known here of a row of the object, which the mirror would not begin now: one that stands is written, none is added. */
  readonly onlyIfThere?: true;
  /** The row moves: it stands, or may stand, there. Once it was seen in its new tab, the old one is emptied. */
  readonly movesFrom?: SheetSpot;
  /** The row is what was left behind by a move: it is emptied, and the object's row stands elsewhere. `forced`: whatever people wrote beside it. */
  readonly leftBehind?: { readonly forced: boolean };
  /** As in the link. */
  readonly staysUntilMs?: number;
  /** When the oldest change in it happened, epoch milliseconds; for the lag. */
  readonly occurredAtMs: number | undefined;
}

/** A row as the outbox holds it; `version` tells whether it was replaced meanwhile. */
export interface PendingRow extends OutboxRow {
  readonly version: number;
}
