/** Pages of a list (platform API, Common rules of list operations). */
import type { Collection } from './collection.ts';
import type { SilentSwitches } from './options.ts';
import { Problem } from './problem.ts';
import type { Query } from './query.ts';

export interface Page<T> {
  readonly items: T[];
  readonly hasMore: boolean;
}

export interface Cursor {
  readonly limit: number;
  readonly after: string | undefined;
}

/** `limit` and `starting_after`. Errors go to the query's complaints. */
export function readCursor(query: Query): Cursor {
  return { limit: query.limit(), after: query.uuid('starting_after') };
}

/** Takes a page of the items that `accepts` admits. Stops as soon as it knows whether more follow. */
export function takePage<T>(items: Iterable<T>, limit: number, accepts: (item: T) => boolean): Page<T> {
  const taken: T[] = [];
  for (const item of items) {
    if (!accepts(item)) continue;
    if (taken.length === limit) return { items: taken, hasMore: true };
    taken.push(item);
  }
  return { items: taken, hasMore: false };
}

/** A page of a collection. A cursor in a project that the key does not see counts as unknown. */
export function pageOf<T extends { readonly id: string; readonly projectId: string }>(
  collection: Collection<T>,
  cursor: Cursor,
  rules: {
    sees: (projectId: string) => boolean;
    accepts: (item: T) => boolean;
    unknown: SilentSwitches['unknownCursor'];
  },
): Page<T> {
  if (cursor.after !== undefined) {
    const projectId = collection.projectOf(cursor.after);
    if (projectId === undefined || !rules.sees(projectId)) return emptyPage(rules.unknown);
  }
  return takePage(
    collection.newestFirst(cursor.after),
    cursor.limit,
    (item) => rules.sees(item.projectId) && rules.accepts(item),
  );
}

/** The answer to a well-formed but unknown cursor, which the document does not define. */
export function emptyPage<T>(unknown: SilentSwitches['unknownCursor']): Page<T> {
  if (unknown === 'empty-page') return { items: [], hasMore: false };
  throw new Problem('validation', 'Invalid: starting_after.', {
    errors: { starting_after: ['is not an id of this list'] },
  });
}

export function listBody(
  data: unknown[],
  hasMore: boolean,
): { object: 'list'; data: unknown[]; has_more: boolean } {
  return { object: 'list', data, has_more: hasMore };
}
