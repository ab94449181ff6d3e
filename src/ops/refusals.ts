import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../ports/runtime.ts';

/** Answers unknown routes and failed requests with `{ "error": code }`, without anything from the request or the worker's internals. */
export function refuseTheRest(app: FastifyInstance, log: Log): void {
  // The request's path is only compared with known URLs, because the router would interpret it as a pattern with regular expressions.
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    methods.set(url, new Set([...(methods.get(url) ?? []), ...[method].flat()]));
  });
  // Before the body is read: a stranger's upload to an unknown route is neither parsed nor refused for its content type.
  app.addHook('onRequest', async (request, reply) =>
    request.is404 ? refuseUnknown(methods, request, reply) : undefined,
  );
  app.setNotFoundHandler((request, reply) => refuseUnknown(methods, request, reply));
  app.setErrorHandler((error: FastifyError, request, reply) => refuseFailed(error, request, { reply, log }));
}

/** Handles a URL that cannot be decoded, before any route or hook. */
export function refuseMalformed(_error: unknown, _request: unknown, reply: FastifyReply): void {
  void reply.code(400).send({ error: 'malformed-url' });
}

function refuseUnknown(
  methods: ReadonlyMap<string, ReadonlySet<string>>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const allowed = methods.get(request.url.split('?')[0] ?? '/');
  if (allowed === undefined) return reply.code(404).send({ error: 'not-found' });
  return reply
    .code(405)
    .header('allow', [...allowed].sort().join(', '))
    .send({ error: 'method-not-allowed' });
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
  // Logs the pattern of the route, never the path, which is a stranger's text.
  log.error({ route: request.routeOptions.url, err: error }, 'request failed');
  return reply.code(500).send({ error: 'internal' });
}
