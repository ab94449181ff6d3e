// The page to which Google sends the browser of a person who was asked for consent. Anybody can call it: without the state of a sent link,
// a call costs one read in Redis.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../engine/ports/runtime.ts';
import { type CompletionParts, type ConsentOutcome, completeConsent } from './complete.ts';
import { CONSENT_WORDS } from './words.ts';

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
