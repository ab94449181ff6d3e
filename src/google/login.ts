// Signs a person in. This file builds the URL of Google's consent page, receives the code on loopback and exchanges it for a refresh token.
// See RFC 8252, OAuth for native apps; RFC 7636, PKCE; Google, OAuth 2.0 for desktop apps.

import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { auth as library } from 'googleapis/build/src/apis/calendar/index.js';
import { TerminalError } from '../engine/errors.ts';
import { isSameText } from '../engine/ids.ts';
import { LATE, within } from '../engine/object.ts';
import { createTransporter, GOOGLE_SCOPES, type OAuthClient } from './auth.ts';
import { GoogleFailure } from './errors.ts';

/** The stored sign-in: a file of Google's type `authorized_user`. */
export interface AuthorizedUser {
  readonly type: 'authorized_user';
  readonly client_id: string;
  readonly client_secret: string;
  readonly refresh_token: string;
}

export interface Login {
  /** URL for the person's browser. */
  readonly address: string;
  /** Local port that the browser is redirected to. */
  readonly port: number;
  /** Rejects with `TerminalError`: `google-login-denied`, `-late`, `-failed`, `-incomplete`. The port is closed by then. */
  readonly done: Promise<AuthorizedUser>;
  cancel(): void;
}

const EXCHANGE_WITHIN_MS = 30_000;
const CODE_LENGTH_MAX = 2_048;

export async function beginLogin(options: { client: OAuthClient; waitMs: number }): Promise<Login> {
  const { client, waitMs } = options;
  const state = randomBytes(24).toString('base64url');
  const answer = waiting();
  const server = createServer((request, reply) => {
    answerBrowser({ request, reply, state, onCode: answer.resolve, onError: answer.reject });
  });
  const port = await listen(server);
  const redirectUri = `http://127.0.0.1:${port}`;
  const oauth = new library.OAuth2({
    clientId: client.clientId,
    clientSecret: client.clientSecret,
    redirectUri,
    endpoints: { oauth2AuthBaseUrl: client.authUri, oauth2TokenUrl: client.tokenUri },
    transporter: createTransporter({ tokenUrl: client.tokenUri, timeoutMs: EXCHANGE_WITHIN_MS }),
  });
  const { codeVerifier, codeChallenge } = await oauth.generateCodeVerifierAsync();
  const address = oauth.generateAuthUrl({
    // Without both, Google returns no refresh token to a person who consented before.
    access_type: 'offline',
    prompt: 'consent',
    scope: GOOGLE_SCOPES,
    state,
    code_challenge_method: CHALLENGE_METHOD,
    ...(codeChallenge === undefined ? {} : { code_challenge: codeChallenge }),
  });
  const done = within(waitMs, answer.promise)
    .finally(() => {
      server.close();
      server.closeIdleConnections();
    })
    .then((code) => {
      if (code === LATE) throw late(waitMs);
      return exchange(oauth, { code, codeVerifier, redirectUri, client });
    });
  return { address, port, done, cancel: () => answer.reject(denied('the sign-in was cancelled')) };
}

type ChallengeMethod = NonNullable<
  Parameters<InstanceType<typeof library.OAuth2>['generateAuthUrl']>[0]
>['code_challenge_method'];
/** The library has an enum for it, but does not export it. */
const CHALLENGE_METHOD = 'S256' as NonNullable<ChallengeMethod>;

function waiting() {
  let resolve: (code: string) => void = () => {};
  let reject: (error: TerminalError) => void = () => {};
  const promise = new Promise<string>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/** Any page of any site can send the browser here, so only a request with the right state is accepted. */
function answerBrowser(parts: {
  request: IncomingMessage;
  reply: ServerResponse;
  state: string;
  onCode: (code: string) => void;
  onError: (error: TerminalError) => void;
}): void {
  const { request, reply, state, onCode, onError } = parts;
  const [, search = ''] = (request.url ?? '').split('?');
  const query = new URLSearchParams(search);
  const [code, refusal] = [query.get('code'), query.get('error')];
  if (request.method !== 'GET' || (code === null && refusal === null)) {
    tell(reply, 404, 'Nothing here.');
    return;
  }
  if (!isSameText(query.get('state') ?? '', state)) {
    tell(reply, 400, 'This is not the expected answer. Open the address that slotbridge printed again.');
    return;
  }
  if (code === null || code.length > CODE_LENGTH_MAX) {
    tell(reply, 200, 'slotbridge was not given access. You may close this window.');
    onError(
      denied(refusal === 'access_denied' ? 'the consent was refused' : 'Google ended it with an error'),
    );
    return;
  }
  tell(reply, 200, 'slotbridge has access now. You may close this window.');
  onCode(code);
}

function tell(reply: ServerResponse, status: number, sentence: string): void {
  reply.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    // No keep-alive: the port is closed right afterwards.
    connection: 'close',
  });
  reply.end(`${sentence}\n`);
}

