import { createConnection, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AbstractConnector, type RedisOptions as AnyRedisOptions, Cluster, Redis, ReplyError } from 'ioredis';
import { TerminalError } from './errors.ts';
import { LATE, within } from './object.ts';
import { togetherMs } from './runtime.ts';

export interface RedisRefusal {
  /** What Redis answered, without the arguments that it may repeat. */
  readonly answer: string;
  readonly advice: string;
  /** This user may not run the command or use its keys, or this Redis does not have the command. */
  readonly isForbidden: boolean;
}

/** Longest answer that is repeated; Redis' own are shorter. */
const ANSWER_CHARS_MAX = 160;

/** Undefined when Redis has not answered at all. */
export function redisRefusalOf(error: unknown): RedisRefusal | undefined {
  if (!(error instanceof ReplyError)) return undefined;
  const { message } = error as Error;
  const [whole = ''] = message.split(/,? with args beginning with| script: /);
  const answer = whole.slice(0, ANSWER_CHARS_MAX).trim();
  const isForbidden = FORBIDDEN.test(answer);
  const [word = ''] = answer.split(' ');
  return {
    answer,
    isForbidden,
    advice: isForbidden ? `${RIGHTS_ADVICE} ${WHICH_RIGHTS}` : (ADVICE[word] ?? OTHER_ADVICE),
  };
}

/** Answers of Redis 6.2, 7 and Valkey to a command itself, and to one that a script runs. */
const FORBIDDEN =
  /^NOPERM|^EXECABORT Transaction discarded because of: NOPERM|^ERR unknown command|can't run this command|can't access at least one of the keys/;

export const RIGHTS_ADVICE =
  'Give the user of redis.url the rights that docs/operations.md names under Redis.';
const WHICH_RIGHTS = '`slotbridge check --live` lists those that are missing.';
const OTHER_ADVICE = 'See that Redis runs and has memory and disk left.';

