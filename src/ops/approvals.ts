// Work that the worker has parked as too much in one step. A person approves it by a command or in the console.
import { BLOCK_REPORT, blocksApproved, type HeldBlocks } from '../domain/block.ts';
import {
  APPROVED_ERASURES,
  APPROVED_FOR_MS,
  holdsApproval,
  PARKED_CONTACTS,
  PARKED_ERASURE,
  PARKED_ERASURES,
  type ParkedContacts,
  type ParkedErasure,
  type ParkedOrphans,
  parkedOrphans,
  readParkedErasure,
} from '../domain/parked.ts';
import type { SharedMemory } from '../ports/memory.ts';
import type { Clock } from '../ports/runtime.ts';
import type { DeadLetters, KeptLetter } from '../ports/work.ts';

/** How long parked work is listed: after a week without another run of its command, it no longer matters. */
const PARKED_SHOWN_MS = 7 * 86_400_000;
/** Prefixes of the places where people delete events or tick rows. */
const PLACES = ['calendar:', 'tab:'];

export const APPROVAL_KINDS = ['deletions', 'contacts', 'erasures', 'mails', 'orphans', 'blocks'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** Parked work that waits for a person. */
export interface Waiting {
  /** Name of the approval in the memory. */
  readonly name: string;
  readonly kind: ApprovalKind;
  /** Id of a calendar, or name of a mirror, a place or an entry; empty where there is only one. */
  readonly place: string;
  /** Number of appointments, contacts or mails, or of events and rows. */
  readonly count: number;
  /** Total number known, where it adds information. */
  readonly of?: number;
  /** Epoch milliseconds; undefined if the time was not recorded. */
  readonly sinceMs: number | undefined;
  /** Dead letters that need another turn after the approval. */
  readonly letters: readonly KeptLetter[];
  /** Already approved, but not carried out yet. */
  readonly approvedUntilMs: number | undefined;
}

type ApprovalMemory = Pick<SharedMemory, 'all' | 'set' | 'change' | 'forget'>;

export interface ApprovalParts {
  readonly memory: ApprovalMemory;
  readonly deadLetters: Pick<DeadLetters, 'all'>;
  readonly clock: Clock;
}

/**
 * Approves the parked work of this name for one hour and resolves with the end of that hour. Approving again restarts the hour. Erasures of
 * contacts are different: all that are parked now are approved, without a time limit, and the result is undefined.
 */
export async function approveParked(
  { memory, clock }: Pick<ApprovalParts, 'clock' | 'memory'>,
  name: string,
): Promise<number | undefined> {
  if (name === APPROVED_ERASURES) {
    await approveErasures(memory);
    return undefined;
  }
  const untilMs = clock.now() + APPROVED_FOR_MS;
  await memory.set(name, String(untilMs));
  return untilMs;
}

/** Marks each contact individually. A contact that was erased or came back meanwhile is no longer parked, and gets no mark. */
async function approveErasures(memory: ApprovalMemory): Promise<void> {
  const parked = await memory.all(PARKED_ERASURE);
  await Promise.all(
    [...parked].map(([contact, was]) => {
      const seen: ParkedErasure = { ...readParkedErasure(was, undefined), isApproved: true };
      return memory.change(PARKED_ERASURE + contact, { was, next: JSON.stringify(seen) });
    }),
  );
  await memory.forget(APPROVED_ERASURES);
  await memory.forget(PARKED_ERASURES);
}

/** All parked work that waits for a person, the longest waiting first. */
export async function waitingApprovals(parts: ApprovalParts): Promise<readonly Waiting[]> {
  const nowMs = parts.clock.now();
  const [facts, letters] = await Promise.all([parts.memory.all(''), parts.deadLetters.all()]);
  const found = [
    ...ofLetters(letters),
    ...ofParked(facts, nowMs),
    ...ofErasures(facts),
    ...ofBlocks(facts, nowMs),
  ].map((each) => {
    const until = facts.get(each.name);
    return { ...each, approvedUntilMs: holdsApproval(until, nowMs) ? Number(until) : undefined };
  });
  return found.sort((a, b) => (a.sinceMs ?? 0) - (b.sinceMs ?? 0));
}

type Found = Omit<Waiting, 'approvedUntilMs'>;

function ofLetters(letters: readonly KeptLetter[]): readonly Found[] {
  const found = new Map<string, { kind: 'deletions' | 'mails'; place: string; letters: KeptLetter[] }>();
  for (const letter of letters) {
    for (const { code, target = '' } of letter.reasons) {
      const within = code === 'mass-deletion' ? PLACES.find((each) => target.startsWith(each)) : undefined;
      const isDeletion = within !== undefined;
      if (!isDeletion && code !== 'mail-storm') continue;
      const place = target.slice(within?.length ?? target.length);
      const name = isDeletion ? `approved-deletions:${place}` : 'approved-mails';
      const one = found.get(name) ?? { kind: isDeletion ? 'deletions' : 'mails', place, letters: [] };
      if (!one.letters.includes(letter)) one.letters.push(letter);
      found.set(name, one);
    }
  }
  return [...found].map(([name, one]) => ({
    ...{ name, ...one, count: one.letters.length },
    sinceMs: Math.min(...one.letters.map(({ atMs }) => atMs)),
  }));
}

type Facts = ReadonlyMap<string, string>;

function ofParked(facts: Facts, nowMs: number): readonly Found[] {
  return [...facts].flatMap(([name, text]): readonly Found[] => {
    if (name === PARKED_CONTACTS) return [ofContacts(JSON.parse(text) as ParkedContacts)];
    const place = name.slice(parkedOrphans('').length);
    if (name !== parkedOrphans(place)) return [];
    const { count, atMs } = JSON.parse(text) as ParkedOrphans;
    if (nowMs - atMs > PARKED_SHOWN_MS) return [];
    const kind = 'orphans';
    return [{ name: `approved-orphans:${place}`, kind, place, count, sinceMs: atMs, letters: [] }];
  });
}

const CONTACTS = 'approved-deletions:contacts';

/** Erasures that have not been approved yet. */
function ofErasures(facts: Facts): readonly Found[] {
  const waiting = [...facts]
    .filter(([name]) => name.startsWith(PARKED_ERASURE))
    .map(([, text]) => readParkedErasure(text, facts.get(APPROVED_ERASURES)))
    .filter(({ isApproved }) => !isApproved);
  if (waiting.length === 0) return [];
  const sinceMs = waiting.reduce((first, { atMs }) => Math.min(first, atMs), Number.POSITIVE_INFINITY);
  const count = waiting.length;
  return [{ name: APPROVED_ERASURES, kind: 'erasures', place: '', count, sinceMs, letters: [] }];
}

/** Cancellations of blocks that are held back, grouped by entry. */
function ofBlocks(facts: Facts, nowMs: number): readonly Found[] {
  const found = new Map<string, Found>();
  for (const [fact, text] of facts) {
    if (!fact.startsWith(BLOCK_REPORT)) continue;
    const { rule, held, unread, atMs } = JSON.parse(text) as HeldBlocks;
    if (held === 0 || unread > 0 || nowMs - atMs > PARKED_SHOWN_MS) continue;
    const name = blocksApproved(rule);
    const { count = 0, sinceMs = atMs } = found.get(name) ?? {};
    const about = { name, kind: 'blocks', place: rule, letters: [] } as const;
    found.set(name, { ...about, count: count + held, sinceMs: Math.min(sinceMs, atMs) });
  }
  return [...found.values()];
}

function ofContacts({ missed, known, walk }: ParkedContacts): Found {
  return {
    ...{ name: CONTACTS, kind: 'contacts', place: '' },
    ...{ count: missed, of: known, sinceMs: walk.startedAtMs, letters: [] },
  };
}
