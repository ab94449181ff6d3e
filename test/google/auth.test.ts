import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { type CalendarApi, GoogleCalendarApi } from '../../src/google/calendar-api.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';

let google: GoogleSandbox;
let folder: string;
beforeEach(async () => {
  google = await GoogleSandbox.start();
  google.addCalendar('anna', { shareWith: [defaultAccount, 'owner@firm.example'] });
  folder = mkdtempSync(join(tmpdir(), 'slotbridge-auth-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await google.close();
  rmSync(folder, { recursive: true, force: true });
});

function keep(content: unknown): string {
  const path = join(folder, 'key.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function authWith(content: unknown, more: { actAs?: string; timeoutMs?: number; tokenUrl?: string } = {}) {
  return createGoogleAuth({
    credentialsPath: keep(content),
    tokenUrl: google.tokenUrl,
    timeoutMs: 2_000,
    ...more,
  });
}

function apiWith(credential: ReturnType<typeof createGoogleAuth>, timeoutMs = 2_000): CalendarApi {
  return new GoogleCalendarApi({
    credential,
    rootUrl: google.url,
    budget: new CountingBudget(),
    problems: new MemoryProblemBoard(),
    clock: new HandClock(0),
    timeoutMs,
  });
}

const look = (api: CalendarApi) => api.get('anna', 'sb12345');

describe('a service account', () => {
  test('gets its token from the configured URL, whatever the library has built in, and only once', async () => {
    const api = apiWith(authWith(google.serviceAccountKey()));
    expect(await look(api)).toBe('absent');
    expect(await look(api)).toBe('absent');
    expect(google.stats().tokenRequests).toBe(1);
  });

  test('whose token dies before its time gets another one within the same call', async () => {
    const api = apiWith(authWith(google.serviceAccountKey()));
    await look(api);
    google.revokeTokens();
    google.resetCounts();
    expect(await look(api)).toBe('absent');
    expect(google.stats()).toMatchObject({ tokenRequests: 1 });
  });

  test('is not asked for another token because of a 403', async () => {
    const api = apiWith(authWith(google.serviceAccountKey()));
    await look(api);
    google.changeQuotas({ calendarPerMinutePerUser: 0 });
    google.resetCounts();
    await expect(look(api)).rejects.toMatchObject({ code: 'google-quota' });
    expect(google.stats()).toMatchObject({ tokenRequests: 0, calls: 1 });
  });

  test('acts as somebody else only where that was allowed', async () => {
    const key = google.serviceAccountKey();
    const actAs = 'owner@firm.example';
    await expect(look(apiWith(authWith(key, { actAs })))).rejects.toMatchObject({
      code: 'google-unauthenticated',
    });
    google.allowDelegation(defaultAccount, [actAs]);
    google.revokeAccess('anna', defaultAccount);
    expect(await look(apiWith(authWith(key, { actAs })))).toBe('absent');
  });

  test('whose key was revoked waits for a person, not for an attempt', async () => {
    google.revokeGrants();
    await expect(look(apiWith(authWith(google.serviceAccountKey())))).rejects.toMatchObject({
      family: 'deferred',
      code: 'google-token-dead',
      target: 'google',
      retryAfterMs: 20_000,
    });
  });

  test.each([
    { kind: 'status' as const, status: 503 },
    { kind: 'reset' as const },
    { kind: 'hang' as const, ms: 900 },
  ])(
    'is not blamed when the token endpoint is down ($kind), and nothing is repeated behind the queue’s back',
    async (fault) => {
      const api = apiWith(authWith(google.serviceAccountKey(), { timeoutMs: 300 }), 300);
      google.faults.add({ path: /^\/token/, fault });
      await expect(look(api)).rejects.toMatchObject({ family: 'retryable' });
      expect(google.faults.hits()).toBe(1);
    },
  );

  test('is reached past a proxy of the environment when it stands on loopback', async () => {
    const proxied: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      proxied.push(String(request.url));
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    vi.stubEnv('NO_PROXY', '');
    vi.stubEnv('no_proxy', '');
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    try {
      expect(await look(apiWith(authWith(google.serviceAccountKey())))).toBe('absent');
      expect(proxied).toEqual([]);
    } finally {
      await new Promise((resolve) => proxy.close(resolve));
    }
  });
});

describe('a person who has signed in', () => {
  const scopes = [
    'https://www.googleapis.com/auth/calendar.events',
    'https://www.googleapis.com/auth/spreadsheets',
  ];
  const fileOf = (grant: object) => ({ type: 'authorized_user', ...grant });

  test('is represented by a refresh token, and by another access token after a 401', async () => {
    const api = apiWith(authWith(fileOf(google.oauthGrant('owner@firm.example', scopes))));
    expect(await look(api)).toBe('absent');
    google.revokeTokens();
    expect(await look(api)).toBe('absent');
    expect(google.stats().tokenRequests).toBe(2);
  });

  test('who has withdrawn consent is a problem with advice (case 75)', async () => {
    const api = apiWith(authWith(fileOf(google.oauthGrant('owner@firm.example', scopes))));
    google.revokeGrants();
    await expect(look(api)).rejects.toMatchObject({
      code: 'google-token-dead',
      advice: expect.stringContaining('slotbridge google login'),
    });
  });

  test('who allowed too little is told which scopes are missing', async () => {
    const readOnly = google.oauthGrant('owner@firm.example', [
      'https://www.googleapis.com/auth/spreadsheets',
    ]);
    await expect(look(apiWith(authWith(fileOf(readOnly))))).rejects.toMatchObject({
      family: 'deferred',
      code: 'google-scope-missing',
      advice: expect.stringContaining('calendar.events'),
    });
  });
});

describe('a credential file that cannot work is refused at once, and never quoted', () => {
  const key = () => google.serviceAccountKey();
  test.each([
    ['is no JSON', () => '{"private_key": "TOPSECRET', /is not JSON/],
    [
      'is of another kind',
      () => ({ type: 'authorised', private_key: 'TOPSECRET' }),
      /not a Google credential/,
    ],
    ['lacks its key', () => ({ ...key(), private_key: undefined }), /private_key/],
    ['has an invalid key', () => ({ ...key(), private_key: 'TOPSECRET' }), /not a PEM private key/],
    [
      'is an OAuth client without a grant',
      () => ({ type: 'authorized_user', client_id: 'a', client_secret: 'TOPSECRET' }),
      /refresh_token/,
    ],
  ])('when it %s', (_, content, message) => {
    const failure = (() => {
      try {
        return authWith(content());
      } catch (error) {
        return error;
      }
    })();
    expect(failure).toMatchObject({
      family: 'terminal',
      code: 'google-credentials-broken',
      message: expect.stringMatching(message),
      advice: expect.stringContaining('google.credentials'),
    });
    expect(String(failure)).toContain(join(folder, 'key.json'));
    expect(String(failure)).not.toContain('TOPSECRET');
  });

  test('when it is not there', () => {
    const credentialsPath = join(folder, 'none.json');
    expect(() => createGoogleAuth({ credentialsPath, tokenUrl: google.tokenUrl, timeoutMs: 1 })).toThrow(
      /none\.json.*ENOENT/,
    );
  });

  test('when it should act as somebody else and is no service account', () => {
    const content = { type: 'authorized_user', client_id: 'a', client_secret: 'b', refresh_token: 'c' };
    expect(() => authWith(content, { actAs: 'x@firm.example' })).toThrow(/act_as/);
  });
});

test('the name of a credential is stable, tells nothing, and differs per account and per person acted as', () => {
  const one = google.serviceAccountKey();
  const names = [
    authWith(one).name,
    authWith(one).name,
    authWith(one, { actAs: 'a@firm.example' }).name,
    authWith(google.serviceAccountKey('other@sandbox.iam.gserviceaccount.com')).name,
  ];
  expect(names[0]).toBe(names[1]);
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^[0-9a-f]{12}$/);
});

test('without a file, the credential of the environment is used, at the configured token URL', async () => {
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', keep(google.serviceAccountKey()));
  const credential = createGoogleAuth({ tokenUrl: google.tokenUrl, timeoutMs: 2_000 });
  expect(await look(apiWith(credential))).toBe('absent');
});
