// What takes something away for a YAML is refused while no worker goes by it.
import { TerminalError } from '../domain/errors.ts';

export interface MappingSession {
  /** Whose YAML the workers run with: this one, another one, or none has started yet. */
  readonly whoseMapping: () => Promise<'own' | 'another' | 'none'>;
}

/**
 * A person's permission to remove something remains until the object's next turn. A mapping change that never takes effect must not leave it
 * to a later one (decision 0017). Also, an event that is linked under another mapping would be taken for a double.
 */
export function notAtWork(
  path: string,
  { what, next }: { readonly what: string; readonly next: string },
): TerminalError {
  return new TerminalError(
    'mapping-not-at-work',
    `no worker goes by ${path} yet, ${what}; nothing was done`,
    { advice: `Start a worker with it, which takes nothing away (slotbridge start). ${next}` },
  );
}
