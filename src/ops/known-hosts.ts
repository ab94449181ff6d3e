// A web page can make a browser on this network ask this server under a name of the page's own (DNS rebinding). The answer is
// readable to that page, so what is internal answers only to names that belong to the worker.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../ports/runtime.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export interface HostRules {
  /** Names besides loopback and the address itself, without a port; lower case. */
  readonly hosts: readonly string[];
}

/** True for loopback, for the very address at which the request came in, and for the names that are given. */
export function isKnownHost(
  written: string | undefined,
  localAddress: string,
  { hosts }: HostRules,
): boolean {
  const host = (written ?? '').toLowerCase().replace(/:\d*$/, '');
  return LOOPBACK.test(host) || host === inUrl(localAddress) || hosts.includes(host);
}

/** A hook for routes that are internal: 421 to everybody who asks under another name. Told once, because it may be a forgotten setting. */
export function refuseUnknownHosts(rules: HostRules, log: Log) {
  let isTold = false;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { headers, socket } = request.raw;
    if (isKnownHost(headers.host, socket.localAddress ?? '', rules)) return undefined;
    if (!isTold) log.warn({ route: request.routeOptions.url, advice: ADVICE }, 'asked under an unknown host');
    isTold = true;
    return reply.code(421).send({ error: 'unknown-host' });
  };
}

const ADVICE =
  'If it was Prometheus or a monitor of yours, add the name under which it asks to http.hosts. Otherwise nothing is to be done.';

/** As a `Host` header writes it; an IPv4 address may come as one of IPv6. */
function inUrl(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  return plain.includes(':') ? `[${plain}]` : plain;
}
