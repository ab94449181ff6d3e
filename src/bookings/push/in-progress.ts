import { DeferredError, WorkerError } from '../../domain/errors.ts';

/** "Retry after a couple of seconds with the same key" (platform API, General codes). */
const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;
/** Who has waited for long need not hurry. */
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
