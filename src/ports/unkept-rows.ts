import type { PendingRow } from '../domain/sheet-row.ts';
import type { DeadLetter } from '../domain/work.ts';

/** Rows whose cells do not stay as they were written, counted by all processes together. */
export interface UnkeptRows {
  /** Right after it was written other cells stood in its place. Returns how often in a row, this time included. */
  missed(row: Pick<PendingRow, 'mirror' | 'key' | 'hash'>): Promise<number>;
  /**
   * A look at a tab: `edited` has other cells than were confirmed (object key to the hash confirmed), `right` is as it should be. Returns
   * how often in a row each edited one was found so after it had been written; infinity for those that were told of, or given up when
   * they were written. Looks between which the row was not confirmed count as one.
   */
  found(
    mirror: string,
    rows: { readonly edited: ReadonlyMap<string, string>; readonly right: readonly string[] },
  ): Promise<ReadonlyMap<string, number>>;
  /** The row is told of among the dead letters until other cells are confirmed. */
  tell(mirror: string, letter: DeadLetter): Promise<void>;
}
