/** A row that was sent to be added to a tab. */
export interface SentRow {
  readonly mirror: string;
  readonly tab: string;
  /** `formatKey` of the object. */
  readonly key: string;
  /** The text in the key column. */
  readonly rowKey: string;
  readonly hash: string;
}

/** Rows of one write of which the end is not known. */
export interface OpenWrite {
  readonly sentAtMs: number;
  readonly rows: readonly SentRow[];
}

/** Writes that add rows, from before they leave until their end is known: one that was given up may still be performed. */
export interface SentRows {
  /** Resolves with what `ended` and `open` call the write by. */
  sent(spreadsheetId: string, rows: readonly SentRow[]): Promise<OpenWrite>;
  /** It was performed, was refused, or cannot come any more. */
  ended(spreadsheetId: string, write: OpenWrite): Promise<void>;
  /** Oldest first. */
  open(spreadsheetId: string): Promise<readonly OpenWrite[]>;
}
