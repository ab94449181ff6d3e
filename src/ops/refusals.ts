import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Log } from '../ports/runtime.ts';

/** Answers what nobody asked for and what went wrong as `{ "error": code }`: nothing of the request, nothing of the inside. */
export function refuseTheRest(app: FastifyInstance, log: Log): void {
  // Before the body is read: a stranger's upload to nowhere is not worth parsing, nor refusing for its content type.
  app.addHook('onRequest', async (request, reply) =>
    request.is404 ? refuseUnknown(app, request, reply) : undefined,
  );
  app.setNotFoundHandler((request, reply) => refuseUnknown(app, request, reply));
  app.setErrorHandler((error: FastifyError, request, reply) => refuseFailed(error, request, { reply, log }));
}

/** A URL that cannot even be decoded is met before any route or hook. */
export function refuseMalformed(_error: unknown, _request: unknown, reply: FastifyReply): void {
  void reply.code(400).send({ error: 'malformed-url' });
}

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function refuseUnknown(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const url = request.url.split('?')[0] ?? '/';
  const allowed = METHODS.filter((method) => app.hasRoute({ method, url }));
  if (allowed.length === 0) return reply.code(404).send({ error: 'not-found' });
  return reply.code(405).header('allow', allowed.join(', ')).send({ error: 'method-not-allowed' });
}

function refuseFailed(
  error: FastifyError,
  request: FastifyRequest,
  { reply, log }: { reply: FastifyReply; log: Log },
): FastifyReply {
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) {
    return reply.code(status).send({ error: status === 413 ? 'too-large' : 'bad-request' });
  }
  // The pattern of the route, never the path: that is the stranger's own text.
  log.error({ route: request.routeOptions.url, err: error }, 'request failed');
  return reply.code(500).send({ error: 'internal' });
}