/** By the first word of the answer, which is a code. */
const ADVICE: Readonly<Record<string, string>> = {
  OOM: 'Give Redis more memory (maxmemory).',
  MISCONF: 'Make room on the disk of Redis.',
  READONLY: 'Let redis.url name the master.',
  NOREPLICAS: 'Start the replicas of Redis again.',
  LOADING: 'Wait: Redis loads its file.',
  NOAUTH: 'Correct user and password in redis.url.',
  WRONGPASS: 'Correct user and password in redis.url.',
};

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
      ? { ...CONNECTION, maxRetriesPerRequest: 1 }
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
  /**
   * Commands of one turn of the event loop leave in one write. The automatic pipelining of ioredis 6.0.0 does so as well, but builds a
   * pipeline with all commands of Redis each time.
   */
  override sendCommand(...given: Parameters<Redis['sendCommand']>): unknown {
    const { stream } = this;
    if (stream?.writableCorked === 0) {
      stream.cork();
      setImmediate(() => stream.uncork());
    }
    return super.sendCommand(...given);
  }

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
  return new WatchedCluster(nodes, {
    // ioredis 6.0.0 never settles `connect()` after this check has failed, and BullMQ 6.7.0 awaits it. Commands learn the state anyway.
    enableReadyCheck: false,
    clusterRetryStrategy: (attempt) => Math.min(100 * attempt, 1_000),
    redisOptions: { ...options, ...login },
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
  const probe = (check: () => void): void => {
    timer = setTimeout(() => {
      check();
      probe(check);
    }, togetherMs(PROBE_EVERY_MS)).unref();
  };
  redis.on('connect', () => {
    clearTimeout(timer);
    probe(silenceCheck(redis, isBlocking));
  });
  redis.on('close', () => clearTimeout(timer));
}

/** Counts probes instead of time: a process that was stopped itself has not yet read what came meanwhile. */
function silenceCheck(redis: Redis, isBlocking: boolean): () => void {
  const { stream } = redis;
  let heardBytes = 0;
  let silentProbes = 0;
  return () => {
    const isAwaiting = redis.status !== 'ready' || redis.commandQueue.length > 0;
    const isHeard = stream.bytesRead !== heardBytes;
    if (isHeard || !isAwaiting) silentProbes = 0;
    else silentProbes += 1;
    heardBytes = stream.bytesRead;
    const isBlocked = isBlocking && redis.status === 'ready';
    if (silentProbes >= (isBlocked ? SILENT_BLOCKED_PROBES : SILENT_PROBES)) {
      silentProbes = 0;
      drop(stream);
    } else if (!isBlocking && !isHeard && redis.status === 'ready') redis.ping().catch(() => undefined);
  };
}

/** A reset also discards what was not delivered: after a cut, the kernel would deliver it later than newer commands. */
function drop(stream: Redis['stream']): void {
  const isPlain = stream instanceof Socket && stream.remotePort !== undefined && !('encrypted' in stream);
  if (isPlain) stream.resetAndDestroy();
  else stream.destroy();
}

// Finds the master through its sentinels. All are asked at once: a silent one must not hold up the answer of the others. ioredis's own
// connector asks one after another. Its failover detector may end a client for good while it reconnects.

interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** What one sentinel said; `failure` says in words why it said nothing. */
interface Answer {
  readonly sentinel: HostPort;
  readonly master?: HostPort | undefined;
  /** Grows with each failover. */
  readonly epoch: number;
  readonly others: readonly HostPort[];
  readonly failure?: string;
}

/** Event of a client: what each sentinel answered, as an `Error` whose message is meant for people. */
export const SENTINELS_ANSWERED = 'sentinels';

/** How long one sentinel may take, and how long the others may take once one has named the master. */
const ANSWER_WITHIN_MS = 2_000;
const OTHERS_WITHIN_MS = 250;
/** Pause before asking again. It grows up to the longest. */
const AGAIN_AFTER_MS = 100;
const AGAIN_AFTER_MS_MAX = 1_000;
/** How long a connection may take to close. */
const DISCONNECT_WITHIN_MS = 2_000;
/** Most sentinels that are remembered: more are nobody's set-up. */
const SENTINELS_MAX = 32;

/** A connector for ioredis's option `Connector`. Clients that share it share what they learned about further sentinels. */
function masterConnector(named: readonly HostPort[], name: string) {
  const known = new Map(named.map((node) => [addressOf(node), node]));
  return class MasterConnector extends AbstractConnector {
    #attempt = 0;

    constructor() {
      super(DISCONNECT_WITHIN_MS);
    }

    override check({ role }: { readonly role?: string }): boolean {
      return role === undefined || role === 'master';
    }

    /** Resolves with a connection to the master. Rejects only once the client has been closed. */
    async connect(emit: (type: string, error: Error) => void) {
      this.connecting = true;
      this.#attempt += 1;
      const own = this.#attempt;
      for (let pauseMs = AGAIN_AFTER_MS; ; pauseMs = Math.min(2 * pauseMs, AGAIN_AFTER_MS_MAX)) {
        const { master, report } = await askAll(known, name);
        if (!this.connecting || own !== this.#attempt) throw new Error('Connection is closed.');
        emit(SENTINELS_ANSWERED, new Error(report));
        if (master !== undefined) {
          const stream = createConnection(master);
          stream.once('error', (error) => {
            this.firstError = error;
          });
          this.stream = stream;
          return stream;
        }
        emit('error', new Error(`No sentinel names the master: ${report}`));
        await sleep(pauseMs);
      }
    }
  };
}

/** The sentinel that has seen the most failovers is right: one that was cut off still names the former master. */
async function askAll(
  known: Map<string, HostPort>,
  name: string,
): Promise<{ readonly master: HostPort | undefined; readonly report: string }> {
  const asked = [...known.values()];
  const answers = await firstAnswers(asked, name);
  for (const other of answers.flatMap(({ others }) => others)) {
    if (known.size < SENTINELS_MAX) known.set(addressOf(other), other);
  }
  const [best] = answers.filter(({ master }) => master !== undefined).sort((a, b) => b.epoch - a.epoch);
  const report = asked.map((sentinel) => inWords(sentinel, answers)).join(', ');
  return { master: best?.master, report };
}

function inWords(sentinel: HostPort, answers: readonly Answer[]): string {
  const answer = answers.find((each) => each.sentinel === sentinel);
  const about = `sentinel ${addressOf(sentinel)}`;
  if (answer?.master !== undefined) return `${about} names ${addressOf(answer.master)}`;
  return `${about} ${answer?.failure ?? 'is silent'}`;
}

/** Resolves when all have answered or failed, or soon after the first has named a master. */
async function firstAnswers(sentinels: readonly HostPort[], name: string): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const clients: Redis[] = [];
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((done) => {
    for (const sentinel of sentinels) {
      const client = openSentinel(sentinel);
      clients.push(client);
      void ask(client, sentinel, name).then((answer) => {
        answers.push(answer);
        if (answers.length === sentinels.length) done();
        else if (answer.master !== undefined) timer ??= setTimeout(done, OTHERS_WITHIN_MS);
      });
    }
  });
  clearTimeout(timer);
  for (const client of clients) client.disconnect();
  return answers;
}

function openSentinel({ host, port }: HostPort): Redis {
  const client = new Redis({
    ...{ host, port, connectTimeout: ANSWER_WITHIN_MS, commandTimeout: ANSWER_WITHIN_MS },
    ...{ enableReadyCheck: false, disableClientInfo: true, protocol: 2, retryStrategy: () => null },
  });
  client.on('error', () => {});
  return client;
}

async function ask(client: Redis, sentinel: HostPort, name: string): Promise<Answer> {
  let failure: Error | undefined;
  client.on('error', (error: Error) => {
    failure ??= error;
  });
  try {
    const [master, epoch, others] = await Promise.all([
      client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name),
      // A user of the sentinels may not be allowed to run these two.
      client.call('SENTINEL', 'MASTER', name).then(epochOf, () => 0),
      client.call('SENTINEL', 'SENTINELS', name).then(othersOf, () => []),
    ]);
    if (!Array.isArray(master)) return { sentinel, epoch, others, failure: `does not watch ${name}` };
    const [host, port] = master.map(String);
    return { sentinel, epoch, others, master: { host: host ?? '', port: Number(port) } };
  } catch (error) {
    return { sentinel, epoch: 0, others: [], failure: nodeFailure(failure ?? (error as Error)) };
  }
}

