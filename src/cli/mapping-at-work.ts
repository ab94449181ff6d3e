// Refuses commands that remove something for a YAML with which no worker runs.
import { TerminalError } from '../engine/errors.ts';

export interface MappingSession {
  /** Which YAML the workers run with: this one or another one. `none`: no worker has started yet. */
  readonly whoseMapping: () => Promise<'own' | 'another' | 'none'>;
}

/**
 * A person's permission to remove something lasts until the object's next turn. If this mapping never takes effect, a later one must not
 * inherit the permission (decision 0017). An event linked under another mapping would also look like a double.
 */
export function notAtWork(
  path: string,
  { what, next }: { readonly what: string; readonly next: string },
): TerminalError {
  return new TerminalError(
    'mapping-not-at-work',
    `no worker has started with ${path} yet, ${what}; nothing was done`,
    { advice: `Start a worker with this YAML (slotbridge start), which removes nothing. ${next}` },
  );
}
