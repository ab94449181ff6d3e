// Work that the worker has parked as too much in one step. A person approves it by a command or in the console.

import { createHash } from 'node:crypto';
import { BLOCK_REPORT, blocksApproved, type HeldBlocks } from '../engine/block.ts';
import type { DeadLetters } from '../engine/dead-letters.ts';
import {
  APPROVED_ERASURES,
  APPROVED_FOR_MS,
  type HeldKind,
  heldObject,
  holdsApproval,
  PARKED_CONTACTS,
  PARKED_ERASURE,
  PARKED_ERASURES,
  PARKED_MISSED,
  PARKED_ROWS,
  type ParkedContacts,
  type ParkedErasure,
  type ParkedOrphans,
  type ParkedRow,
  parkedOrphans,
  parkedRow,
  readApproval,
  readParkedErasure,
  writeApproval,
} from '../engine/edit-guard.ts';
import type { SharedMemory } from '../engine/memory.ts';
import type { Clock } from '../engine/runtime.ts';
import type { KeptLetter, LetterCause } from '../engine/work.ts';

/** How long parked work is listed: after a week without another run of its command, it no longer matters. */
const PARKED_SHOWN_MS = 7 * 86_400_000;
/** Prefixes of the places where people delete events or tick rows. */
const PLACES = ['calendar:', 'tab:'];

export const APPROVAL_KINDS = [
  ...(['deletions', 'contacts', 'erasures', 'mails', 'orphans', 'blocks'] as const),
  ...(['edits', 'bookings'] as const),
] as const;
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
  /** What the approval is for: objects by `formatKey`. Absent: the whole place for an hour (mails, blocks). */
  readonly members?: readonly string[];
  /** Member to its fact as stored: what people typed into a row may change while it waits. */
  readonly facts?: ReadonlyMap<string, string>;
  /** How many wait beside the members: too many for one page. */
  readonly rest?: number;
  /** Total number known, where it adds information. */
  readonly of?: number;
  /** Epoch milliseconds; undefined if the time was not recorded. */
  readonly sinceMs: number | undefined;
  /** Causes of the dead letters that wait for it. */
  readonly causes: readonly LetterCause[];
  /** Dead letters that need another turn after the approval, newest first. */
  readonly letters: readonly KeptLetter[];
  /** Already approved, but not carried out yet. */
  readonly approvedUntilMs: number | undefined;
}

/** What waits, without its members. An approval needs them: without members it would hold for the whole place. */
export type WaitingCount = Omit<Waiting, 'members' | 'facts' | 'letters'>;

/** Letters that are read at a time for a page. An approval there covers these. */
const LETTERS_READ_MAX = 500;

type ApprovalMemory = Pick<SharedMemory, 'get' | 'all' | 'set' | 'change' | 'forget'>;

export interface ApprovalParts {
  readonly memory: ApprovalMemory;
  readonly deadLetters: Pick<DeadLetters, 'causes' | 'each' | 'newest' | 'namesOf'>;
  readonly clock: Clock;
}

/** Identifies the set that a page showed. */
export function digestOf({ members = [], facts = new Map() }: Pick<Waiting, 'members' | 'facts'>): string {
  const shown = members.map((member) => [member, facts.get(member) ?? '']).sort();
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex');
}

/** Name of the approval of what people typed into the rows of a mirror or entry. */
export function approvedRows(kind: HeldKind, place: string): string {
  return `approved-${kind}:${place}`;
}

/** A person may also decline what people typed. All else that waits is declined by leaving it. */
export function mayDecline({ kind }: Pick<Waiting, 'kind'>): boolean {
  return kind === 'edits' || kind === 'bookings';
}

/** What a decision of a person took effect on. */
export interface Decided {
  /** Members for which nobody else was faster; absent: as many as waited. */
  readonly done?: number;
  /** The end of the hour of an approval; absent without a time limit. */
  readonly untilMs?: number;
}

/** The worker answers the rows that it was not meant, and the platform keeps what it has. */
export async function declineParked(
  { memory }: Pick<ApprovalParts, 'memory'>,
  waiting: Waiting,
): Promise<Decided> {
  return decideRows(memory, waiting, 'declined');
}

