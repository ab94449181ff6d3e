// Reads a plan that `plan --out` saved.
import * as z from 'zod';
import { TerminalError } from '../engine/errors.ts';
import { MAKE_AGAIN, type SavedPlan } from './saved-plan.ts';

const STEP = z.object({
  action: z.string(),
  key: z.string(),
  mirror: z.string(),
  place: z.string(),
  pruned: z.boolean(),
});

/** Contains ids and hashes, no personal data. */
const SAVED_PLAN = z.object({
  slotbridge_plan: z.literal(1),
  made_at: z.string(),
  /** Hash of the YAML with its variables substituted. */
  yaml: z.string(),
  /** Hash of the state that the plan was made from. */
  state: z.string(),
  only: z.string().optional(),
  prune: z.boolean(),
  steps: z.array(STEP),
});

/** Throws `TerminalError` `plan-unreadable` for a file that is not a plan, or a plan of another version. */
export function readSavedPlan(text: string, path: string): SavedPlan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadable(path, 'it is not JSON');
  }
  const parsed = SAVED_PLAN.safeParse(value);
  if (parsed.success) {
    const { only, ...plan } = parsed.data;
    return only === undefined ? plan : { ...plan, only };
  }
  const field = parsed.error.issues[0]?.path.join('.');
  throw unreadable(path, field === '' || field === undefined ? 'it is not a plan' : `${field} is not valid`);
}

function unreadable(path: string, why: string): TerminalError {
  return new TerminalError('plan-unreadable', `${path} cannot be used as a plan: ${why}`, {
    advice: MAKE_AGAIN,
  });
}
