// A plan in a file, between the command that made it and the one that has its objects take their turn. It holds ids and hashes.
import { contentHash } from '../domain/snapshot.ts';
import type { PlanChange } from './plan-text.ts';

export interface SavedPlan {
  readonly slotbridge_plan: 1;
  readonly made_at: string;
  /** Hash of the YAML, its variables filled in. */
  readonly yaml: string;
  /** Hash of what the plan was made from. */
  readonly state: string;
  readonly only?: string;
  readonly prune: boolean;
  readonly steps: readonly {
    readonly action: string;
    readonly key: string;
    readonly mirror: string;
    readonly place: string;
    readonly pruned: boolean;
  }[];
}

/** Equal for as long as the same objects would change in the same way, and are what they were. */
export function planState(changes: readonly Pick<PlanChange, 'hash' | 'pruned'>[]): string {
  return contentHash(changes.map(({ hash, pruned }) => `${hash} ${pruned === true}`).sort());
}

export function savedSteps(changes: readonly PlanChange[]): SavedPlan['steps'] {
  return changes
    .filter(({ action, place }) => action !== 'kept' && place !== '')
    .map(({ action, key, mirror, place, pruned }) => ({
      ...{ action, key, mirror, place },
      pruned: pruned === true,
    }));
}

export const MAKE_AGAIN = 'Make it again: slotbridge plan --out <file>, look at it, and apply that.';
