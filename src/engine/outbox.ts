// Rows on their way into sheets, and what is remembered of rows that are there.

import type { OutboxRow, PendingRow } from './sheet-row.ts';
import type { Claim } from './work.ts';

/** Rows to write to sheets, as the flush sees them. A row leaves only after its write was confirmed. */
export interface Outbox {
  /** Spreadsheets with waiting rows. */
  waiting(): Promise<readonly OutboxDepth[]>;
  /**
   * Replaces a waiting row of the same mirror and object, also one that waits in `others`, the mirror's other spreadsheets. Wake the flush
   * after `queued`. Rejects with `RetryableError` `fenced`.
   */
  put(claim: Claim, row: OutboxRow, others?: readonly string[]): Promise<Put>;
  /** Whether a row with cells waits for this mirror and object, to be added if there is none. */
  waits(row: Pick<OutboxRow, 'mirror' | 'spreadsheetId' | 'key'>): Promise<boolean>;
  /** Oldest first, at most `limit`; rows that `among` excludes do not hide rows behind them. */
  pending(spreadsheetId: string, limit: number, among?: RowsAmong): Promise<readonly PendingRow[]>;
  /** The rows are in the sheet: records their links and removes them, except rows replaced meanwhile. */
  confirm(rows: readonly PendingRow[]): Promise<void>;
  /** No mirror has the place of these rows any more. Removes them, unless replaced meanwhile, and gives their objects a turn. */
  drop(rows: readonly PendingRow[]): Promise<void>;
  /** The rows of these objects were overwritten by accident: writes them again from the newest known state. */
  rewrite(keys: readonly string[], mirror: string): Promise<void>;
}

/** `waiting`: this very row waits already, and its flush was woken for it. `unchanged`: it was confirmed before, and none waits. */
export type Put = 'queued' | 'waiting' | 'unchanged';

/** Which waiting rows are meant; default all. */
export interface RowsAmong {
  readonly mirror?: string;
  readonly wants?: (row: PendingRow) => boolean;
}

export interface OutboxDepth {
  readonly spreadsheetId: string;
  readonly rows: number;
}

/** Woken for a spreadsheet with waiting rows; a flush follows soon, one per spreadsheet at a time. */
export interface FlushWaker {
  wake(spreadsheetId: string): void;
}
