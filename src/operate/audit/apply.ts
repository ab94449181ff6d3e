// Gives the objects of a plan an ordinary turn. Their handlers decide what to write, under their fences.
import { type EntityKey, parseKey } from '../../engine/domain/object.ts';
import type { Memory } from '../../engine/ports/memory.ts';
import type { DirtyMarks, WorkQueue } from '../../engine/ports/work.ts';
import { crowdedPlaces, isApproved, noteParked } from './mass-removal.ts';

export interface ApplyParts {
  readonly dirtyMarks: Pick<DirtyMarks, 'markDirty' | 'release'>;
  readonly queue: WorkQueue;
  readonly memory: Memory;
  /** Takes in an object that was never seen here; false when the platform does not show it. */
  readonly introduce: (key: EntityKey) => Promise<boolean>;
  readonly nowMs: () => number;
}

/** One step of the plan that changes something. */
export interface AppliedStep {
  readonly key: string;
  readonly mirror: string;
  readonly place: string;
  /** The mapping no longer takes the object, and a person lets its event or row go. */
  readonly pruned: boolean;
}

export interface Applied {
  /** Keys of the objects that got a turn. */
  readonly given: readonly string[];
  /** Keys of the objects that the platform no longer shows. */
  readonly unknown: readonly string[];
  /** Places from which too much would be pruned. Nothing is done until a person approves. */
  readonly parked: readonly string[];
}

/** `standing`: number of events or rows in each place. Repeating it gives the same objects another turn, which changes nothing. */
export async function applyPlan(
  parts: ApplyParts,
  steps: readonly AppliedStep[],
  standing: ReadonlyMap<string, number>,
): Promise<Applied> {
  const parked = await guardedPlaces(parts, steps, standing);
  const pruned = steps.flatMap((step) => (step.pruned ? [step.place] : []));
  const waiting = parked.map((place) => [place, prunedIn(steps, place)] as const);
  await noteParked(parts, pruned, new Map(waiting));
  // All or nothing: once a part is done, the plan no longer matches the state here and cannot be resumed.
  if (parked.length > 0) return { given: [], unknown: [], parked };
  const given = new Set<string>();
  const unknown = new Set<string>();
  for (const { key: name, mirror, pruned } of steps) {
    const key = parseKey(name);
    if (key === undefined) continue;
    if (pruned) await parts.dirtyMarks.release([key], mirror);
    if (given.has(name) || unknown.has(name)) continue;
    const strangers = await parts.dirtyMarks.markDirty([key], { read: true });
    if (strangers.length > 0 && !(await parts.introduce(key))) unknown.add(name);
    else given.add(name);
  }
  parts.queue.add([...given]);
  return { given: [...given], unknown: [...unknown], parked };
}

function prunedIn(steps: readonly AppliedStep[], place: string): readonly string[] {
  return steps.flatMap((step) => (step.pruned && step.place === place ? [step.key] : []));
}

/** Places where pruning needs an approval by a person and lacks it. */
export async function guardedPlaces(
  parts: Pick<ApplyParts, 'memory' | 'nowMs'>,
  steps: readonly AppliedStep[],
  standing: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const pruned = steps.flatMap((step) => (step.pruned ? [step.place] : []));
  const guarded: string[] = [];
  for (const place of crowdedPlaces(pruned, standing)) {
    for (const key of prunedIn(steps, place)) {
      if (await isApproved(parts, place, key)) continue;
      guarded.push(place);
      break;
    }
  }
  return guarded;
}
