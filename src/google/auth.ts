import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { calendar_v3 } from 'googleapis/build/src/apis/calendar/index.js';
import { auth as library } from 'googleapis/build/src/apis/calendar/index.js';
import * as z from 'zod';
import { DeferredError, RetryableError, TerminalError, TURN_OVER } from '../engine/errors.ts';
import { areTurnsHeld } from '../engine/leases.ts';
import type { Memory } from '../engine/memory.ts';
import { PlainHeaders } from '../engine/plain-headers.ts';
import { exchange, isProxySet, proxyAgentFor } from '../engine/proxy.ts';
import { type Clock, steadyClock } from '../engine/runtime.ts';
import { credentialName, hashOfCredential } from '../engine/signing-secret.ts';
import type { ConsentOwner, Consents } from './consent-store.ts';
import { type CredentialFile, readCredentialFile } from './credential-file.ts';
import { GoogleFailure, NO_REDIRECT } from './errors.ts';
import { AnswerReader } from './large-column.ts';

type TokenClient = InstanceType<typeof library.OAuth2>;
type Transporter = TokenClient['transporter'];

/** Where the client library sends service-account assertions, ignoring the key file's `token_uri`. */
const BUILT_IN_TOKEN_URL = 'https://oauth2.googleapis.com/token';
/** The largest unpacked answer that is read. The largest legitimate one is the key column of a full spreadsheet. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/**
 * The HTTP client of one credential. Token requests go to `tokenUrl`, and every request has a deadline. It retries nothing: the queue
 * counts and spreads retries. A redirect fails the request, because following it would send the bearer token to the redirect's target. An
 * answer above `ANSWER_BYTES_MAX` fails the request before it fills the memory. No request leaves after the caller's signal has aborted,
 * not even after a slow token. It sends by itself: the library's client takes half as much processor time again.
 */
export function createTransporter(options: { tokenUrl: string; timeoutMs: number }): Transporter {
  // The library's HTTP client is not a direct dependency; an OAuth2 client contains the right version of it.
  const { transporter } = new library.OAuth2();
  const { interceptors } = transporter;
  const tokenUrl = new URL(options.tokenUrl);
  const mayBeProxied = isProxySet();
  const request = async (asked: Asked) => {
    // The signal of a caller is its deadline.
    const signal = asked.signal ?? AbortSignal.timeout(options.timeoutMs);
    signal.throwIfAborted();
    const url = addressOf(asked);
    let prepared = Promise.resolve({
      ...asked,
      ...{ url: url.href === BUILT_IN_TOKEN_URL ? tokenUrl : url, signal },
      headers: new PlainHeaders(asked.headers as Iterable<readonly [string, unknown]> | undefined),
    } as unknown as Prepared);
    for (const each of interceptors.request)
      prepared = prepared.then(each?.resolved, each?.rejected) as Promise<Prepared>;
    let answer = prepared.then((sent) => send(sent, mayBeProxied));
    for (const each of interceptors.response)
      answer = answer.then(each?.resolved, each?.rejected) as Promise<Answer>;
    return answer;
  };
  transporter.request = request as unknown as Transporter['request'];
  return transporter;
}

type Asked = NonNullable<Parameters<Transporter['request']>[0]>;
type Prepared = Asked & { readonly url: URL; readonly headers: Headers };
type Answer = Awaited<ReturnType<Transporter['request']>>;

function addressOf({ url = '', params, paramsSerializer }: Asked): URL {
  const address = url instanceof URL ? url : new URL(url);
  if (params !== undefined)
    address.search = paramsSerializer?.(params) ?? new URLSearchParams(params).toString();
  return address;
}

/** Option of a request that only the holder of the running turns may send: a process may freeze between its last check and the request. */
export interface TurnBound {
  readonly inTurnOnly?: true;
}

function turnOver(): RetryableError {
  return new RetryableError(TURN_OVER, 'the turn was over before the request left: nothing is written');
}

const NO_CONTENT = 204;
const REDIRECTS = [301, 302, 303, 307, 308];

