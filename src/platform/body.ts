import type { FastifyInstance } from 'fastify';

/**
 * Reads every body in this scope as bytes, whatever content type the sender claims. Intermediaries drop, double or rewrite that header, and
 * a refusal for it would end with a disabled endpoint or a calendar without pings.
 */
export function readAnyBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // fastify refuses a type of the wrong form before it looks for a parser.
  app.addHook('onRequest', async ({ raw }) => {
    raw.headers['content-type'] = undefined;
  });
}
