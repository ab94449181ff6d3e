/** A mirror's tab. */
export interface SheetPlace {
  readonly mirror: string;
  readonly spreadsheetId: string;
  readonly tab: string;
}

/** The rows that are known to stand in tabs, for whoever compares them with what really stands there. */
export interface SheetRows {
  /** Object key (`formatKey`) to the hash of the row as it was last confirmed; `left` of a row that people took away for good. */
  known(place: SheetPlace): Promise<ReadonlyMap<string, string>>;
  /** People changed or deleted these rows: they are written again from the newest known state. */
  restore(keys: readonly string[], mirror: string): Promise<void>;
  /** People deleted these rows and they shall stay away. A row that was written since it was looked at (another hash) is not meant. */
  leave(rows: ReadonlyMap<string, string>, place: SheetPlace): Promise<void>;
}

/** The rows in which people book, as they were answered. */
export interface AnsweredRows extends Pick<SheetRows, 'known'> {
  /** As `known`, of these only: it costs nothing by the rows of the past. */
  among(place: SheetPlace, keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Nobody will ask for these rows any more. */
  forget(place: SheetPlace, keys: readonly string[]): Promise<void>;
}
