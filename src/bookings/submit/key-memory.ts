import { DeferredError, WorkerError } from '../../domain/errors.ts';

/** "Retry after a couple of seconds with the same key" (platform API, General codes). */
const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;
/** Share of its age that a long-waiting booking waits again. */
const SHARE_OF_AGE = 0.25;

/** Not a failure and no attempt: the first request with this key is still running. Undefined for every other error. */
export function inProgress(error: unknown, ageMs: number): DeferredError | undefined {
  if (!(error instanceof WorkerError) || error.code !== 'idempotency-in-progress') return undefined;
  return new DeferredError(error.code, error.message, {
    target: 'platform',
    retryAfterMs: Math.round(Math.min(LONGEST_MS, Math.max(FIRST_MS, ageMs * SHARE_OF_AGE))),
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
  });
}

/** A request that is answered with 500 for longer than this may be answered from the key's memory: it takes a new key. */
const FAILED_KEY_MS = 15 * 60_000;

/** Every attempt meets the same 500 (platform API: which answers a key remembers is not shown). */
export function isFailedKey(error: unknown, ageMs: number): boolean {
  return error instanceof WorkerError && error.status === 500 && ageMs > FAILED_KEY_MS;
}
