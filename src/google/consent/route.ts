// The page to which Google sends the browser of a person who was asked for consent. Anybody can call it: without the state of a sent link,
// a call costs one read in Redis.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TerminalError } from '../../engine/domain/errors.ts';
import type { ConsentLinks, ConsentOwner, Consents } from '../../engine/ports/consents.ts';
import type { Clock, Log } from '../../engine/ports/runtime.ts';
import { type Agreement, exchangeConsent } from '../consent.ts';
import type { OAuthClient } from '../oauth-client-file.ts';

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

export interface ConsentRouteParts extends CompletionParts {
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
