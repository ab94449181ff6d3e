import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { steadyClock } from '../engine/ports/runtime.ts';
import { inTime } from '../operate/deadline.ts';
import { noteAct } from './acts.ts';
import { Attempts, KnownAddresses } from './attempts.ts';
import { isFormToken, isSessionSecret, noSessionCookie, readCookies, sessionCookie } from './cookies.ts';
import type { Framer } from './framer.ts';
import { replacePage, type SignInNotice, signInPage } from './pages/sign-in.ts';
import { type ConsoleParts, isSecure } from './parts.ts';
import { hostOf, serveProvider } from './sign-in-by-provider.ts';
import { visitorAddresses } from './visitor-address.ts';

/** `GET` and `POST /console/sign-in`, `POST /console/sign-out`: the routes for people without a session. */
export function serveSignIn(app: FastifyInstance, parts: ConsoleParts, pages: Framer): void {
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
