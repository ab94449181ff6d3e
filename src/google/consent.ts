// A person consents in their own browser to the worker using their calendars. This file builds the URL of Google's consent page and
// exchanges the code that returns. See RFC 6749, 4.1; RFC 7636, PKCE; Google, OAuth 2.0 for web server applications.
import { createHash, randomBytes } from 'node:crypto';
import { auth as library } from 'googleapis/build/src/apis/calendar/index.js';
import * as z from 'zod';
import { RetryableError, TerminalError } from '../engine/domain/errors.ts';
import { GoogleFailure } from './errors.ts';
import type { OAuthClient } from './oauth-client-file.ts';
import { createTransporter } from './transporter.ts';

/** What a person's account is used for. Consent is requested only for what the YAML needs. */
export interface ConsentUse {
  readonly calendars: boolean;
  readonly spreadsheets: boolean;
}

/** The result of a consent: who gave it, and the token. */
export interface Agreement {
  readonly refreshToken: string;
  /** Verified by Google, in lower case; undefined if Google did not verify it. */
  readonly address: string | undefined;
}

const EXCHANGE_WITHIN_MS = 20_000;
const SECRET_BYTES = 32;
const CALENDARS = 'https://www.googleapis.com/auth/calendar.events';
const SPREADSHEETS = 'https://www.googleapis.com/auth/spreadsheets';
const ISSUERS = ['https://accounts.google.com', 'accounts.google.com'];

const CLAIMS = z.object({
  iss: z.string(),
  aud: z.string(),
  exp: z.number(),
  email: z.string().optional(),
  email_verified: z.union([z.boolean(), z.literal('true').transform(() => true)]).optional(),
});

/** A state or a PKCE verifier: 43 unguessable characters. */
export function consentSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export function consentScopes({ calendars, spreadsheets }: ConsentUse): readonly string[] {
  return [...(calendars ? [CALENDARS] : []), ...(spreadsheets ? [SPREADSHEETS] : [])];
}

/** URL of the consent page. `address` preselects the person there; the caller checks afterwards who consented. */
export function consentPage(
  client: OAuthClient,
  about: {
    readonly state: string;
    readonly verifier: string;
    readonly redirectUri: string;
    readonly address: string;
    readonly use: ConsentUse;
  },
): string {
  const page = new URL(client.authUri);
  const query = {
    client_id: client.clientId,
    redirect_uri: about.redirectUri,
    response_type: 'code',
    // The address in the ID token proves who consented.
    scope: ['openid', 'email', ...consentScopes(about.use)].join(' '),
    // Without both, Google returns no refresh token to a person who consented before.
    access_type: 'offline',
    prompt: 'consent',
    login_hint: about.address,
    state: about.state,
    code_challenge: createHash('sha256').update(about.verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(query)) page.searchParams.set(name, value);
  return page.href;
}

/**
 * Rejects with `TerminalError`: `google-consent-refused` when Google does not exchange the code, `google-consent-incomplete` when the
 * person granted less than requested.
 */
export async function exchangeConsent(
  client: OAuthClient,
  about: {
    readonly code: string;
    readonly verifier: string;
    readonly redirectUri: string;
    readonly use: ConsentUse;
    readonly nowMs: number;
  },
): Promise<Agreement> {
  const { code, verifier: codeVerifier, redirectUri, use, nowMs } = about;
  const oauth = new library.OAuth2({
    clientId: client.clientId,
    clientSecret: client.clientSecret,
    redirectUri,
    endpoints: { oauth2TokenUrl: client.tokenUri },
    transporter: createTransporter({ tokenUrl: client.tokenUri, timeoutMs: EXCHANGE_WITHIN_MS }),
  });
  const tokens = await oauth.getToken({ code, codeVerifier, redirect_uri: redirectUri }).then(
    (answer) => answer.tokens,
    (error: unknown) => {
      const cause = new GoogleFailure(error);
      throw new TerminalError(
        'google-consent-refused',
        `Google did not exchange the code (${cause.message})`,
        { target: 'google', cause },
      );
    },
  );
  const granted = (tokens.scope ?? '').split(' ');
  const missing = consentScopes(use).filter((scope) => !granted.includes(scope));
  const refreshToken = tokens.refresh_token ?? undefined;
  if (missing.length > 0 || refreshToken === undefined) {
    const what = missing.length > 0 ? `lacks ${missing.join(', ')}` : 'contains no refresh token';
    throw new TerminalError('google-consent-incomplete', `the granted access ${what}`, { target: 'google' });
  }
  return { refreshToken, address: addressIn(tokens.id_token ?? '', { client, nowMs }) };
}

/**
 * Ends everything that the person gave this client. False: Google no longer knew the token. Rejects with `RetryableError`
 * `google-consent-not-revoked`. See Google, OAuth 2.0 for web server applications, Revoking a token.
 */
export async function revokeConsent({ tokenUri }: OAuthClient, token: string): Promise<boolean> {
  const transporter = createTransporter({ tokenUrl: tokenUri, timeoutMs: EXCHANGE_WITHIN_MS });
  try {
    await transporter.request({
      url: new URL('revoke', tokenUri).href,
      method: 'POST',
      data: new URLSearchParams({ token }),
    });
    return true;
  } catch (error) {
    const cause = new GoogleFailure(error);
    if (cause.status === 400 && cause.reason === 'invalid_token') return false;
    throw new RetryableError('google-consent-not-revoked', `Google did not revoke it (${cause.message})`, {
      target: 'google',
      cause,
      advice:
        'Run the command again. The person can remove the access too, at https://myaccount.google.com/connections',
    });
  }
}

/** No signature check needed: the ID token comes directly from Google's token endpoint (OpenID Connect Core, 3.1.3.7, no. 6). */
function addressIn(
  idToken: string,
  { client, nowMs }: { readonly client: OAuthClient; readonly nowMs: number },
): string | undefined {
  let written: unknown;
  try {
    written = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  const claims = CLAIMS.safeParse(written);
  if (!claims.success) return undefined;
  const { iss, aud, exp, email, email_verified: isVerified } = claims.data;
  const isOurs = ISSUERS.includes(iss) && aud === client.clientId && exp * 1000 > nowMs;
  return isOurs && isVerified === true ? email?.toLowerCase() : undefined;
}
