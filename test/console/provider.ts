// A provider of OpenID Connect on this machine: one person, who always agrees. Tests twist what it answers.
import { createHash, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const CLIENT = { clientId: 'slotbridge', clientSecret: 'very-secret' };

interface Twist {
  /** Over what the token says. */
  claims?: Record<string, unknown>;
  /** Signed by a key that is not the provider's. */
  isForged?: boolean;
  /** Names itself by another name. */
  issuer?: string;
  isAway?: boolean;
}

const own = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const strange = generateKeyPairSync('rsa', { modulusLength: 2_048 });

export async function startProvider(host = '127.0.0.1') {
  const grants = new Map<string, URLSearchParams>();
  const twist: Twist = {};
  const calls: string[] = [];
  let codes = 0;
  const server = createServer((request, reply) => void answer(request, reply));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', issuer);
    calls.push(pathname);
    const say = (status: number, body: unknown) =>
      reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (twist.isAway) return void reply.destroy();
    if (pathname === '/.well-known/openid-configuration')
      return void say(200, {
        issuer: twist.issuer ?? issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    if (pathname === '/jwks')
      return void say(200, {
        keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: '1', alg: 'RS256' }],
      });
    if (pathname === '/authorize') {
      codes += 1;
      grants.set(`code-${codes}`, searchParams);
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({
        ...{ code: `code-${codes}`, state: searchParams.get('state') ?? '' },
      }).toString();
      return void reply.writeHead(303, { location: back.href }).end();
    }
    const form = new URLSearchParams(await textOf(request));
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      pathname === '/token' &&
      grant?.get('code_challenge') === challenge &&
      grant.get('code_challenge_method') === 'S256' &&
      grant.get('redirect_uri') === form.get('redirect_uri') &&
      form.get('client_id') === CLIENT.clientId &&
      form.get('client_secret') === CLIENT.clientSecret;
    if (!isRight) return void say(400, { error: 'invalid_grant' });
    const nowS = Math.floor(Date.now() / 1_000);
    const claims = {
      ...{ iss: issuer, aud: CLIENT.clientId, sub: 'u-1', iat: nowS, exp: nowS + 300 },
      ...{ nonce: grant?.get('nonce'), email: 'Anna@clinic.example', email_verified: true },
      ...twist.claims,
    };
    const key = twist.isForged ? strange.privateKey : own.privateKey;
    say(200, { access_token: 'a', token_type: 'Bearer', id_token: signed(claims, key) });
  }

  return {
    issuer,
    twist,
    calls,
    /** What a browser does between leaving and coming back: the address at which it arrives. */
    async agree(to: string): Promise<URL> {
      const { headers } = await fetch(to, { redirect: 'manual' });
      return new URL(headers.get('location') ?? '');
    },
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function signed(claims: Record<string, unknown>, key: KeyObject): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', kid: '1', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key).toString('base64url')}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
