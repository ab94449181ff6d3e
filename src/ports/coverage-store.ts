import type { Coverage, Hole, OpenWalk } from '../domain/coverage.ts';

/** The cursor store. Every write carries the token of the lease under which it is made; a stale holder's write is refused (false). */
export interface CoverageStore {
  read(source: string): Promise<Coverage>;
  /** Saves an open walk's position. */
  saveWalk(source: string, walk: OpenWalk, leaseToken: number): Promise<boolean>;
  /** The walk met its floor: moves the coverage and forgets the walk. */
  closeWalk(source: string, proof: WalkProof, leaseToken: number): Promise<boolean>;
  /** Adds a hole or replaces the one with the same id. */
  putHole(hole: Hole): Promise<void>;
  removeHole(id: string): Promise<void>;
  holes(): Promise<readonly Hole[]>;
}

export interface WalkProof {
  readonly coveredUntilMs: number;
  readonly provedAtMs: number;
  readonly anchors: readonly string[];
  readonly anchorAtMs: number;
}
