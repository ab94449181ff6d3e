import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { GoogleSandbox } from '../../src/google/sandbox.ts';

const BACK = 'https://bridge.example.com/google/consent';
const EVENTS = 'https://www.googleapis.com/auth/calendar.events';
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

let google: GoogleSandbox;
let client: { client_id: string; client_secret: string };
beforeEach(async () => {
  google = await GoogleSandbox.start();
  google.consent.answerAs('anna@clinic.example');
  client = google.consent.registerClient([BACK]);
});
afterEach(() => google.close());

const RIGHT = () => ({
  client_id: client.client_id,
  redirect_uri: BACK,
  response_type: 'code',
  scope: `openid email ${EVENTS}`,
  access_type: 'offline',
  prompt: 'consent',
  state: 's',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
});

async function ask(change: Record<string, string | undefined> = {}) {
  const query = Object.entries({ ...RIGHT(), ...change }).filter(([, value]) => value !== undefined);
  const url = `${google.authUrl}?${new URLSearchParams(query as [string, string][])}`;
  const answer = await fetch(url, { redirect: 'manual' });
  const back = URL.parse(answer.headers.get('location') ?? '');
  const body = (answer.status === 302 ? {} : await answer.json()) as { error?: string };
  return { status: answer.status, error: body.error, back, code: back?.searchParams.get('code') ?? '' };
}

async function exchange(code: string, change: Record<string, string> = {}) {
  const form = { grant_type: 'authorization_code', ...client, redirect_uri: BACK, code_verifier: VERIFIER };
  const body = new URLSearchParams({ ...form, code, ...change });
  const answer = await fetch(google.tokenUrl, { method: 'POST', body });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

test('a person who agrees is sent back with a code that is worth a refresh token and says who they are', async () => {
  const { back, code } = await ask();
  expect(back?.href.startsWith(`${BACK}?`)).toBe(true);
  expect(back?.searchParams.get('state')).toBe('s');
  const { status, body } = await exchange(code);
  expect(status).toBe(200);
  expect(body['refresh_token']).toMatch(/^1\/\//);
  expect(body['scope']?.split(' ')).toEqual(
    expect.arrayContaining([EVENTS, 'openid', 'https://www.googleapis.com/auth/userinfo.email']),
  );
  const claims = JSON.parse(Buffer.from(body['id_token']?.split('.')[1] ?? '', 'base64url').toString());
  expect(claims).toMatchObject({
    ...{ iss: 'https://accounts.google.com', aud: client.client_id },
    ...{ email: 'anna@clinic.example', email_verified: true },
  });
  expect((await exchange(code)).body['error']).toBe('invalid_grant');
});

test.each<[string, Record<string, string | undefined>, string]>([
  ['an address that is not registered', { redirect_uri: `${BACK}/` }, 'redirect_uri_mismatch'],
  ['loopback, for a web application', { redirect_uri: 'http://127.0.0.1:1/' }, 'redirect_uri_mismatch'],
  ['no client', { client_id: 'x' }, 'invalid_client'],
  ['no scope', { scope: undefined }, 'invalid_request'],
  ['a scope that Google does not have', { scope: 'calendar' }, 'invalid_scope'],
  ['another way to answer', { response_type: 'token' }, 'invalid_request'],
  ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['a challenge without a method', { code_challenge_method: undefined }, 'invalid_request'],
  ['a challenge that is no hash', { code_challenge: 'short' }, 'invalid_request'],
])('the consent page refuses %s', async (_, change, error) => {
  expect(await ask(change)).toMatchObject({ error });
});

test.each<[string, Record<string, string>, string]>([
  ['another verifier', { code_verifier: 'w'.repeat(43) }, 'invalid_grant'],
  ['no verifier', { code_verifier: '' }, 'invalid_grant'],
  ['another address', { redirect_uri: 'https://else.example/' }, 'redirect_uri_mismatch'],
  ['another secret', { client_secret: 'x' }, 'invalid_client'],
])('the token endpoint refuses a code with %s', async (_, change, error) => {
  const { code } = await ask();
  expect((await exchange(code, change)).body['error']).toBe(error);
});

test('who has agreed before gets a refresh token only when consent is asked for anew', async () => {
  await exchange((await ask()).code);
  const silent = await exchange((await ask({ prompt: undefined })).code);
  expect(silent.body['refresh_token']).toBeUndefined();
  const anew = await exchange((await ask()).code);
  expect(anew.body['refresh_token']).toMatch(/^\S+$/);
});

test('a web application is not registered for plain http but on loopback', () => {
  expect(() => google.consent.registerClient(['http://bridge.example.com/x'])).toThrow('https');
  expect(() => google.consent.registerClient(['http://127.0.0.1:8080/x'])).not.toThrow();
});

test('a box that the person unticks is not granted', async () => {
  google.consent.untick(EVENTS);
  const { body } = await exchange((await ask()).code);
  expect(body['scope']).not.toContain('calendar');
});
