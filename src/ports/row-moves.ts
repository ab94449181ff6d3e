import type { PendingRow, SheetSpot } from '../domain/sheet-row.ts';

/** Moves of rows between the tabs of a mirror that people's own cells stand in the way of. */
export interface RowMoves {
  /**
   * The waiting row is not moved: the object's row is the one at `at` until `untilMs`, and what stands of it in the other tab is emptied. The
   * object has a turn. A row that is not waiting any more is left alone.
   */
  stay(
    row: PendingRow,
    stay: { readonly at: SheetSpot; readonly elsewhere: SheetSpot; readonly untilMs: number },
  ): Promise<void>;
}
