import type { EntityKind } from '../domain/entity.ts';
import type { Claim } from '../domain/work.ts';

/** All objects of which something is stored here, read some at a time. One may come twice. */
export interface KnownObjects {
  count(kind: EntityKind): Promise<number>;
  /** Objects as a handler would see them, without taking their fences. */
  each(kind: EntityKind, tell: (objects: readonly Claim[]) => Promise<void>): Promise<void>;
  /**
   * Tells of the objects that a walk through the whole list has not shown, those apart that are known to be deleted or that were made
   * since it began. Returns how many are known and how many were missed.
   */
  missed(
    kind: EntityKind,
    walk: { readonly id: string; readonly startedAtMs: number },
    tell: (ids: readonly string[]) => Promise<void>,
  ): Promise<{ readonly known: number; readonly missed: number }>;
}