/** No `await` may come between the check of the turn and the request. */
async function send(asked: Prepared, mayBeProxied: boolean): Promise<Answer> {
  const { url, method = 'GET', signal, responseType, data: given, body: written = given } = asked;
  signal?.throwIfAborted();
  if ((asked as TurnBound).inTurnOnly === true && !areTurnsHeld()) throw turnOver();
  const sent = Object.fromEntries(asked.headers);
  const isText = typeof written === 'string' || written instanceof URLSearchParams;
  if (written) sent['content-type'] ??= isText ? 'application/x-www-form-urlencoded' : 'application/json';
  const reader = new AnswerReader();
  const { status, headers } = await exchange(url, {
    ...{ method, headers: sent, signal, bytesMax: ANSWER_BYTES_MAX },
    agent: mayBeProxied ? proxyAgentFor(url) : undefined,
    body: written ? (isText ? String(written) : JSON.stringify(written)) : undefined,
    into: reader,
  });
  if (REDIRECTS.includes(status)) throw new Redirected('a redirect is refused');
  const isJson = responseType === 'json' || headers.get('content-type')?.includes('json') === true;
  const data = status === NO_CONTENT ? '' : reader.end(isJson);
  if (status < 200 || status >= 300) throw refusal(url, { status, data, headers });
  // What the library and this worker read of an answer.
  return { status, headers, data, config: asked } as unknown as Answer;
}

class Redirected extends Error {
  readonly code = NO_REDIRECT;
}

/** As the library reads it. It holds nothing of the request. */
function refusal(
  url: URL,
  answer: { readonly status: number; readonly data: unknown; readonly headers: unknown },
) {
  const { status } = answer;
  const facts = { status, config: { url }, response: { ...answer, config: {} } };
  return Object.assign(new Error(`Google answered ${status}`), facts);
}

/**
 * A 401 from an API means that the access token expired early. Google performed nothing, so the library may fetch another token and retry
 * once. The library's own option for that would also repeat every 403, including quota refusals. But it retries automatically for a token
 * of unknown expiry, so this removes the expiry of the refused token.
 */
export function renewOn401<T extends TokenClient>(client: T, tokenUrl: string, forget: () => void): T {
  const token = new URL(tokenUrl).href;
  client.transporter.interceptors.response.add({
    rejected: async (error) => {
      if (error.status === 401 && error.config.url.toString() !== token) {
        forget();
        const { expiry_date: _, ...credentials } = client.credentials;
        client.credentials = credentials;
      }
      throw error;
    },
  });
  return client;
}

/** The narrowest scopes that let the worker write events and rows (Google, OAuth 2.0 scopes). */
export const GOOGLE_SCOPES = [
  'https://www.googleapis.com/auth/calendar.events',
  'https://www.googleapis.com/auth/spreadsheets',
];

export interface GoogleAuthOptions {
  /** Service-account key, authorized-user file or external account. Absent: application default credentials. */
  readonly credentialsPath?: string | undefined;
  /** User to impersonate through domain-wide delegation; only a service account can. */
  readonly actAs?: string | undefined;
  /** Its name in `google.accounts`; absent: the default account. */
  readonly account?: string | undefined;
  readonly tokenUrl: string;
  /** Deadline of each request, token requests included. */
  readonly timeoutMs: number;
  /** A monotonic clock. */
  readonly clock?: Clock;
  /** Default: what the worker needs. A person's sign-in always has the scopes that the person granted, whatever is given here. */
  readonly scopes?: readonly string[];
  /** Called when the file was replaced by an unusable one; the previous credential stays in use. */
  readonly onUnusable?: (error: unknown) => void;
}

/**
 * Sends no request yet: the first call fetches a token. If Google refuses a token (401), it is replaced and the call is made once more. A
 * replaced file is read again, so that a new sign-in or key needs no restart. Throws `TerminalError` (`google-credentials-missing`,
 * `google-credentials-broken`) for a file that cannot work.
 */
export function createGoogleAuth(options: GoogleAuthOptions): GoogleCredential {
  const path = options.credentialsPath;
  const problems = accountTarget(options.account);
  const open = () => {
    const file = readCredentialFile(path, options.actAs);
    return {
      client: createClient(file, options),
      name: credentialName(options.account, hashOf(file, options.actAs)),
    };
  };
  if (path === undefined || path === '') {
    const { client, name } = open();
    return { auth: client, name, problems };
  }
  const { clock = steadyClock, onUnusable = () => {} } = options;
  return new RereadAuth({ path, problems, open, clock, onUnusable });
}

/** What googleapis accepts as its `auth` option. */
export type GoogleAuthClient = Exclude<NonNullable<calendar_v3.Options['auth']>, string>;

function createClient(file: CredentialFile, options: GoogleAuthOptions): GoogleAuthClient {
  const transporter = createTransporter(options);
  const scopes = [...(options.scopes ?? GOOGLE_SCOPES)];
  switch (file.type) {
    case 'service_account': {
      const subject = options.actAs ? { subject: options.actAs } : {};
      const client = new library.JWT({
        email: file.clientEmail,
        key: file.privateKey,
        scopes,
        transporter,
        ...subject,
      });
      // The library caches the token twice; the inner cache would return the refused token again.
      return renewOn401(client, options.tokenUrl, () => {
        delete client.gtoken;
      });
    }
    case 'authorized_user': {
      const client = new library.OAuth2({
        clientId: file.clientId,
        clientSecret: file.clientSecret,
        endpoints: { oauth2TokenUrl: options.tokenUrl },
        transporter,
      });
      client.setCredentials({ refresh_token: file.refreshToken });
      return renewOn401(client, options.tokenUrl, () => {});
    }
    case 'other': {
      const keyFile = file.path === undefined ? {} : { keyFilename: file.path };
      return new library.GoogleAuth({ scopes, clientOptions: { transporter }, ...keyFile });
    }
  }
}

