import { RetryableError } from '../domain/errors.ts';
import { LATE, within } from '../domain/within.ts';

/** Below the 4 s after which a probe or a person gives up, above the 3 s after which a store says so itself. */
const ANSWER_WITHIN_MS = 3_500;

/** The answer, or `RetryableError` `store-unavailable` after 3.5 s: whoever asks over HTTP is never left hanging. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  const answer = await within(ANSWER_WITHIN_MS, work);
  if (answer !== LATE) return answer;
  const details = { target: 'redis', advice: 'See that Redis runs and has memory and disk left.' };
  throw new RetryableError('store-unavailable', `no answer within ${ANSWER_WITHIN_MS} ms`, details);
}
