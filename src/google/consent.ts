// A person consents in their own browser to the worker using their calendars. This file builds the URL of Google's consent page and
// exchanges the code that returns. See RFC 6749, 4.1; RFC 7636, PKCE; Google, OAuth 2.0 for web server applications.
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { auth as library } from 'googleapis/build/src/apis/calendar/index.js';
import * as z from 'zod';
import { RetryableError, TerminalError } from '../engine/errors.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { createTransporter, type OAuthClient } from './auth.ts';
import type { ConsentLinks, ConsentOwner, Consents, StoredConsent } from './consent-store.ts';
import { GoogleFailure } from './errors.ts';

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

// The page to which Google sends the browser of a person who was asked for consent. Anybody can call it: without the state of a sent link,
// a call costs one read in Redis.

/** What a person reads after Google's consent page. Plain text that repeats nothing from the request. */
interface ConsentWords extends Readonly<Record<ConsentOutcome, string>> {
  readonly 'too-many': string;
  readonly 'not-stored': string;
}

export const CONSENT_WORDS: Readonly<Record<'en' | 'ru', ConsentWords>> = {
  en: {
    kept: 'Thank you. slotbridge can use your calendar now. You may close this window.',
    'not-asked': 'This page is only for links that slotbridge has sent. Nothing was stored.',
    'refused-by-person':
      'You did not agree, and nothing was stored. The link works until it expires, should you change your mind.',
    'link-gone':
      'This link was used already or has expired. Nothing was stored. Ask the person who sent it for a new one.',
    'wrong-person':
      'You signed in with another Google account than the one that was invited. Nothing was stored. Ask for a new link, and choose the invited account. You can remove the access that you have just given at https://myaccount.google.com/connections',
    incomplete:
      'Not everything was allowed that slotbridge needs. Nothing was stored. Ask for a new link, and leave every box ticked.',
    'refused-by-google':
      'Google did not confirm your consent. Nothing was stored. Ask for a new link, and try again.',
    'too-many': 'Too many calls from your network. Nothing was stored. Reload this page in a minute.',
    'not-stored': 'slotbridge cannot store your consent right now. Ask for a new link in a while.',
  },
  ru: {
    kept: 'Спасибо. Теперь slotbridge может работать с вашим календарём. Окно можно закрыть.',
    'not-asked': 'Эта страница только для ссылок, которые прислал slotbridge. Ничего не сохранено.',
    'refused-by-person':
      'Вы не дали согласия, ничего не сохранено. Если передумаете, ссылка ещё действует, пока не истечёт её срок.',
    'link-gone':
      'Эта ссылка уже использована или устарела. Ничего не сохранено. Попросите новую у того, кто её прислал.',
    'wrong-person':
      'Вы вошли не в ту учётную запись Google, которую приглашали. Ничего не сохранено. Попросите новую ссылку и выберите нужную учётную запись. Только что выданный доступ можно убрать: https://myaccount.google.com/connections',
    incomplete:
      'Вы разрешили не всё, что нужно slotbridge. Ничего не сохранено. Попросите новую ссылку и оставьте все галочки.',
    'refused-by-google':
      'Google не подтвердил ваше согласие. Ничего не сохранено. Попросите новую ссылку и попробуйте ещё раз.',
    'too-many': 'Слишком много запросов из вашей сети. Ничего не сохранено. Обновите страницу через минуту.',
    'not-stored': 'Сейчас slotbridge не может сохранить ваше согласие. Попросите новую ссылку чуть позже.',
  },
};

export const CONSENT_PATH = '/google/consent';

const QUERY_CHARS_MAX = 8_192;

interface ConsentRouteParts extends CompletionParts {
  /** The account can be used from now on. */
  readonly onKept: (account: string) => Promise<void>;
  /** Counts a call; false when its sender has made too many within a minute. */
  readonly mayTry: (request: FastifyRequest) => boolean;
  /** The language of the pages. Absent: English. */
  readonly language?: 'en' | 'ru';
  readonly log: Log;
}

const STATUS: Readonly<Record<ConsentOutcome, number>> = {
  ...{ kept: 200, 'refused-by-person': 200, 'not-asked': 400, 'link-gone': 410 },
  ...{ 'wrong-person': 403, incomplete: 403, 'refused-by-google': 502 },
};

/** A fastify plugin: `GET /google/consent`. Neither the link nor the person appears in a log. */
export function consentRoute(parts: ConsentRouteParts) {
  return async (app: FastifyInstance): Promise<void> => {
    // A link scanner's HEAD request must not use up the link.
    const options = { exposeHeadRoute: false };
    app.get(CONSENT_PATH, options, (request, reply) => answer(parts, request, reply));
  };
}

async function answer(
  parts: ConsentRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const words = CONSENT_WORDS[parts.language ?? 'en'];
  const told = (outcome: ConsentOutcome) => page(reply, STATUS[outcome], words[outcome]);
  if (!parts.mayTry(request)) return page(reply.header('retry-after', '60'), 429, words['too-many']);
  const [, query = ''] = request.url.split('?');
  if (query.length > QUERY_CHARS_MAX) return told('not-asked');
  try {
    const { outcome, account } = await completeConsent(parts, new URLSearchParams(query));
    if (account !== undefined) parts.log.info({ account, outcome }, 'consent of a person');
    if (outcome === 'kept' && account !== undefined) await parts.onKept(account).catch(() => undefined);
    return told(outcome);
  } catch (error) {
    parts.log.warn({ err: error }, 'consent of a person not taken');
    return page(reply, 503, words['not-stored']);
  }
}

