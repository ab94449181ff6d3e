/** How one budget stands right now. */
export interface QuotaState {
  /** `google-calendar:<credential>`, `google-sheets-read:<credential>`, … */
  readonly name: string;
  /** `calendar:<id>`: Google limits this one alone, and the rest of the budget goes on. */
  readonly target?: string | undefined;
  /** Requests of the last minute that Google did not refuse. */
  readonly spent: number;
  /** Requests per minute that are admitted now: at most `limit`, less after refusals. */
  readonly admitted: number;
  /** Requests per minute that the settings allow the whole budget. */
  readonly limit: number;
  /** Until when nobody calls, epoch milliseconds; undefined when nothing is stopped. */
  readonly pausedUntilMs: number | undefined;
  /** Google's word for the last refusal, while it still lowers the rate or stops everything. */
  readonly reason: string | undefined;
  /** Objects and spreadsheets that were put off for it and have not come back yet. */
  readonly waiting: number;
}

/** Who waits for which quota, shared by all processes. */
export interface QuotaLedger {
  /** `key` (an object or a spreadsheet) waits for these budgets until then, epoch milliseconds. */
  waits(key: string, names: readonly string[], untilMs: number): Promise<void>;
  /** Budgets that were used within the last hour or are waited for, by name. */
  read(): Promise<readonly QuotaState[]>;
}
