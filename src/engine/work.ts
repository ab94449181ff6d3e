import { DeferredError, TerminalError, type WorkerError } from './errors.ts';
import type { ObjectLinks } from './link.ts';
import { canHaveBeen } from './moments.ts';
import type { EntityKey, Snapshot } from './object.ts';
import type { Sighting } from './outside-booking.ts';
import type { KnownCustomer } from './person.ts';
import type { RowEdit, RowNote } from './row-edit.ts';

/** A handler's hold on one object. Once a later claim has taken another fence, every commit of this one is refused. */
export interface Claim {
  readonly key: EntityKey;
  /** Names the claim and the Redis on which it was made. It is worthless once that Redis was wiped or restarted. */
  readonly fence: string;
  /** The revision the handler brings the mirrors to. */
  readonly desiredRev: number;
  readonly syncedRev: number;
  /** The newest snapshot known; undefined while only the id is known. */
  readonly snapshot: Snapshot | undefined;
  /** The platform said that the object was deleted. */
  readonly deleted: boolean;
  /** The order of what was seen is in doubt: read the object before acting. */
  readonly verify: boolean;
  readonly projectId: string | undefined;
  /** The contact of an appointment whose content retention removed. */
  readonly contactId?: string;
  readonly links: ObjectLinks;
  /** The appointment's customer, if a filter requires it; absent while unknown. */
  readonly customer?: KnownCustomer | undefined;
  /** Whether the events of the appointment's class exist already. Absent for an appointment that is in no class of the mirror. */
  readonly isShownByClass?: boolean;
  /** When the oldest change not yet mirrored happened, epoch milliseconds. */
  readonly pendingSinceMs: number | undefined;
  /** Nothing has changed: a walk after an edit of the YAML, or a person, asked for the turn. */
  readonly isUnchanged?: boolean;
  /** People's changes to the object's events that are not judged yet; at most one per event. */
  readonly sightings: readonly Sighting[];
  /** People's changes to cells of its rows that are not answered yet; at most one per cell. */
  readonly rowEdits?: readonly RowEdit[];
  /** What became of these changes, by mirror. */
  readonly rowNotes?: Readonly<Record<string, RowNote>>;
  /** Places that failed since the object was last settled, each with its own next turn. */
  readonly waits?: Waits;
  /** Where a turn may leave its last write, for the step that ends it. Absent: the turn writes all itself. */
  readonly last?: { write?: LastWrite | undefined };
}

/** What one mirror holds of the object after the last write of a turn. */
export interface LastWrite {
  /** The object's field, and its text: empty if the mirror holds nothing. */
  readonly field: string;
  readonly text: string;
  /** Writes it now: something else follows in the turn after all. */
  readonly store: () => Promise<void>;
  /** Called when another handler has taken the object over. */
  readonly onFenced: () => Promise<void>;
}

/** Call before anything else is done in a turn that may have left a write. */
export async function storeLast({ last }: Pick<Claim, 'last'>): Promise<void> {
  if (last?.write === undefined) return;
  const { store } = last.write;
  last.write = undefined;
  await store();
}

/** What a GET of the object returned. */
export type Fetched = { readonly found: Snapshot } | { readonly found: undefined };

/** An object that cannot be mirrored until a person acts. */
export interface DeadLetter {
  readonly key: string;
  readonly atMs: number;
  readonly attempts: number;
  readonly reasons: readonly FailureReason[];
}

/** Why one mirror could not take one object; safe to log and to show. */
export interface FailureReason {
  readonly mirror: string;
  readonly code: string;
  readonly message: string;
  readonly advice?: string;
  readonly target?: string;
  readonly requestId?: string;
}

