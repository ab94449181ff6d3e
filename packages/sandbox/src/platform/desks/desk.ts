import type { SandboxClock } from '../../clock.ts';
import type { EventPublisher } from '../events/press.ts';
import type { SilentSwitches } from '../options.ts';
import type { World } from '../world.ts';

/** What a desk needs to change objects and announce the changes. */
export interface DeskParts {
  readonly clock: SandboxClock;
  readonly world: World;
  readonly press: EventPublisher;
  readonly switches: () => SilentSwitches;
}

/** Writes the given fields. Returns true when at least one changed. `undefined` means not given. */
export function assignChanged<T extends object>(
  record: T,
  patch: { [K in keyof T]?: T[K] | undefined },
): boolean {
  let hasChanged = false;
  for (const key of Object.keys(patch) as (keyof T)[]) {
    const value = patch[key];
    if (value === undefined || record[key] === value) continue;
    record[key] = value;
    hasChanged = true;
  }
  return hasChanged;
}
