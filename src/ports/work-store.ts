import type { EntityKey } from '../domain/entity.ts';
import type { Claim, DeadLetter, Fetched, Waits } from '../domain/work.ts';

/** The truth about pending work. All commits are made under the fence of the claim. */
export interface WorkStore {
  /** Takes the next fence. Undefined when nothing is known of the object. */
  claim(key: EntityKey): Promise<Claim | undefined>;
  /** Records what a GET said, unless something newer came in meanwhile, and returns the claim as it is then. Undefined when fenced off. */
  refresh(claim: Claim, fetched: Fetched): Promise<Claim | undefined>;
  /**
   * The mirrors are at the claim's revision. `dirty` when a newer one waits already, `fenced` when another handler took over.
   * `nextTurnAtMs`: when the object has a turn by itself; it replaces what was set before, and undefined takes that away.
   */
  settle(claim: Claim, nextTurnAtMs?: number): Promise<'settled' | 'dirty' | 'fenced'>;
  /**
   * Some places are behind: still dirty, with a turn at `untilMs`. `dirty` when a newer revision waits already, which keeps its own
   * time; `fenced` when another handler took over.
   */
  postpone(
    claim: Claim,
    put: { readonly waits: Waits; readonly untilMs: number },
  ): Promise<'postponed' | 'dirty' | 'fenced'>;
  /** Not dirty any more, but a dead letter, unless a newer revision waits. `nextTurnAtMs` as in `settle`. */
  bury(claim: Claim, letter: DeadLetter, nextTurnAtMs?: number): Promise<void>;
  /** Keys (`formatKey`) that are dirty and whose next attempt is due, oldest first. */
  due(nowMs: number, limit: number): Promise<readonly string[]>;
  /** Dirty keys whose next attempt comes after `nowMs`, but not after `untilMs`; earliest first. */
  upcoming(
    span: { readonly nowMs: number; readonly untilMs: number },
    limit: number,
  ): Promise<readonly { readonly key: string; readonly atMs: number }[]>;
}
