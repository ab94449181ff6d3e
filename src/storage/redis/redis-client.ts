import { type RedisOptions as AnyRedisOptions, Cluster, Redis } from 'ioredis';

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

function connect(url: string, options: RedisOptions): RedisClient {
  if (url.startsWith('unix://')) return new Redis({ ...options, path: url.slice('unix://'.length) });
  if (url.startsWith('redis+sentinel://')) return connectSentinel(url, options);
  if (url.startsWith('redis+cluster://')) return connectCluster(url, options);
  return new Redis(url, options);
}

function connectSentinel(url: string, options: RedisOptions): Redis {
  const { login, nodes, path, query } = parseNodes(url, 'redis+sentinel://');
  return new Redis({
    ...options,
    sentinels: nodes,
    name: path === '' ? 'mymaster' : path,
    db: Number(query.get('db') ?? 0),
    ...login,
  });
}

function connectCluster(url: string, options: RedisOptions): Cluster {
  const { login, nodes } = parseNodes(url, 'redis+cluster://');
  const { enableAutoPipelining, ...redisOptions } = options;
  return new Cluster(nodes, {
    enableAutoPipelining: enableAutoPipelining ?? false,
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
    .map((node) => {
      const [host = '', port = '6379'] = node.split(':');
      return { host, port: Number(port) };
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
