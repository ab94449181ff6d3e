import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Visitor } from '../engine/role.ts';
import { steadyClock } from '../engine/runtime.ts';
import { noteAct } from '../operate/acts.ts';
import { inTime } from '../operate/waiting.ts';
import { Attempts, type KnownAddresses, visitorAddresses } from './attempts.ts';
import { flowCookie, formToken, noFlowCookie, readFlow, sessionCookie } from './cookies.ts';
import { html } from './html.ts';
import type { Framer } from './layout.ts';
import { type ConsoleParts, isSecure } from './parts.ts';
import { knownPerson } from './person.ts';
import { Provider } from './provider.ts';
import type { Page } from './visit.ts';
import type { Words } from './words/en.ts';

const RETURN_PATH = '/console/sign-in/return';
/** Most calls to the provider within a minute for all strangers together, and as many for addresses that have signed in before. */
const CALLS_OF_ALL_MAX = 60;
/** How long the code of the internal link is valid; it is used immediately. */
const INTERNAL_CODE_FOR_MS = 60_000;

/** `GET /console/sign-in/provider`, and the address to which the provider sends people back. Without `console.oidc`, neither exists. */
export function serveProvider(
  app: FastifyInstance,
  parts: ConsoleParts & { readonly pages: Framer; readonly knownAddresses: KnownAddresses },
): void {
  const { settings, access, log, pages, knownAddresses: known } = parts;
  if (settings.oidc === undefined) return;
  const { oidc } = settings;
  const provider = new Provider(oidc);
  // Counted separately: clicks on the link must not block a sign-in that is under way. Leaving costs no call, because the provider's
  // addresses are kept.
  const leaving = new Attempts({ clock: steadyClock, known });
  const returning = new Attempts({ clock: steadyClock, known, togetherMax: CALLS_OF_ALL_MAX });
  const addressOf = visitorAddresses(settings.trustedProxies);
  const options = { isSecure: isSecure(settings) };
  const show = (request: FastifyRequest, reply: FastifyReply, notice: SignInNotice): FastifyReply => {
    const words = pages.words(request);
    return pages.send(reply, signInPage(words, { notice, provider: hostOf(oidc.issuer) }), { words });
  };
  const failed = (request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply => {
    // The message of the error may quote what a person wrote into an address, and its cause may contain a token.
    const code = codeOf(error);
    log.warn({ code }, 'sign-in by the provider failed');
    return show(request, reply, AWAY.has(code) ? 'providerAway' : 'providerRefused');
  };
  const limitedBy = (attempts: Attempts) => ({
    exposeHeadRoute: false,
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      await known.read();
      return attempts.mayTry(addressOf(request)) ? undefined : show(request, reply, 'tooMany');
    },
  });

  app.get('/sign-in/provider', limitedBy(leaving), async (request, reply) => {
    try {
      const { to, flow } = await provider.leave(returnAddress(request, parts));
      return await reply.header('set-cookie', flowCookie(flow, options)).redirect(to, 303);
    } catch (error) {
      return failed(request, reply, error);
    }
  });

  const notLeft = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    show(request, reply.header('set-cookie', noFlowCookie(options)), 'providerRefused');
  const returnLimit = limitedBy(returning);
  // A request without the flow cookie costs no call to the provider, so it is not counted. Otherwise strangers would use up the attempts of
  // people who left from here.
  const onlyThoseWhoLeft = async (request: FastifyRequest, reply: FastifyReply) =>
    readFlow(request.headers.cookie, options) === undefined
      ? notLeft(request, reply)
      : returnLimit.onRequest(request, reply);

  app.get('/sign-in/return', { ...returnLimit, onRequest: onlyThoseWhoLeft }, async (request, reply) => {
    const flow = readFlow(request.headers.cookie, options);
    if (flow === undefined) return notLeft(request, reply);
    reply.header('set-cookie', noFlowCookie(options));
    const address = new URL(returnAddress(request, parts));
    address.search = new URL(request.url, 'http://console.invalid').search;
    let claims: Awaited<ReturnType<Provider['comeBack']>>;
    try {
      claims = await provider.comeBack(address, flow);
    } catch (error) {
      return failed(request, reply, error);
    }
    const visitor = knownPerson(claims, oidc);
    if (visitor === undefined) return show(request, reply, 'unknown');
    const entered = await inTime(
      access.enter(await access.offer(visitor, INTERNAL_CODE_FOR_MS), settings.sessionMs),
    );
    if (entered === undefined) return show(request, reply, 'providerRefused');
    await known.add(addressOf(request));
    await noteAct(parts, entered.session, { what: 'signed-in', about: { by: hostOf(oidc.issuer) } });
    const words = pages.words(request);
    reply.header('set-cookie', sessionCookie(entered.token, options));
    // Not a redirect: the cookie is only sent with navigations that begin here, and this one began at the provider.
    return pages.send(reply.header('refresh', '0; url=/console'), signedInPage(words), { words });
  });
}

