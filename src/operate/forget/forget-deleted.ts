// `privacy.forget_deleted`: erases a contact everywhere once the platform has deleted it. The platform is asked whether it did, and whether
// that may have been a merge. Many deletions at once wait for a person.

import {
  APPROVED_ERASURES,
  PARKED_ERASURE,
  PARKED_ERASURES,
  type ParkedErasure,
  readParkedErasure,
} from '../../engine/edit-guard.ts';
import type { ErasureOrder } from '../../engine/erasure.ts';
import { DeferredError, TerminalError } from '../../engine/errors.ts';
import type { Handler } from '../../engine/handler.ts';
import type { History } from '../../engine/history.ts';
import type { Memory, Tally } from '../../engine/memory.ts';
import { type Appointment, type EntityKey, formatKey } from '../../engine/object.ts';
import { foundOrAbsent, type PlatformReader } from '../../engine/platform.ts';
import type { ProblemBoard } from '../../engine/problem-board.ts';
import type { Log } from '../../engine/runtime.ts';
import type { Claim } from '../../engine/work.ts';
import { beginForget, type ForgetParts, findPerson } from './forget.ts';

export interface ForgetDeletedParts {
  readonly forgetting: ForgetParts;
  readonly reader: Pick<PlatformReader, 'get' | 'isProjectVisible'>;
  readonly tally: Tally;
  readonly memory: Pick<Memory, 'get' | 'set' | 'forget'>;
  readonly problems: Pick<ProblemBoard, 'raise'>;
  readonly history: Pick<History, 'note'>;
  readonly log: Log;
}

/** Target of the problem that exists while contacts are parked. */
export const MASS_ERASURE = 'erasures:contacts';
/** Most contacts that are erased within an hour without a person's approval. */
const ERASURES_MAX = 20;
const RECENT_MS = 3_600_000;
/** How soon approved erasures continue; until then nothing is asked of the platform. */
const PARKED_PAUSE_MS = 5 * 60_000;

export function createForgetDeleted(parts: ForgetDeletedParts): Handler {
  return {
    name: 'forget-deleted',
    from: 'contact',
    async reconcile(claim) {
      if (!claim.deleted) {
        if (mayBeParked(claim)) await parts.memory.forget(PARKED_ERASURE + formatKey(claim.key));
        return 'nothing';
      }
      const parked = await assertMayPass(parts, claim.key);
      try {
        const outcome = await decide(parts, claim, parked !== undefined);
        if (parked !== undefined) await parts.memory.forget(parked);
        return outcome;
      } catch (error) {
        if (error instanceof TerminalError && parked !== undefined) await parts.memory.forget(parked);
        throw error;
      }
    },
  };
}

/**
 * A parked turn settles nothing, so a contact that came back has at least two unsettled revisions. Its leftover fact would keep the problem
 * open and, once approved, would let a later deletion pass.
 */
function mayBeParked({ desiredRev, syncedRev }: Claim): boolean {
  return desiredRev - syncedRev > 1;
}

async function decide(
  parts: ForgetDeletedParts,
  claim: Claim,
  isApproved: boolean,
): Promise<'nothing' | 'removed'> {
  const { forgetting, history, log } = parts;
  const key = formatKey(claim.key);
  const nowMs = forgetting.clock.now();
  const leave = (why: string) => {
    history.note(key, { what: 'acted', atMs: nowMs, by: 'worker', code: `not-erased-${why}` });
    log.info({ key, why }, 'deleted contact not erased');
    return 'nothing' as const;
  };
  const seen = await lookAt(parts, claim);
  const first = judgeDeletion(seen, nowMs);
  if (first.do === 'leave') return leave(first.why);
  if (!isApproved) await assertFew(parts, claim.key);
  const { order, shown } = await findPerson(claim.key.id, forgetting);
  const verdict = judgeDeletion({ ...seen, ...marksIn(order, seen), appointments: shown }, nowMs);
  if (verdict.do === 'leave') return leave(verdict.why);
  if (verdict.do === 'ask-person') throw askPerson(claim.key.id, verdict);
  await beginForget(order, forgetting);
  return 'removed';
}

/** If retention has removed the content of the card, its appointments may still have phone and e-mail. */
function marksIn({ terms }: ErasureOrder, { isContentKnown }: SeenDeletion): Partial<SeenDeletion> {
  if (isContentKnown) return {};
  return { marks: [...terms.phones, ...terms.emails], bearers: terms.shared?.length ?? 0 };
}

/** What is known without a look at appointments. */
async function lookAt(parts: ForgetDeletedParts, claim: Claim): Promise<SeenDeletion> {
  const { cards, houseContacts } = parts.forgetting;
  const { id } = claim.key;
  const isContentKnown = claim.snapshot !== undefined;
  const nothing = { isContentKnown, marks: [], bearers: 0, appointments: undefined };
  if (houseContacts.has(id)) return { isHouse: true, ...nothing };
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
  return { isHouse: false, ...nothing, marks, bearers };
}

function askPerson(id: string, verdict: DeletionVerdict & { readonly do: 'ask-person' }): TerminalError {
  if (verdict.why === 'content-gone') {
    return new TerminalError(
      'deletion-unclear',
      'the contact was deleted, but its phone and e-mail are no longer known; nothing was erased',
      {
        target: 'platform',
        advice: `If the card was not merged with another, run slotbridge forget contact ${id}. Then discard the letter.`,
      },
    );
  }
  const { appointments } = verdict;
  return new TerminalError(
    'deletion-with-appointments',
    `the contact was deleted, but ${appointments} of its appointments ${appointments === 1 ? 'is' : 'are'} upcoming; nothing was erased`,
    {
      target: 'platform',
      advice: `Check whether the card was merged with another. To erase the person, run slotbridge forget contact ${id}.`,
    },
  );
}

