import type { FastifyInstance } from 'fastify';

/** Nothing but the files of this server is loaded, run or shown; nothing is sent elsewhere; nobody frames the page. */
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
 * Admits only this machine's own browser, on the page's own address. It refuses a foreign name that resolves to 127.0.0.1, and what another
 * page sends here.
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
