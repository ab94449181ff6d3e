// Refuses commands that remove something for a YAML with which no worker runs.
import { TerminalError } from '../domain/errors.ts';

export interface MappingSession {
  /** Whose YAML the workers run with: this one, another one, or none has started yet. */
  readonly whoseMapping: () => Promise<'own' | 'another' | 'none'>;
}

/**
 * A person's permission to remove something remains until the object's next turn. A mapping change that never takes effect must not leave it
 * to a later one (decision 0017). An event linked under another mapping would also look like a double.
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
