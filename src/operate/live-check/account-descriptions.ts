import { WorkerError } from '../../engine/errors.ts';
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

/** True for an error of the credential as a whole: its other calls would fail the same way. */
export function isOfCredential(error: unknown): boolean {
  if (!(error instanceof WorkerError)) return false;
  const { target = '', code } = error;
  return target === 'google' || target.startsWith('google:') || CREDENTIAL_CODES.includes(code);
}

/** These codes are about the credential, whatever their target. */
const CREDENTIAL_CODES = ['google-unauthenticated', 'google-token-dead'];
