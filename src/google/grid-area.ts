/** Part of a tab, zero-based and half open; what is absent is unbounded (Google, GridRange). */
export interface GridArea {
  readonly sheetId: number;
  readonly startRow?: number;
  readonly endRow?: number;
  readonly startColumn?: number;
  readonly endColumn?: number;
}

export interface AreaValues {
  /** Unformatted: text, number or boolean; blank ends are left out, blanks between are empty texts. */
  readonly rows: readonly (readonly unknown[])[];
  /** The last row that Google looked at, counted from 1: of an area without an end, the number of rows of the tab. */
  readonly lastRow: number | undefined;
  /** The tab's title at that moment. */
  readonly title?: string | undefined;
}
