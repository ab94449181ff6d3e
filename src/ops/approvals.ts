// What the worker has stopped as too much at once, and what lets it pass: a person who looks, by a command or in the console.
import {
  PARKED,
  PARKED_CONTACTS,
  PARKED_ERASURES,
  type ParkedContacts,
  type ParkedOrphans,
  parkedOrphans,
} from '../domain/parked.ts';
import type { Memory } from '../ports/memory.ts';
import type { Clock } from '../ports/runtime.ts';
import type { DeadLetters, KeptLetter } from '../ports/work.ts';

/** How long an approval holds. */
const FOR_MS = 3_600_000;
/** What was parked by a command that nobody ran again is of no interest any more. */
const PARKED_SHOWN_MS = 7 * 86_400_000;
const CALENDAR = 'calendar:';

export const APPROVAL_KINDS = ['deletions', 'contacts', 'erasures', 'mails', 'orphans'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** Something that waits for a person. */
export interface Waiting {
  /** The approval that it waits for, as the memory names it. */
  readonly name: string;
  readonly kind: ApprovalKind;
  /** Id of a calendar, or name of a place; empty where there is but one. */
  readonly place: string;
  /** So many appointments, contacts, mails, or events and rows. */
  readonly count: number;
  /** Of how many that are known, where that says more. */
  readonly of?: number;
  /** Epoch milliseconds; undefined where nobody noted it. */
  readonly sinceMs: number | undefined;
  /** Dead letters that need another turn once it is approved. */
  readonly letters: readonly KeptLetter[];
  /** Approved already, and not carried out yet. */
  readonly approvedUntilMs: number | undefined;
}

export interface ApprovalParts {
  readonly memory: Pick<Memory, 'all' | 'set'>;
  readonly deadLetters: Pick<DeadLetters, 'all'>;
  readonly clock: Clock;
}

/** Lets pass what waits under this name, for one hour. Returns until when. Doing it again only makes the hour begin anew. */
export async function letPass(
  { memory, clock }: Pick<ApprovalParts, 'clock'> & { readonly memory: Pick<Memory, 'set'> },
  name: string,
): Promise<number> {
  const untilMs = clock.now() + FOR_MS;
  await memory.set(name, String(untilMs));
  return untilMs;
}

/** All that waits for a person now; what waits longest comes first. */
export async function waitingApprovals(parts: ApprovalParts): Promise<readonly Waiting[]> {
  const nowMs = parts.clock.now();
  const [approved, parked, letters] = await Promise.all([
    parts.memory.all('approved-'),
    parts.memory.all(PARKED),
    parts.deadLetters.all(),
  ]);
  const found = [...ofLetters(letters), ...ofParked(parked, nowMs)].map((each) => {
    const untilMs = Number(approved.get(each.name.slice('approved-'.length)) ?? 0);
    return { ...each, approvedUntilMs: nowMs < untilMs ? untilMs : undefined };
  });
  return found.sort((a, b) => (a.sinceMs ?? 0) - (b.sinceMs ?? 0));
}

type Found = Omit<Waiting, 'approvedUntilMs'>;

function ofLetters(letters: readonly KeptLetter[]): readonly Found[] {
  const found = new Map<string, { kind: 'deletions' | 'mails'; place: string; letters: KeptLetter[] }>();
  for (const letter of letters) {
    for (const { code, target = '' } of letter.reasons) {
      const isDeletion = code === 'mass-deletion' && target.startsWith(CALENDAR);
      if (!isDeletion && code !== 'mail-storm') continue;
      const place = isDeletion ? target.slice(CALENDAR.length) : '';
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

function ofParked(parked: ReadonlyMap<string, string>, nowMs: number): readonly Found[] {
  return [...parked].flatMap(([rest, text]): readonly Found[] => {
    const name = PARKED + rest;
    if (name === PARKED_CONTACTS) return [ofContacts(JSON.parse(text) as ParkedContacts)];
    if (name === PARKED_ERASURES) return [ofErasures(Number(text))];
    const place = name.slice(parkedOrphans('').length);
    if (name !== parkedOrphans(place)) return [];
    const { count, atMs } = JSON.parse(text) as ParkedOrphans;
    if (nowMs - atMs > PARKED_SHOWN_MS) return [];
    const kind = 'orphans';
    return [{ name: `approved-orphans:${place}`, kind, place, count, sinceMs: atMs, letters: [] }];
  });
}

/** What lets missing contacts pass lets these pass as well. */
const CONTACTS = 'approved-deletions:contacts';

function ofErasures(count: number): Found {
  return { name: CONTACTS, kind: 'erasures', place: '', count, sinceMs: undefined, letters: [] };
}

function ofContacts({ missed, known, walk }: ParkedContacts): Found {
  return {
    ...{ name: CONTACTS, kind: 'contacts', place: '' },
    ...{ count: missed, of: known, sinceMs: walk.startedAtMs, letters: [] },
  };
}
