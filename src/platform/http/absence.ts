import { TerminalError } from '../../domain/errors.ts';

/**
 * Undefined only for a 404 in the platform's own words. A gateway's 404 has become `platform-bad-answer` before it comes here, and no
 * other failure is absence: mirrors delete on it.
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
