// Request budgets, shared by all processes of one credential.

/** Who goes first when a budget runs low: live work, then old changes and catching up, then walks over whole lists. */
export type BudgetRank = 'live' | 'catch-up' | 'list';

/** Google's quota refusal of one call. */
export interface QuotaRefusal {
  /** Google's reason: `rateLimitExceeded`, `RATE_LIMIT_EXCEEDED`, `quotaExceeded`, … */
  readonly reason: string;
  /** Google's reason may concern only the call's target, not the credential. */
  readonly mayMeanTarget: boolean;
  /** The stop that a daily limit or a Retry-After requires. Absent: the rate is lowered, with a stop of seconds when it is spent. */
  readonly stop?: QuotaStop;
}

/** How long all calls stop before one call tries again; each refused try makes the stop longer. */
export interface QuotaStop {
  readonly firstMs: number;
  /** Factor from one stop to the next. */
  readonly times: number;
  readonly longestMs: number;
  /** Stops at the first refusal; else only when no call gets through any more. */
  readonly atOnce: boolean;
}

/** What a call takes from a budget. */
export interface Spending {
  /** Leaves a share to the ranks before it; default `live`. */
  readonly rank?: BudgetRank | undefined;
  /** `calendar:<id>` or `spreadsheet:<id>`: Google may limit this target alone. */
  readonly target?: string;
}

/** A call that may leave now. Hand it back with the call's outcome. */
export interface Admission {
  readonly budget: string;
  readonly target: string | undefined;
  /** Order in which calls of the budget left, over all processes: an answer proves nothing about later calls. */
  readonly turn: number;
  /** When it left, by the clock of the store; epoch milliseconds. */
  readonly atMs: number;
}

/** Who must wait, and for how long. */
export interface QuotaPause {
  /** Name of the budget; for a target that is limited alone, `quotaOf` both. */
  readonly quota: string;
  /** Time until the stop ends; 0 if only the rate was lowered. */
  readonly waitMs: number;
}

/** Request quotas per minute, shared by all processes that use one credential. */
export interface Budget {
  /**
   * Admits one call to the budget named `name`. Rejects with `DeferredError`: `quota-spent` if the rate allows no call now, `quota-paused`
   * while everything is stopped. Its `quota` is the name; for a target that is limited alone it is `quotaOf` both.
   */
  spend(name: string, spending?: Spending): Promise<Admission>;
  /** Lowers the rate or stops: for the target alone, or for the budget if the refusal is the credential's. */
  refused(admission: Admission, refusal: QuotaRefusal): Promise<QuotaPause>;
  /** Google has processed the call: raises a lowered rate, and ends a stop that began before the call left. */
  answered(admission: Admission): Promise<void>;
}

/** The current state of one budget. */
export interface QuotaState {
  /** `google-calendar:<credential>`, `google-sheets-read:<credential>`, … */
  readonly name: string;
  /** `calendar:<id>`: Google limits this one alone, and the rest of the budget goes on. */
  readonly target?: string | undefined;
  /** Requests of the last minute that Google did not refuse. */
  readonly spent: number;
  /** Requests per minute admitted now: at most `limit`, fewer after refusals. */
  readonly admitted: number;
  /** Requests per minute that the settings allow for the whole budget. */
  readonly limit: number;
  /** Until when all calls stop, epoch milliseconds; undefined if nothing is stopped. */
  readonly pausedUntilMs: number | undefined;
  /** Google's reason for the last refusal, while it still lowers the rate or stops everything. */
  readonly reason: string | undefined;
  /** Objects and spreadsheets that were deferred for it and are not back yet. */
  readonly waiting: number;
}

/** What the platform has reported about its request budget, as this process knows it. */
export interface PlatformBudget {
  /** Requests of one window; undefined until the platform has reported it. */
  readonly limit: number | undefined;
  readonly left: number | undefined;
  /** Time until the whole limit is available again; 0 if unknown. */
  readonly renewedInMs: number;
  /** How long no process may call; 0 if they may. */
  readonly pausedForMs: number;
}

/** Who waits for which quota, shared by all processes. */
export interface QuotaLedger {
  /** `key` (an object or a spreadsheet) waits for these budgets until `untilMs`, epoch milliseconds. */
  waits(key: string, names: readonly string[], untilMs: number): Promise<void>;
  /** Budgets that were used within the last hour or have waiting keys, by name. */
  read(): Promise<readonly QuotaState[]>;
}
