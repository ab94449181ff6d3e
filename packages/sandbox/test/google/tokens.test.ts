import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Rig, startRig, worker } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.sandbox.close());

const scope = 'https://www.googleapis.com/auth/calendar';
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function jwt(claims: Record<string, unknown> = {}, key?: string): string {
  const file = rig.sandbox.serviceAccountKey() as { private_key: string; client_email: string };
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    iss: file.client_email,
    scope,
    aud: 'https://oauth2.googleapis.com/token',
    iat: now,
    exp: now + 3600,
    ...claims,
  };
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(payload)}`;
  return `${signed}.${createSign('RSA-SHA256')
    .update(signed)
    .sign(key ?? file.private_key)
    .toString('base64url')}`;
}

async function exchange(form: Record<string, string>) {
  const answer = await fetch(rig.sandbox.tokenUrl, { method: 'POST', body: new URLSearchParams(form) });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  return { status: answer.status, body: (await answer.json()) as any };
}
const byJwt = (assertion: string) =>
  exchange({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });

test('a signed JWT is worth an access token of an hour', async () => {
  const { status, body } = await byJwt(jwt());
  expect(status).toBe(200);
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3599 });
  const call = await rig.callWith({ authorization: `Bearer ${body.access_token}` })('GET', rig.events);
  expect(call.status).toBe(200);
});

test('a JWT signed with another key is refused', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  expect(await byJwt(jwt({}, privateKey))).toEqual({
    status: 400,
    body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
  });
});

test('a JWT for another audience is refused', async () => {
  const { body } = await byJwt(jwt({ aud: rig.sandbox.tokenUrl }));
  expect(body.error).toBe('invalid_grant');
  expect(body.error_description).toMatch(/audience/);
});

test('a JWT out of time, or for more than an hour, is refused', async () => {
  const now = Math.floor(Date.now() / 1000);
  for (const times of [
    { iat: now - 9000, exp: now - 5400 },
    { iat: now, exp: now + 7200 },
    { iat: now + 4000, exp: now + 5000 },
  ]) {
    expect((await byJwt(jwt(times))).body.error_description).toMatch(/short-lived token/);
  }
});

test('an unknown account is refused', async () => {
  expect((await byJwt(jwt({ iss: 'nobody@x.example' }))).body.error_description).toBe(
    'Invalid grant: account not found',
  );
});

test('a JWT without scopes or with a made-up one is refused', async () => {
  expect((await byJwt(jwt({ scope: '' }))).body.error).toBe('invalid_scope');
  expect((await byJwt(jwt({ scope: 'calendar' }))).body.error).toBe('invalid_scope');
});

test('acting for somebody needs delegation', async () => {
  const subject = { sub: 'anna@clinic.example' };
  expect(await byJwt(jwt(subject))).toMatchObject({ status: 401, body: { error: 'unauthorized_client' } });
  rig.sandbox.allowDelegation(worker, ['anna@clinic.example']);
  expect((await byJwt(jwt(subject))).status).toBe(200);
  expect((await byJwt(jwt({ sub: 'boris@clinic.example' }))).status).toBe(401);
});

test('a refresh token is worth access tokens until it is revoked', async () => {
  const grant = rig.sandbox.oauthGrant('anna@clinic.example', [scope]);
  const form = {
    grant_type: 'refresh_token',
    client_id: grant.client_id,
    client_secret: grant.client_secret,
    refresh_token: grant.refresh_token,
  };
  expect((await exchange(form)).body).toMatchObject({ scope, token_type: 'Bearer' });
  expect((await exchange({ ...form, client_secret: 'x' })).body.error).toBe('invalid_client');
  rig.sandbox.revokeGrants();
  expect((await exchange(form)).body).toEqual({
    error: 'invalid_grant',
    error_description: 'Token has been expired or revoked.',
  });
  rig.sandbox.restoreGrants();
  expect((await exchange(form)).status).toBe(200);
});

test('another grant type is refused', async () => {
  expect((await exchange({ grant_type: 'password' })).body.error).toBe('unsupported_grant_type');
});

test('an access token expires by the sandbox’s clock', async () => {
  const headers = { authorization: `Bearer ${rig.sandbox.accessToken(worker)}` };
  expect((await rig.callWith(headers)('GET', rig.events)).status).toBe(200);
  rig.clock.advance(3_600_000);
  expect((await rig.callWith(headers)('GET', rig.events)).status).toBe(401);
  expect((await byJwt(jwt())).status).toBe(200);
});

test('revoked access tokens answer 401 and new ones work', async () => {
  const headers = { authorization: `Bearer ${rig.sandbox.accessToken(worker)}` };
  rig.sandbox.revokeTokens();
  expect((await rig.callWith(headers)('GET', rig.sheet)).status).toBe(401);
  expect((await rig.call('GET', rig.sheet)).status).toBe(200);
});

test('a person agrees in the browser, and the code is worth tokens once', async () => {
  const { consent, authUrl } = rig.sandbox;
  const client = consent.registerClient();
  consent.answerAs('anna@clinic.example');
  const redirect_uri = 'http://127.0.0.1:5000/back';
  const verifier = 'v'.repeat(43);
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri,
    response_type: 'code',
    scope,
    state: 's1',
    access_type: 'offline',
    code_challenge,
    code_challenge_method: 'S256',
  });
  const page = await fetch(`${authUrl}?${query}`, { redirect: 'manual' });
  expect(page.status).toBe(302);
  const back = new URL(page.headers.get('location') ?? '');
  expect([back.origin, back.searchParams.get('state')]).toEqual(['http://127.0.0.1:5000', 's1']);
  const form = {
    grant_type: 'authorization_code',
    ...client,
    redirect_uri,
    code: back.searchParams.get('code') ?? '',
    code_verifier: verifier,
  };
  const { status, body } = await exchange(form);
  expect([status, typeof body.refresh_token, body.scope]).toEqual([200, 'string', scope]);
  expect((await exchange(form)).body.error).toBe('invalid_grant');
  expect(
    (await exchange({ grant_type: 'refresh_token', ...client, refresh_token: body.refresh_token })).status,
  ).toBe(200);
  consent.answerAs(undefined);
  const refused = await fetch(`${authUrl}?${query}`, { redirect: 'manual' });
  expect(new URL(refused.headers.get('location') ?? '').searchParams.get('error')).toBe('access_denied');
});
