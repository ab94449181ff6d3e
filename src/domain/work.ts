import type { EntityKey } from './entity.ts';
import type { KnownCustomer } from './known-customer.ts';
import type { ObjectLinks } from './link.ts';
import type { RowEdit, RowNote } from './row-edit.ts';
import type { Sighting } from './sighting.ts';
import type { Snapshot } from './snapshot.ts';

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
  /** People's changes to the object's events that are not judged yet; at most one per event. */
  readonly sightings: readonly Sighting[];
  /** People's changes to cells of its rows that are not answered yet; at most one per cell. */
  readonly rowEdits?: readonly RowEdit[];
  /** What became of these changes, by mirror. */
  readonly rowNotes?: Readonly<Record<string, RowNote>>;
  /** Places that failed since the object was last settled, each with its own next turn. */
  readonly waits?: Waits;
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
  /** Absent: everything is refused. `writes`: only a write shows whether this still stands. */
  readonly refuses?: 'writes';
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

/** Which attempt this is for the same key, starting with 1. */
export interface Attempt {
  readonly number: number;
  readonly isLast: boolean;
}
