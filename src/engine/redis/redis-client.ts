import { Socket } from 'node:net';
import { type RedisOptions as AnyRedisOptions, Cluster, Redis } from 'ioredis';
import { type HostPort, masterConnector } from './sentinels.ts';

export type RedisClient = Redis | Cluster;

/** Replies in the shapes of RESP2, which the types of a plain `Redis` describe. */
type RedisOptions = Omit<AnyRedisOptions, 'replyMapping'>;

/**
 * Opens a client for `redis://`, `rediss://`, `unix:///path`, `redis+sentinel://[user:password@]host:port,host:port/master[?db=N]` or
 * `redis+cluster://[user:password@]host:port,host:port`.
 *
 * `commands` never queues while it is disconnected, so that a caller learns immediately that nothing was made durable. `queue` waits
 * forever, as BullMQ requires.
 */
export function openRedis(url: string, role: 'commands' | 'queue'): RedisClient {
  const options: RedisOptions =
    role === 'commands'
      ? { ...CONNECTION, enableAutoPipelining: true, maxRetriesPerRequest: 1 }
      : { ...CONNECTION, maxRetriesPerRequest: null };
  const client = connect(url, options);
  leaveSilentServers(client, { isBlocking: false });
  // Without a listener, ioredis prints every failed attempt. Failing commands and /readyz already report what matters.
  client.on('error', (error: Error) => {
    // ioredis would continue in database 0, where another program may keep its keys.
    if (isDatabaseRefused(error)) client.disconnect(true);
  });
  return client;
}

/** Redis has no database with this number, or this user may not select it. */
export function isDatabaseRefused(error: Error): boolean {
  return /DB index/i.test(error.message) || (/NOPERM/.test(error.message) && /'select'/i.test(error.message));
}

/** The nodes that hold the keys: one, or the masters of the cluster. */
export function mastersOf(redis: RedisClient): readonly Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis];
}

const CONNECTION: RedisOptions = {
  connectTimeout: 5_000,
  enableReadyCheck: true,
  retryStrategy: (attempt) => Math.min(100 * attempt, 1_000),
};

/** How often a server that takes no writes may be left: if no other is named, every write would end the connection. */
const LEAVE_DEMOTED_EVERY_MS = 2_000;

/**
 * A primary that was demoted, or cut off from its replicas, may keep its connections. It is left, and the name is resolved anew. The
 * caller still gets the refusal.
 */
function leavesDemoted(): (error: Error) => boolean {
  let leftAtMs = Number.NEGATIVE_INFINITY;
  return ({ message }) => {
    if (!/READONLY|NOREPLICAS/.test(message)) return false;
    if (performance.now() - leftAtMs < LEAVE_DEMOTED_EVERY_MS) return false;
    leftAtMs = performance.now();
    return true;
  };
}

/** BullMQ duplicates its client to wait for jobs with it. */
class WatchedRedis extends Redis {
  override duplicate(...given: Parameters<Redis['duplicate']>): Redis {
    const client = super.duplicate(...given);
    leaveSilentServers(client, { isBlocking: true });
    return client;
  }
}

class WatchedCluster extends Cluster {
  override duplicate(...given: Parameters<Cluster['duplicate']>): Cluster {
    const client = super.duplicate(...given);
    leaveSilentServers(client, { isBlocking: true });
    return client;
  }
}

function connect(url: string, options: RedisOptions): RedisClient {
  if (url.startsWith('unix://')) return new WatchedRedis({ ...options, path: url.slice('unix://'.length) });
  if (url.startsWith('redis+sentinel://')) return connectSentinel(url, options);
  if (url.startsWith('redis+cluster://')) return connectCluster(url, options);
  // The name of the host may lead to another server by now.
  return new WatchedRedis(url, { ...options, reconnectOnError: leavesDemoted() });
}

function connectSentinel(url: string, options: RedisOptions): Redis {
  const { login, nodes, path, query } = parseNodes(url, 'redis+sentinel://');
  return new WatchedRedis({
    ...options,
    reconnectOnError: leavesDemoted(),
    Connector: masterConnector(nodes, path === '' ? 'mymaster' : path),
    db: Number(query.get('db') ?? 0),
    ...login,
  });
}