function epochOf(reply: unknown): number {
  return Number(fieldsOf(reply)['config-epoch'] ?? 0);
}

function othersOf(reply: unknown): HostPort[] {
  const all = Array.isArray(reply) ? reply.map(fieldsOf) : [];
  return all
    .filter(
      ({ flags = '', ip, port }) => !flags.includes('disconnected') && ip !== undefined && port !== undefined,
    )
    .map(({ ip = '', port }) => ({ host: ip, port: Number(port) }));
}

/** A flat list of names and values. */
function fieldsOf(reply: unknown): Readonly<Record<string, string>> {
  const flat = Array.isArray(reply) ? reply.map(String) : [];
  const fields: Record<string, string> = {};
  for (let at = 0; at + 1 < flat.length; at += 2) fields[String(flat[at])] = String(flat[at + 1]);
  return fields;
}

function addressOf({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

// The first connection to a Redis: it works, or the operator learns whether address, login, database or TLS is wrong.

interface FirstConnection {
  /** The address as messages show it, without user and password. */
  readonly address: string;
  /** How long a server that accepts connections may load its file or leave requests unanswered. */
  readonly withinMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * How long to retry an error that may pass while a server starts beside this process. It counts from the first error: a host may be silent
 * before.
 */
const REFUSED_WITHIN_MS = 2_500;

/**
 * Resolves when Redis accepts commands in the database that the address names. Rejects with `TerminalError`: `redis-login-refused`,
 * `redis-database-refused`, `redis-certificate-refused`, `redis-tls-mismatch`, `redis-host-unknown`, `redis-refused`, `redis-silent`; and
 * with the signal's reason when it aborts.
 */
export async function untilConnected(redis: RedisClient, first: FirstConnection): Promise<void> {
  const { signal } = first;
  if (redis.status === 'ready') return;
  let last: Error | undefined;
  let isOpen = false;
  const nodes = new Map<string, string>();
  const explained = () => explain({ last, said: [...nodes.values()].join(', '), first });
  let undo = () => {};
  const ready = new Promise<void>((done, reject) => {
    let refusedAtMs: number | undefined;
    const onError = (error: Error) => {
      last = rootOf(error);
      refusedAtMs ??= performance.now();
      if (isFinal(last) || performance.now() - refusedAtMs > REFUSED_WITHIN_MS) reject(explained());
    };
    const onSentinels = ({ message }: Error) => void nodes.set('sentinels', message);
    const onNode = (error: Error, node: string) => void nodes.set(node, `node ${node} ${nodeFailure(error)}`);
    const onAbort = () => reject(signal?.reason);
    const onOpen = () => {
      isOpen = true;
    };
    undo = () => {
      redis.off('connect', onOpen);
      redis.off('ready', done);
      redis.off('error', onError);
      redis.off(SENTINELS_ANSWERED, onSentinels);
      redis.off('node error', onNode);
      signal?.removeEventListener('abort', onAbort);
    };
    redis.once('connect', onOpen);
    redis.once('ready', done);
    redis.on('error', onError);
    redis.on(SENTINELS_ANSWERED, onSentinels);
    redis.on('node error', onNode);
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
  });
  const agreedWithinMs = Math.min(first.withinMs, REFUSED_WITHIN_MS);
  try {
    if ((await within(agreedWithinMs, ready)) !== LATE) return;
    // With TLS, a connection opens only after both sides have agreed on it.
    const isUnagreed = !isOpen && last === undefined && first.address.startsWith('rediss:');
    const isLate = isUnagreed || (await within(first.withinMs - agreedWithinMs, ready)) === LATE;
    if (isLate) throw explained();
  } finally {
    undo();
  }
}

/** A cluster wraps the error of its node. */
function rootOf(error: Error & { readonly lastNodeError?: unknown }): Error {
  return error.lastNodeError instanceof Error ? error.lastNodeError : error;
}

/** No further attempt can end differently. */
function isFinal(error: Error): boolean {
  return isDatabaseRefused(error) || isLoginRefused(error) || isCertificateRefused(error);
}

function isLoginRefused({ message }: Error): boolean {
  return /WRONGPASS|NOAUTH|NOPERM|invalid password|without any password/i.test(message);
}

function isCertificateRefused(error: Error): boolean {
  return /CERT|UNABLE_TO|HOSTNAME_MISMATCH/.test(codeOf(error));
}

function codeOf(error: Error | undefined): string {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** `said`: what each of several nodes answered, or that it was silent. */
function explain({
  last,
  said: nodes,
  first: { address },
}: {
  readonly last: Error | undefined;
  readonly said: string;
  readonly first: FirstConnection;
}): TerminalError {
  const refused = (code: string, message: string, advice: string) =>
    new TerminalError(code, nodes === '' ? message : `${message}: ${nodes}`, {
      target: 'redis',
      advice,
      cause: last,
    });
  const reason = codeOf(last);
  const said = last?.message ?? '';
  if (last !== undefined && isDatabaseRefused(last)) {
    return refused(
      'redis-database-refused',
      `Redis at ${address} does not have the database of this number`,
      'Give another number at the end of redis.url, or raise "databases" in redis.conf. A user needs the right to SELECT.',
    );
  }
  if (last !== undefined && isLoginRefused(last)) {
    return refused(
      'redis-login-refused',
      `Redis at ${address} refuses the user or the password`,
      'Correct user and password in redis.url; special characters are percent-encoded.',
    );
  }
  if (last !== undefined && isCertificateRefused(last)) {
    return refused(
      'redis-certificate-refused',
      `the certificate of Redis at ${address} is not trusted (${reason})`,
      'Give its authority to Node with NODE_EXTRA_CA_CERTS=<file>, and use the host name of the certificate.',
    );
  }
  if (reason === 'ENOTFOUND' || reason === 'EAI_AGAIN') {
    return refused(
      'redis-host-unknown',
      `the host of Redis at ${address} is not known (${reason})`,
      'Correct the host in redis.url, or the name resolution of this machine.',
    );
  }
  if (reason === 'ECONNREFUSED' || reason === 'ENOENT' || /ECONNREFUSED/.test(said)) {
    return refused(
      'redis-refused',
      `nothing listens at ${address}`,
      'Start Redis there, or correct host and port in redis.url.',
    );
  }
  if (isTlsMismatch(last, address)) {
    return refused(
      'redis-tls-mismatch',
      `Redis at ${address} ${address.startsWith('rediss:') ? 'does not speak TLS' : 'ends the connection at once'}`,
      'Write rediss:// in redis.url for a port with TLS, and redis:// for one without.',
    );
  }
  return refused(
    'redis-silent',
    `Redis at ${address} does not answer${reason === '' ? '' : ` (${reason})`}`,
    'See whether it is still loading its file, stands still, or a firewall is in between.',
  );
}

/** A server without TLS waits for the end of the first line. A server with TLS ends a connection that begins without it. */
function isTlsMismatch(last: Error | undefined, address: string): boolean {
  if (address.startsWith('rediss:')) return last === undefined || /SSL|EPROTO|ECONNRESET/.test(codeOf(last));
  return /ECONNRESET|EPIPE/.test(codeOf(last)) || /Protocol error/.test(last?.message ?? '');
}

/** What a node of several did instead of answering, as the end of a sentence about it. Never its own words. */
function nodeFailure(error: Error & { readonly code?: unknown }): string {
  const code = typeof error.code === 'string' ? error.code : '';
  if (code === 'ECONNREFUSED') return 'refuses connections';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `has an unknown host name (${code})`;
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return `has no route (${code})`;
  if (/NOAUTH|WRONGPASS|NOPERM/.test(error.message)) return 'refuses the login';
  if (/LOADING/.test(error.message)) return 'is loading its file';
  if (code === 'ETIMEDOUT' || /timed? ?out/i.test(error.message)) return 'is silent';
  return code === '' ? 'gives no connection' : `failed (${code})`;
}