/**
 * Approves these members of the parked work for one hour; without members, all that waits there within the hour. Approving again restarts the
 * hour, also of those that were approved before: their turns may be still to come. Erasures of contacts and typed rows are approved without
 * a time limit.
 */
export async function approveParked(
  { memory, clock }: Pick<ApprovalParts, 'clock' | 'memory'>,
  waiting: Pick<Waiting, 'name' | 'members' | 'facts'>,
): Promise<Decided> {
  const { name, members } = waiting;
  if (waiting.facts !== undefined) return decideRows(memory, waiting, 'approved');
  if (name === APPROVED_ERASURES) {
    await approveErasures(memory, members ?? []);
    return {};
  }
  const nowMs = clock.now();
  const untilMs = nowMs + APPROVED_FOR_MS;
  // Somebody else may approve other members at the same time.
  for (;;) {
    const was = await memory.get(name);
    const before = holdsApproval(was, nowMs) ? (readApproval(was).members ?? []) : [];
    const next = writeApproval(untilMs, members && [...new Set([...before, ...members])]);
    if (await memory.change(name, { was: was ?? '', next })) return { untilMs };
  }
}

/**
 * What to approve under a name under which nothing waits: nothing. Somebody else was faster, and what joins within the hour was seen by
 * nobody. Only mails and blocks are approved before they wait.
 */
export function nothingWaits(name: string): Pick<Waiting, 'name' | 'members' | 'facts'> {
  if (name === MAILS || name.startsWith(blocksApproved(''))) return { name };
  return { name, members: [], ...(/^approved-(?:edits|bookings):/.test(name) && { facts: new Map() }) };
}

/** Marks each contact individually. A contact that was erased or came back meanwhile is no longer parked, and gets no mark. */
async function approveErasures(memory: ApprovalMemory, members: readonly string[]): Promise<void> {
  const parked = await memory.all(PARKED_ERASURE);
  const until = (await memory.all('')).get(APPROVED_ERASURES);
  const shown = new Set(members);
  await Promise.all(
    [...parked].map(([contact, was]) => {
      // An earlier version may have approved it by a moment, which is forgotten below.
      if (!shown.has(contact) && !readParkedErasure(was, until).isApproved) return undefined;
      const seen: ParkedErasure = { ...readParkedErasure(was, undefined), isApproved: true };
      return memory.change(PARKED_ERASURE + contact, { was, next: JSON.stringify(seen) });
    }),
  );
  await memory.forget(APPROVED_ERASURES);
  if ([...parked].every(([contact, was]) => shown.has(contact) || readParkedErasure(was, until).isApproved))
    await memory.forget(PARKED_ERASURES);
}

/** A row that changed or was decided meanwhile keeps what it has. The worker gives the others a turn within seconds. */
async function decideRows(
  memory: ApprovalMemory,
  { name, facts = new Map() }: Pick<Waiting, 'name' | 'facts'>,
  verdict: 'approved' | 'declined',
): Promise<Decided> {
  const object = { kind: heldKindOf(name), place: name.slice(name.indexOf(':') + 1) };
  let done = 0;
  for (const [key, was] of facts) {
    const row = { ...(JSON.parse(was) as ParkedRow), verdict } satisfies ParkedRow;
    if (await memory.change(parkedRow({ ...object, key }), { was, next: JSON.stringify(row) })) done += 1;
  }
  // A worker that died within its look has left no word that anything waits.
  await memory.set(PARKED_ROWS, '1');
  return { done };
}

function heldKindOf(name: string): HeldKind {
  return name.startsWith(approvedRows('edits', '')) ? 'edits' : 'bookings';
}

/** All parked work that waits for a person, the longest waiting first. Reads all letters: use it outside the worker. */
export async function waitingApprovals(parts: ApprovalParts): Promise<readonly Waiting[]> {
  const found = await countedOf(parts);
  return Promise.all(found.map(async (each) => withLetters(each, await everyLetter(parts, each))));
}

