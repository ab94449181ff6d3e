import type { Coverage, Hole, OpenWalk } from '../domain/coverage.ts';
import type { LeaseProof } from './leases.ts';

/** The cursor store. Every write carries the lease under which it is made; a stale holder's write is refused (false). */
export interface CoverageStore {
  read(source: string): Promise<Coverage>;
  /** Saves an open walk's position. */
  saveWalk(source: string, walk: OpenWalk, lease: LeaseProof): Promise<boolean>;
  /** The walk met its floor: moves the coverage and forgets the walk. */
  closeWalk(source: string, proof: WalkProof, lease: LeaseProof): Promise<boolean>;
  /** Adds a hole or replaces the one with the same id. */
  putHole(hole: Hole): Promise<void>;
  removeHole(id: string): Promise<void>;
  /** Those that a resync was for, by whoever holds its lease; false when it does not stand any more, and they are all still there. */
  closeHoles(ids: readonly string[], lease: LeaseProof): Promise<boolean>;
  holes(): Promise<readonly Hole[]>;
}

export interface WalkProof {
  readonly coveredUntilMs: number;
  readonly provedAtMs: number;
  readonly anchors: readonly string[];
  readonly anchorAtMs: number;
}
