// Checks of every request before anything is read: from which machine, under which host name, and from which page it comes.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleConfig } from '../config/config.ts';
import { refuseUnknownHosts } from '../ops/known-hosts.ts';
import type { Log } from '../ports/runtime.ts';

const LOOPBACK = /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/;
/** A proxy adds one of these to what it forwards. */
const PASSED_ON = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/** Hooks for every route of the console. Each one either answers and ends the request, or lets it pass. */
export function doorOf(parts: {
  readonly settings: ConsoleConfig;
  /** Names besides loopback under which the worker answers. */
  readonly hosts: readonly string[];
  readonly log: Log;
}) {
  const { settings, log } = parts;
  const own = settings.address === undefined ? [] : [new URL(settings.address).hostname.toLowerCase()];
  return [
    refuseOtherMachines(settings, log),
    refuseUnknownHosts({ hosts: [...parts.hosts, ...own] }, log),
    refuseOtherPages(settings),
  ];
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/** Answers as if there were no console. */
function refuseOtherMachines({ exposure }: ConsoleConfig, log: Log): Hook {
  let isTold = false;
  return async ({ raw }, reply) => {
    if (exposure === 'network') return undefined;
    const isHere = LOOPBACK.test(raw.socket.remoteAddress ?? '');
    if (isHere && PASSED_ON.every((name) => raw.headers[name] === undefined)) return undefined;
    if (!isTold) log.warn({ advice: ADVICE }, 'console asked for from elsewhere');
    isTold = true;
    return reply.code(404).send({ error: 'not-found' });
  };
}

const ADVICE =
  'If people are to reach it over the network, set console.exposure: network and console.address. Otherwise nothing is to be done.';

/** Browsers say which page a form was on. A form of another page is refused before its body is read. */
function refuseOtherPages({ address }: ConsoleConfig): Hook {
  return async ({ raw }, reply) => {
    if (raw.method === 'GET' || raw.method === 'HEAD') return undefined;
    const { host = '', origin } = raw.headers;
    const own = [`http://${host}`, `https://${host}`, ...(address === undefined ? [] : [address])];
    if (origin !== undefined && own.includes(origin.toLowerCase())) return undefined;
    return reply.code(403).send({ error: 'form-of-another-page' });
  };
}
