import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../domain/backoff.ts';
import { WorkerError } from '../domain/errors.ts';

const TRIES = 3;

/**
 * Sends a request up to three times, with a growing pause, while its failure is retryable. Only for a request that repeats its idempotency
 * key: after a lost answer, the platform returns the first result.
 */
export async function sendWithRetries<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (attempt === TRIES || !(error instanceof WorkerError) || error.family !== 'retryable') throw error;
      await sleep(backoffMs(attempt));
    }
  }
}
