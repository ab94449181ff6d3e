import { noteAct } from '../operate/acts.ts';
// The web console: requests of browsers come in below /console, and pages go out. Every route names the right it requires, and `Guard`
// checks it before anything is read. Only the sign-in and the two assets need no session.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WorkerError } from '../engine/errors.ts';
import { minuteOf } from '../engine/poll-pace.ts';
import { type Log, steadyClock } from '../engine/runtime.ts';
import type { ConsoleConfig } from '../mapping/config.ts';
import { LANGUAGES } from '../mapping/schema/worker.ts';
import { refuseUnknownHosts } from '../operate/known-hosts.ts';
import { paceSteps } from '../operate/process-reports.ts';
import { isFromLoopback } from '../operate/request-origin.ts';
import { inTime } from '../operate/waiting.ts';
import { actsFile, actsPage } from './acts.ts';
import { answerAgain, confirmReplayOf, startReplay, startResync, stopReplay } from './again.ts';
import { allow, answerApprovals, confirmAllow } from './approvals.ts';
import { readAssets, serveAssets } from './assets.ts';
import { Attempts, KnownAddresses, visitorAddresses } from './attempts.ts';
import { ChangeHub } from './change-hub.ts';
import { answerChanges, withClaims } from './changes.ts';
import { answerCharts } from './charts.ts';
import { answerCompare, downloadCompare, healDifferences, startCompare } from './compare.ts';
import { Comparison } from './comparison.ts';
import {
  isFormToken,
  isSessionSecret,
  languageCookie,
  noSessionCookie,
  readCookies,
  sessionCookie,
  timesCookie,
} from './cookies.ts';
import { Guard } from './guard.ts';
import { demandHttps, setHeaders } from './headers.ts';
import { html } from './html.ts';
import { Framer } from './layout.ts';
import { actOnLetters, answerLetters, confirmLetters, LETTER_ACTIONS } from './letters.ts';
import { serveLive } from './live.ts';
import { homePage } from './pages/home.ts';
import { type ConsoleParts, isSecure } from './parts.ts';
import { forEyes } from './person.ts';
import { answerPlace, answerPlaces, placesAtHome } from './places.ts';
import { Pulse } from './pulse.ts';
import { answerSearch, answerTyped, searchPage } from './search.ts';
import { CountedSearches } from './search-limit.ts';
import { hostOf, replacePage, type SignInNotice, serveProvider, signInPage } from './sign-in-by-provider.ts';
import { Standings } from './standing.ts';
import { answerStory, keyIn } from './story.ts';
import { timesNamed } from './times.ts';
import type { Answer, Route, Visit } from './visit.ts';
import { answerWebhooks } from './webhooks.ts';

/** Largest form; a filter and a reason are far smaller. */
const FORM_BYTES_MAX = 16 * 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The console's routes as a fastify plugin, and the loops that keep its open pages current. */
export function openConsole(parts: ConsoleParts) {
  const comparison = new Comparison(parts);
  const standings = new Standings(parts);
  // A page that is told of a change reads its menu again with it.
  const status = {
    read() {
      standings.forget();
      return parts.status.read();
    },
  };
  const [pulse, hub] = [
    new Pulse({ ...parts, status, comparison }),
    new ChangeHub(parts.changes, (news) => withClaims(parts, news)),
  ];
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
        app.addHook('onRequest', changeView(parts));
        app.addHook('onSend', setHeaders);
        if (isSecure(parts.settings)) app.addHook('onSend', demandHttps);
        const pages = new Framer(parts, assets);
        app.setErrorHandler((error, request, reply) => pages.sendTrouble(error, request, reply));
        serveAssets(app, assets);
        serveSignIn(app, parts, pages);
        const guard = new Guard({ ...parts, standings }, pages);
        app.addHook('onClose', () => comparison.close());
        for (const route of routesOf(parts, comparison)) guard.serve(app, route);
        guard.serveUnknown(app);
        serveLive(app, { ...parts, pulse, hub }, guard);
      },
      { prefix: '/console' },
    );
  };
  return { plugin, parts: [pulse.looks, hub.looks] };
}