/** An event alone is no proof, and texts of staff cannot be restored. */
async function assertDeleted({ reader }: ForgetDeletedParts, claim: Claim): Promise<void> {
  const projectId = claim.projectId ?? claim.snapshot?.['project_id'];
  const seen = await foundOrAbsent(reader, projectId, () => reader.get(claim.key));
  if (seen === 'absent') return;
  if (seen !== 'hidden') {
    throw new TerminalError(
      'deletion-unproven',
      'an event reports the contact as deleted, but the platform still shows it',
      {
        target: 'platform',
        advice: 'Nothing was erased. Replay the contact: `slotbridge replay --object contact/<id>`.',
      },
    );
  }
  throw new TerminalError(
    'project-not-in-key',
    'the platform does not show this contact, and the key does not cover its project',
    {
      target: 'platform',
      advice: 'Use an API key that covers the project, then retry. Nothing was erased.',
    },
  );
}

/**
 * Once there were too many, all wait until a person has approved. Waiting alone releases none of them, and the platform is not asked
 * meanwhile. Resolves with the fact in the memory that parked this contact, if it was parked.
 */
async function assertMayPass(parts: ForgetDeletedParts, key: EntityKey): Promise<string | undefined> {
  const { memory } = parts;
  const fact = PARKED_ERASURE + formatKey(key);
  const text = await memory.get(fact);
  if (text === undefined) return undefined;
  if (readParkedErasure(text, await memory.get(APPROVED_ERASURES)).isApproved) return fact;
  throw await parked(parts);
}

async function assertFew(parts: ForgetDeletedParts, key: EntityKey): Promise<void> {
  const { tally, memory, forgetting } = parts;
  // A hash, because the erasure deletes what bears the contact's own name, and the count with it.
  const mark = await forgetting.erasures.hashOf(formatKey(key));
  const recent = await tally.count('erased-contacts', mark, RECENT_MS);
  const isParking = (await memory.get(PARKED_ERASURES)) !== undefined;
  if (!isParking && recent <= ERASURES_MAX) return;
  const atMs = forgetting.clock.now();
  const waiting: ParkedErasure = { atMs, isApproved: false };
  await memory.set(PARKED_ERASURE + formatKey(key), JSON.stringify(waiting));
  await memory.set(PARKED_ERASURES, String(atMs));
  throw await parked(parts);
}

/** Each waiting contact raises the problem again, because problems do not outlive a restart. */
async function parked({ problems }: ForgetDeletedParts): Promise<DeferredError> {
  const problem = {
    code: 'mass-erasure',
    message: `more than ${ERASURES_MAX} contacts were deleted within an hour: the others were not erased`,
    advice:
      'Check whether this is intended. If so, run `slotbridge approve erasures`: the worker continues within five minutes.',
  };
  await problems.raise({ target: MASS_ERASURE, ...problem });
  return new DeferredError(problem.code, 'many contacts were deleted at once and need approval', {
    target: MASS_ERASURE,
    retryAfterMs: PARKED_PAUSE_MS,
    advice: problem.advice,
  });
}

// Decides what the deletion of a card means. The platform reports a merge of two cards as the deletion of one, without a link to the other.

export interface SeenDeletion {
  /** An entry of `blocks` books for this contact. */
  readonly isHouse: boolean;
  /** False when the card's content is no longer known. */
  readonly isContentKnown: boolean;
  /** Phone and e-mail from the last known content, or from the appointments if that content is gone. */
  readonly marks: readonly string[];
  /** How many other cards have one of these marks. */
  readonly bearers: number;
  /** Appointments as the platform shows them now; undefined while it was not asked. */
  readonly appointments: readonly Pick<Appointment, 'status' | 'ends_at'>[] | undefined;
}

type DeletionVerdict =
  | { readonly do: 'erase' }
  /** Appointments are not read if nothing will be erased anyway. */
  | { readonly do: 'ask-platform' }
  | { readonly do: 'leave'; readonly why: 'contact-of-blocks' | 'no-phone-or-email' | 'on-another-card' }
  /** An appointment is still to come, or a merge cannot be ruled out: a person decides. */
  | { readonly do: 'ask-person'; readonly why: 'still-expected'; readonly appointments: number }
  | { readonly do: 'ask-person'; readonly why: 'content-gone' };

const DONE: ReadonlySet<string> = new Set(['cancelled', 'completed', 'no_show']);

export function judgeDeletion(seen: SeenDeletion, nowMs: number): DeletionVerdict {
  const { isHouse, isContentKnown, marks, bearers, appointments } = seen;
  if (isHouse) return { do: 'leave', why: 'contact-of-blocks' };
  if (isContentKnown && marks.length === 0) return { do: 'leave', why: 'no-phone-or-email' };
  if (bearers > 0) return { do: 'leave', why: 'on-another-card' };
  if (appointments === undefined) return { do: 'ask-platform' };
  const live = appointments.filter((each) => isLive(each, nowMs)).length;
  if (live > 0) return { do: 'ask-person', why: 'still-expected', appointments: live };
  return marks.length === 0 ? { do: 'ask-person', why: 'content-gone' } : { do: 'erase' };
}

/** A status or an end that is not understood does not prove that the appointment is over. */
function isLive({ status, ends_at }: Pick<Appointment, 'status' | 'ends_at'>, nowMs: number): boolean {
  return !DONE.has(status) && !(Date.parse(ends_at) <= nowMs);
}
