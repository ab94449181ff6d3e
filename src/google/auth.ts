import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { auth as library } from 'googleapis/build/src/apis/calendar/index.js';
import { RetryableError } from '../engine/errors.ts';
import { areTurnsHeld } from '../engine/leases.ts';
import { proxyAgentFor } from '../engine/proxy-agent.ts';
import { type Clock, steadyClock } from '../engine/runtime.ts';
import { credentialName } from '../engine/signing-secret.ts';
import type { GoogleAuthClient } from './auth-client.ts';
import { type CredentialFile, readCredentialFile } from './credential-file.ts';

type TokenClient = InstanceType<typeof library.OAuth2>;
type Transporter = TokenClient['transporter'];

/** Where the client library sends service-account assertions, ignoring the key file's `token_uri`. */
const BUILT_IN_TOKEN_URL = 'https://oauth2.googleapis.com/token';
/** The library's own proxy takes the answer of a proxy that does not connect for Google's. */
const NO_PROXY_OF_ITS_OWN = [/^/];

/** The largest unpacked answer that is read. The largest legitimate one is the key column of a full spreadsheet. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** A data URL contains its answer: fetching it makes no network call. */
const NOTHING = new URL('data:,');

/**
 * The HTTP client of one credential. Token requests go to `tokenUrl`, and every request has a deadline. It retries nothing: the queue
 * counts and spreads retries. A redirect fails the request, because following it would send the bearer token to the redirect's target. An
 * answer above `ANSWER_BYTES_MAX` fails the request before it fills the memory. No request leaves after the caller's signal has aborted,
 * not even after a slow token.
 */
export function createTransporter(options: { tokenUrl: string; timeoutMs: number }): Transporter {
  // The library's HTTP client is not a direct dependency; an OAuth2 client contains the right version of it.
  const { transporter } = new library.OAuth2({
    transporterOptions: { timeout: options.timeoutMs, noProxy: NO_PROXY_OF_ITS_OWN },
  });
  const tokenUrl = new URL(options.tokenUrl);
  const request = transporter.request.bind(transporter);
  // The library drops a signal that has already aborted, and gives the request a new time limit.
  transporter.request = async (asked) => {
    asked?.signal?.throwIfAborted();
    return request(asked);
  };
  transporter.interceptors.request.add({
    resolved: async (request) => {
      if (request.url.href === BUILT_IN_TOKEN_URL) request.url = tokenUrl;
      const agent = proxyAgentFor(request.url);
      if (agent !== undefined) request.agent = agent;
      // node-fetch options, which the library passes on.
      request.redirect = 'error';
      request.size = ANSWER_BYTES_MAX;
      request.retry = false;
      delete request.retryConfig;
      request.adapter = sendUnlessAborted;
      return request;
    },
  });
  return transporter;
}

/** Option of a request that only the holder of the running turns may send: a process may freeze between its last check and the request. */
export interface TurnBound {
  readonly inTurnOnly?: true;
}

/** Nothing was sent. */
export const TURN_OVER = 'stopped';

function turnOver(): RetryableError {
  return new RetryableError(TURN_OVER, 'the turn was over before the request left: nothing is written');
}

type Adapter = NonNullable<Parameters<Transporter['request']>[0]>['adapter'] & {};

let isHttpLoaded = false;

/**
 * node-fetch crashes the process when it gets a body and an aborted signal: it destroys the body with an unhandled error. So no `await` may
 * come between this check and node-fetch's own check of the signal. node-fetch is loaded before the check, because on a busy machine
 * loading may take longer than the first request's deadline.
 */
const sendUnlessAborted: Adapter = async (options, send) => {
  if (!isHttpLoaded) {
    const { body: _, signal: __, ...rest } = options;
    await send({ ...rest, url: NOTHING, method: 'GET', responseType: 'text' });
    isHttpLoaded = true;
  }
  options.signal?.throwIfAborted();
  if ((options as TurnBound).inTurnOnly === true && !areTurnsHeld()) throw turnOver();
  return send(options);
};

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

/** The credential and client for calls to one target. */
export interface Access<Client> {
  readonly credential: GoogleCredential;
  readonly client: Client;
}

/** Opens one client of the library per credential, on first use. */
export function accessBy<Client>(
  choice: CredentialChoice,
  open: (auth: GoogleAuthClient) => Client,
): (target: string) => Access<Client> {
  const opened = new Map<GoogleCredential, Client>();
  return (target) => {
    const credential = typeof choice === 'function' ? choice(target) : choice;
    const client = opened.get(credential) ?? open(credential.auth);
    opened.set(credential, client);
    return { credential, client };
  };
}

/** Target of problems with one account as a whole; undefined means the default account. */
export function accountTarget(account: string | undefined): string {
  return account === undefined ? 'google' : `google:${account}`;
}
