import { RetryableError } from '../engine/errors.ts';
import type { Page } from '../engine/platform.ts';
import type { Rank } from './http-rate.ts';

export interface Options {
  /** Priority when the request budget runs low. Default `live`. */
  readonly rank?: Rank;
  readonly signal?: AbortSignal;
}

/** For operations that work with or without an Idempotency-Key. */
export interface Keyed extends Options {
  readonly idempotencyKey?: string;
}

/**
 * For operations that are harmful to repeat. Store `body` and `idempotencyKey` together before calling: a retry with the same key and
 * another body is a 409 `idempotency-conflict` (platform API, Idempotency).
 */
export interface Create<Body> extends Options {
  readonly body: Body;
  /** 1 to 64 letters, digits and `_ - : .`; see `idempotencyKey`. */
  readonly idempotencyKey: string;
  /** Called if the platform repeats an earlier answer to this key and performs nothing (platform API, Idempotency). */
  readonly onReplayed?: () => void;
}

/** Largest page, the platform's maximum (platform API, Limits): every page costs one request of the budget. */
const PAGE_LIMIT_MAX = 100;
/** Longest walk, enough for ten million objects; a longer list is assumed not to end. */
const PAGES_MAX = 100_000;

export interface ListRequest<Filters> {
  /** The same on every page of a walk; named as in the platform API. */
  readonly filters?: Filters;
  /** 1 to 100; default 100. */
  readonly limit?: number;
  /** The id of the last object received; it may have been deleted since. */
  readonly startingAfter?: string;
  /** Priority when the request budget runs low; default `live` for a single page and `walk` for `pagesOf`. */
  readonly rank?: Rank;
  readonly signal?: AbortSignal;
}

/**
 * Yields page after page, newest first, until `has_more` is false. To resume, set `startingAfter` to the id of the last object received. It
 * ends early only by throwing (on the signal: `DeferredError` `stopped`). So a walk that ended has seen everything, and the caller may
 * conclude deletions from it.
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
    // Without a new cursor, the same page would be read forever.
    if (last === undefined || last === startingAfter)
      throw endless('a page promises more entries but does not advance');
    startingAfter = last;
  }
  throw endless(`a list has more than ${PAGES_MAX} pages`);
}

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
