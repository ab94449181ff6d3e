// The page to which Google sends the browser of a person who was asked for consent. Anybody can call it: without the state of a sent link,
// a call costs one read in Redis.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../ports/runtime.ts';
import { type CompletionParts, type ConsentOutcome, completeConsent } from './complete.ts';

export const CONSENT_PATH = '/google/consent';

const QUERY_CHARS_MAX = 8_192;

export interface ConsentRouteParts extends CompletionParts {
  /** The account can be used from now on. */
  readonly onKept: (account: string) => Promise<void>;
  readonly log: Log;
}

/** What the person reads. Plain text that repeats nothing from the request. */
const PAGES: Readonly<Record<ConsentOutcome, readonly [status: number, text: string]>> = {
  kept: [200, 'Thank you. slotbridge can use your calendar now. You may close this window.'],
  'not-asked': [400, 'This page is only for links that slotbridge has sent. Nothing was stored.'],
  'refused-by-person': [
    200,
    'You did not agree, and nothing was stored. The link works until it expires, should you change your mind.',
  ],
  'link-gone': [
    410,
    'This link was used already or has expired. Nothing was stored. Ask the person who sent it for a new one.',
  ],
  'wrong-person': [
    403,
    'You signed in with another Google account than the one that was invited. Nothing was stored. Ask for a new link, and choose the invited account. You can remove the access that you have just given at https://myaccount.google.com/connections',
  ],
  incomplete: [
    403,
    'Not everything was allowed that slotbridge needs. Nothing was stored. Ask for a new link, and leave every box ticked.',
  ],
  'refused-by-google': [
    502,
    'Google did not confirm your consent. Nothing was stored. Ask for a new link, and try again.',
  ],
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
  const [, query = ''] = request.url.split('?');
  if (query.length > QUERY_CHARS_MAX) return page(reply, ...PAGES['not-asked']);
  try {
    const { outcome, account } = await completeConsent(parts, new URLSearchParams(query));
    if (account !== undefined) parts.log.info({ account, outcome }, 'consent of a person');
    if (outcome === 'kept' && account !== undefined) await parts.onKept(account).catch(() => undefined);
    return page(reply, ...PAGES[outcome]);
  } catch (error) {
    parts.log.warn({ err: error }, 'consent of a person not taken');
    return page(reply, 503, 'slotbridge cannot store your consent right now. Ask for a new link in a while.');
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
