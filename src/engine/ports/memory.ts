import type { LeaseProof } from './leases.ts';

/** Small facts about this installation that outlive a restart. */
export interface Memory {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  forget(name: string): Promise<void>;
  /** Names that begin with `prefix`, without it. */
  all(prefix: string): Promise<ReadonlyMap<string, string>>;
}

/** Memory for facts that another process may forget meanwhile. */
export interface SharedMemory extends Memory {
  /** Writes `next` only if the fact is still `was`. */
  change(name: string, to: { readonly was: string; readonly next: string }): Promise<void>;
}

/** Memory for facts that only the holder of a lease may write. */
export interface LeasedMemory extends Memory {
  /** Writes all of them in one step; an empty value forgets. False if the lease no longer holds: nothing was written. */
  setUnder(lease: LeaseProof, facts: Readonly<Record<string, string>>): Promise<boolean>;
}
