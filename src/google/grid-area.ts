/** Part of a tab, zero-based and half-open; an absent bound is unbounded (Google, GridRange). */
export interface GridArea {
  readonly sheetId: number;
  readonly startRow?: number;
  readonly endRow?: number;
  readonly startColumn?: number;
  readonly endColumn?: number;
}

export interface AreaValues {
  /** Unformatted: text, number or boolean. Google omits trailing blanks; blanks in between are empty strings. */
  readonly rows: readonly (readonly unknown[])[];
  /** The last row that Google looked at, counted from 1. For an area without an end, the number of rows of the tab. */
  readonly lastRow: number | undefined;
  /** The tab's title at the time of the read. */
  readonly title?: string | undefined;
}
