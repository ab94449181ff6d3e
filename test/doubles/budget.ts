import type {
  Admission,
  Budget,
  BudgetRank,
  QuotaPause,
  QuotaRefusal,
  Spending,
} from '../../src/engine/quotas.ts';

/** Grants everything and counts it. */
export class CountingBudget implements Budget {
  readonly spent: Record<string, number> = {};
  readonly ranks: BudgetRank[] = [];
  readonly refusals: { name: string; target: string | undefined; refusal: QuotaRefusal }[] = [];
  /** Turns of the calls that were answered. */
  readonly answers: number[] = [];
  /** What `refused` asks to wait, milliseconds. */
  pauseMs = 7_000;

  async spend(name: string, { rank = 'live', target }: Spending = {}): Promise<Admission> {
    this.spent[name] = (this.spent[name] ?? 0) + 1;
    this.ranks.push(rank);
    return { budget: name, target, turn: this.ranks.length, atMs: 0 };
  }

  async refused({ budget, target }: Admission, refusal: QuotaRefusal): Promise<QuotaPause> {
    this.refusals.push({ name: budget, target, refusal });
    return { quota: budget, waitMs: this.pauseMs };
  }

  async answered({ turn }: Admission): Promise<void> {
    this.answers.push(turn);
  }
}
