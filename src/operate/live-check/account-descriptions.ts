import { WorkerError } from '../../engine/errors.ts';
import type { LiveFinding } from '../../engine/finding.ts';
import { googleAccount } from '../../google/auth.ts';
import { usesDefaultAccount } from '../../mapping/accounts.ts';
import type { Config } from '../../mapping/config.ts';

export type SpokenAccounts = ReadonlyMap<
  string | undefined,
  Pick<ReturnType<typeof googleAccount>, 'spoken' | 'shareWith'>
>;

/**
 * The identity of each account towards Google: of all accounts that the YAML uses, or of the given ones. Undefined is the default account.
 */
export function accountDescriptions(
  config: Config,
  asked: readonly (string | undefined)[] = namesOf(config),
): SpokenAccounts {
  const { google } = config;
  return new Map(
    asked.map((account) => {
      const further = account === undefined ? undefined : google.accounts?.[account];
      if (further?.consent !== undefined)
        return [account, { spoken: `${further.consent}, by consent`, shareWith: further.consent }];
      const { credentials, actAs } = account === undefined ? google : (further ?? {});
      return [account, googleAccount({ credentialsPath: credentials, actAs })];
    }),
  );
}

function namesOf(config: Config): readonly (string | undefined)[] {
  const others = Object.keys(config.google.accounts ?? {});
  return usesDefaultAccount(config) ? [undefined, ...others] : others;
}

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
