import { TerminalError } from '../domain/errors.ts';
import { namedAlike } from '../domain/plain-text.ts';

/** An entry of the platform's lists. */
export interface Named {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
}

/**
 * The one entry that a text names, by id or by name. If several share the name, the given project's is meant. People resolve `unknown` and
 * `ambiguous`: a wrong guess books another service or person.
 */
export function findNamed<Thing extends Named>(
  things: ReadonlyMap<string, Thing>,
  text: string,
  projectId?: string,
): Thing | 'unknown' | 'ambiguous' {
  const byId = things.get(text);
  if (byId !== undefined) return byId;
  const named = namedAlike(things.values(), text, ({ name }) => name);
  const own = named.filter((thing) => thing.projectId === projectId);
  const [first, ...others] = own.length > 0 ? own : named;
  if (first === undefined) return 'unknown';
  return others.length === 0 ? first : 'ambiguous';
}

export function isUnreadable(error: unknown): boolean {
  return error instanceof TerminalError && error.code === 'template-failed';
}
