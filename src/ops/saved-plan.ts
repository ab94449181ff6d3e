// A plan in a file, between the command that made it and the one that has its objects take their turn.
import { z } from 'zod';
import { TerminalError } from '../domain/errors.ts';
import { contentHash } from '../domain/snapshot.ts';
import type { PlanChange } from './plan-text.ts';

const STEP = z.object({
  action: z.string(),
  key: z.string(),
  mirror: z.string(),
  place: z.string(),
  pruned: z.boolean(),
});

/** Holds ids and hashes, and nobody's data. */
const SAVED_PLAN = z.object({
  slotbridge_plan: z.literal(1),
  made_at: z.string(),
  /** Hash of the YAML, its variables filled in. */
  yaml: z.string(),
  /** Hash of what the plan was made from. */
  state: z.string(),
  only: z.string().optional(),
  prune: z.boolean(),
  steps: z.array(STEP),
});

export type SavedPlan = z.infer<typeof SAVED_PLAN>;

/** Equal for as long as the same objects would change in the same way, and are what they were. */
export function stateOf(changes: readonly Pick<PlanChange, 'hash' | 'pruned'>[]): string {
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

/** Throws `TerminalError` `plan-unreadable` for what is no plan, or another version's. */
export function readSavedPlan(text: string, path: string): SavedPlan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadable(path, 'it is no JSON');
  }
  const parsed = SAVED_PLAN.safeParse(value);
  if (parsed.success) return parsed.data;
  const field = parsed.error.issues[0]?.path.join('.');
  throw unreadable(
    path,
    field === '' || field === undefined ? 'it is no plan' : `${field} is not what it should be`,
  );
}

function unreadable(path: string, why: string): TerminalError {
  return new TerminalError('plan-unreadable', `${path} cannot be used as a plan: ${why}`, {
    advice: MAKE_AGAIN,
  });
}

export const MAKE_AGAIN = 'Make it again: slotbridge plan --out <file>, look at it, and apply that.';
