// A web page can make a browser call this server under the page's own host name, and read the answer (DNS rebinding). So internal routes
// answer only to host names that belong to the worker.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../engine/runtime.ts';
import { isForwarded } from './request-origin.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export interface HostRules {
  /** Additional host names, without a port, in lower case. Loopback and the local address are always allowed. */
  readonly hosts: readonly string[];
}

/** True for loopback, for the local address that received the request, and for the given names. */
export function isKnownHost(
  written: string | undefined,
  localAddress: string,
  { hosts }: HostRules,
): boolean {
  const host = nameIn(written);
  return LOOPBACK.test(host) || host === inUrl(localAddress) || hosts.includes(host);
}

/**
 * A hook for internal routes: answers 421 to requests under another host name. Logs only the first one, as it may be a forgotten setting.
 */
export function refuseUnknownHosts(rules: HostRules, log: Log) {
  let isTold = false;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { headers, socket } = request.raw;
    if (isKnownHost(headers.host, socket.localAddress ?? '', rules)) return undefined;
    if (!isTold)
      log.warn({ route: request.routeOptions.url, advice: ADVICE }, 'request for an unknown host name');
    isTold = true;
    return reply.code(421).send({ error: 'unknown-host' });
  };
}

/** Refuses what a proxy forwards, unless the names have its host: a proxy that forwards too much often asks under a loopback name. */
export function refuseForwarded(rules: HostRules, log: Log) {
  let isTold = false;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    if (!isForwarded(request.raw) || rules.hosts.includes(nameIn(request.headers.host))) return undefined;
    if (!isTold)
      log.warn({ route: request.routeOptions.url, advice: FORWARDED }, 'internal route asked for by a proxy');
    isTold = true;
    return reply.code(421).send({ error: 'forwarded' });
  };
}

const FORWARDED =
  'Let the proxy forward only the routes that docs/console.md lists. If it is meant to forward this one, add its host name to http.hosts.';

const ADVICE =
  'If this was Prometheus or another monitor of yours, add the host name that it uses to http.hosts. Otherwise do nothing.';

/** The name in a `Host` header, without the port. */
function nameIn(written: string | undefined): string {
  return (written ?? '').toLowerCase().replace(/:\d*$/, '');
}

/** The form that a `Host` header has. An IPv4 address may arrive as an IPv4-mapped IPv6 address. */
function inUrl(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  return plain.includes(':') ? `[${plain}]` : plain;
}

/**
 * The host under which a program on this machine asks a server that listens at `host`. A server that listens everywhere is asked at loopback:
 * it answers to no address that means all of them.
 */
export function reachableHost(host: string): string {
  const isEverywhere = /^[0.:]+$/.test(host);
  if (host.includes(':')) return isEverywhere ? '[::1]' : `[${host}]`;
  return isEverywhere ? '127.0.0.1' : host;
}
