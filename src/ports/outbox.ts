import type { OutboxRow, PendingRow } from '../domain/sheet-row.ts';
import type { Claim } from '../domain/work.ts';

/** Rows that must be written to sheets, as the flush sees them. A row leaves only after its write was confirmed. */
export interface Outbox {
  /** Spreadsheets with rows waiting. */
  waiting(): Promise<readonly OutboxDepth[]>;
  /**
   * `unchanged` when the very row was confirmed before and none is waiting; `fenced` when another handler has taken the object.
   * A waiting row of the same mirror and object is replaced, also one that waits in `others`, the mirror's other spreadsheets.
   */
  put(claim: Claim, row: OutboxRow, others?: readonly string[]): Promise<'queued' | 'unchanged' | 'fenced'>;
  /** Whether a row with cells waits for this mirror and object, to be begun where none stands. */
  waits(row: Pick<OutboxRow, 'mirror' | 'spreadsheetId' | 'key'>): Promise<boolean>;
  /** Oldest first, at most `limit`; those that `among` leaves out hide nothing that waits behind them. */
  pending(spreadsheetId: string, limit: number, among?: RowsAmong): Promise<readonly PendingRow[]>;
  /** The rows stand in the sheet: their links are recorded and they leave, except those that were replaced meanwhile. */
  confirm(rows: readonly PendingRow[]): Promise<void>;
  /** No mirror has the place of these rows any more. They leave, unless replaced meanwhile, and their objects have a turn. */
  drop(rows: readonly PendingRow[]): Promise<void>;
  /** The rows of these objects were overwritten by accident: they are to be written again from the newest known state. */
  rewrite(keys: readonly string[], mirror: string): Promise<void>;
}

/** Which of the waiting rows are meant; default all. */
export interface RowsAmong {
  readonly mirror?: string;
  readonly wants?: (row: PendingRow) => boolean;
}

export interface OutboxDepth {
  readonly spreadsheetId: string;
  readonly rows: number;
}
