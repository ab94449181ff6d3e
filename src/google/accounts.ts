import { hashOfCredential } from '../domain/credential-name.ts';
import { TerminalError } from '../domain/errors.ts';
import type { Clock } from '../ports/runtime.ts';
import { createGoogleAuth } from './auth.ts';
import type { GoogleCredential } from './credentials.ts';

/** A key file and the user for whom it is used. */
interface AccountKey {
  readonly credentials?: string;
  readonly actAs?: string;
}

/** The section `google` of the YAML, as far as accounts need it: the default account, and further ones by name. */
export interface AccountSettings extends AccountKey {
  readonly accounts?: Readonly<Record<string, AccountKey>>;
  readonly tokenUrl: string;
  readonly timeoutMs: number;
}

export interface AccountsOptions {
  /** Name of the account for `calendar:<id>` or `spreadsheet:<id>`; undefined: the default one. */
  readonly accountOf: (target: string) => string | undefined;
  /** Whether the default account is used at all. A file that nobody uses need not be there. */
  readonly usesDefault: boolean;
  readonly clock?: Clock;
  /** The file of an account was replaced by one that cannot be used. */
  readonly onUnusable?: (error: unknown) => void;
}

/**
 * Opens every account; nobody is called yet. Gives whose credential calls for `calendar:<id>` or `spreadsheet:<id>`. Throws
 * `TerminalError` for a key that cannot work, and `google-accounts-same` when two accounts hold one key.
 */
export function openAccounts(
  google: AccountSettings,
  options: AccountsOptions,
): (target: string) => GoogleCredential {
  const { accountOf, usesDefault, clock, onUnusable } = options;
  const opened = new Map<string | undefined, GoogleCredential>();
  const open = (account: string | undefined): GoogleCredential => {
    const known = opened.get(account);
    if (known !== undefined) return known;
    const { credentials, actAs } = account === undefined ? google : (google.accounts?.[account] ?? {});
    const credential = createGoogleAuth({
      ...{ credentialsPath: credentials, actAs, account },
      ...{ tokenUrl: google.tokenUrl, timeoutMs: google.timeoutMs },
      ...(clock === undefined ? {} : { clock }),
      ...(onUnusable === undefined ? {} : { onUnusable }),
    });
    opened.set(account, credential);
    return credential;
  };
  for (const account of [...(usesDefault ? [undefined] : []), ...Object.keys(google.accounts ?? {})])
    open(account);
  assertDifferent(opened);
  return (target) => open(accountOf(target));
}

/** The YAML cannot tell that two files hold one key. */
function assertDifferent(opened: ReadonlyMap<string | undefined, GoogleCredential>): void {
  const seen = new Map<string, string>();
  for (const [account, { name }] of opened) {
    const spoken = account === undefined ? 'google.credentials' : `google.accounts.${account}`;
    const key = hashOfCredential(name);
    const twin = seen.get(key);
    if (twin !== undefined) {
      throw new TerminalError('google-accounts-same', `${spoken} holds the same key as ${twin}`, {
        target: 'google',
        advice: `Give ${spoken} a key of its own, or let its calendars and sheets use ${twin}.`,
      });
    }
    seen.set(key, spoken);
  }
}
