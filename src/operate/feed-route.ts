// Serves calendar programs that request a secret URL. The feed is written from the stored state, and is at most a few seconds old. The
// platform is not called. Without the secret, a request gets 404.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { inTime } from './deadline.ts';

export interface FeedRouteParts {
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
