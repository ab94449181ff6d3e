import { createHash } from 'node:crypto';
import { auth as library } from 'googleapis/build/src/apis/calendar/index.js';
import { credentialName, hashOfCredential } from '../engine/domain/credential-name.ts';
import { DeferredError, TerminalError } from '../engine/domain/errors.ts';
import type { ConsentOwner, Consents } from '../engine/ports/consents.ts';
import { type Clock, steadyClock } from '../engine/ports/runtime.ts';
import { createGoogleAuth } from './auth.ts';
import type { GoogleAuthClient } from './auth-client.ts';
import { accountTarget, type GoogleCredential } from './credentials.ts';
import { GoogleFailure } from './errors.ts';
import { type OAuthClient, readOAuthClientFile } from './oauth-client-file.ts';
import { createTransporter, renewOn401 } from './transporter.ts';

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

/** How soon a replaced or removed consent is noticed. */
const LOOK_EVERY_MS = 2_000;
/** Wait for a person to act; a new consent is noticed sooner. */
const WAIT_MS = 20_000;

interface ConsentAuthParts {
  readonly owner: ConsentOwner;
  readonly client: OAuthClient;
  readonly consents: Pick<Consents, 'token'>;
  readonly timeoutMs: number;
  /** A monotonic clock. */
  readonly clock: Clock;
}

/**
 * The credential of a person who consents in a browser. Calls are deferred until the person has consented, and again after the consent was
 * withdrawn: `google-consent-missing`, `google-consent-ended`, `google-consent-unreadable`. None of these codes says anything about a
 * calendar.
 */
export function createConsentAuth(parts: ConsentAuthParts): GoogleCredential {
  const { owner, client, consents, timeoutMs, clock } = parts;
  let known: { readonly token: string; readonly client: GoogleAuthClient } | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  const current = async (): Promise<GoogleAuthClient> => {
    const nowMs = clock.now();
    if (known !== undefined && nowMs - lookedAtMs < LOOK_EVERY_MS) return known.client;
    const found = await consents.token(owner);
    if (typeof found === 'string') {
      known = undefined;
      throw found === 'missing' ? missing(owner) : unreadable(owner);
    }
    lookedAtMs = nowMs;
    if (known?.token !== found.token)
      known = { token: found.token, client: open(client, { token: found.token, timeoutMs }) };
    return known.client;
  };
  const request = async (options: never): Promise<unknown> => {
    const opened = await current();
    try {
      return await opened.request(options);
    } catch (thrown) {
      const failure = new GoogleFailure(thrown);
      if (failure.ofToken && failure.reason === 'invalid_grant') throw ended(owner, failure);
      throw thrown;
    }
  };
  const hash = createHash('sha256').update(JSON.stringify([client.clientId, owner.address]));
  return {
    // The library calls only `request`.
    auth: { request } as unknown as GoogleAuthClient,
    name: credentialName(owner.account, hash.digest('hex').slice(0, 12)),
    problems: accountTarget(owner.account),
  };
}

function open(client: OAuthClient, about: { readonly token: string; readonly timeoutMs: number }) {
  const { token, timeoutMs } = about;
  const oauth = new library.OAuth2({
    clientId: client.clientId,
    clientSecret: client.clientSecret,
    endpoints: { oauth2TokenUrl: client.tokenUri },
    transporter: createTransporter({ tokenUrl: client.tokenUri, timeoutMs }),
  });
  oauth.setCredentials({ refresh_token: token });
  return renewOn401(oauth, client.tokenUri, () => {});
}

function missing({ account }: ConsentOwner): DeferredError {
  return new DeferredError('google-consent-missing', 'the person of this account has not consented yet', {
    target: accountTarget(account),
    retryAfterMs: WAIT_MS,
    advice: `Run \`slotbridge google invite <address> --consent\` with the address of google.accounts.${account}.consent, and send that person the link.`,
  });
}

function ended({ account }: ConsentOwner, cause: GoogleFailure): DeferredError {
  return new DeferredError('google-consent-ended', "Google no longer accepts this account's consent", {
    target: accountTarget(account),
    retryAfterMs: WAIT_MS,
    cause,
    advice: `Run \`slotbridge google invite <address> --consent\` with the address of google.accounts.${account}.consent, and send that person the link. While the consent screen is in "Testing", Google ends every consent after seven days.`,
  });
}

function unreadable({ account }: ConsentOwner): DeferredError {
  return new DeferredError(
    'google-consent-unreadable',
    'the consent was encrypted with a key that is not in google.consent.keys',
    {
      target: accountTarget(account),
      retryAfterMs: WAIT_MS,
      advice: `Add the former key as the second entry of google.consent.keys and restart, or ask the person of google.accounts.${account} again with \`slotbridge google invite <address> --consent\`.`,
    },
  );
}
