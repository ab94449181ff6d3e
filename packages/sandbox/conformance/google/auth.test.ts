import { createSign } from 'node:crypto';
import { expect } from 'vitest';
import { verdict } from '../office/api.ts';
import { needing, reading } from '../office/fact.ts';
import { ACCOUNT, type Stage } from '../office/stage.ts';

const JWT_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SCOPE = 'https://www.googleapis.com/auth/calendar';

const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

async function assertion(stage: Stage, claims: Record<string, unknown> = {}): Promise<string> {
  const key = await stage.control('GET', 'service-account');
  const now = Math.floor(Date.now() / 1000);
  const aud = 'https://oauth2.googleapis.com/token';
  const body = { iss: key.client_email, scope: SCOPE, aud, iat: now, exp: now + 3600, ...claims };
  const text = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(body)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key.private_key, 'base64url')}`;
}

reading('[auth.1] without a token the front end asks for one', async (desk) => {
  const nobody = desk.api.withToken(null);
  const calendar = await nobody.calendar('GET', `/calendars/${encodeURIComponent(desk.calendarId)}/events`);
  expect([calendar.status, calendar.body.error.status]).toEqual([401, 'UNAUTHENTICATED']);
});

reading('[auth.2] an invented token is refused by both', async (desk) => {
  const stranger = desk.api.withToken('ya29.invented');
  const calendar = await stranger.calendar('GET', `/calendars/${encodeURIComponent(desk.calendarId)}/events`);
  expect([calendar.status, calendar.body.error.errors[0].reason]).toEqual([401, 'authError']);
  const sheets = await stranger.sheets('GET', `/${desk.spreadsheetId}`);
  expect(verdict(sheets)).toBe('401 UNAUTHENTICATED');
});

needing('keys', '[auth.3] a scope that is missing is named as such, by both', async (stage) => {
  const calendar = await (await stage.as({ scopes: ['spreadsheets'] })).list();
  const sheets = await (await stage.as({ scopes: ['calendar'] })).sheets('GET');
  for (const { status, body } of [calendar, sheets]) {
    expect([status, body.error.status]).toEqual([403, 'PERMISSION_DENIED']);
    expect(body.error.details[0].reason).toBe('ACCESS_TOKEN_SCOPE_INSUFFICIENT');
  }
});

needing('guess', '[auth.4] Calendar’s backend refuses a token in its own envelope', {
  options: { switches: { hasBackend401: true } },
  run: async (stage) => {
    const { status, body } = await stage.withToken('ya29.invented').list();
    expect([status, body.error.status, body.error.errors[0].message]).toEqual([
      401,
      undefined,
      'Invalid Credentials',
    ]);
  },
});

reading('[auth.5] a refusal of Calendar has errors and no status', async (desk) => {
  const { body } = await desk.get({ id: desk.freshId() });
  expect(Object.keys(body.error).sort()).toEqual(['code', 'errors', 'message']);
  expect(body.error.errors[0]).toMatchObject({ domain: 'global', reason: 'notFound', message: 'Not Found' });
});

reading('[auth.6] a refusal of Sheets has a status and no errors', async (desk) => {
  const { body } = await desk.sheets('GET', '/values/No%20such%20tab!A1');
  expect(body.error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
  expect(body.error.errors).toBeUndefined();
});

needing('keys', '[auth.7] a reading scope does not write', async (stage) => {
  const reader = await stage.as({ scopes: ['calendar.readonly', 'spreadsheets.readonly'] });
  expect([(await reader.list()).status, (await reader.insert()).status]).toEqual([200, 403]);
  expect((await reader.sheets('GET')).status).toBe(200);
  expect((await reader.batch({ addSheet: {} })).status).toBe(403);
});

needing('keys', '[auth.8] an assertion is worth a token of an hour', async (stage) => {
  const { body } = await stage.tokenRequest({ grant_type: JWT_GRANT, assertion: await assertion(stage) });
  expect(body).toMatchObject({ token_type: 'Bearer' });
  expect(Math.abs(body.expires_in - 3600)).toBeLessThan(60);
  expect((await stage.withToken(body.access_token).list()).status).toBe(200);
});

needing('keys', '[auth.9] a forged or stale assertion is worth nothing', async (stage) => {
  const good = await assertion(stage);
  const forged = `${good.slice(0, -6)}AAAAAA`;
  const stale = await assertion(stage, { iat: 1_000_000_000, exp: 1_000_003_600 });
  for (const one of [forged, stale, 'not.a.jwt']) {
    const answer = await stage.tokenRequest({ grant_type: JWT_GRANT, assertion: one });
    expect(verdict(answer)).toBe('400 invalid_grant');
  }
});

needing('keys', '[auth.10] a refresh token works until it is revoked', async (stage) => {
  const grant = await stage.control('POST', 'grants', { email: 'ann@clinic.example', scopes: [SCOPE] });
  const form = { grant_type: 'refresh_token', ...grant };
  expect((await stage.tokenRequest(form)).body.access_token).toMatch(/\S/);
  await stage.control('DELETE', 'grants');
  expect(verdict(await stage.tokenRequest(form))).toBe('400 invalid_grant');
});

needing('keys', '[auth.11] an account acts for others only where that was delegated', async (stage) => {
  const form = async () => ({
    grant_type: JWT_GRANT,
    assertion: await assertion(stage, { sub: 'ann@clinic.example' }),
  });
  expect(verdict(await stage.tokenRequest(await form()))).toBe('401 unauthorized_client');
  await stage.control('POST', 'delegations', { email: ACCOUNT, subjects: ['ann@clinic.example'] });
  expect((await stage.tokenRequest(await form())).status).toBe(200);
});

reading('[auth.12] a spreadsheet that does not exist is not found', async (desk) => {
  const answer = await desk.api.sheets('GET', `/1${desk.freshId(43)}`);
  expect(verdict(answer)).toBe('404 NOT_FOUND');
  expect(answer.body.error.message).toBe('Requested entity was not found.');
});

needing('accounts', '[auth.13] a spreadsheet that is not shared is denied', async (stage) => {
  const answer = await (await stage.as({ email: 'stranger@elsewhere.example' })).sheets('GET');
  expect(verdict(answer)).toBe('403 PERMISSION_DENIED');
  expect(answer.body.error.message).toBe('The caller does not have permission');
});

needing('keys', '[auth.14] with drive.file alone it is not there', async (stage) => {
  expect(verdict(await (await stage.as({ scopes: ['drive.file'] })).sheets('GET'))).toBe('404 NOT_FOUND');
});

needing('clock', '[auth.15] after an hour the token is refused, and a fresh one is not', async (stage) => {
  await stage.advance(3_700_000);
  expect((await stage.list()).status).toBe(401);
  expect((await (await stage.as({})).list()).status).toBe(200);
});