/** The address to which the provider sends people back. The host is a known one, because `door.ts` refuses all others. */
function returnAddress({ headers }: FastifyRequest, { settings }: ConsoleParts): string {
  return `${settings.address ?? `http://${headers.host ?? ''}`}${RETURN_PATH}`;
}

/** The name by which people know the provider. */
export function hostOf(issuer: string): string {
  return new URL(issuer).host;
}

const AWAY = new Set(['OAUTH_TIMEOUT', 'unreachable']);
const CODE = /^[\w.-]{1,60}$/;

function codeOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  if (typeof code === 'string' && CODE.test(code)) return code;
  // `fetch` rejects with a TypeError.
  return error instanceof TypeError
    ? 'unreachable'
    : typeof name === 'string' && CODE.test(name)
      ? name
      : 'unknown';
}

export type SignInNotice =
  | 'refused'
  | 'tooMany'
  | 'needed'
  | 'former'
  | 'unknown'
  | 'providerRefused'
  | 'providerAway';

/** `provider`: the host of a provider by which people may also sign in. */
interface SignInAbout {
  readonly notice?: SignInNotice | undefined;
  readonly provider?: string | undefined;
}

const STATUS: Readonly<Record<SignInNotice, number>> = {
  ...{ refused: 403, tooMany: 429, needed: 401, former: 401 },
  ...{ unknown: 403, providerRefused: 403, providerAway: 503 },
};

/**
 * The code is behind the # of the link, so it reaches no server before the form is sent. It appears in no proxy's log, and the preview of a
 * chat does not use it up. Without the script, people can paste it.
 */
export function signInPage({ signIn }: Words, { notice, provider }: SignInAbout = {}): Page {
  return {
    title: signIn.title,
    ...(notice === undefined ? {} : { status: STATUS[notice] }),
    body: html`<section class="message"><h1>${signIn.title}</h1>
${notice !== undefined && html`<p class="notice" role="alert">${signIn[notice]}</p>`}
${
  provider !== undefined &&
  html`<p><a class="button" href="/console/sign-in/provider">${signIn.byProvider(provider)}</a></p>
<h2>${signIn.byLink}</h2>`
}
<p>${signIn.lead}</p>
<p><code>slotbridge console login --as viewer</code></p>
<form method="post" action="/console/sign-in" class="stack" data-sign-in>
<label for="code">${signIn.code}</label>
<input id="code" name="code" type="password" required maxlength="200" autocomplete="off" autocapitalize="none" spellcheck="false">
<button type="submit">${signIn.button}</button>
</form></section>`,
  };
}

/** A link signs in whom it was made for: whoever sent it may have meant to give another person their own session. */
export function replacePage(
  { signIn, roles }: Words,
  { code, token, session }: { readonly code: string; readonly token: string; readonly session: Visitor },
): Page {
  return {
    title: signIn.replace,
    body: html`<section class="message"><h1>${signIn.replace}</h1>
<p>${signIn.replaceText(session.who, roles[session.role])}</p>
<form method="post" action="/console/sign-in" class="stack">
<input type="hidden" name="form" value="${formToken(token)}"><input type="hidden" name="replace" value="yes"><input type="hidden" name="code" value="${code}">
<button type="submit">${signIn.replaceButton}</button>
<a class="button second" href="/console">${signIn.stay}</a>
</form></section>`,
  };
}

/** The browser continues automatically. */
function signedInPage({ signIn }: Words): Page {
  return {
    title: signIn.done,
    body: html`<section class="message"><h1>${signIn.done}</h1>
<p><a class="button" href="/console">${signIn.goOn}</a></p></section>`,
  };
}
