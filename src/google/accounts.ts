import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { auth as library } from 'googleapis/build/src/apis/calendar/index.js';
import * as z from 'zod';
import { DeferredError, TerminalError } from '../engine/errors.ts';
import type { Memory } from '../engine/memory.ts';
import { type Clock, steadyClock } from '../engine/runtime.ts';
import { credentialName, hashOfCredential } from '../engine/signing-secret.ts';
import {
  accountTarget,
  createGoogleAuth,
  createTransporter,
  type GoogleCredential,
  renewOn401,
} from './auth.ts';
import type { GoogleAuthClient } from './auth-client.ts';
import type { ConsentOwner, Consents } from './consent-store.ts';
import { readCredentialFile } from './credential-file.ts';
import { GoogleFailure } from './errors.ts';

/**
 * The worker's Google identity, with which calendars and spreadsheets must be shared. For the operator's own terminal only. Throws what
 * `readCredentialFile` throws.
 */
export function googleAccount(options: {
  readonly credentialsPath?: string | undefined;
  readonly actAs?: string | undefined;
}): {
  readonly spoken: string;
  readonly shareWith: string;
  /** True when files that the account creates are in a person's Drive, where that person can find and share them. */
  readonly isPerson: boolean;
} {
  const { credentialsPath, actAs } = options;
  const file = readCredentialFile(credentialsPath, actAs);
  switch (file.type) {
    case 'service_account':
      return actAs === undefined || actAs === ''
        ? { spoken: `the service account ${file.clientEmail}`, shareWith: file.clientEmail, isPerson: false }
        : {
            ...{ spoken: `${actAs}, through the service account ${file.clientEmail}`, shareWith: actAs },
            isPerson: true,
          };
    case 'authorized_user':
      return {
        ...{ spoken: 'the person who signed in', shareWith: 'the person who signed in' },
        isPerson: true,
      };
    case 'other':
      return {
        spoken: 'the identity of this machine (application default credentials)',
        shareWith: 'the service account of this machine',
        isPerson: false,
      };
  }
}

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

/** Fact about a calendar: the non-default account by which the worker last reached it. */
const FACT = 'google-account ';

/** Calendar id to account. A calendar that was removed from the YAML keeps its events, and the worker must still reach them. */
export async function readRememberedAccounts(
  memory: Pick<Memory, 'all'>,
): Promise<ReadonlyMap<string, string>> {
  return memory.all(FACT);
}

/**
 * Updates the remembered accounts from the YAML, which wins; undefined means the default account. Run it when the worker starts, before any
 * call to Google.
 */
export async function rememberAccounts(
  accounts: Iterable<readonly [calendarId: string, account: string | undefined]>,
  memory: Pick<Memory, 'all' | 'set' | 'forget'>,
): Promise<ReadonlyMap<string, string>> {
  const remembered = new Map(await readRememberedAccounts(memory));
  for (const [calendarId, account] of accounts) {
    if (remembered.get(calendarId) === account) continue;
    if (account === undefined) {
      await memory.forget(FACT + calendarId);
      remembered.delete(calendarId);
    } else {
      await memory.set(FACT + calendarId, account);
      remembered.set(calendarId, account);
    }
  }
  return remembered;
}

/** An OAuth client as the Google Cloud console downloads it. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** URL of the consent page. */
  readonly authUri: string;
  readonly tokenUri: string;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
/** Codes and secrets must not travel unencrypted, except to a sandbox on this machine. */
const address = z.url().refine((text) => {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
});
const text = z.string().min(1);
const CLIENT = z.object({
  client_id: text,
  client_secret: text,
  auth_uri: address.default('https://accounts.google.com/o/oauth2/v2/auth'),
  token_uri: address.default('https://oauth2.googleapis.com/token'),
});
const FILES = {
  /** Google redirects its consent to loopback. */
  installed: { schema: z.object({ installed: CLIENT }), type: 'Desktop app', place: 'give it with --client' },
  /** Google redirects its consent to a URL of the worker. */
  web: {
    schema: z.object({ web: CLIENT }),
    type: 'Web application',
    place: 'set google.consent.client to its path',
  },
} as const;

/** Throws `TerminalError` `google-client-broken`, which never shows the file's contents. */
export function readOAuthClientFile(path: string, kind: keyof typeof FILES = 'installed'): OAuthClient {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    // The parser's message may quote the secret.
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'not JSON';
    throw broken(path, `cannot be read (${code})`, kind);
  }
  const parsed = FILES[kind].schema.safeParse(content);
  if (!parsed.success) {
    const where = parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole file').join(', ');
    throw broken(
      path,
      `is not an OAuth client of type "${FILES[kind].type}"; missing or invalid fields: ${where}`,
      kind,
    );
  }
  const { client_id, client_secret, auth_uri, token_uri } =
    'installed' in parsed.data ? parsed.data.installed : parsed.data.web;
  return { clientId: client_id, clientSecret: client_secret, authUri: auth_uri, tokenUri: token_uri };
}

function broken(path: string, what: string, kind: keyof typeof FILES): TerminalError {
  const { type, place } = FILES[kind];
  return new TerminalError('google-client-broken', `the OAuth client file ${path} ${what}`, {
    target: 'google',
    advice: `Create an OAuth client of type "${type}" (Google Cloud console, APIs and services, Credentials), download its JSON and ${place}.`,
  });
}
