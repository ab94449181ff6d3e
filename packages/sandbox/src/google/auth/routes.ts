// The OAuth endpoints: the consent page, the token endpoint and the revocation endpoint.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Counts } from '../counts.ts';
import type { JsonObject } from '../json.ts';
import { oauthRefusal, Refusal } from '../refusal.ts';
import { send } from '../request/send.ts';
import type { ConsentDesk } from './consent.ts';
import type { TokenDesk } from './tokens.ts';

export interface OAuthParts {
  desk: TokenDesk;
  consent: ConsentDesk;
  counts: Counts;
}

export function installOAuth(app: FastifyInstance, { desk, consent, counts }: OAuthParts): void {
  app.get('/o/oauth2/v2/auth', (request, reply) => {
    const [, search = ''] = request.url.split('?');
    return refusing(reply, () => reply.redirect(consent.redirect(new URLSearchParams(search)), 302));
  });

  app.post('/token', (request, reply) => {
    counts.tokenRequests += 1;
    const type = request.headers['content-type'] ?? '';
    const form = new URLSearchParams(String(request.body ?? ''));
    return refusing(reply, () => {
      if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
        throw oauthRefusal(400, 'invalid_request', 'Content-Type must be application/x-www-form-urlencoded');
      }
      const body: JsonObject =
        form.get('grant_type') === 'authorization_code' ? consent.exchange(form) : desk.exchange(form);
      return send(reply, { status: 200, body });
    });
  });

  app.post('/revoke', (request, reply) => {
    const form = new URLSearchParams(String(request.body ?? ''));
    return refusing(reply, () => {
      desk.revoke(form.get('token') ?? '');
      return send(reply, { status: 200, body: {} });
    });
  });
}

function refusing(reply: FastifyReply, perform: () => FastifyReply): FastifyReply {
  try {
    return perform();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return send(reply, { status: error.status, body: error.body });
  }
}
