import type { LeaseProof } from './leases.ts';

/** Small facts about this installation that outlive a restart. */
export interface Memory {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  forget(name: string): Promise<void>;
  /** Names that begin with `prefix`, without it. */
  all(prefix: string): Promise<ReadonlyMap<string, string>>;
}

/** The same, for what only the holder of a lease may say. */
export interface LeasedMemory extends Memory {
  /** All of them in one step; an empty value forgets. False when the lease does not stand any more: nothing was written. */
  setUnder(lease: LeaseProof, facts: Readonly<Record<string, string>>): Promise<boolean>;
}