/** `?language=ru` or `?times=utc` on any page: remembers the choice and redirects to the same page. */
function changeView({ settings }: ConsoleParts) {
  const options = { isSecure: isSecure(settings) };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { pathname, searchParams } = new URL(request.url, 'http://console.invalid');
    const language = LANGUAGES.find((each) => each === searchParams.get('language'));
    const times = timesNamed(searchParams.get('times'));
    if (request.method !== 'GET' || (language === undefined && times === undefined)) return undefined;
    for (const choice of ['language', 'times']) searchParams.delete(choice);
    const rest = searchParams.size === 0 ? '' : `?${searchParams}`;
    if (language !== undefined) reply.header('set-cookie', languageCookie(language, options));
    if (times !== undefined) reply.header('set-cookie', timesCookie(times, options));
    // Dots in the path could lead out of the console, and two slashes to another host.
    const page = pathname.startsWith('/console/') ? pathname : '/console';
    return reply.redirect(`${page}${rest}`, 303);
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
  const known = new KnownAddresses(access);
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
      await known.add(addressOf(request));
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

/** How long a worker counts as present: it reports every two seconds. */
const WORKER_SEEN_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** Most entries of the audit log on the page, and in the download. */
const ACTS_SHOWN_MAX = 200;
const ACTS_TAKEN_MAX = 4_000;

/** Every route that needs a session, each with its right. `test/console/access.test.ts` requests each one as every role. */
export function routesOf(parts: ConsoleParts, comparison: Comparison): readonly Route[] {
  const trace = new CountedSearches(parts);
  const letters = LETTER_ACTIONS.flatMap((action): Route[] => [
    {
      ...{ method: 'GET', path: `/letters/${action}`, right: 'act' },
      answer: (visit) => confirmLetters(parts, visit, action),
    },
    {
      ...{ method: 'POST', path: `/letters/${action}`, right: 'act' },
      answer: (visit) => actOnLetters(parts, visit, action),
    },
  ]);
  return [
    {
      ...{ method: 'GET', path: '/', right: 'see-state' },
      answer: (visit) => answerHome(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/object/*', right: 'see-state' },
      answer: (visit) => answerStory(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/places', right: 'see-state' },
      answer: (visit) => answerPlaces(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/place/*', right: 'see-state' },
      answer: (visit) => answerPlace(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/row/*', right: 'see-people' },
      answer: (visit) => answerRowLink(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/changes', right: 'see-state' },
      answer: (visit) => answerChanges(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/charts', right: 'see-state' },
      answer: (visit) => answerCharts(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/webhooks', right: 'see-state' },
      answer: (visit) => answerWebhooks(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/letters', right: 'see-state' },
      answer: (visit) => answerLetters(parts, visit),
    },
    ...letters,
    {
      ...{ method: 'GET', path: '/approvals', right: 'see-state' },
      answer: (visit) => answerApprovals(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/approvals/allow', right: 'act' },
      answer: (visit) => confirmAllow(parts, visit),
    },
    {
      ...{ method: 'POST', path: '/approvals/allow', right: 'act' },
      answer: (visit) => allow(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/again', right: 'see-state' },
      answer: (visit) => answerAgain(parts, visit),
    },
    {
      ...{ method: 'POST', path: '/again/resync', right: 'act' },
      answer: (visit) => startResync(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/again/replay', right: 'act' },
      answer: (visit) => confirmReplayOf(parts, visit),
    },
    {
      ...{ method: 'POST', path: '/again/replay', right: 'act' },
      answer: (visit) => startReplay(parts, visit),
    },
    { ...{ method: 'POST', path: '/again/stop', right: 'act' }, answer: (visit) => stopReplay(parts, visit) },
    {
      ...{ method: 'GET', path: '/compare', right: 'see-state' },
      answer: (visit) => answerCompare({ ...parts, comparison }, visit),
    },
    {
      ...{ method: 'POST', path: '/compare', right: 'act' },
      answer: (visit) => startCompare({ ...parts, comparison }, visit),
    },
    {
      ...{ method: 'POST', path: '/compare/heal', right: 'act' },
      answer: (visit) => healDifferences({ ...parts, comparison }, visit),
    },
    {
      ...{ method: 'GET', path: '/compare.csv', right: 'see-state' },
      answer: async (visit) => downloadCompare(comparison, visit),
    },
    {
      ...{ method: 'GET', path: '/search', right: 'see-state' },
      answer: async (visit) => {
        prepareSearch(parts, visit);
        return searchPage('ask', visit);
      },
    },
    {
      ...{ method: 'POST', path: '/search', right: 'see-state' },
      answer: (visit) => answerSearch(parts, visit, trace),
    },
    {
      ...{ method: 'POST', path: '/search/typed', right: 'see-state' },
      answer: (visit) => answerTyped(parts, visit, trace),
    },
    {
      ...{ method: 'GET', path: '/acts', right: 'see-acts' },
      answer: async (visit) => actsPage(await parts.acts.newest(ACTS_SHOWN_MAX), visit),
    },
    {
      ...{ method: 'GET', path: '/acts.csv', right: 'see-acts' },
      answer: async () => actsFile(await parts.acts.newest(ACTS_TAKEN_MAX)),
    },
  ];
}

async function answerHome(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  prepareSearch(parts, visit);
  const { nowMs } = visit;
  const now = minuteOf(nowMs);
  const [report, workers, platform, minutes] = await Promise.all([
    parts.status.read(),
    parts.workersSince(nowMs - WORKER_SEEN_MS),
    parts.platformBudget(),
    parts.pace.between(now - DAY_MINUTES, now),
  ]);
  const charted = {
    hour: paceSteps(minutes, { nowMs, steps: 60, minutesEach: 1 }),
    day: paceSteps(minutes, { nowMs, steps: 96, minutesEach: 15 }),
  };
  const used = forEyes(visit, parts.usage.read());
  const places = await placesAtHome(parts, report, visit);
  const about = { workers, charted, budgets: { platform, used }, places };
  return homePage(forEyes(visit, report), about, visit);
}

/** A person who signs in may search next, so the slow part of a search is prepared meanwhile. */
function prepareSearch({ people, log }: ConsoleParts, visit: Visit): void {
  if (visit.may('see-people'))
    people.prepare().catch((err: unknown) => log.debug({ err }, 'search not prepared'));
}

/** `GET /console/row/<mirror>/<kind>/<id>`: redirects to the row where it is now. */
async function answerRowLink(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const slash = visit.rest.indexOf('/');
  const [name, key] = [visit.rest.slice(0, slash), keyIn(visit.rest.slice(slash + 1))];
  if (!parts.hasGoogle || slash < 0 || key === undefined) return rowPage('gone', visit);
  try {
    const place = await parts.rows.placeOf(key, name);
    if (place === undefined) return rowPage('gone', visit);
    const { spreadsheetId, sheetId, row } = place;
    const book = `https://docs.google.com/spreadsheets/d/${encodeURIComponent(spreadsheetId)}/edit`;
    return { to: `${book}#gid=${sheetId}&range=A${row}` };
  } catch (err) {
    if (!(err instanceof WorkerError)) throw err;
    parts.log.debug({ err }, 'row not read');
    return rowPage('unread', visit);
  }
}

function rowPage(why: 'gone' | 'unread', { words }: Visit): Answer {
  const { story, errors } = words;
  return {
    title: story.rowGone,
    status: why === 'gone' ? 404 : 503,
    body: html`<section class="message"><h1>${story.rowGone}</h1><p>${
      why === 'gone' ? story.rowGoneText : story.rowUnreadText
    }</p><p><a href="/console">${errors.back}</a></p></section>`,
  };
}
