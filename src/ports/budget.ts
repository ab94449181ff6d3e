/** Who goes first when a budget runs low: live work, then what has waited for long or is caught up with, then walks over whole lists. */
export type BudgetRank = 'live' | 'catch-up' | 'list';

/** Google's own "too much" to one call. */
export interface QuotaRefusal {
  /** Google's word for it: `rateLimitExceeded`, `RATE_LIMIT_EXCEEDED`, `quotaExceeded`, … */
  readonly reason: string;
  /** When the refused call left, epoch milliseconds: calls that were under way together are one refusal. */
  readonly leftAtMs: number;
  /** The first pause; each further one is twice as long, up to `longestMs`. Milliseconds. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Request quotas per minute, shared by all processes that use one credential. */
export interface Budget {
  /**
   * Takes `cost` from the budget named `name`. Rejects with `DeferredError`, whose `quota` is the name: `quota-spent` when it is
   * spent for now, `quota-paused` while Google itself has said so. A rank leaves a part to those before it; default `live`.
   */
  spend(name: string, cost?: number, rank?: BudgetRank): Promise<void>;
  /** Pauses the budget for everybody. Returns how long to wait, milliseconds. */
  refused(name: string, refusal: QuotaRefusal): Promise<number>;
}
