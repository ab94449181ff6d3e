import type { EntityKey } from '../domain/entity.ts';
import type { Claim, DeadLetter, Fetched } from '../domain/work.ts';

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
  /** Still dirty; not before `untilMs`. */
  postpone(key: EntityKey, untilMs: number): Promise<void>;
  /** Not dirty any more, but a dead letter, unless a newer revision waits. `nextTurnAtMs` as in `settle`. */
  bury(claim: Claim, letter: DeadLetter, nextTurnAtMs?: number): Promise<void>;
  /** Keys (`formatKey`) that are dirty and whose next attempt is due, oldest first. */
  due(nowMs: number, limit: number): Promise<readonly string[]>;
}
