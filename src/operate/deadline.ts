import { RetryableError } from '../engine/domain/errors.ts';
import { LATE, within } from '../engine/domain/within.ts';

/** Deadline of an HTTP answer: a probe or a person gives up after 4 s, and a store itself reports a time-out after 3 s. */
const ANSWER_WITHIN_MS = 3_500;

/** The result, or `RetryableError` `store-unavailable` after 3.5 s, so that an HTTP caller always gets an answer. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  const answer = await within(ANSWER_WITHIN_MS, work);
  if (answer !== LATE) return answer;
  const details = { target: 'redis', advice: 'Check that Redis runs and has memory and disk left.' };
  throw new RetryableError('store-unavailable', `no answer within ${ANSWER_WITHIN_MS} ms`, details);
}
