import { TerminalError } from '../../engine/domain/errors.ts';

/**
 * Returns undefined only for a 404 in the platform's own format. A gateway's 404 is already `platform-bad-answer` here, and no other
 * failure counts as absence, because mirrors delete on it.
 */
export async function absentOn404<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TerminalError && error.status === 404 && error.code === 'not-found')
      return undefined;
    throw error;
  }
}