/** Why one place of an object is behind, and when it is retried. The object's other places do not wait for it. */
export interface Wait {
  /** `retryable` counts attempts and backs off; `deferred` waits for its target; `terminal` waits for a newer revision. */
  readonly family: 'retryable' | 'deferred' | 'terminal';
  /** The revision that failed: a newer one is tried immediately. */
  readonly rev: number;
  /** When the wait began and when it ends. Epoch milliseconds. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Failures that count as attempts. */
  readonly attempts: number;
  readonly reason: FailureReason;
  /** Name of the budget to wait for. */
  readonly quota?: string;
  /** How often in a row Google has refused it for quota. */
  readonly refusals?: number;
}

/** By `placeKey`. */
export type Waits = Readonly<Record<string, Wait>>;

/** A cause outside the worker that refuses every call: a calendar not shared, a key revoked. It lasts until the target works again. */
export interface Problem {
  /** `platform`, `webhook-endpoint`, `calendar:<id>`, `spreadsheet:<id>/<tab>`, … */
  readonly target: string;
  readonly code: string;
  readonly message: string;
  readonly advice?: string;
  /** What the message names: headers, a zone, a setting, the last Request-Id. They are the same in every language. */
  readonly names?: readonly string[];
  /** Absent: everything is refused. `writes`: only a write shows whether this still stands. */
  readonly refuses?: 'writes';
  /** Nothing raises it again, and perhaps nothing ends it: it stands for that long after it was raised last, also across restarts. */
  readonly keptForMs?: number;
  readonly sinceMs: number;
  readonly lastAtMs: number;
}

/** What the queue does with a key after its handler has run. The handler has recorded everything that must not be lost. */
export type Disposition =
  | { readonly next: 'done' }
  /** Counts as an attempt; returns after `afterMs`, else after the engine's backoff. `waitsFor` as below. */
  | {
      readonly next: 'retry';
      readonly code: string;
      readonly afterMs?: number;
      readonly waitsFor?: readonly string[];
    }
  /** Counts as no attempt. `waitsFor`: the spent budgets. */
  | { readonly next: 'defer'; readonly afterMs: number; readonly waitsFor?: readonly string[] };

/** There was nothing to do, or something changed meanwhile. Told from other ends by identity. */
export const IDLE: Disposition = { next: 'done' };

/** Which attempt this is for the same key, starting with 1. */
export interface Attempt {
  readonly number: number;
  readonly isLast: boolean;
  /** Its change may not have been stored: the turn does nothing that the sweep would not do now. */
  readonly isEarly?: boolean;
}

// Each place of an object has its own due time, so that a waiting place does not delay the others.

const NEVER_MS = Number.MAX_SAFE_INTEGER;

/** Names one place among all mirrors of an object. Without a place: the mirror as a whole. */
export function placeKey(mirror: string, place = ''): string {
  return place === '' ? mirror : `${mirror} ${place}`;
}

/** For targets: skip the place in this turn. A target's claim carries only the waits that still hold. */
export function isResting(claim: { readonly waits?: Waits }, mirror: string, place = ''): boolean {
  return claim.waits?.[placeKey(mirror, place)] !== undefined;
}

/** The waits that still hold: not due yet, and nothing newer to bring. */
export function holding(waits: Waits, now: { readonly rev: number; readonly nowMs: number }): Waits {
  return Object.fromEntries(
    Object.entries(waits).filter(([, wait]) => wait.rev >= now.rev && !isDue(wait, now.nowMs)),
  );
}

/**
 * The wait after a failure. A place that was tried early, because something newer arrived, keeps its attempts and its time. Otherwise many
 * changes in a row would use up the attempts.
 */
