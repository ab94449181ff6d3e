// The web console: requests of browsers come in below /console, and pages go out. Every route names the right it requires, and `Guard`
// checks it before anything is read. Only the sign-in and the two assets need no session.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../engine/ports/runtime.ts';
import type { ConsoleConfig } from '../mapping/config.ts';
import { refuseUnknownHosts } from '../operate/known-hosts.ts';
import { isFromLoopback } from '../operate/request-origin.ts';
import { loggedActs } from './acts.ts';
import { readAssets, serveAssets } from './assets.ts';
import { ChangeHub } from './change-hub.ts';
import { Comparison } from './comparison.ts';
import { languageCookie } from './cookies.ts';
import { Framer } from './framer.ts';
import { Guard } from './guard.ts';
import { demandHttps, setHeaders } from './headers.ts';
import { serveLive } from './live.ts';
import { type ConsoleParts, isSecure } from './parts.ts';
import { Pulse } from './pulse.ts';
import { routesOf } from './routes.ts';
import { serveSignIn } from './sign-in.ts';

/** Largest form; a filter and a reason are far smaller. */
const FORM_BYTES_MAX = 16 * 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The console's routes as a fastify plugin, and the loops that keep its open pages current. */
export function openConsole(given: ConsoleParts) {
  const parts = { ...given, acts: loggedActs(given.acts, given.log) };
  const comparison = new Comparison(parts);
  const [pulse, hub] = [new Pulse({ ...parts, comparison }), new ChangeHub(parts.changes)];
  const plugin = async (root: FastifyInstance): Promise<void> => {
    const assets = readAssets();
    await root.register(
      async (app) => {
        app.removeAllContentTypeParsers();
        app.addContentTypeParser(
          FORM_TYPE,
          { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
          (_request, body, done) => done(null, new URLSearchParams(String(body))),
        );
        for (const hook of doorOf(parts)) app.addHook('onRequest', hook);
        app.addHook('onRequest', changeLanguage(parts));
        app.addHook('onSend', setHeaders);
        if (isSecure(parts.settings)) app.addHook('onSend', demandHttps);
        const pages = new Framer(parts, assets);
        app.setErrorHandler((error, request, reply) => pages.sendTrouble(error, request, reply));
        serveAssets(app, assets);
        serveSignIn(app, parts, pages);
        const guard = new Guard(parts, pages);
        app.addHook('onClose', () => comparison.close());
        for (const route of routesOf(parts, comparison)) guard.serve(app, route);
        serveLive(app, { ...parts, pulse, hub }, guard);
      },
      { prefix: '/console' },
    );
  };
  return { plugin, parts: [pulse.looks, hub.looks] };
}

/** `?language=ru` on any page: remembers the language and redirects to the same page. */
function changeLanguage({ settings }: ConsoleParts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { pathname, searchParams } = new URL(request.url, 'http://console.invalid');
    const asked = searchParams.get('language');
    if (request.method !== 'GET' || (asked !== 'en' && asked !== 'ru')) return undefined;
    searchParams.delete('language');
    const rest = searchParams.size === 0 ? '' : `?${searchParams}`;
    const cookie = languageCookie(asked, { isSecure: isSecure(settings) });
    // Dots in the path could lead out of the console, and two slashes to another host.
    const page = pathname.startsWith('/console/') ? pathname : '/console';
    return reply.header('set-cookie', cookie).redirect(`${page}${rest}`, 303);
  };
}

// Checks of every request before anything is read: from which machine, under which host name, and from which page it comes.

/** Hooks for every route of the console. Each one either answers and ends the request, or lets it pass. */
function doorOf(parts: {
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
    if (exposure === 'network' || isFromLoopback(raw)) return undefined;
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
