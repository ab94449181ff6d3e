// The worker's HTTP server: health for machines, status for people, metrics for Prometheus, and the routes of the plugins. Every request
// gets an answer within seconds, whatever Redis does, and no answer reveals internals.

import fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify';
import { TerminalError } from '../domain/errors.ts';
import { LATE, within } from '../domain/within.ts';
import { type OperatorParts, operatorRoutes } from './operator-routes.ts';
import { reachableHost } from './reachable-host.ts';
import { refuseMalformed, refuseTheRest } from './refusals.ts';

export interface HttpServerParts extends OperatorParts {
  /** Each plugin has its own scope, so that one may change how bodies are parsed. */
  readonly plugins: readonly FastifyPluginAsync[];
  /** Default body limit of a route, in bytes. */
  readonly bodyLimit?: number;
}

export interface HttpServer {
  /** Port 0 means any free port. Rejects with `TerminalError`: `http-port-taken`, `http-address-unusable`. */
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly url: string }>;
  /** Waits up to 3 s for requests in progress to be answered. */
  close(): Promise<void>;
}

/** Largest body of a request to any route but the webhook. */
const BODY_BYTES_MAX = 1024 * 1024;
/** How long receiving a whole request may take; no legitimate client is slower. */
const REQUEST_WITHIN_MS = 15_000;
const CONNECTIONS_CHECKED_EVERY_MS = 1_000;
const CLOSE_WITHIN_MS = 3_000;
const IDLE_CHECKED_EVERY_MS = 50;

export function createHttpServer(parts: HttpServerParts): HttpServer {
  const app = fastify({
    logger: false,
    bodyLimit: parts.bodyLimit ?? BODY_BYTES_MAX,
    requestTimeout: REQUEST_WITHIN_MS,
    http: { headersTimeout: REQUEST_WITHIN_MS, connectionsCheckingInterval: CONNECTIONS_CHECKED_EVERY_MS },
    forceCloseConnections: 'idle',
    frameworkErrors: refuseMalformed,
  });
  refuseTheRest(app, parts.log);
  app.register(operatorRoutes(parts));
  for (const plugin of parts.plugins) app.register(plugin);
  return {
    listen: (address) => listen(app, address),
    close: () => close(app),
  };
}

async function listen(
  app: FastifyInstance,
  address: { readonly host: string; readonly port: number },
): Promise<{ url: string }> {
  try {
    await app.listen({ host: address.host, port: address.port });
  } catch (cause) {
    throw explain(cause, address);
  }
  const bound = app.server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  return { url: `http://${reachableHost(address.host)}:${port}` };
}

function explain(cause: unknown, { host, port }: { readonly host: string; readonly port: number }): unknown {
  const code = (cause as { code?: unknown }).code;
  if (code === 'EADDRINUSE') {
    return new TerminalError('http-port-taken', `port ${port} is in use by another process`, {
      advice: 'Set http.port to another port (0 takes any free one), or stop the other process.',
      cause,
    });
  }
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new TerminalError('http-address-unusable', `cannot listen on ${host} port ${port} (${code})`, {
      advice: 'Set http.host to an address of this machine, and http.port to a port that this user can open.',
      cause,
    });
  }
  return cause;
}

async function close(app: FastifyInstance): Promise<void> {
  // A connection that was busy when closing began stays open after its answer, until this check closes it.
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECKED_EVERY_MS);
  const closing = app.close();
  try {
    // A client that never finishes its upload must not delay the shutdown.
    if ((await within(CLOSE_WITHIN_MS, closing)) === LATE) app.server.closeAllConnections();
    await closing;
  } finally {
    clearInterval(idle);
  }
}
