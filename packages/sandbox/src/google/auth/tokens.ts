// The OAuth token endpoint and its access tokens. Service accounts present a signed JWT; people's clients present a refresh token.
// Refusals use Google's wording.
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { type JsonObject, listOf, numberOf, stringOf } from '../json.ts';
import { oauthRefusal } from '../refusal.ts';
import { type Principal, scopePrefix } from './principal.ts';

const tokenLifetimeSeconds = 3599;
const audience = 'https://oauth2.googleapis.com/token';
const jwtLifetimeSecondsMax = 3600;
/** Google allows a small difference between the clocks. */
const clockSkewSeconds = 300;
const projectId = 'slotbridge-sandbox';

interface Issued {
  principal: Principal;
  expiresAtMs: number;
}

interface Client {
  secret: string;
  /** Web applications only. Undefined: a desktop app. */
  redirectUris: readonly string[] | undefined;
}

interface Refresh {
  clientId: string;
  email: string;
  scopes: string[];
  isRevoked: boolean;
}

/** What an OAuth client needs to act for a person who has agreed. */
export interface OAuthGrant {
  client_id: string;
  client_secret: string;
  refresh_token: string;
}

export class TokenDesk {
  readonly #now: () => number;
  readonly #accounts = new Map<string, { subjects: ReadonlySet<string> | 'all' }>();
  readonly #clients = new Map<string, Client>();
  readonly #refreshes = new Map<string, Refresh>();
  #issued = new Map<string, Issued>();
  /** Disabled service accounts. */
  #disabled: ReadonlySet<string> | 'all' = new Set();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A key file as downloaded from the Google console. Also creates the account. */
  serviceAccountKey(email: string, tokenUrl: string): JsonObject {
    if (!this.#accounts.has(email)) this.#accounts.set(email, { subjects: new Set() });
    return {
      type: 'service_account',
      project_id: projectId,
      private_key_id: Buffer.from(email).toString('hex').slice(0, 40).padEnd(40, '0'),
      private_key: keyPair().privateKey,
      client_email: email,
      client_id: String(100_000_000_000_000_000_000n + BigInt(this.#accounts.size)),
      auth_uri: 'https://accounts.google.com/o/oauth2/auth',
      token_uri: tokenUrl,
      universe_domain: 'googleapis.com',
    };
  }

  /** Domain-wide delegation: the account may act as these people, or as everyone. */
  allowDelegation(email: string, subjects: readonly string[] | 'all'): void {
    this.#accounts.set(email, { subjects: subjects === 'all' ? 'all' : new Set(subjects) });
  }

  /**
   * An OAuth client as created in the console. With addresses it is a web application; each must match exactly and use https, except on
   * loopback. Without addresses it is a desktop app, whose answers go to loopback.
   */
  registerClient(redirectUris?: readonly string[]): { client_id: string; client_secret: string } {
    for (const uri of redirectUris ?? []) {
      if (!isLoopback(uri) && !uri.startsWith('https://'))
        throw new Error('Invalid Redirect: must use https');
    }
    const clientId = `${randomBytes(6).toString('hex')}.apps.googleusercontent.com`;
    const clientSecret = `GOCSPX-${randomBytes(12).toString('base64url')}`;
    this.#clients.set(clientId, { secret: clientSecret, redirectUris });
    return { client_id: clientId, client_secret: clientSecret };
  }

  hasClient(clientId: string): boolean {
    return this.#clients.has(clientId);
  }

  /** Whether Google redirects a browser to this address for this client. */
  mayRedirect(clientId: string, uri: string): boolean {
    const registered = this.#clients.get(clientId)?.redirectUris;
    return registered === undefined ? isLoopback(uri) : registered.includes(uri);
  }

  /** Throws OAuth's refusal unless id and secret match. */
  checkClient(clientId: string, clientSecret: string): void {
    const secret = this.#clients.get(clientId)?.secret;
    if (secret === undefined) throw oauthRefusal(401, 'invalid_client', 'The OAuth client was not found.');
    if (secret !== clientSecret) {
      throw oauthRefusal(401, 'invalid_client', 'The provided client secret is invalid.');
    }
  }

  /** A person's earlier consent: the credentials that a client holds after the browser part. */
  grantOAuth(email: string, scopes: readonly string[]): OAuthGrant {
    const client = this.registerClient();
    return { ...client, refresh_token: this.#keepGrant(client.client_id, email, scopes) };
  }

  /** The answer to a code: an access token, and a refresh token for offline access. */
  answerConsent(what: { clientId: string; email: string; scopes: string[]; isOffline: boolean }): JsonObject {
    const principal = { email: what.email, scopes: new Set(what.scopes.map(short)), isServiceAccount: false };
    const answer = {
      ...this.#answer(principal, true),
      ...(what.scopes.includes('openid') ? { id_token: this.#idToken(what) } : {}),
    };
    return what.isOffline
      ? { ...answer, refresh_token: this.#keepGrant(what.clientId, what.email, what.scopes) }
      : answer;
  }

  /** The person who agreed (OpenID Connect Core, 2). `email_verified` means that Google vouches for the address. */
  #idToken({ clientId, email, scopes }: { clientId: string; email: string; scopes: string[] }): string {
    const nowSeconds = Math.floor(this.#now() / 1000);
    const claims = {
      ...{ iss: 'https://accounts.google.com', aud: clientId, azp: clientId },
      sub: createHash('sha256').update(email).digest('hex').slice(0, 21),
      ...(scopes.includes('email') ? { email, email_verified: true } : {}),
      ...{ iat: nowSeconds, exp: nowSeconds + 3600 },
    };
    const signed = [{ alg: 'RS256', typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), keyPair().privateKey).toString('base64url')}`;
  }

  /** Makes every existing access token invalid. New ones can still be issued. */
  revokeAccessTokens(): void {
    this.#issued = new Map();
  }

  /**
   * Revokes refresh tokens and disables service accounts, of one account or of everyone: `invalid_grant` until `restoreGrants`. Existing
   * access tokens stop working, too (Google, revoking a token).
   */
  revokeGrants(email?: string): void {
    const isMeant = (each: string) => email === undefined || each === email;
    for (const [token, { principal }] of this.#issued)
      if (isMeant(principal.email)) this.#issued.delete(token);
    this.#disabled =
      email === undefined || this.#disabled === 'all' ? 'all' : new Set([...this.#disabled, email]);
    for (const refresh of this.#refreshes.values()) if (isMeant(refresh.email)) refresh.isRevoked = true;
  }

  /**
   * The revocation endpoint: ends what the person gave this client. Takes a refresh token (Google, OAuth 2.0 for web server
   * applications, Revoking a token).
   */
  revoke(token: string): void {
    const refresh = this.#refreshes.get(token);
    if (refresh === undefined || refresh.isRevoked)
      throw oauthRefusal(400, 'invalid_token', 'Token expired or revoked');
    for (const each of this.#refreshes.values())
      if (each.email === refresh.email && each.clientId === refresh.clientId) each.isRevoked = true;
    for (const [issued, { principal }] of this.#issued)
      if (principal.email === refresh.email && !principal.isServiceAccount) this.#issued.delete(issued);
  }

  /** Number of refresh tokens of this person that still work. */
  grantsOf(email: string): number {
    return [...this.#refreshes.values()].filter((each) => each.email === email && !each.isRevoked).length;
  }

  restoreGrants(): void {
    this.#disabled = new Set();
    for (const refresh of this.#refreshes.values()) refresh.isRevoked = false;
  }

  /** The principal of an access token; undefined when the token is unknown or has expired. */
  principalOf(accessToken: string): Principal | undefined {
    const issued = this.#issued.get(accessToken);
    return issued === undefined || issued.expiresAtMs <= this.#now() ? undefined : issued.principal;
  }

  /** Issues a token without a JWT, for tests that use plain HTTP. */
  issue(principal: Principal): string {
    const token = `ya29.${randomBytes(32).toString('base64url')}`;
    this.#issued.set(token, { principal, expiresAtMs: this.#now() + tokenLifetimeSeconds * 1000 });
    return token;
  }

  /** `POST /token`. Throws OAuth's refusals. */
  exchange(form: URLSearchParams): JsonObject {
    const grant = form.get('grant_type');
    if (grant === 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return this.#exchangeJwt(form.get('assertion') ?? '');
    if (grant === 'refresh_token') return this.#exchangeRefresh(form);
    if (grant === null)
      throw oauthRefusal(400, 'invalid_request', 'Required parameter is missing: grant_type');
    throw oauthRefusal(400, 'unsupported_grant_type', `Invalid grant_type: ${grant}`);
  }

  #exchangeJwt(assertion: string): JsonObject {
    const { header, claims, signed, signature } = parseJwt(assertion);
    const email = stringOf(claims['iss']) ?? '';
    const account = this.#accounts.get(email);
    if (account === undefined) throw oauthRefusal(400, 'invalid_grant', 'Invalid grant: account not found');
    if (header['alg'] !== 'RS256' || !verify('RSA-SHA256', signed, keyPair().publicKey, signature)) {
      throw oauthRefusal(400, 'invalid_grant', 'Invalid JWT Signature.');
    }
    if (claims['aud'] !== audience) {
      throw oauthRefusal(400, 'invalid_grant', `Failed audience check. The right audience is ${audience}`);
    }
    this.#checkTimes(claims);
    if (this.#disabled === 'all' || this.#disabled.has(email))
      throw oauthRefusal(400, 'invalid_grant', 'Invalid grant: account disabled');
    const scopes = (stringOf(claims['scope']) ?? '').split(' ').filter((scope) => scope !== '');
    if (scopes.length === 0 || !scopes.every(isScope)) {
      throw oauthRefusal(400, 'invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
    }
    const subject = stringOf(claims['sub']) ?? email;
    const isDelegated = subject !== email;
    if (isDelegated && account.subjects !== 'all' && !account.subjects.has(subject)) {
      throw oauthRefusal(
        401,
        'unauthorized_client',
        'Client is unauthorized to retrieve access tokens using this method, or client not authorized for any of the scopes requested.',
      );
    }
    return this.#answer({
      email: subject,
      scopes: new Set(scopes.map(short)),
      isServiceAccount: !isDelegated,
    });
  }

  /** Accepts a JWT that is valid by real time or by the sandbox's clock, which tests advance. */
  #checkTimes(claims: JsonObject): void {
    const issuedAt = numberOf(claims['iat']);
    const expiresAt = numberOf(claims['exp']);
    const isInTime = (nowMs: number): boolean =>
      issuedAt !== undefined &&
      expiresAt !== undefined &&
      expiresAt - issuedAt <= jwtLifetimeSecondsMax &&
      issuedAt <= nowMs / 1000 + clockSkewSeconds &&
      expiresAt >= nowMs / 1000 - clockSkewSeconds;
    if (isInTime(this.#now()) || isInTime(Date.now())) return;
    throw oauthRefusal(
      400,
      'invalid_grant',
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
    );
  }

  #keepGrant(clientId: string, email: string, scopes: readonly string[]): string {
    const token = `1//${randomBytes(24).toString('base64url')}`;
    this.#refreshes.set(token, { clientId, email, scopes: scopes.map(short), isRevoked: false });
    return token;
  }

  #exchangeRefresh(form: URLSearchParams): JsonObject {
    const clientId = form.get('client_id') ?? '';
    this.checkClient(clientId, form.get('client_secret') ?? '');
    const refresh = this.#refreshes.get(form.get('refresh_token') ?? '');
    if (refresh === undefined) throw oauthRefusal(400, 'invalid_grant', 'Bad Request');
    if (clientId !== refresh.clientId) throw oauthRefusal(401, 'unauthorized_client', 'Unauthorized');
    if (refresh.isRevoked) {
      throw oauthRefusal(400, 'invalid_grant', 'Token has been expired or revoked.');
    }
    return this.#answer(
      { email: refresh.email, scopes: new Set(refresh.scopes), isServiceAccount: false },
      true,
    );
  }

  #answer(principal: Principal, showScope = false): JsonObject {
    const answer: JsonObject = {
      access_token: this.issue(principal),
      expires_in: tokenLifetimeSeconds,
      token_type: 'Bearer',
    };
    // Google lists OpenID scopes by their full addresses, except openid itself.
    if (showScope) answer['scope'] = [...principal.scopes].map(long).join(' ');
    return answer;
  }
}

function parseJwt(assertion: string): {
  header: JsonObject;
  claims: JsonObject;
  signed: Buffer;
  signature: Buffer;
} {
  const parts = assertion.split('.');
  try {
    const [header, claims] = parts
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')));
    if (parts.length !== 3) throw new Error('not three parts');
    return {
      header,
      claims: Array.isArray(claims) ? { aud: listOf(claims)[0] } : claims,
      signed: Buffer.from(`${parts[0]}.${parts[1]}`),
      signature: Buffer.from(parts[2] ?? '', 'base64url'),
    };
  } catch {
    throw oauthRefusal(400, 'invalid_grant', 'Invalid JWT: Failed to parse the assertion.');
  }
}

function isLoopback(uri: string): boolean {
  const target = URL.parse(uri);
  return target !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(target.hostname);
}

export function isScope(scope: string): boolean {
  return scope.startsWith(scopePrefix) || ['openid', 'email', 'profile'].includes(scope);
}

function long(scope: string): string {
  if (scope === 'openid') return scope;
  return `${scopePrefix}${scope === 'email' ? 'userinfo.email' : scope}`;
}

function short(scope: string): string {
  return scope.startsWith(scopePrefix) ? scope.slice(scopePrefix.length) : scope;
}

let made: { readonly privateKey: string; readonly publicKey: KeyObject } | undefined;

/** One key pair for all accounts of all sandboxes in this process. Created on first use, because it takes a quarter of a second. */
function keyPair(): { readonly privateKey: string; readonly publicKey: KeyObject } {
  if (made === undefined) {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    made = { privateKey, publicKey: createPublicKey(publicKey) };
  }
  return made;
}