export function waitAfter(
  before: Wait | undefined,
  failed: {
    readonly error: WorkerError;
    readonly reason: FailureReason;
    readonly rev: number;
    readonly nowMs: number;
  },
): Wait {
  const { error, reason, rev, nowMs } = failed;
  const attempts = before?.attempts ?? 0;
  const wait = { rev, sinceMs: nowMs, reason };
  if (error instanceof TerminalError)
    return { ...wait, family: 'terminal', attempts: attempts + 1, untilMs: NEVER_MS };
  if (error instanceof DeferredError) {
    const { quota, backsOff } = error;
    const refusals = (before?.refusals ?? 0) + (backsOff ? 1 : 0);
    const untilMs = nowMs + deferredForMs(error, refusals);
    return {
      ...wait,
      family: 'deferred',
      attempts,
      untilMs,
      ...(quota === undefined ? {} : { quota }),
      ...(refusals === 0 ? {} : { refusals }),
    };
  }
  if (before?.family === 'retryable' && !isDue(before, nowMs)) return { ...before, rev, reason };
  return {
    ...wait,
    family: 'retryable',
    attempts: attempts + 1,
    untilMs: nowMs + backoffMs(attempts + 1),
  };
}

/** How long a deferral waits; `refusals`: quota refusals in a row, this one included. */
export function deferredForMs(
  { retryAfterMs, backsOff }: Pick<DeferredError, 'retryAfterMs' | 'backsOff'>,
  refusals: number,
): number {
  return backsOff ? Math.max(retryAfterMs, refusedBackoffMs(refusals)) : retryAfterMs;
}

/** The place stays behind until a person acts. */
export function isHopeless(wait: Wait, attemptsMax: number): boolean {
  if (wait.family === 'deferred') return false;
  return wait.family === 'terminal' || wait.attempts >= attemptsMax;
}

function isDue({ sinceMs, untilMs }: Wait, nowMs: number): boolean {
  return nowMs >= untilMs || !canHaveBeen(sinceMs, nowMs);
}

/** First and longest pause after failures. */
const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;
/** Random share of a wait, so that objects that failed together do not retry together. */
const JITTER_SHARE = 0.5;

/** First and longest wait after a call was refused for quota. */
const REFUSED_FIRST_MS = 250;
const REFUSED_LONGEST_MS = 16_000;

/** How long to wait after the `refusals`th quota refusal in a row: doubles from 0.25 s to 16 s, with jitter. Milliseconds. */
export function refusedBackoffMs(refusals: number, random: () => number = Math.random): number {
  const full = Math.min(REFUSED_LONGEST_MS, REFUSED_FIRST_MS * 2 ** Math.min(Math.max(0, refusals - 1), 20));
  return Math.round(full * (1 - JITTER_SHARE * random()));
}

/** How long to wait after the `attempt`th failure (1, 2, …): doubles from 1 s to 5 min, with jitter. Milliseconds. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 20));
  return Math.round(full * (1 - JITTER_SHARE * random()));
}

/** A stored dead letter: an object's own, or that of one mirror's row of it. */
export interface KeptLetter extends DeadLetter {
  /** `appointment/<id>`, or `<mirror> appointment/<id>` for a row that Google refuses. Unique. */
  readonly name: string;
}

/** Letters with the same reasons: code, mirror and place of each, in their order. */
export interface LetterCause {
  readonly id: string;
  readonly reasons: readonly Pick<FailureReason, 'code' | 'mirror' | 'target'>[];
  /** Letters not after the moment that was asked for. */
  readonly count: number;
  /** Name of the newest of these letters. */
  readonly newest: string;
  /** Epoch milliseconds. */
  readonly newestAtMs: number;
  readonly oldestAtMs: number;
}

/** Which letters are meant: of these causes, written not after this moment. */
export interface LettersMeant {
  readonly causes: readonly LetterCause[];
  readonly untilMs?: number;
}

/** The claim of an object that was never seen here, without stored state. */
export function unknownClaim(key: EntityKey, snapshot: Snapshot): Claim {
  const revisions = { fence: '', desiredRev: 0, syncedRev: 0 };
  const nothing = { links: {}, sightings: [], pendingSinceMs: undefined, projectId: undefined };
  return { key, snapshot, deleted: false, verify: false, ...revisions, ...nothing };
}
