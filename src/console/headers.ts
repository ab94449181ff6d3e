import type { FastifyReply, FastifyRequest } from 'fastify';

/** Allows no script and no style except the two files, nothing from other hosts, and no frame around a page. */
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
  // With no-referrer, browsers do not say which page a form was on.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const;

/** Sets the headers of every answer below /console. */
export async function setHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  // Assets say themselves how long browsers may cache them.
  for (const [name, value] of Object.entries(COMMON_HEADERS))
    if (name !== 'cache-control' || !reply.hasHeader(name)) reply.header(name, value);
}

/** A browser that has once come by https comes by nothing else for a year. */
export async function demandHttps(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('strict-transport-security', 'max-age=31536000');
}
