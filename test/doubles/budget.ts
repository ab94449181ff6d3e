import type { Budget } from '../../src/ports/budget.ts';

/** Grants everything and counts it. */
export class CountingBudget implements Budget {
  readonly spent: Record<string, number> = {};

  async spend(name: string, cost = 1): Promise<void> {
    this.spent[name] = (this.spent[name] ?? 0) + cost;
  }
}