function page(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply
    .code(status)
    .headers({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      // The address holds Google's code.
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
    .send(`${text}\n`);
}

// A browser comes back from Google's consent page. The result is a stored consent, or a sentence for the person.

interface CompletionParts {
  readonly client: OAuthClient;
  /** Where Google sends browsers back. */
  readonly redirectUri: string;
  readonly links: Pick<ConsentLinks, 'take'>;
  readonly consents: Pick<Consents, 'keep'>;
  /** As the YAML has it now; undefined when the account is gone. */
  readonly ownerOf: (account: string) => ConsentOwner | undefined;
  readonly useOf: (account: string) => { readonly calendars: boolean; readonly spreadsheets: boolean };
  readonly clock: Clock;
}

/** The result. Only `kept` has stored anything. */
type ConsentOutcome =
  | 'kept'
  | 'not-asked'
  | 'refused-by-person'
  | 'link-gone'
  | 'wrong-person'
  | 'incomplete'
  | 'refused-by-google';

/** 32 random bytes; anything else is not looked up. */
const STATE = /^[\w-]{43}$/;
const CODE_CHARS_MAX = 2_048;

/**
 * Uses up the link before it asks Google, so that the link works once, whatever happens afterwards. Only a caller with its state gets that
 * far: a code of another person or link is useless. Rejects when Redis does not answer.
 */
async function completeConsent(
  parts: CompletionParts,
  query: URLSearchParams,
): Promise<{ readonly outcome: ConsentOutcome; readonly account?: string }> {
  const [state, code] = [query.get('state') ?? '', query.get('code') ?? ''];
  if (!STATE.test(state)) return { outcome: 'not-asked' };
  // The link stays: the person may reconsider.
  if (query.get('error') === 'access_denied') return { outcome: 'refused-by-person' };
  if (code === '' || code.length > CODE_CHARS_MAX) return { outcome: 'not-asked' };
  const link = await parts.links.take(state);
  if (link === undefined) return { outcome: 'link-gone' };
  const { account, address, verifier } = link;
  const owner = parts.ownerOf(account);
  if (owner?.address !== address) return { outcome: 'link-gone' };
  let agreed: Agreement;
  try {
    const { client, redirectUri, clock } = parts;
    const use = parts.useOf(account);
    agreed = await exchangeConsent(client, { code, verifier, redirectUri, use, nowMs: clock.now() });
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    const outcome = error.code === 'google-consent-incomplete' ? 'incomplete' : 'refused-by-google';
    return { outcome, account };
  }
  if (agreed.address !== owner.address) return { outcome: 'wrong-person', account };
  await parts.consents.keep(owner, { token: agreed.refreshToken, atMs: parts.clock.now() });
  return { outcome: 'kept', account };
}

// Ends consents that no account of the YAML uses any more. A slip in the YAML costs none, but no key to a calendar stays for ever.

interface LeftConsentParts {
  readonly consents: Pick<Consents, 'token' | 'all' | 'noteLeft' | 'remove'>;
  /** As the YAML has it now; undefined when the account is gone. */
  readonly ownerOf: (account: string) => ConsentOwner | undefined;
  /** Ends it at Google. Undefined without an OAuth client in the YAML. */
  readonly revoke: ((token: string) => Promise<boolean>) | undefined;
  readonly keepMs: number;
  readonly nowMs: number;
  readonly log: Log;
}

/** Returns how many were removed. Rejects when Google does not answer; then the rest stays until the next time. */
export async function endLeftConsents(parts: LeftConsentParts): Promise<number> {
  const { consents, ownerOf, keepMs, nowMs } = parts;
  const left: StoredConsent[] = [];
  /** People of whom another consent is used. */
  const used = new Set<string>();
  for (const consent of await consents.all()) {
    const owner = ownerOf(consent.account);
    if (owner === undefined || (await consents.token(owner)) === 'missing') left.push(consent);
    else {
      used.add(owner.address);
      if (consent.leftAtMs !== undefined) await consents.noteLeft(consent, undefined);
    }
  }
  let ended = 0;
  for (const consent of left) {
    const { leftAtMs } = consent;
    if (leftAtMs === undefined) await consents.noteLeft(consent, nowMs);
    else if (nowMs - leftAtMs >= keepMs && (await end(consent, used, parts))) ended += 1;
  }
  return ended;
}

async function end(
  consent: StoredConsent,
  used: ReadonlySet<string>,
  { consents, revoke, log }: LeftConsentParts,
): Promise<boolean> {
  const { account, given } = consent;
  // Google ends everything that the person gave, also what another account uses.
  const isAlone = given !== undefined && !used.has(given.address);
  const revoked = isAlone && revoke !== undefined && (await revoke(given.token));
  const isRemoved = await consents.remove(consent);
  if (isRemoved) log.warn({ account, revoked }, 'consent removed: no account of the YAML uses it');
  return isRemoved;
}