function hashOf(file: CredentialFile, actAs: string | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([...identity(file), actAs ?? '']))
    .digest('hex')
    .slice(0, 12);
}

function identity(file: CredentialFile): readonly string[] {
  switch (file.type) {
    case 'service_account':
      return [file.clientEmail];
    case 'authorized_user':
      return [file.clientId, file.refreshToken];
    case 'other':
      return [file.path ?? 'application-default'];
  }
}

/** How soon a replaced credential file is noticed. */
const LOOK_EVERY_MS = 2_000;

/** A client and the name of its credential. */
interface OpenedFile {
  readonly client: GoogleAuthClient;
  readonly name: string;
}

/**
 * A credential whose file may be replaced while the worker runs: by `slotbridge google login`, or when a key is rotated. An unusable file
 * is reported once, and the previous credential stays in use.
 */
class RereadAuth {
  /** Target of problems with the credential. */
  readonly problems: string;
  readonly #path: string;
  readonly #open: () => OpenedFile;
  readonly #clock: Clock;
  readonly #onUnusable: (error: unknown) => void;
  #opened: OpenedFile;
  #stamp: string;
  #lookedAtMs: number;

  /** Throws what `open` throws. */
  constructor(parts: {
    path: string;
    problems: string;
    open: () => OpenedFile;
    /** A monotonic clock. */
    clock: Clock;
    onUnusable: (error: unknown) => void;
  }) {
    this.problems = parts.problems;
    this.#path = parts.path;
    this.#open = parts.open;
    this.#clock = parts.clock;
    this.#onUnusable = parts.onUnusable;
    // Taken before the file is read, so that a write in between counts as a change.
    this.#stamp = stampOf(parts.path);
    this.#lookedAtMs = parts.clock.now();
    this.#opened = parts.open();
  }

  get name(): string {
    return this.#opened.name;
  }

  /** googleapis calls only `request` of its `auth`. */
  get auth(): GoogleAuthClient {
    const request = (options: never) => this.#current().request(options);
    return { request } as unknown as GoogleAuthClient;
  }

  #current(): { request(options: never): unknown } {
    const nowMs = this.#clock.now();
    if (nowMs - this.#lookedAtMs >= LOOK_EVERY_MS) {
      this.#lookedAtMs = nowMs;
      this.#look();
    }
    return this.#opened.client;
  }

  #look(): void {
    const stamp = stampOf(this.#path);
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    try {
      this.#opened = this.#open();
    } catch (error) {
      this.#onUnusable(error);
    }
  }
}

/** Empty for a missing file. That counts as a change: `open` fails, and the previous credential stays in use until a new file appears. */
function stampOf(path: string): string {
  try {
    // The change time also moves when only the owner or mode is corrected.
    const { ino, ctimeMs, size } = statSync(path);
    return `${ino} ${ctimeMs} ${size}`;
  } catch {
    return '';
  }
}

export interface GoogleCredential {
  readonly auth: GoogleAuthClient;
  /** Names the credential's budgets. Reveals nothing, and stays the same for the life of the credential. */
  readonly name: string;
  /** Target of problems with the credential as a whole: `google`, or `google:<account>`. Default `google`. */
  readonly problems?: string;
}

/** One credential for everything, or a function from the target (`calendar:<id>`, `spreadsheet:<id>`) to its credential. */
export type CredentialChoice = GoogleCredential | ((target: string) => GoogleCredential);

/** Target of problems with one account as a whole; undefined means the default account. */
export function accountTarget(account: string | undefined): string {
  return account === undefined ? 'google' : `google:${account}`;
}

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
interface AccountSettings extends Omit<AccountKey, 'consent'> {
  readonly accounts?: Readonly<Record<string, AccountKey>>;
  /** The OAuth client of accounts with consent. */
  readonly consent?: { readonly client: string };
  readonly tokenUrl: string;
  readonly timeoutMs: number;
}

interface AccountsOptions {
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
const CONSENT_LOOK_EVERY_MS = 2_000;
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
    if (known !== undefined && nowMs - lookedAtMs < CONSENT_LOOK_EVERY_MS) return known.client;
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
