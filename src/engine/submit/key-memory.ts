import { DeferredError, WorkerError } from '../domain/errors.ts';
import { agoMs } from '../domain/moments.ts';

/**
 * Shortest and longest wait for a request that is still running: "Retry after a couple of seconds with the same key" (platform API, General
 * codes).
 */
const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;
/** Wait before the next attempt, as a share of the request's age. */
const SHARE_OF_AGE = 0.25;

/** The first request with this key is still running: this is neither a failure nor an attempt. Undefined for every other error. */
export function inProgress(error: unknown, ageMs: number): DeferredError | undefined {
  if (!(error instanceof WorkerError) || error.code !== 'idempotency-in-progress') return undefined;
  return new DeferredError(error.code, error.message, {
    target: 'platform',
    retryAfterMs: Math.round(Math.min(LONGEST_MS, Math.max(FIRST_MS, ageMs * SHARE_OF_AGE))),
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
  });
}

/**
 * How long after its time limit the platform may still carry out an unanswered request, for example because it has fallen behind. With the
 * default of `platform.timeout` that is a minute after sending.
 */
const UNDER_WAY_MS = 50_000;

/** The wait until an unanswered request can no longer be under way; undefined if that time is over. */
export function maybeInProgress(
  sentAtMs: number,
  { nowMs, timeoutMs }: { readonly nowMs: number; readonly timeoutMs: number },
): DeferredError | undefined {
  const leftMs = timeoutMs + UNDER_WAY_MS - agoMs(sentAtMs, nowMs);
  if (leftMs <= 0) return undefined;
  return new DeferredError('idempotency-in-progress', 'an unwanted request may still be under way', {
    target: 'platform',
    retryAfterMs: leftMs,
  });
}

/** Age from which a 500 may come from the key's memory: the request then takes a new key. */
const FAILED_KEY_MS = 15 * 60_000;

/** Every attempt gets the same 500 (the platform API does not show which answers a key remembers). */
export function isFailedKey(error: unknown, ageMs: number): boolean {
  return error instanceof WorkerError && error.status === 500 && ageMs > FAILED_KEY_MS;
}
