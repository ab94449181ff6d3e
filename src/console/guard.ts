import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleSession } from '../operate/console-access.ts';
import { inTime } from '../operate/waiting.ts';
import { may } from './access.ts';
import { type Cookies, formToken, isFormToken, noFormerCookie, readCookies } from './cookies.ts';
import type { Framer } from './layout.ts';
import { troublePage } from './pages/timeline.ts';
import { type ConsoleParts, isSecure } from './parts.ts';
import { hostOf, signInPage } from './sign-in-by-provider.ts';
import type { Standings } from './standing.ts';
import type { Page, Route, Visit } from './visit.ts';

interface SignedIn {
  readonly token: string;
  readonly session: ConsoleSession;
}

/** Serves routes to people who may use them. It checks the session, then the right, then the form's token; only then the route runs. */
export class Guard {
  readonly #parts: ConsoleParts;
  readonly #pages: Framer;
  readonly #standings: Standings;
  readonly #signedIn = new WeakMap<FastifyRequest, SignedIn>();

  constructor(parts: ConsoleParts & { readonly standings: Standings }, pages: Framer) {
    this.#parts = parts;
    this.#pages = pages;
    this.#standings = parts.standings;
  }

  serve(app: FastifyInstance, route: Route): void {
    app.route({
      method: route.method,
      url: route.path,
      // Before the body is read: a stranger's form is not worth reading.
      onRequest: (request, reply) => this.check(route, request, reply),
      handler: (request, reply) => this.#answer(route, request, reply),
    });
  }

  /** Every other address of the console. People who are signed in keep their menu. */
  serveUnknown(app: FastifyInstance): void {
    app.get('/*', async (request, reply) => {
      const signedIn = await this.#lookUp(request);
      const words = this.#pages.words(request);
      const page = troublePage('missing', words, signedIn?.session.role);
      if (signedIn === undefined) return this.#pages.send(reply, page, { words });
      return this.#send(reply, page, this.#visit(request, signedIn));
    });
  }

  /** Ends the request of a person who may not use the route. */
  async check(
    route: Pick<Route, 'right'>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    const words = this.#pages.words(request);
    const signedIn = await this.#lookUp(request);
    const { oidc } = this.#parts.settings;
    if (signedIn === undefined) {
      const { isFormer } = this.#cookies(request);
      if (isFormer) reply.header('set-cookie', noFormerCookie());
      const notice = isFormer ? 'former' : 'needed';
      const page = signInPage(words, { notice, provider: oidc && hostOf(oidc.issuer) });
      return this.#pages.send(reply, page, { words });
    }
    this.#signedIn.set(request, signedIn);
    const { role } = signedIn.session;
    if (may(role, route.right)) return undefined;
    const visit = this.#visit(request, signedIn);
    return this.#send(reply, troublePage('forbidden', words, role), visit);
  }

  async #send(reply: FastifyReply, page: Page, visit: Visit): Promise<FastifyReply> {
    const standing = await this.#standings.read();
    return this.#pages.send(reply, page, { words: visit.words, visit, standing });
  }

  /** The session of a request that has passed the check. */
  of(request: FastifyRequest): SignedIn {
    const signedIn = this.#signedIn.get(request);
    if (signedIn === undefined) throw new Error('a route ran without its check');
    return signedIn;
  }

  /** Returns the visit of a request that has passed the check. */
  visit(request: FastifyRequest): Visit {
    return this.#visit(request, this.of(request));
  }

  async #lookUp(request: FastifyRequest): Promise<SignedIn | undefined> {
    const { token } = this.#cookies(request);
    const session = token === undefined ? undefined : await inTime(this.#parts.access.session(token));
    return token === undefined || session === undefined ? undefined : { token, session };
  }

  #cookies({ headers }: FastifyRequest): Cookies {
    return readCookies(headers.cookie, { isSecure: isSecure(this.#parts.settings) });
  }

  async #answer(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const visit = this.visit(request);
    const { words } = visit;
    if (route.method === 'POST' && !isFormToken(visit.form.get('form'), this.of(request).token))
      return this.#send(reply, troublePage('form', words, visit.visitor.role), visit);
    const answer = await route.answer(visit);
    if ('part' in answer) return this.#pages.sendPart(reply, answer);
    if (route.method === 'POST') this.#standings.forget();
    if ('to' in answer) return reply.redirect(answer.to, 303);
    if ('file' in answer) {
      const disposition = `attachment; filename="${answer.file}"`;
      return reply.header('content-disposition', disposition).type(answer.type).send(answer.text);
    }
    return this.#send(reply, answer, visit);
  }

  #visit(request: FastifyRequest, { token, session }: SignedIn): Visit {
    const { role, who } = session;
    const { params, body } = request;
    const { searchParams } = new URL(request.url, 'http://console.invalid');
    return {
      visitor: { role, who },
      formToken: formToken(token),
      words: this.#pages.words(request),
      times: this.#cookies(request).times,
      nowMs: this.#parts.clock.now(),
      rest: (params as { '*'?: string })['*'] ?? '',
      query: searchParams,
      form: body instanceof URLSearchParams ? body : new URLSearchParams(),
      may: (right) => may(role, right),
    };
  }
}
