import type { FastifyInstance } from 'fastify';

/** The page loads, runs and shows only this server's files, sends nothing elsewhere, and cannot be framed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/**
 * Admits only a browser on this machine that uses the page's own address. Refuses foreign host names that resolve to 127.0.0.1, and
 * requests from other pages.
 */
export function guardDoor(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    const port = request.socket.localPort;
    const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
    const host = request.headers.host ?? '';
    if (!hosts.includes(host))
      return reply.code(403).send({ error: 'This page answers only on its own address.' });
    const { origin } = request.headers;
    const isForeign = origin === undefined ? request.method !== 'GET' : origin !== `http://${host}`;
    if (isForeign) return reply.code(403).send({ error: 'Only the page itself may do this.' });
  });
}