function connectCluster(url: string, options: RedisOptions): Cluster {
  const { login, nodes } = parseNodes(url, 'redis+cluster://');
  const { enableAutoPipelining, ...redisOptions } = options;
  return new WatchedCluster(nodes, {
    enableAutoPipelining: enableAutoPipelining ?? false,
    // ioredis 6.0.0 never settles `connect()` after this check has failed, and BullMQ 6.7.0 awaits it. Commands learn the state anyway.
    enableReadyCheck: false,
    clusterRetryStrategy: (attempt) => Math.min(100 * attempt, 1_000),
    redisOptions: { ...redisOptions, ...login },
  });
}

/** The URL parser rejects a URL with several hosts, so this function takes it apart. */
function parseNodes(url: string, scheme: string) {
  const [rest = '', query = ''] = url.slice(scheme.length).split('?');
  const [authority = '', path = ''] = rest.split('/');
  const at = authority.lastIndexOf('@');
  const userInfo = at < 0 ? '' : authority.slice(0, at);
  const nodes = authority
    .slice(at + 1)
    .split(',')
    .map((node): HostPort => {
      const [, bracketed, plain = '', port = '6379'] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(node) ?? [];
      return { host: bracketed ?? plain, port: Number(port) };
    });
  const colon = userInfo.indexOf(':');
  const username = colon < 0 ? userInfo : userInfo.slice(0, colon);
  const password = colon < 0 ? '' : userInfo.slice(colon + 1);
  return {
    nodes,
    path,
    query: new URLSearchParams(query),
    login: {
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    },
  };
}

// A host that lost its power or its route closes no connection, and the kernel keeps the socket for a quarter of an hour. So every
// connection is probed here, and one whose server is silent is left.

/** How often a connection is probed. */
const PROBE_EVERY_MS = 1_000;
/** Number of probes in a row after which a server that sent nothing is left. Callers wait 3 s for a command. */
const SILENT_PROBES = 4;
/** The same for a connection that waits for jobs: BullMQ blocks it for up to 10 s, and Redis answers no probe meanwhile. */
const SILENT_BLOCKED_PROBES = 13;

/**
 * Leaves a server that answers no probe; the client then connects anew. `isBlocking`: the connection reads with a time limit, as BullMQ
 * waits for jobs. It is not probed, but an answer must come within the limit.
 */
function leaveSilentServers(client: Redis | Cluster, { isBlocking }: { isBlocking: boolean }): void {
  if (!(client instanceof Cluster)) {
    watch(client, isBlocking);
    return;
  }
  for (const node of client.nodes()) watch(node, isBlocking);
  client.on('+node', (node: Redis) => watch(node, isBlocking));
}

function watch(redis: Redis, isBlocking: boolean): void {
  let timer: NodeJS.Timeout | undefined;
  redis.on('connect', () => {
    clearInterval(timer);
    timer = setInterval(silenceCheck(redis, isBlocking), PROBE_EVERY_MS);
    timer.unref();
  });
  redis.on('close', () => clearInterval(timer));
}

/** Counts probes instead of time: a process that was stopped itself has not yet read what came meanwhile. */
function silenceCheck(redis: Redis, isBlocking: boolean): () => void {
  const { stream } = redis;
  let heardBytes = 0;
  let silentProbes = 0;
  return () => {
    const isAwaiting = redis.status !== 'ready' || redis.commandQueue.length > 0;
    if (stream.bytesRead !== heardBytes || !isAwaiting) silentProbes = 0;
    else silentProbes += 1;
    heardBytes = stream.bytesRead;
    const isBlocked = isBlocking && redis.status === 'ready';
    if (silentProbes >= (isBlocked ? SILENT_BLOCKED_PROBES : SILENT_PROBES)) {
      silentProbes = 0;
      drop(stream);
    } else if (!isBlocking && redis.status === 'ready') redis.ping().catch(() => undefined);
  };
}

/** A reset also discards what was not delivered: after a cut, the kernel would deliver it later than newer commands. */
function drop(stream: Redis['stream']): void {
  const isPlain = stream instanceof Socket && stream.remotePort !== undefined && !('encrypted' in stream);
  if (isPlain) stream.resetAndDestroy();
  else stream.destroy();
}