/** The same by counts. Costs the same for few letters and many. */
export async function countApprovals(parts: ApprovalParts): Promise<readonly WaitingCount[]> {
  return countedOf(parts);
}

/** What waits under this name, with the newest of its letters; undefined if nothing does. */
export async function waitingNow(
  parts: ApprovalParts,
  { name, kind }: { readonly name: string | null; readonly kind: string | null },
): Promise<Waiting | undefined> {
  const found = (await countedOf(parts)).find((each) => each.name === name && each.kind === kind);
  if (found === undefined) return undefined;
  if (found.causes.length === 0) return { ...found, count: found.count - (found.rest ?? 0) };
  const letters = await parts.deadLetters.newest(found, LETTERS_READ_MAX);
  // Ended since they were counted.
  return letters.length === 0 ? undefined : withLetters(found, letters);
}

async function everyLetter({ deadLetters }: ApprovalParts, meant: Found): Promise<readonly KeptLetter[]> {
  const letters = new Map<string, KeptLetter>();
  for await (const some of deadLetters.each(meant))
    for (const letter of some) letters.set(letter.name, letter);
  return [...letters.values()].sort((a, b) => b.atMs - a.atMs);
}

/** Deletions are approved one by one, so only these count. An approval of mails holds for all. */
function withLetters(waiting: Waiting, letters: readonly KeptLetter[]): Waiting {
  if (waiting.causes.length === 0) return waiting;
  const rest = waiting.count - letters.length;
  if (waiting.kind !== 'deletions') return { ...waiting, letters, rest };
  const members = [...new Set(letters.map(({ key }) => key))];
  return { ...waiting, letters, rest, count: letters.length, members };
}

async function countedOf(parts: ApprovalParts): Promise<readonly Waiting[]> {
  const nowMs = parts.clock.now();
  const [facts, causes] = await Promise.all([parts.memory.all(''), parts.deadLetters.causes()]);
  const found = [
    ...ofCauses(causes),
    ...ofParked(facts, nowMs),
    ...ofErasures(facts),
    ...ofBlocks(facts, nowMs),
    ...ofRows(facts),
  ].map(async (each) => {
    const until = facts.get(each.name);
    const isApproved = holdsApproval(until, nowMs) && (await areMembers(parts, each, readApproval(until)));
    return { ...each, approvedUntilMs: isApproved ? readApproval(until).untilMs : undefined };
  });
  return (await Promise.all(found)).sort((a, b) => (a.sinceMs ?? 0) - (b.sinceMs ?? 0));
}

/** Whether an approval covers all of it. Members that joined since wait like all others. Reads names, and no more than were approved. */
async function areMembers(
  { deadLetters }: ApprovalParts,
  found: Found,
  { members: approved }: ReturnType<typeof readApproval>,
): Promise<boolean> {
  if (approved === undefined) return true;
  const { members = [], causes, count, rest = 0 } = found;
  const covered = new Set(approved);
  if (causes.length === 0) return rest === 0 && members.every((member) => covered.has(member));
  if (count > covered.size) return false;
  for await (const names of deadLetters.namesOf(found))
    if (!names.every((name) => covered.has(name.slice(name.lastIndexOf(' ') + 1)))) return false;
  return true;
}

type Found = Omit<Waiting, 'approvedUntilMs'>;

/** What waits by dead letters. No letter is read. */
function ofCauses(causes: readonly LetterCause[]): readonly Found[] {
  const found = new Map<string, { kind: 'deletions' | 'mails'; place: string; causes: Set<LetterCause> }>();
  for (const cause of causes) {
    for (const { code, target = '' } of cause.reasons) {
      const within = code === 'mass-deletion' ? PLACES.find((each) => target.startsWith(each)) : undefined;
      const isDeletion = within !== undefined;
      if (!isDeletion && code !== 'mail-storm') continue;
      const place = target.slice(within?.length ?? target.length);
      const name = isDeletion ? `approved-deletions:${place}` : MAILS;
      const one = found.get(name) ?? { kind: isDeletion ? 'deletions' : 'mails', place, causes: new Set() };
      one.causes.add(cause);
      found.set(name, one);
    }
  }
  return [...found].map(([name, { kind, place, causes: own }]) => ({
    ...{ name, kind, place, causes: [...own], letters: [] },
    count: [...own].reduce((sum, { count }) => sum + count, 0),
    sinceMs: [...own].reduce(
      (first, { oldestAtMs }) => Math.min(first, oldestAtMs),
      Number.POSITIVE_INFINITY,
    ),
  }));
}

