// A plan in a file, between the command that made it and the command that applies it. Contains ids and hashes.
import { contentHash } from '../engine/object.ts';
import type { PlanChange } from './audit-text.ts';

export interface SavedPlan {
  readonly slotbridge_plan: 1;
  readonly made_at: string;
  /** Hash of the YAML with its variables substituted. */
  readonly yaml: string;
  /** Hash of the state that the plan was made from. */
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

/** Stays equal while the same objects would change in the same way and are themselves unchanged. */
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

export const MAKE_AGAIN = 'Make it again with slotbridge plan --out <file>, check it, and apply it.';
