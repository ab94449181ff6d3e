/** Part of a tab, zero-based and half open; what is absent is unbounded (Google, GridRange). */
export interface GridArea {
  readonly sheetId: number;
  readonly startRow?: number;
  readonly endRow?: number;
  readonly startColumn?: number;
  readonly endColumn?: number;
}
