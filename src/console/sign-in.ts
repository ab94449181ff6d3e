import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { inTime } from '../ops/deadline.ts';
import { steadyClock } from '../ports/runtime.ts';
import { noteAct } from './acts.ts';
import { Attempts } from './attempts.ts';
import { isFormToken, isSessionSecret, noSessionCookie, readCookies, sessionCookie } from './cookies.ts';
import type { Framer } from './framer.ts';
import { type SignInNotice, signInPage } from './pages/sign-in.ts';
import { type ConsoleParts, isSecure } from './parts.ts';
import { hostOf, serveProvider } from './sign-in-by-provider.ts';
import { visitorAddresses } from './visitor-address.ts';

/** `GET` and `POST /console/sign-in`, `POST /console/sign-out`: the routes for people without a session. */
export function serveSignIn(app: FastifyInstance, parts: ConsoleParts, pages: Framer): void {
  const { access, settings } = parts;
  const attempts = new Attempts(steadyClock);
  const addressOf = visitorAddresses(settings.trustedProxies);
  const options = { isSecure: isSecure(settings) };
  const show = (request: FastifyRequest, reply: FastifyReply, notice?: SignInNotice): FastifyReply => {
    const words = pages.words(request);
    const provider = settings.oidc && hostOf(settings.oidc.issuer);
    return pages.send(reply, signInPage(words, { notice, provider }), { words });
  };
  serveProvider(app, parts, pages);
  app.get('/sign-in', async (request, reply) => show(request, reply));
  app.post('/sign-in', {
    // Counts the attempt before it reads the body and asks Redis.
    onRequest: async (request, reply) =>
      attempts.mayTry(addressOf(request)) ? undefined : show(request, reply, 'tooMany'),
    handler: async (request, reply) => {
      const code = request.body instanceof URLSearchParams ? codeOf(request.body.get('code') ?? '') : '';
      const entered = isSessionSecret(code)
        ? await inTime(access.enter(code, settings.sessionMs))
        : undefined;
      if (entered === undefined) return show(request, reply, 'refused');
      await noteAct(parts, entered.session, { what: 'signed-in' });
      return reply.header('set-cookie', sessionCookie(entered.token, options)).redirect('/console', 303);
    },
  });
  app.post('/sign-out', async (request, reply) => {
    const { token } = readCookies(request.headers.cookie);
    const form = request.body instanceof URLSearchParams ? request.body.get('form') : null;
    const session = token === undefined ? undefined : await inTime(access.session(token));
    if (token !== undefined && session !== undefined && isFormToken(form, token)) {
      await inTime(access.leave(token));
      await noteAct(parts, session, { what: 'signed-out' });
    }
    return reply.header('set-cookie', noSessionCookie(options)).redirect('/console/sign-in', 303);
  });
}

/** People also paste the whole link. */
function codeOf(typed: string): string {
  const text = typed.trim();
  return text.slice(text.lastIndexOf('#') + 1);
}
