import { WorkerError } from '../../engine/domain/errors.ts';
import type { LiveFinding } from '../../engine/domain/live-finding.ts';

type About = Pick<LiveFinding, 'side' | 'subject'>;

/** Converts an error of the three families to a finding. Any other error is a defect and is thrown again. */
export function findingOf(about: About, error: unknown): LiveFinding {
  if (!(error instanceof WorkerError)) throw error;
  const { message, code, advice } = error;
  // Only a terminal error, or a deferred one with advice, asks a person to act. A quota or a time-out says nothing about the subject.
  const isOpen = error.family === 'retryable' || (error.family === 'deferred' && advice === undefined);
  return {
    ...about,
    verdict: isOpen ? 'unknown' : 'broken',
    detail: `${message} (${code})`,
    ...(advice === undefined ? (isOpen ? { advice: 'Run the check again.' } : {}) : { advice }),
  };
}

/** True for an error of the credential as a whole: its other calls would fail the same way. */
export function isOfCredential(error: unknown): boolean {
  if (!(error instanceof WorkerError)) return false;
  const { target = '', code } = error;
  return target === 'google' || target.startsWith('google:') || CREDENTIAL_CODES.includes(code);
}

/** These codes are about the credential, whatever their target. */
const CREDENTIAL_CODES = ['google-unauthenticated', 'google-token-dead'];
