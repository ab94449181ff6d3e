import type { Budget, BudgetRank, QuotaPause, QuotaRefusal, Spending } from '../../src/ports/budget.ts';

/** Grants everything and counts it. */
export class CountingBudget implements Budget {
  readonly spent: Record<string, number> = {};
  readonly ranks: BudgetRank[] = [];
  readonly refusals: { name: string; refusal: QuotaRefusal }[] = [];
  /** What `refused` asks to wait, milliseconds. */
  pauseMs = 7_000;

  async spend(name: string, { cost = 1, rank = 'live' }: Spending = {}): Promise<void> {
    this.spent[name] = (this.spent[name] ?? 0) + cost;
    this.ranks.push(rank);
  }

  async refused(name: string, refusal: QuotaRefusal): Promise<QuotaPause> {
    this.refusals.push({ name, refusal });
    return { quota: name, waitMs: this.pauseMs };
  }

  answered(): void {}
}
