import { hashOfCredential } from '../domain/credential-name.ts';
import { TerminalError } from '../domain/errors.ts';
import type { Consents } from '../ports/consents.ts';
import { type Clock, steadyClock } from '../ports/runtime.ts';
import { createGoogleAuth } from './auth.ts';
import { createConsentAuth } from './consent-auth.ts';
import type { GoogleCredential } from './credentials.ts';
import { readOAuthClientFile } from './oauth-client-file.ts';

/** A key file and the user it acts as, or the person who consents in a browser. */
interface AccountKey {
  readonly credentials?: string;
  readonly actAs?: string;
  readonly consent?: string;
}

/** The part of the YAML's `google` section that accounts need: the default account, and further ones by name. */
export interface AccountSettings extends Omit<AccountKey, 'consent'> {
  readonly accounts?: Readonly<Record<string, AccountKey>>;
  /** The OAuth client of accounts with consent. */
  readonly consent?: { readonly client: string };
  readonly tokenUrl: string;
  readonly timeoutMs: number;
}

export interface AccountsOptions {
  /** Name of the account for `calendar:<id>` or `spreadsheet:<id>`; undefined: the default one. */
  readonly accountOf: (target: string) => string | undefined;
  /** Whether the default account is used. If not, its file may be missing. */
  readonly usesDefault: boolean;
  /** Where people's tokens are stored. Absent: no person has consented. */
  readonly consents?: Pick<Consents, 'token'>;
  readonly clock?: Clock;
  /** Called when an account's file was replaced by an unusable one. */
  readonly onUnusable?: (error: unknown) => void;
}

/**
 * Opens every account without calling Google. Returns a function from `calendar:<id>` or `spreadsheet:<id>` to the credential for it.
 * Throws `TerminalError` for a key that cannot work, and `google-accounts-same` when two accounts hold the same key.
 */
export function openAccounts(
  google: AccountSettings,
  options: AccountsOptions,
): (target: string) => GoogleCredential {
  const { accountOf, usesDefault } = options;
  const opened = new Map<string | undefined, GoogleCredential>();
  const open = (account: string | undefined): GoogleCredential => {
    const known = opened.get(account);
    if (known !== undefined) return known;
    const credential = openOne(google, account, options);
    opened.set(account, credential);
    return credential;
  };
  for (const account of [...(usesDefault ? [undefined] : []), ...Object.keys(google.accounts ?? {})])
    open(account);
  assertDifferent(opened);
  return (target) => open(accountOf(target));
}

function openOne(
  google: AccountSettings,
  account: string | undefined,
  { consents = NOBODY, clock = steadyClock, onUnusable = () => {} }: AccountsOptions,
): GoogleCredential {
  const { tokenUrl, timeoutMs } = google;
  const further = account === undefined ? undefined : google.accounts?.[account];
  if (account !== undefined && further?.consent !== undefined && google.consent !== undefined) {
    const client = readOAuthClientFile(google.consent.client, 'web');
    const owner = { account, address: further.consent.toLowerCase() };
    return createConsentAuth({ owner, client, consents, timeoutMs, clock });
  }
  const { credentials: credentialsPath, actAs } = account === undefined ? google : (further ?? {});
  return createGoogleAuth({ credentialsPath, actAs, account, tokenUrl, timeoutMs, clock, onUnusable });
}

const NOBODY: Pick<Consents, 'token'> = { token: async () => 'missing' };

/** The YAML check cannot detect that two files hold the same key. */
function assertDifferent(opened: ReadonlyMap<string | undefined, GoogleCredential>): void {
  const seen = new Map<string, string>();
  for (const [account, { name }] of opened) {
    const spoken = account === undefined ? 'google.credentials' : `google.accounts.${account}`;
    const key = hashOfCredential(name);
    const twin = seen.get(key);
    if (twin !== undefined) {
      throw new TerminalError('google-accounts-same', `${spoken} holds the same key as ${twin}`, {
        target: 'google',
        advice: `Give ${spoken} its own key, or use ${twin} for its calendars and sheets.`,
      });
    }
    seen.set(key, spoken);
  }
}
