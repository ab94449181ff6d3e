/** What is remembered of the rows of one entry of `bookings`, beside the objects themselves. Survives a restart. */
export interface RowRegister {
  /** Ids that were sent to rows and were not seen in them yet, to the content print of the row that each was meant for. */
  sent(entry: string): Promise<ReadonlyMap<string, string>>;
  /** Before the ids leave: an id that lands in another row is known by it. */
  send(entry: string, prints: ReadonlyMap<string, string>): Promise<void>;
  /** Each was seen in its row. */
  arrived(entry: string, ids: readonly string[]): Promise<void>;
  /** The rows are about to be handed on. A trace is a content print or a customer's mark; kept for `keepMs` after the last time. */
  trace(entry: string, traces: readonly RowTrace[]): Promise<void>;
  /** Each trace to the ids that have left it. What a row says now may be another matter. */
  find(entry: string, traces: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

export interface RowTrace {
  readonly id: string;
  readonly traces: readonly string[];
  readonly keepMs: number;
}
