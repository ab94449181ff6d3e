import type { FastifyReply, FastifyRequest } from 'fastify';

/** No script and no style but the two files, nothing from other hosts, no frame around a page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  // With no-referrer a browser would not say on which page a form was.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const;

/** Assets say how long they may be kept, and the board of the queues has a policy of its own. */
const SAID_BY_ROUTES = new Set(['cache-control', 'content-security-policy']);

/** On every answer below /console. */
export async function setHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  for (const [name, value] of Object.entries(COMMON_HEADERS))
    if (!(SAID_BY_ROUTES.has(name) && reply.hasHeader(name))) reply.header(name, value);
}
