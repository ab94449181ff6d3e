import { RetryableError } from '../domain/errors.ts';

/** Below the 4 s after which a probe or a person gives up, above the 3 s after which a store says so itself. */
const ANSWER_WITHIN_MS = 3_500;

/** The answer, or `RetryableError` `store-unavailable` after 3.5 s: whoever asks over HTTP is never left hanging. */
export async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const details = { target: 'redis', advice: 'See that Redis runs and has memory and disk left.' };
      reject(new RetryableError('store-unavailable', `no answer within ${ANSWER_WITHIN_MS} ms`, details));
    }, ANSWER_WITHIN_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
