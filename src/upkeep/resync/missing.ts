// Runs after a walk through the whole list of contacts. Known contacts that the walk did not show may have been deleted without notice. The
// handler of each contact reads it individually, and believes a 404 only where the project is visible. Nothing is deleted here.
import { holdsApproval, PARKED_CONTACTS, type ParkedContacts } from '../../domain/parked.ts';
import type { Memory } from '../../ports/memory.ts';
import type { ProblemBoard } from '../../ports/operator.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { DirtyMarks, KnownObjects, WorkQueue } from '../../ports/work.ts';

export interface MissingParts {
  readonly known: KnownObjects;
  readonly dirtyMarks: DirtyMarks;
  readonly queue: WorkQueue;
  readonly memory: Memory;
  readonly problems: ProblemBoard;
  readonly clock: Clock;
  readonly log: Log;
}

/** Most missing contacts that are checked without an approval. */
const MISSED_MAX = 20;
/** Largest share of the known contacts that is checked without an approval; more suggests a broken key, project or platform. */
const MISSED_SHARE_MAX = 0.05;
/** Named like the approvals of staff's deletions, which name a calendar. The value is until when it holds, epoch milliseconds as text. */
const APPROVED = 'approved-deletions:contacts';
const TARGET = 'deletions:contacts';

/** A complete walk. Its id is the mark on the contacts that it showed. */
export interface CompleteWalk {
  readonly id: string;
  readonly startedAtMs: number;
}

export async function lookAtMissing(parts: MissingParts, walk: CompleteWalk): Promise<void> {
  const { known, missed } = await parts.known.missed('contact', walk, async () => undefined);
  const isMany = missed > MISSED_MAX && missed > known * MISSED_SHARE_MAX;
  if (isMany && !(await isApproved(parts))) {
    await parts.memory.set(PARKED_CONTACTS, JSON.stringify({ walk, missed, known } satisfies ParkedContacts));
    await reportParked(parts, { walk, missed, known });
    return;
  }
  await markMissedDirty(parts, walk);
  await parts.memory.forget(PARKED_CONTACTS);
  await parts.problems.clear(TARGET);
}

/** Resumes what was parked once a person has approved it. Until then keeps the problem on the board, also after a restart. */
export async function takeUpParked(parts: MissingParts): Promise<void> {
  const text = await parts.memory.get(PARKED_CONTACTS);
  if (text === undefined) return;
  const parked = JSON.parse(text) as ParkedContacts;
  if (await isApproved(parts)) return lookAtMissing(parts, parked.walk);
  const isTold = (await parts.problems.list()).some(({ target }) => target === TARGET);
  if (!isTold) await reportParked(parts, parked);
}

async function markMissedDirty(parts: MissingParts, walk: CompleteWalk): Promise<void> {
  const { missed } = await parts.known.missed('contact', walk, async (ids) => {
    const keys = ids.map((id) => ({ kind: 'contact', id }) as const);
    await parts.dirtyMarks.markDirty(keys, { read: true });
    parts.queue.add(ids.map((id) => `contact/${id}`));
  });
  if (missed > 0)
    parts.log.info({ contacts: missed }, 'contacts that the list did not show are read one by one');
}

async function isApproved({ memory, clock }: MissingParts): Promise<boolean> {
  return holdsApproval(await memory.get(APPROVED), clock.now());
}

async function reportParked(parts: MissingParts, { missed, known }: ParkedContacts): Promise<void> {
  const problem = {
    code: 'mass-deletion',
    message: `the platform's list does not show ${missed} of the ${known} contacts that are known: nothing was deleted`,
    advice:
      'See whether the API key still covers all projects. If these contacts were deleted on purpose, run `slotbridge approve deletions contacts`.',
  };
  await parts.problems.raise({ target: TARGET, ...problem });
  parts.log.warn(problem, 'many contacts are missing from the list');
}
