import type { Rank } from '../http/rate.ts';

export interface Options {
  /** Who goes first when the request budget runs low. Default `live`. */
  readonly rank?: Rank;
  readonly signal?: AbortSignal;
}

/** For operations that may run with or without a key. */
export interface Keyed extends Options {
  readonly idempotencyKey?: string;
}

/**
 * For operations whose repetition would do harm. Store `body` and `idempotencyKey` together before calling: a retry with the same key
 * and another body is a 409 `idempotency-conflict` (platform API, Idempotency).
 */
export interface Create<Body> extends Options {
  readonly body: Body;
  /** 1 to 64 of letters, digits and `_ - : .`: see `idempotencyKey`. */
  readonly idempotencyKey: string;
}
