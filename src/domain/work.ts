import type { EntityKey } from './entity.ts';
import type { KnownCustomer } from './known-customer.ts';
import type { ObjectLinks } from './link.ts';
import type { RowEdit, RowNote } from './row-edit.ts';
import type { Sighting } from './sighting.ts';
import type { Snapshot } from './snapshot.ts';

/** A handler's hold on one object. Every commit it makes is refused once a later claim has taken another fence. */
export interface Claim {
  readonly key: EntityKey;
  /** Names the claim and the Redis on which it was made: worth nothing on one that was wiped or started again. */
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
  /** The contact of an appointment whose content retention took away. */
  readonly contactId?: string;
  readonly links: ObjectLinks;
  /** The appointment's customer, where a filter asks for it; absent while nobody knows. */
  readonly customer?: KnownCustomer | undefined;
  /** Whether the events of the appointment's class stand already. Absent for an appointment that is in no class of the mirror. */
  readonly isShownByClass?: boolean;
  /** When the oldest change not yet mirrored happened, epoch milliseconds. */
  readonly pendingSinceMs: number | undefined;
  /** What people did to the object's events and nobody has looked at yet; at most one per event. */
  readonly sightings: readonly Sighting[];
  /** What people changed in cells of its rows, and is not answered yet; at most one per cell. */
  readonly rowEdits?: readonly RowEdit[];
  /** What became of such changes, by mirror. */
  readonly rowNotes?: Readonly<Record<string, RowNote>>;
  /** Places that failed since the object was last settled, each with its own next turn. */
  readonly waits?: Waits;
}

/** What a GET of the object said. */
export type Fetched = { readonly found: Snapshot } | { readonly found: undefined };

/** An object that cannot be mirrored until somebody acts. */
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

/** Why one place of an object is behind, and when it is tried again. The object's other places do not wait for it. */
export interface Wait {
  /** `retryable` counts attempts and backs off; `deferred` waits for its target; `terminal` waits for a newer revision. */
  readonly family: 'retryable' | 'deferred' | 'terminal';
  /** The revision that failed: a newer one is tried at once. */
  readonly rev: number;
  /** When it was put off, and until when. Epoch milliseconds. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Failures that count. */
  readonly attempts: number;
  readonly reason: FailureReason;
  /** Name of the budget that it waits for. */
  readonly quota?: string;
  /** How often Google has refused it for quota in a row. */
  readonly refusals?: number;
}

/** By `placeKey`. */
export type Waits = Readonly<Record<string, Wait>>;

/** Something outside that refuses everybody: a calendar not shared, a key revoked. Stands until it works again. */
export interface Problem {
  /** `platform`, `webhook-endpoint`, `calendar:<id>`, `spreadsheet:<id>/<tab>`, … */
  readonly target: string;
  readonly code: string;
  readonly message: string;
  readonly advice?: string;
  readonly sinceMs: number;
  readonly lastAtMs: number;
}

/** What the queue is to do with a key after its handler has run. The handler has recorded everything that must not be lost. */
export type Disposition =
  | { readonly next: 'done' }
  /** Counts as an attempt; comes back after `afterMs`, else after the engine's backoff. `waitsFor` as below. */
  | {
      readonly next: 'retry';
      readonly code: string;
      readonly afterMs?: number;
      readonly waitsFor?: readonly string[];
    }
  /** Counts as no attempt. `waitsFor`: the budgets that are spent. */
  | { readonly next: 'defer'; readonly afterMs: number; readonly waitsFor?: readonly string[] };

/** Which attempt this is at the same key, beginning with 1. */
export interface Attempt {
  readonly number: number;
  readonly isLast: boolean;
}
