import { RetryableError, WorkerError } from '../domain/errors.ts';
import type { LiveFinding } from '../domain/live-finding.ts';

type About = Pick<LiveFinding, 'side' | 'subject'>;

/** What an error of the three families says about it. Anything else is a defect and goes on. */
export function findingOf(about: About, error: unknown): LiveFinding {
  if (!(error instanceof WorkerError)) throw error;
  const { message, code, advice } = error;
  // A quota or a time-out says nothing about what was asked for.
  const isOpen = error instanceof RetryableError || code === 'google-quota';
  return {
    ...about,
    verdict: isOpen ? 'unknown' : 'broken',
    detail: `${message} (${code})`,
    ...(advice === undefined ? (isOpen ? { advice: 'Run the check again.' } : {}) : { advice }),
  };
}

/** About the credential as a whole: its other answers would be the same. */
export function isOfCredential(error: unknown): boolean {
  if (!(error instanceof WorkerError)) return false;
  const { target = '', code } = error;
  return target === 'google' || target.startsWith('google:') || CREDENTIAL_CODES.includes(code);
}

/** Whatever calendar or spreadsheet was asked for, these are about the credential. */
const CREDENTIAL_CODES = ['google-unauthenticated', 'google-token-dead'];