async function exchange(
  oauth: InstanceType<typeof library.OAuth2>,
  parts: { code: string; codeVerifier: string; redirectUri: string; client: OAuthClient },
): Promise<AuthorizedUser> {
  const { code, codeVerifier, redirectUri, client } = parts;
  const tokens = await oauth.getToken({ code, codeVerifier, redirect_uri: redirectUri }).then(
    (answer) => answer.tokens,
    (error: unknown) => {
      const failure = new GoogleFailure(error);
      throw new TerminalError(
        'google-login-failed',
        `Google did not exchange the code (${failure.message})`,
        {
          target: 'google',
          advice:
            'Run it again. If this continues, check that the OAuth client still exists, and the clock of this machine.',
          cause: failure,
        },
      );
    },
  );
  const granted = (tokens.scope ?? '').split(' ');
  const missing = GOOGLE_SCOPES.filter((scope) => !granted.includes(scope));
  const { refresh_token } = tokens;
  if (missing.length > 0 || refresh_token === undefined || refresh_token === null) {
    const what = missing.length > 0 ? `lacks ${missing.join(', ')}` : 'contains no refresh token';
    throw new TerminalError('google-login-incomplete', `the granted access ${what}`, {
      target: 'google',
      advice: 'Run it again, and leave every box on the consent page ticked.',
    });
  }
  const { clientId: client_id, clientSecret: client_secret } = client;
  return { type: 'authorized_user', client_id, client_secret, refresh_token };
}

function denied(why: string): TerminalError {
  return new TerminalError('google-login-denied', `the sign-in failed: ${why}`, {
    target: 'google',
    advice:
      'Run it again and consent. If Google says that the app is blocked, add the person to the test users of the consent screen.',
  });
}

function late(waitMs: number): TerminalError {
  const minutes = Math.round(waitMs / 60_000);
  return new TerminalError('google-login-late', `nobody signed in within ${minutes} minutes`, {
    target: 'google',
    advice: 'Run it again and open the address that it prints.',
  });
}

// The file that stores a person's sign-in for the worker. Only its owner can read it.

/**
 * Throws `TerminalError` `file-holds-something-else` or `secret-file-unwritable`. Only a previous sign-in may be replaced, so that a key
 * file that is there by mistake is not lost.
 */
export function assertLoginFileIsFree(file: string): void {
  const present = readIfThere(file);
  if (present !== undefined && !/"type"\s*:\s*"authorized_user"/.test(present)) {
    throw new TerminalError(
      'file-holds-something-else',
      `${file} already exists and does not contain a sign-in`,
      {
        advice: 'Give another file with --out.',
      },
    );
  }
  writeBeside(file, '', () => undefined);
}

/** Writes the file atomically, because a running worker may read it at any moment. A link to it stays a link. */
export function keepLogin(file: string, user: AuthorizedUser): void {
  writeBeside(file, `${JSON.stringify(user, null, 2)}\n`, renameSync);
}

/** Writes a copy with the owner of the file, hands it over, and removes it if it is still there: it may hold a sign-in. */
function writeBeside(file: string, text: string, handOver: (fresh: string, place: string) => void): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const place = existsSync(file) ? realpathSync(file) : file;
    const fresh = `${place}.new`;
    try {
      writeFileSync(fresh, text, { mode: 0o600 });
      chmodSync(fresh, 0o600);
      const before = statSync(place, { throwIfNoEntry: false });
      // The command may run as root beside a worker that does not. Only the owner can read the file, so that its group does not matter.
      if (before !== undefined && before.uid !== statSync(fresh).uid)
        chownSync(fresh, before.uid, before.gid);
      handOver(fresh, place);
    } finally {
      rmSync(fresh, { force: true });
    }
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw unwritable(file, cause);
  }
}

function unwritable(file: string, cause: unknown): TerminalError {
  const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  return new TerminalError('secret-file-unwritable', `${file} cannot be written (${reason})`, {
    advice: 'Give a file with --out that this user can write.',
  });
}
