import type { Rank } from '../http/rate.ts';

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
