import { RetryableError } from '../domain/errors.ts';
import type { Page } from '../ports/platform.ts';
import type { Rank } from './http/rate.ts';

/** The platform's maximum (platform API, Limits): every page is one request of the budget. */
export const PAGE_LIMIT_MAX = 100;
/** A walk over ten million objects. More is a list that does not end. */
const PAGES_MAX = 100_000;

export interface ListRequest<Filters> {
  /** The same on every page of a walk. Names as the platform API has them. */
  readonly filters?: Filters;
  /** 1 to 100; 100 unless said otherwise. */
  readonly limit?: number;
  /** The id of the last object that was seen; it may have been deleted since. */
  readonly startingAfter?: string;
  /** Who goes first when the request budget runs low; `live` for a single page, `walk` for pages in a row. */
  readonly rank?: Rank;
  readonly signal?: AbortSignal;
}

/**
 * Page after page, newest first, until `has_more` is false. Resume with `startingAfter` = the id of the last object taken.
 * Ends early only by throwing (also on the signal, `DeferredError` `stopped`): a walk that ended has seen everything, and
 * deletions may be told from it.
 */
export async function* pagesOf<T extends { readonly id: string }, Filters>(
  list: (request: ListRequest<Filters>) => Promise<Page<T>>,
  request: ListRequest<Filters> = {},
): AsyncGenerator<Page<T>, void, void> {
  const fixed = { rank: 'walk', ...request } as const;
  let startingAfter = request.startingAfter;
  for (let count = 0; count < PAGES_MAX; count += 1) {
    const page = await list(startingAfter === undefined ? fixed : { ...fixed, startingAfter });
    yield page;
    if (!page.hasMore) return;
    const last = page.data.at(-1)?.id;
    // Without a new cursor the next page would be this one again, for ever.
    if (last === undefined || last === startingAfter)
      throw endless('a page says that more follows but moves no further');
    startingAfter = last;
  }
  throw endless(`a list has more than ${PAGES_MAX} pages`);
}

/** The query of a list request. */
export function listQuery(request: ListRequest<object>): Record<string, string> {
  const query: Record<string, string> = { limit: String(request.limit ?? PAGE_LIMIT_MAX) };
  for (const [name, value] of Object.entries(request.filters ?? {})) {
    if (value !== undefined) query[name] = String(value);
  }
  if (request.startingAfter !== undefined) query['starting_after'] = request.startingAfter;
  return query;
}

function endless(what: string): RetryableError {
  return new RetryableError('platform-bad-answer', what, { target: 'platform' });
}
