// The worker's HTTP server: health for machines, status for people, metrics for Prometheus, and the routes of the plugins. Every request
// gets an answer within seconds, whatever Redis does, and no answer reveals internals.

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import fastify from 'fastify';
import { TerminalError, WorkerError } from '../engine/errors.ts';
import { LATE, within } from '../engine/object.ts';
import type { Log } from '../engine/runtime.ts';
import type { Problem } from '../engine/work.ts';
import { type HostRules, reachableHost, refuseForwarded, refuseUnknownHosts } from './known-hosts.ts';
import type { Metrics } from './metrics.ts';
import { maskAll } from './personal-data.ts';
import { portHolder } from './port-held.ts';
import { isFromThisMachine } from './request-origin.ts';
import type { StatusSource } from './status.ts';
import type { StatusReport } from './status-report.ts';
import { inTime } from './waiting.ts';

export interface HttpServerParts extends OperatorParts {
  /** Each plugin has its own scope, so that one may change how bodies are parsed. */
  readonly plugins: readonly FastifyPluginAsync[];
  /** Default body limit of a route, in bytes. */
  readonly bodyLimit?: number;
  /** Receives the headers of requests to a path or method that no route has. */
  readonly onUnknown?: (headers: IncomingHttpHeaders) => void;
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
  refuseTheRest(app, parts);
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
    return new TerminalError('http-port-taken', `port ${port} is in use by ${portHolder(port)}`, {
      advice: 'Set http.port to another port (0 takes any free one), or stop that process.',
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

/** Answers unknown routes and failed requests with `{ "error": code }`, without anything from the request or the worker's internals. */
export function refuseTheRest(
  app: FastifyInstance,
  { log, onUnknown }: { readonly log: Log; readonly onUnknown?: (headers: IncomingHttpHeaders) => void },
): void {
  // The request's path is only compared with known URLs, because the router would interpret it as a pattern with regular expressions.
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    methods.set(url, new Set([...(methods.get(url) ?? []), ...[method].flat()]));
  });
  // Before the body is read: a stranger's upload to an unknown route is neither parsed nor refused for its content type.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return undefined;
    onUnknown?.(request.headers);
    return refuseUnknown(methods, request, reply);
  });
  app.setNotFoundHandler((request, reply) => refuseUnknown(methods, request, reply));
  app.setErrorHandler((error: FastifyError, request, reply) => refuseFailed(error, request, { reply, log }));
}

/** Handles a URL that cannot be decoded, before any route or hook. */
function refuseMalformed(_error: unknown, _request: unknown, reply: FastifyReply): void {
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

interface OperatorParts {
  readonly status: StatusSource;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Anyone may see the reasons, and they are logged: they must contain no secrets and no names. */
  readonly isReady: () => Promise<ReadinessReport>;
  /** Additional host names under which `/readyz`, `/status` and `/metrics` answer. */
  readonly hosts?: HostRules['hosts'];
  readonly log: Log;
}

interface ReadinessReport {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/**
 * `GET /healthz`: the process's event loop runs. `GET /readyz`: the worker can do its work, else 503 with reasons. `GET /status`: the
 * report, else 503 with the reason. `GET /metrics`: Prometheus text, also while the state cannot be read. All but the first answer 421
 * under a host name that is not the worker's. `/status` and `/metrics` answer 421 to a proxy, unless `hosts` has the host name. Only this
 * machine gets `/status` with addresses: for others they are masked as in the log.
 */
function operatorRoutes(parts: OperatorParts) {
  return async (app: FastifyInstance): Promise<void> => {
    // Each answer describes the present; a proxy's stale copy would be worse than none.
    app.addHook('onSend', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });
    const readiness = new ReadinessLog(parts.log);
    const rules = { hosts: parts.hosts ?? [] };
    const onRequest = refuseUnknownHosts(rules, parts.log);
    const closed = { onRequest: [refuseForwarded(rules, parts.log), onRequest] };
    // No host check: the answer reveals nothing, and a probe may use any host name.
    app.get('/healthz', async () => ({ ok: true }));
    app.get('/readyz', { onRequest }, async (_request, reply) => {
      const told = await inTime(parts.isReady()).catch(unready);
      readiness.tell(told);
      return reply.code(told.ready ? 200 : 503).send(told);
    });
    app.get('/status', closed, async (request, reply) => sendStatus(parts, request, reply));
    app.get('/metrics', closed, async (_request, reply) => sendMetrics(parts, reply));
  };
}

async function sendStatus(
  { status, log }: OperatorParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    const report = await inTime(status.read());
    return await reply.send(isFromThisMachine(request.raw) ? report : maskAll(report));
  } catch (error) {
    log.debug({ err: error }, 'status could not be read');
    return reply
      .code(503)
      .header('retry-after', '5')
      .send({ error: 'status-unavailable', ...reasonOf(error) });
  }
}

async function sendMetrics(
  { status, metrics, log }: OperatorParts,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // The process's own counters matter most when Redis is unavailable, so they are returned without the state.
  const report = await inTime(status.read()).catch((error: unknown): StatusReport | undefined => {
    log.debug({ err: error }, 'metrics returned without the state');
    return undefined;
  });
  return reply.header('content-type', metrics.contentType).send(await metrics.text(report));
}

/** Whether the worker can do its work: Redis accepts writes, and the names of the mapping are resolved. */
export class Readiness {
  readonly #writeProbe: { problem(): Promise<Problem | undefined> };
  #areNamesResolved = false;

  constructor(writeProbe: { problem(): Promise<Problem | undefined> }) {
    this.#writeProbe = writeProbe;
  }

  namesResolved(): void {
    this.#areNamesResolved = true;
  }

