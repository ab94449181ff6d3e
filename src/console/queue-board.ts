// Bull-board below /console/queues, read-only and for `ops`. It has its own policy: it may load images of this host and set the base of its
// addresses.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { inTime } from '../ops/deadline.ts';
import type { QueueBoard } from '../ports/console.ts';
import type { Framer } from './framer.ts';
import type { Guard } from './guard.ts';
import type { ConsoleParts } from './parts.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'none'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join('; ');
const KEPT_BY_BROWSER = 'private, max-age=31536000, immutable';

export function serveQueueBoard(
  app: FastifyInstance,
  { openBoard }: Pick<ConsoleParts, 'openBoard'>,
  { guard, pages }: { readonly guard: Guard; readonly pages: Framer },
): void {
  let opened: Promise<QueueBoard> | undefined;
  const board = (): Promise<QueueBoard> => {
    opened ??= openBoard().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  const options = {
    exposeHeadRoute: false,
    onRequest: (request: FastifyRequest, reply: FastifyReply) =>
      guard.check({ right: 'see-queues' }, request, reply),
  };
  app.get('/queues', options, async (_request, reply) => reply.redirect('/console/queues/', 303));
  app.get('/queues/*', options, async (request, reply) => {
    const { '*': path } = request.params as { readonly '*': string };
    reply.header('content-security-policy', POLICY);
    const { file, read, page } = await board();
    if (path.startsWith('static/')) {
      const found = await file(path.slice('static/'.length));
      if (found === undefined) return reply.code(404).send({ error: 'not-found' });
      // File names change with the content, except those of translations.
      if (!path.endsWith('.json')) reply.header('cache-control', KEPT_BY_BROWSER);
      return reply.type(found.type).send(found.bytes);
    }
    if (path.startsWith('api/')) {
      const { searchParams } = new URL(request.url, 'http://console.invalid');
      const answer = await inTime(read(`/${path}`, searchParams));
      if (answer === undefined) return reply.code(404).send({ error: 'not-found' });
      return reply.code(answer.status).send(answer.body);
    }
    return reply.type('text/html; charset=utf-8').send(page(pages.words(request).code));
  });
}
