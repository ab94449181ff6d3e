// `privacy.forget_deleted`: a contact that the platform has deleted is erased everywhere. The platform is asked whether that is so, and whether it
// may have been a merge. Many at once wait for a person.
import type { EntityKey } from '../../domain/entity.ts';
import { formatKey } from '../../domain/entity.ts';
import { DeferredError, TerminalError } from '../../domain/errors.ts';
import { PARKED_ERASURES } from '../../domain/parked.ts';
import type { Claim } from '../../domain/work.ts';
import type { Handler } from '../../ports/handler.ts';
import type { Memory } from '../../ports/memory.ts';
import type { History, ProblemBoard, Tally } from '../../ports/operator.ts';
import type { PlatformReader } from '../../ports/platform.ts';
import type { Log } from '../../ports/runtime.ts';
import { type ForgetParts, findPerson } from './forget.ts';
import { judgeDeletion, type SeenDeletion } from './judge-deletion.ts';

export interface ForgetDeletedParts {
  readonly forgetting: ForgetParts;
  readonly reader: Pick<PlatformReader, 'get' | 'isProjectVisible'>;
  readonly tally: Tally;
  readonly memory: Pick<Memory, 'get' | 'set' | 'forget'>;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly history: Pick<History, 'note'>;
  readonly log: Log;
}

/** Contacts that are erased within an hour without a question. */
const ERASURES_MAX = 20;
const RECENT_MS = 3_600_000;
const PARKED_PAUSE_MS = 60_000;
/** As for contacts that a list does not show: until when, epoch ms as text. */
const APPROVED = 'approved-deletions:contacts';
const TARGET = 'erasures:contacts';

export function createForgetDeleted(parts: ForgetDeletedParts): Handler {
  return {
    name: 'forget-deleted',
    from: 'contact',
    async reconcile(claim) {
      if (!claim.deleted) return 'nothing';
      const { forgetting, history, log } = parts;
      const key = formatKey(claim.key);
      const nowMs = forgetting.clock.now();
      const seen = await lookAt(parts, claim);
      const first = judgeDeletion(seen, nowMs);
      if (first.do === 'leave') {
        history.note(key, { what: 'acted', atMs: nowMs, by: 'worker', code: `not-erased-${first.why}` });
        log.info({ key, why: first.why }, 'deleted contact not erased');
        return 'nothing';
      }
      await assertFew(parts, claim.key);
      const { order, shown } = await findPerson(claim.key.id, forgetting);
      const verdict = judgeDeletion({ ...seen, appointments: shown }, nowMs);
      if (verdict.do === 'ask-person') throw stillExpected(claim.key.id, verdict.appointments);
      await forgetting.erasures.begin(order);
      return 'removed';
    },
  };
}

/** What can be said without a look at appointments. */
async function lookAt(parts: ForgetDeletedParts, claim: Claim): Promise<SeenDeletion> {
  const { cards, houseContacts } = parts.forgetting;
  const { id } = claim.key;
  if (houseContacts.has(id)) return { isHouse: true, marks: [], bearers: 0, appointments: undefined };
  await assertDeleted(parts, claim);
  const marks: string[] = [];
  let bearers = 0;
  const look = async (mark: unknown, find: typeof cards.byPhone) => {
    if (typeof mark !== 'string' || mark === '') return;
    marks.push(mark);
    bearers += (await find.call(cards, mark, undefined)).filter((card) => card.id !== id).length;
  };
  await look(claim.snapshot?.['phone'], cards.byPhone);
  await look(claim.snapshot?.['email'], cards.byEmail);
  return { isHouse: false, marks, bearers, appointments: undefined };
}

function stillExpected(id: string, appointments: number): TerminalError {
  return new TerminalError(
    'deletion-with-appointments',
    `the contact was deleted, and ${appointments} of its appointments ${appointments === 1 ? 'is' : 'are'} still to come: nothing was erased`,
    {
      target: 'platform',
      advice: `See whether the card was merged with another. If the person is to be erased: slotbridge forget contact ${id}.`,
    },
  );
}

/** An event alone does not prove it: what staff wrote cannot be brought back. */
async function assertDeleted({ reader }: ForgetDeletedParts, claim: Claim): Promise<void> {
  if ((await reader.get(claim.key)) !== undefined) {
    throw new TerminalError(
      'deletion-unproven',
      'an event says that the contact was deleted, and the platform shows it',
      {
        target: 'platform',
        advice: 'Replay the contact: slotbridge replay contact <id>. Nothing was erased.',
      },
    );
  }
  const projectId = claim.projectId ?? claim.snapshot?.['project_id'];
  if (typeof projectId === 'string' && (await reader.isProjectVisible(projectId))) return;
  throw new TerminalError(
    'project-not-in-key',
    'the platform does not show this contact, and its project is not in the key',
    {
      target: 'platform',
      advice: 'Use an API key that covers the project, then retry; nothing was erased.',
    },
  );
}

/** Once it was too many, all wait until a person has approved: none of them passes by waiting. */
async function assertFew(parts: ForgetDeletedParts, key: EntityKey): Promise<void> {
  const { tally, memory, problems, forgetting } = parts;
  // Its own name would be erased with the person, and the count with it.
  const mark = await forgetting.erasures.hashOf(formatKey(key));
  const recent = await tally.count('erased-contacts', mark, RECENT_MS);
  const isParked = (await memory.get(PARKED_ERASURES)) !== undefined;
  if (forgetting.clock.now() < Number((await memory.get(APPROVED)) ?? 0)) {
    if (isParked) await memory.forget(PARKED_ERASURES);
    if (isParked) await problems.clear(TARGET);
    return;
  }
  if (!isParked && recent <= ERASURES_MAX) return;
  await memory.set(PARKED_ERASURES, String(recent));
  const problem = {
    code: 'mass-erasure',
    message: `more than ${ERASURES_MAX} contacts were deleted within an hour: the rest of them is not erased`,
    advice:
      'See whether that is meant. Then run `slotbridge approve deletions contacts`: the worker goes on by itself.',
  };
  await problems.raise({ target: TARGET, ...problem });
  throw new DeferredError(problem.code, 'many contacts were deleted at once: a person has to approve', {
    target: TARGET,
    retryAfterMs: PARKED_PAUSE_MS,
    advice: problem.advice,
  });
}
