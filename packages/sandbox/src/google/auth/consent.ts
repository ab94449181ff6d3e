// The browser part of OAuth: the consent page redirects the browser with a code, which can be exchanged for tokens once. There is no
// interaction: the person set by `answerAs` agrees immediately, or refuses.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '../json.ts';
import { oauthRefusal } from '../refusal.ts';
import { isScope, type TokenDesk } from './tokens.ts';

const codeLifetimeMs = 600_000;
/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

interface Code {
  clientId: string;
  redirectUri: string;
  email: string;
  scopes: string[];
  isOffline: boolean;
  challenge: string | undefined;
  expiresAtMs: number;
}

export class ConsentDesk {
  readonly #desk: TokenDesk;
  readonly #now: () => number;
  readonly #codes = new Map<string, Code>();
  #person: string | undefined = 'owner@sandbox.example';
  #unticked: string | undefined;
  /**
   * Client and person pairs that have agreed before. Google returns a refresh token only at the first consent, or with
   * `prompt=consent`.
   */
  readonly #agreed = new Set<string>();

  constructor(desk: TokenDesk, now: () => number) {
    this.#desk = desk;
    this.#now = now;
  }

  /** A client as created in the console: a web application if it has addresses, otherwise a desktop app. */
  registerClient(redirectUris?: readonly string[]): { client_id: string; client_secret: string } {
    return this.#desk.registerClient(redirectUris);
  }

  /** Makes the person untick this scope on the page; undefined: every box stays ticked. */
  untick(scope: string | undefined): void {
    this.#unticked = scope;
  }

  /** The person in front of the browser; undefined: a person who refuses. */
  answerAs(email: string | undefined): void {
    this.#person = email;
  }

  /** `GET /o/oauth2/v2/auth`: returns the redirect address for the browser. Throws the errors that Google shows as a page. */
  redirect(query: URLSearchParams): string {
    const clientId = query.get('client_id') ?? '';
    if (!this.#desk.hasClient(clientId))
      throw oauthRefusal(401, 'invalid_client', 'The OAuth client was not found.');
    const target = URL.parse(query.get('redirect_uri') ?? '');
    if (target === null || !this.#desk.mayRedirect(clientId, query.get('redirect_uri') ?? ''))
      throw oauthRefusal(400, 'redirect_uri_mismatch', 'The redirect_uri is not registered.');
    const asked = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
    if (query.get('response_type') !== 'code' || asked.length === 0)
      throw oauthRefusal(400, 'invalid_request', 'Required parameter is missing.');
    if (!asked.every(isScope))
      throw oauthRefusal(400, 'invalid_scope', 'Some requested scopes were invalid.');
    const challenge = query.get('code_challenge');
    // Without a method, the challenge is the verifier itself (RFC 7636, 4.3), which protects nothing, so the sandbox refuses it.
    if (challenge !== null && (query.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge)))
      throw oauthRefusal(400, 'invalid_request', 'Invalid code_challenge or code_challenge_method.');
    const scopes = asked.filter((scope) => scope !== this.#unticked);
    const state = query.get('state');
    if (state !== null) target.searchParams.set('state', state);
    if (this.#person === undefined) {
      target.searchParams.set('error', 'access_denied');
      return target.href;
    }
    const agreement = `${clientId} ${this.#person}`;
    const isAskedAnew = (query.get('prompt') ?? '').split(' ').includes('consent');
    const isFirst = !this.#agreed.has(agreement);
    this.#agreed.add(agreement);
    const code = `4/${randomBytes(24).toString('base64url')}`;
    this.#codes.set(code, {
      clientId,
      redirectUri: query.get('redirect_uri') ?? '',
      email: this.#person,
      scopes,
      // Only a client that requests offline access gets a refresh token.
      isOffline: query.get('access_type') === 'offline' && (isFirst || isAskedAnew),
      challenge: challenge ?? undefined,
      expiresAtMs: this.#now() + codeLifetimeMs,
    });
    target.searchParams.set('code', code);
    target.searchParams.set('scope', scopes.join(' '));
    return target.href;
  }

  /** `POST /token` with grant_type authorization_code. A code works once. */
  exchange(form: URLSearchParams): JsonObject {
    const clientId = form.get('client_id') ?? '';
    this.#desk.checkClient(clientId, form.get('client_secret') ?? '');
    const code = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    if (code === undefined || code.clientId !== clientId || code.expiresAtMs <= this.#now()) {
      throw oauthRefusal(400, 'invalid_grant', 'Malformed auth code.');
    }
    if (code.redirectUri !== form.get('redirect_uri'))
      throw oauthRefusal(400, 'redirect_uri_mismatch', 'Bad Request');
    if (code.challenge !== undefined && !answers(code.challenge, form.get('code_verifier') ?? '')) {
      throw oauthRefusal(400, 'invalid_grant', 'Invalid code verifier.');
    }
    return this.#desk.answerConsent({
      clientId,
      email: code.email,
      scopes: code.scopes,
      isOffline: code.isOffline,
    });
  }
}

/** PKCE check, S256. */
function answers(challenge: string, verifier: string): boolean {
  const expected = Buffer.from(challenge);
  const given = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  return expected.length === given.length && timingSafeEqual(expected, given);
}
