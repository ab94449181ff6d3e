// The browser part of OAuth: the consent page sends the browser back with a code, and the code is worth tokens once.
// Nobody clicks here: the person set by `answerAs` agrees at once, or refuses.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '../json.ts';
import { oauthRefusal } from '../refusal.ts';
import type { TokenDesk } from './tokens.ts';

const codeLifetimeMs = 600_000;

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

  constructor(desk: TokenDesk, now: () => number) {
    this.#desk = desk;
    this.#now = now;
  }

  /** A client as the console makes it. Its redirect address must be on loopback, as for installed apps. */
  registerClient(): { client_id: string; client_secret: string } {
    return this.#desk.registerClient();
  }

  /** Who sits in front of the browser; undefined: somebody who refuses. */
  answerAs(email: string | undefined): void {
    this.#person = email;
  }

  /** `GET /o/oauth2/v2/auth`: the address to which the browser is sent. Throws what Google shows as a page. */
  redirect(query: URLSearchParams): string {
    const clientId = query.get('client_id') ?? '';
    if (!this.#desk.hasClient(clientId))
      throw oauthRefusal(401, 'invalid_client', 'The OAuth client was not found.');
    const target = URL.parse(query.get('redirect_uri') ?? '');
    const isLoopback = target !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(target.hostname);
    if (target === null || !isLoopback)
      throw oauthRefusal(400, 'redirect_uri_mismatch', 'The redirect_uri is not registered.');
    const scopes = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
    if (query.get('response_type') !== 'code' || scopes.length === 0)
      throw oauthRefusal(400, 'invalid_request', 'Required parameter is missing.');
    const state = query.get('state');
    if (state !== null) target.searchParams.set('state', state);
    if (this.#person === undefined) {
      target.searchParams.set('error', 'access_denied');
      return target.href;
    }
    const code = `4/${randomBytes(24).toString('base64url')}`;
    this.#codes.set(code, {
      clientId,
      redirectUri: query.get('redirect_uri') ?? '',
      email: this.#person,
      scopes,
      // Only a client that asks for offline access gets a refresh token.
      isOffline: query.get('access_type') === 'offline',
      challenge: query.get('code_challenge') ?? undefined,
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

/** PKCE, S256. */
function answers(challenge: string, verifier: string): boolean {
  const expected = Buffer.from(challenge);
  const given = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  return expected.length === given.length && timingSafeEqual(expected, given);
}