  async read(): Promise<ReadinessReport> {
    const redis = await this.#writeProbe.problem().then(
      (problem) => problem?.message,
      () => 'Redis does not answer',
    );
    const reasons = [
      ...(redis === undefined ? [] : [redis]),
      ...(this.#areNamesResolved ? [] : ['the names in the mapping are not resolved yet']),
    ];
    return { ready: reasons.length === 0, reasons };
  }
}

function unready(error: unknown): ReadinessReport {
  return { ready: false, reasons: [reasonOf(error).reason] };
}

/** The worker's own messages may be shown; other errors may quote data. */
function reasonOf(error: unknown): { code: string; reason: string; advice?: string } {
  if (!(error instanceof WorkerError))
    return { code: 'unexpected', reason: 'an unexpected error; see the log' };
  const { code, message, advice } = error;
  return { code, reason: message, ...(advice === undefined ? {} : { advice }) };
}

/** Logs only changes, because probes come every few seconds. */
class ReadinessLog {
  readonly #log: Log;
  #last: string | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  tell({ ready, reasons }: ReadinessReport): void {
    const now = ready ? 'ready' : reasons.join('; ');
    if (now === this.#last) return;
    this.#last = now;
    if (ready) this.#log.info({}, 'ready');
    else this.#log.warn({ reasons }, 'not ready');
  }
}

// Serves calendar programs that request a secret URL. The feed is written from the stored state, and is at most a few seconds old. The
// platform is not called. Without the secret, a request gets 404.

interface FeedRouteParts {
  readonly path: string;
  readonly feeds: readonly string[];
  /** Checks the form of a secret without reading Redis. */
  readonly isSecret: (text: string) => boolean;
  readonly isSameSecret: (secret: string, hash: string | undefined) => boolean;
  /** The hash of each feed's secret. All are read at once, so that a name costs the same whether it is a feed's or not. */
  readonly hashes: () => Promise<ReadonlyMap<string, string>>;
  /** The file in its current state. */
  readonly write: (feed: string) => Promise<string>;
  /** A monotonic clock. */
  readonly nowMs: () => number;
}

/** How long a file and a secret's hash are cached: a revoked URL may still be answered, and a change not be visible. */
const KNOWN_FOR_MS = 5_000;
/** Smallest file that is compressed; smaller ones gain nothing. */
const GZIP_BYTES_MIN = 1_024;

interface File {
  readonly body: Buffer;
  readonly packed: Buffer | undefined;
  readonly etag: string;
}

/** A fastify plugin: `GET /feeds/<feed>/<secret>.ics`. */
export function feedRoute(parts: FeedRouteParts) {
  const feeds = new Set(parts.feeds);
  const hashes = new ShortCache<ReadonlyMap<string, string>>(parts.nowMs);
  const files = new ShortCache<File>(parts.nowMs);
  const readHashes = () => hashes.of('', parts.hashes);
  const readFile = (feed: string) => files.of(feed, async () => fileOf(await parts.write(feed)));
  return async (app: FastifyInstance): Promise<void> => {
    app.get(`${parts.path}/:feed/:file`, async (request, reply) => {
      const { feed, file } = request.params as { readonly feed: string; readonly file: string };
      const secret = file.endsWith('.ics') ? file.slice(0, -'.ics'.length) : '';
      if (!parts.isSecret(secret)) return refuse(reply);
      try {
        const hash = (await inTime(readHashes())).get(feed);
        // The address of a feed that left the YAML is still stored.
        if (!parts.isSameSecret(secret, hash) || !feeds.has(feed)) return refuse(reply);
        return send(request, reply, await inTime(readFile(feed)));
      } catch {
        return reply.code(503).header('retry-after', '30').send({ error: 'feed-unavailable' });
      }
    });
  };
}

function refuse(reply: FastifyReply): FastifyReply {
  return reply.code(404).header('cache-control', 'no-store').send({ error: 'not-found' });
}

function send(request: FastifyRequest, reply: FastifyReply, file: File): FastifyReply {
  reply
    .header('etag', file.etag)
    .header('cache-control', 'private, max-age=60')
    .header('vary', 'accept-encoding')
    .header('x-robots-tag', 'noindex')
    .header('referrer-policy', 'no-referrer')
    .header('content-type', 'text/calendar; charset=utf-8');
  if (isKnown(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  const isPacked = file.packed !== undefined && takesGzip(request.headers['accept-encoding']);
  return isPacked ? reply.header('content-encoding', 'gzip').send(file.packed) : reply.send(file.body);
}

function fileOf(text: string): File {
  const body = Buffer.from(text);
  const packed = body.length < GZIP_BYTES_MIN ? undefined : gzipSync(body);
  // Weak, because the compressed file has the same ETag (RFC 9110, 8.8.1).
  const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  return { body, packed, etag };
}

/** RFC 9110, 13.1.2: weak comparison. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || bare(tag) === bare(etag));
}

function takesGzip(header: string | string[] | undefined): boolean {
  const offers = String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((offer) => offer.split(';').map((part) => part.trim()));
  return offers.some(([coding, quality]) => coding === 'gzip' && !/^q=0(?:\.0*)?$/.test(quality ?? ''));
}

/** Caches a value for a few seconds; concurrent callers share one read. */
class ShortCache<T> {
  readonly #nowMs: () => number;
  readonly #known = new Map<string, { readonly readAtMs: number; readonly value: Promise<T> }>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  of(name: string, read: () => Promise<T>): Promise<T> {
    const known = this.#known.get(name);
    if (known !== undefined && this.#nowMs() - known.readAtMs < KNOWN_FOR_MS) return known.value;
    const value = read();
    this.#known.set(name, { readAtMs: this.#nowMs(), value });
    value.catch(() => this.#known.delete(name));
    return value;
  }
}
