// Requests that may leave, shared by all processes of one credential.

/** Who goes first when a budget runs low: live work, then old changes and catching up, then walks over whole lists. */
export type BudgetRank = 'live' | 'catch-up' | 'list';

/** Google's own "too much" to one call. */
export interface QuotaRefusal {
  /** Google's word for it: `rateLimitExceeded`, `RATE_LIMIT_EXCEEDED`, `quotaExceeded`, … */
  readonly reason: string;
  /** Google's word may mean the target of the call alone, not the credential. */
  readonly mayMeanTarget: boolean;
  /** The stop that a daily limit or a Retry-After asks for; absent: the rate is lowered, and stopped for seconds when it is spent. */
  readonly stop?: QuotaStop;
}

/** How long nobody calls before one call tries again; each refused try makes the stop longer. */
export interface QuotaStop {
  readonly firstMs: number;
  /** Factor from one stop to the next. */
  readonly times: number;
  readonly longestMs: number;
  /** At the first refusal; else only when no call gets through any more. */
  readonly atOnce: boolean;
}

/** What a call takes from a budget. */
export interface Spending {
  /** Leaves a part to those before it; default `live`. */
  readonly rank?: BudgetRank | undefined;
  /** `calendar:<id>` or `spreadsheet:<id>`: Google may limit it by itself. */
  readonly target?: string;
}

/** A call that may leave now. Hand it back with what became of the call. */
export interface Admission {
  readonly budget: string;
  readonly target: string | undefined;
  /** Order in which calls of the budget left, over all processes: an answer proves nothing about calls that left later. */
  readonly turn: number;
  /** When it left, by the clock of the store; epoch milliseconds. */
  readonly atMs: number;
}

/** Who has to wait, and for how long. */
export interface QuotaPause {
  /** Name of the budget; of a target that is limited by itself, `quotaOf` both. */
  readonly quota: string;
  /** Until the stop ends; 0 when only the rate was lowered. */
  readonly waitMs: number;
}

/** Request quotas per minute, shared by all processes that use one credential. */
export interface Budget {
  /**
   * Admits one call to the budget named `name`. Rejects with `DeferredError`: `quota-spent` when the rate allows no call now,
   * `quota-paused` while everything is stopped. Its `quota` is the name; for a target that is limited by itself it is `quotaOf` both.
   */
  spend(name: string, spending?: Spending): Promise<Admission>;
  /** Lowers the rate or stops: of the target alone, or of the budget when the refusal is the credential's. */
  refused(admission: Admission, refusal: QuotaRefusal): Promise<QuotaPause>;
  /** Google has dealt with the call: raises a lowered rate, and ends a stop that began before the call left. */
  answered(admission: Admission): Promise<void>;
}

/** The name under which one target of a budget is waited for. */
export function quotaOf(budget: string, target: string): string {
  return `${budget} ${target}`;
}

/** The reverse; a budget's own name has no target. */
export function readQuotaName(quota: string): {
  readonly budget: string;
  readonly target: string | undefined;
} {
  const at = quota.indexOf(' ');
  return at < 0
    ? { budget: quota, target: undefined }
    : { budget: quota.slice(0, at), target: quota.slice(at + 1) };
}

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

/** What the platform has told of its request budget, as this process knows it. */
export interface PlatformBudget {
  /** Requests of one window; undefined until the platform has said it. */
  readonly limit: number | undefined;
  readonly left: number | undefined;
  /** Until everything may be spent again; 0 when nobody knows. */
  readonly renewedInMs: number;
  /** Until when no process calls; 0 when they may. */
  readonly pausedForMs: number;
}

/** Who waits for which quota, shared by all processes. */
export interface QuotaLedger {
  /** `key` (an object or a spreadsheet) waits for these budgets until then, epoch milliseconds. */
  waits(key: string, names: readonly string[], untilMs: number): Promise<void>;
  /** Budgets that were used within the last hour or are waited for, by name. */
  read(): Promise<readonly QuotaState[]>;
}