type Facts = ReadonlyMap<string, string>;

function ofParked(facts: Facts, nowMs: number): readonly Found[] {
  return [...facts].flatMap(([name, text]): readonly Found[] => {
    if (name === PARKED_CONTACTS) return [ofContacts(JSON.parse(text) as ParkedContacts, facts)];
    const place = name.slice(parkedOrphans('').length);
    if (name !== parkedOrphans(place)) return [];
    const { count, atMs, members } = JSON.parse(text) as ParkedOrphans;
    if (nowMs - atMs > PARKED_SHOWN_MS) return [];
    const kind = 'orphans';
    const own = members !== undefined && { members: [...new Set(members)] };
    return [
      {
        name: `approved-orphans:${place}`,
        kind,
        place,
        count,
        sinceMs: atMs,
        letters: [],
        causes: [],
        ...own,
      },
    ];
  });
}

const CONTACTS = 'approved-deletions:contacts';
const MAILS = 'approved-mails';

/** Erasures that have not been approved yet. */
function ofErasures(facts: Facts): readonly Found[] {
  const waiting = [...facts]
    .filter(([name]) => name.startsWith(PARKED_ERASURE))
    .map(([name, text]) => ({
      contact: name.slice(PARKED_ERASURE.length),
      ...readParkedErasure(text, facts.get(APPROVED_ERASURES)),
    }))
    .filter(({ isApproved }) => !isApproved);
  if (waiting.length === 0) return [];
  const sinceMs = waiting.reduce((first, { atMs }) => Math.min(first, atMs), Number.POSITIVE_INFINITY);
  const count = waiting.length;
  const members = waiting.map(({ contact }) => contact);
  return [
    {
      name: APPROVED_ERASURES,
      kind: 'erasures',
      place: '',
      count,
      sinceMs,
      letters: [],
      causes: [],
      members,
    },
  ];
}

/** What people typed in bulk and nobody has decided yet, by mirror or entry. */
function ofRows(facts: Facts): readonly Found[] {
  const found = new Map<
    string,
    { kind: HeldKind; place: string; sinceMs: number; facts: Map<string, string> }
  >();
  for (const [fact, text] of facts) {
    const object = heldObject(fact);
    if (object === undefined) continue;
    const { atMs, verdict } = JSON.parse(text) as ParkedRow;
    if (verdict !== undefined) continue;
    const { kind, place, key } = object;
    const name = approvedRows(kind, place);
    const one = found.get(name) ?? { kind, place, sinceMs: atMs, facts: new Map<string, string>() };
    one.facts.set(key, text);
    found.set(name, { ...one, sinceMs: Math.min(one.sinceMs, atMs) });
  }
  return [...found].map(([name, one]) => {
    const members = [...one.facts.keys()];
    return { name, ...one, count: members.length, members, letters: [], causes: [] };
  });
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
    const about = { name, kind: 'blocks', place: rule, letters: [], causes: [] } as const;
    found.set(name, { ...about, count: count + held, sinceMs: Math.min(sinceMs, atMs) });
  }
  return [...found.values()];
}

function ofContacts({ missed, known, walk }: ParkedContacts, facts: Facts): Found {
  const members = JSON.parse(facts.get(PARKED_MISSED) ?? '[]') as readonly string[];
  return {
    ...{ name: CONTACTS, kind: 'contacts', place: '', count: missed, of: known, sinceMs: walk.startedAtMs },
    ...{ letters: [], causes: [], members, rest: Math.max(0, missed - members.length) },
  };
}
