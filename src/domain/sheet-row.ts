/** What a cell may hold. Text is never read as a formula; null empties the cell. */
export type Cell = string | number | boolean | null;

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
  /** When the oldest change in it happened, epoch milliseconds; for the lag. */
  readonly occurredAtMs: number | undefined;
}

/** A row as the outbox holds it; `version` tells whether it was replaced meanwhile. */
export interface PendingRow extends OutboxRow {
  readonly version: number;
}
