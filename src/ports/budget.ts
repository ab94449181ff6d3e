/** Who goes first when a budget runs low: live work, then what has waited for long or is caught up with, then walks over whole lists. */
export type BudgetRank = 'live' | 'catch-up' | 'list';

/** Google's own "too much" to one call. */
export interface QuotaRefusal {
  /** Google's word for it: `rateLimitExceeded`, `RATE_LIMIT_EXCEEDED`, `quotaExceeded`, … */
  readonly reason: string;
  /** `calendar:<id>`, when Google's word may mean this target alone; absent when it means the credential. */
  readonly target?: string;
  /** When the refused call left, epoch milliseconds: calls that were under way together are one refusal. */
  readonly leftAtMs: number;
  /** The first pause; each further one is twice as long, up to `longestMs`. Milliseconds. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/** What a call takes from a budget. */
export interface Spending {
  /** Default 1. */
  readonly cost?: number;
  /** Leaves a part to those before it; default `live`. */
  readonly rank?: BudgetRank | undefined;
  /** `calendar:<id>` or `spreadsheet:<id>`: it may rest by itself. */
  readonly target?: string;
}

/** Who has to wait, and for how long. */
export interface QuotaPause {
  /** Name of the budget; of a target that rests by itself, `quotaOf` both. */
  readonly quota: string;
  readonly waitMs: number;
}

/** Request quotas per minute, shared by all processes that use one credential. */
export interface Budget {
  /**
   * Takes from the budget named `name`. Rejects with `DeferredError`, whose `quota` is the name (for a target that rests by itself
   * `quotaOf` both): `quota-spent` when it is spent for now, `quota-paused` while Google itself has said so.
   */
  spend(name: string, spending?: Spending): Promise<void>;
  /** Pauses the target alone, or the budget for everybody when the refusal is the credential's. */
  refused(name: string, refusal: QuotaRefusal): Promise<QuotaPause>;
  /** A call of the budget that left then was answered: what was refused before it was not refused to everybody. */
  answered(name: string, leftAtMs: number): void;
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
