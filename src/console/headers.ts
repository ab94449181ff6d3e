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

/** On every answer below /console; only the assets say themselves how long they may be kept. */
export async function setHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { 'cache-control': cacheControl, ...headers } = COMMON_HEADERS;
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', cacheControl);
  reply.headers(headers);
}
