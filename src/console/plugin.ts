// The web console: requests of browsers come in below /console, and pages go out. Every route names the right it requires, and `Guard`
// checks it before anything is read. Only the sign-in and the two assets need no session.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Log, steadyClock } from '../engine/ports/runtime.ts';
import type { ConsoleConfig } from '../mapping/config.ts';
import { inTime } from '../operate/deadline.ts';
import { refuseUnknownHosts } from '../operate/known-hosts.ts';
import { isFromLoopback } from '../operate/request-origin.ts';
import { loggedActs, noteAct } from './acts.ts';
import { readAssets, serveAssets } from './assets.ts';
import { Attempts, KnownAddresses } from './attempts.ts';
import { ChangeHub } from './change-hub.ts';
import { Comparison } from './comparison.ts';
import {
  isFormToken,
  isSessionSecret,
  languageCookie,
  noSessionCookie,
  readCookies,
  sessionCookie,
} from './cookies.ts';
import { Framer } from './framer.ts';
import { Guard } from './guard.ts';
import { demandHttps, setHeaders } from './headers.ts';
import { serveLive } from './live.ts';
import { replacePage, type SignInNotice, signInPage } from './pages/sign-in.ts';
import { type ConsoleParts, isSecure } from './parts.ts';
import { Pulse } from './pulse.ts';
import { routesOf } from './routes.ts';
import { hostOf, serveProvider } from './sign-in-by-provider.ts';
import { visitorAddresses } from './visitor-address.ts';

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

/** `GET` and `POST /console/sign-in`, `POST /console/sign-out`: the routes for people without a session. */
function serveSignIn(app: FastifyInstance, parts: ConsoleParts, pages: Framer): void {
  const { access, settings } = parts;
  const known = new KnownAddresses();
  const attempts = new Attempts({ clock: steadyClock, known });
  const addressOf = visitorAddresses(settings.trustedProxies);
  const options = { isSecure: isSecure(settings) };
  const show = (request: FastifyRequest, reply: FastifyReply, notice?: SignInNotice): FastifyReply => {
    const words = pages.words(request);
    const provider = settings.oidc && hostOf(settings.oidc.issuer);
    return pages.send(reply, signInPage(words, { notice, provider }), { words });
  };
  const signedIn = async ({ headers }: FastifyRequest) => {
    const { token } = readCookies(headers.cookie, options);
    const session = token === undefined ? undefined : await inTime(access.session(token));
    return token === undefined || session === undefined ? undefined : { token, session };
  };
  serveProvider(app, { ...parts, pages, knownAddresses: known });
  app.get('/sign-in', async (request, reply) => show(request, reply));
  app.post('/sign-in', {
    // Counts the attempt before it reads the body and asks Redis.
    onRequest: async (request, reply) =>
      attempts.mayTry(addressOf(request)) ? undefined : show(request, reply, 'tooMany'),
    handler: async (request, reply) => {
      const code = request.body instanceof URLSearchParams ? codeOf(request.body.get('code') ?? '') : '';
      if (!isSessionSecret(code)) return show(request, reply, 'refused');
      const current = await signedIn(request);
      if (current !== undefined && !hasAgreed(request, current.token)) {
        const page = replacePage(pages.words(request), { ...current, code });
        return pages.send(reply, page, { words: pages.words(request) });
      }
      const entered = await inTime(access.enter(code, settings.sessionMs));
      if (entered === undefined) return show(request, reply, 'refused');
      if (current !== undefined) {
        await inTime(access.leave(current.token));
        await noteAct(parts, current.session, { what: 'signed-out' });
      }
      known.add(addressOf(request));
      await noteAct(parts, entered.session, { what: 'signed-in' });
      return reply.header('set-cookie', sessionCookie(entered.token, options)).redirect('/console', 303);
    },
  });
  app.post('/sign-out', async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body.get('form') : null;
    const current = await signedIn(request);
    if (current !== undefined && isFormToken(form, current.token)) {
      await inTime(access.leave(current.token));
      await noteAct(parts, current.session, { what: 'signed-out' });
    }
    return reply.header('set-cookie', noSessionCookie(options)).redirect('/console/sign-in', 303);
  });
}

/** Whether the form is the one that asked about this session. */
function hasAgreed({ body }: FastifyRequest, token: string): boolean {
  return (
    body instanceof URLSearchParams && body.get('replace') === 'yes' && isFormToken(body.get('form'), token)
  );
}

/** People also paste the whole link. */
function codeOf(typed: string): string {
  const text = typed.trim();
  return text.slice(text.lastIndexOf('#') + 1);
}
