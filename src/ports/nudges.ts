import type { EntityKey } from '../domain/entity.ts';

/** Gives objects a turn although nothing new was heard of them. */
export interface Nudges {
  /**
   * Marks the objects dirty. With `read`, they are read from the platform before anything is written, so that an old state cannot
   * come back. Returns those that are not known here: nothing was done for them.
   */
  nudge(keys: readonly EntityKey[], options: { readonly read: boolean }): Promise<readonly EntityKey[]>;
  /**
   * A person has decided that what stands for these objects in a mirror may go, if the mapping does not take them any more. They get a
   * turn. An edit of the YAML alone takes nothing away.
   */
  release(keys: readonly EntityKey[], mirror: string): Promise<void>;
  /** What stands in the mirror for these objects is not what was remembered: it is looked at, and written again where it differs. */
  doubt(keys: readonly EntityKey[], mirror: string): Promise<void>;
}
