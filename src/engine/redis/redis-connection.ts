// The first connection to a Redis: it works, or the operator learns whether address, login, database or TLS is wrong.
import { TerminalError } from '../domain/errors.ts';
import { LATE, within } from '../domain/within.ts';
import { nodeFailure } from './node-failure.ts';
import { isDatabaseRefused, type RedisClient } from './redis-client.ts';
import { SENTINELS_ANSWERED } from './sentinels.ts';

export interface FirstConnection {
  /** The address as messages show it, without user and password. */
  readonly address: string;
  /** How long a server that accepts connections may load its file or leave requests unanswered. */
  readonly withinMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** How long to retry an error that may pass while a server starts beside this process. */
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
    const beganAtMs = performance.now();
    const onError = (error: Error) => {
      last = rootOf(error);
      if (isFinal(last) || performance.now() - beganAtMs > REFUSED_WITHIN_MS) reject(explained());
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
