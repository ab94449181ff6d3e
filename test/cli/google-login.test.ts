import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { addGoogle } from '../../src/cli/google.ts';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { GoogleCalendarApi } from '../../src/google/calendar-api.ts';
import { googleCommandWiring } from '../../src/worker/google-consent.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';
import { PATIENCE_MS } from '../stand/patience.ts';

const OWNER = 'owner@firm.example';

let google: GoogleSandbox;
let folder: string;
let out: string;
beforeEach(async () => {
  google = await GoogleSandbox.start();
  google.consent.answerAs(OWNER);
  folder = mkdtempSync(join(tmpdir(), 'slotbridge-login-'));
  out = join(folder, 'new', 'user.json');
});
afterEach(async () => {
  await google.close();
  rmSync(folder, { recursive: true, force: true });
});

function clientFile(change: object = {}): string {
  const path = join(folder, 'client.json');
  const { client_id, client_secret } = google.consent.registerClient();
  const installed = {
    client_id,
    client_secret,
    auth_uri: google.authUrl,
    token_uri: google.tokenUrl,
    ...change,
  };
  writeFileSync(path, JSON.stringify({ installed }));
  return path;
}

/** The command runs; `address` is what it printed. */
function login(options: { client?: string; loginWithinMs?: number } = {}) {
  const printed: string[] = [];
  const io = {
    stdout: { write: (text: string) => printed.push(text) },
    stderr: { write: (text: string) => printed.push(text) },
    env: {},
  };
  const program = new Command('slotbridge').exitOverride();
  const { loginWithinMs } = options;
  const wiring = googleCommandWiring(loginWithinMs === undefined ? {} : { loginWithinMs });
  const unasked = () => Promise.reject(new Error('not asked for'));
  addGoogle(program, {
    io,
    wiring,
    invite: {
      ...{ clock: { now: Date.now }, checks: unasked },
      ...{ openAccess: unasked, openConsents: unasked, openRemoval: unasked },
    },
  });
  const client = options.client ?? clientFile();
  const ended = program.parseAsync(['google', 'login', '--client', client, '--out', out], { from: 'user' });
  // Looked at by the test; until then nobody listens.
  ended.catch(() => undefined);
  const text = () => printed.join('');
  const address = () =>
    vi.waitFor(() => URL.parse(/http\S+auth\?\S+/.exec(text())?.[0] ?? '') ?? fail(), {
      timeout: PATIENCE_MS,
    });
  return { ended, text, address };
}

function fail(): never {
  throw new Error('nothing printed yet');
}

const kept = () => JSON.parse(readFileSync(out, 'utf8')) as Record<string, string>;

describe('slotbridge google login', () => {
  test.runIf(process.getuid?.() === 0)(
    'run by root, it keeps the owner of a replaced file: the worker must still read it',
    async () => {
      mkdirSync(dirname(out), { recursive: true });
      writeFileSync(out, '{"type":"authorized_user"}');
      chownSync(out, 65_534, 65_534);
      const { ended, address } = login();
      await fetch(await address());
      await ended;
      expect(statSync(out)).toMatchObject({ uid: 65_534, gid: 65_534 });
    },
  );

  test('prints an address; who agrees there is signed in, and the file is a credential that works', async () => {
    const { ended, text, address } = login();
    const page = await fetch(await address());
    expect(await page.text()).toContain('You may close this window');
    await ended;
    expect(kept()).toMatchObject({ type: 'authorized_user' });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(out)).mode & 0o777).toBe(0o700);
    expect(text()).toContain(out);
    expect(text()).toContain('seven days');
    for (const secret of [kept()['client_secret'], kept()['refresh_token']])
      expect(text()).not.toContain(String(secret));

    google.addCalendar('anna', { shareWith: [OWNER] });
    const api = new GoogleCalendarApi({
      credential: createGoogleAuth({ credentialsPath: out, tokenUrl: google.tokenUrl, timeoutMs: 2_000 }),
      rootUrl: google.url,
      budget: new CountingBudget(),
      problems: new MemoryProblemBoard(),
      clock: new HandClock(0),
      timeoutMs: 2_000,
    });
    expect(await api.get('anna', 'sb12345')).toBe('absent');
  });

  test('asks with PKCE, a state, offline access, and both scopes, back to loopback', async () => {
    const { ended, address } = login();
    const asked = (await address()).searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
    expect(asked.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    expect((asked.get('state') ?? '').length).toBeGreaterThanOrEqual(32);
    expect(asked.get('access_type')).toBe('offline');
    expect(asked.get('scope')?.split(' ').length).toBe(2);
    expect(asked.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await fetch(await address());
    await ended;
  });

  test('refuses an answer with another state, and goes on waiting for its own', async () => {
    const { ended, address } = login();
    const back = (await address()).searchParams.get('redirect_uri');
    for (const path of ['/?code=4/stolen&state=guessed', '/?code=4/stolen', '/?error=access_denied&state=x'])
      expect((await fetch(`${back}${path}`)).status).toBe(400);
    expect((await fetch(`${back}/favicon.ico`)).status).toBe(404);
    expect(google.stats().tokenRequests).toBe(0);
    await fetch(await address());
    await ended;
    expect(kept()['refresh_token']).toBeDefined();
  });

  test('says so when the person refuses, and keeps nothing', async () => {
    google.consent.answerAs(undefined);
    const { ended, address } = login();
    await fetch(await address());
    await expect(ended).rejects.toMatchObject({ code: 'google-login-denied', family: 'terminal' });
    expect(() => statSync(out)).toThrow(/ENOENT/);
  });

  test('says so when nobody comes, and listens no longer', async () => {
    const { ended, address } = login({ loginWithinMs: 300 });
    const back = (await address()).searchParams.get('redirect_uri') ?? '';
    await expect(ended).rejects.toMatchObject({ code: 'google-login-late' });
    await expect(fetch(back)).rejects.toThrow();
  });

  test('says so when Google does not exchange the code, without the code or the secret', async () => {
    google.faults.add({
      path: /^\/token/,
      fault: { kind: 'status', status: 400, body: '{"error":"invalid_grant"}' },
    });
    const { ended, address } = login();
    await fetch(await address());
    await expect(ended).rejects.toMatchObject({
      code: 'google-login-failed',
      message: expect.stringContaining('invalid_grant'),
    });
  });

  test('does not take less than it asked for', async () => {
    const { ended, address } = login();
    const asked = await address();
    asked.searchParams.set('scope', 'https://www.googleapis.com/auth/spreadsheets');
    await fetch(asked);
    await expect(ended).rejects.toMatchObject({
      code: 'google-login-incomplete',
      message: expect.stringContaining('calendar.events'),
    });
    expect(() => statSync(out)).toThrow(/ENOENT/);
  });

  test('replaces a former sign-in behind a link where it stands', async () => {
    const place = join(folder, 'place.json');
    writeFileSync(place, JSON.stringify({ type: 'authorized_user' }));
    mkdirSync(dirname(out));
    symlinkSync(place, out);
    const { ended, address } = login();
    await fetch(await address());
    await ended;
    expect(readlinkSync(out)).toBe(place);
    expect(kept()['refresh_token']).toBeDefined();
  });

  test('replaces a former sign-in, and nothing else', async () => {
    const first = login();
    await fetch(await first.address());
    await first.ended;
    const former = kept()['refresh_token'];
    const second = login();
    await fetch(await second.address());
    await second.ended;
    expect(kept()['refresh_token']).not.toBe(former);

    writeFileSync(out, JSON.stringify(google.serviceAccountKey()));
    await expect(login().ended).rejects.toMatchObject({ code: 'file-holds-something-else' });
    expect(kept()).toMatchObject({ type: 'service_account' });
  });

  test.each([
    ['a client for web sites', () => JSON.stringify({ web: { client_id: 'a', client_secret: 'TOPSECRET' } })],
    ['no JSON', () => '{"installed": {"client_secret": "TOPSECRET'],
    [
      'a token address without encryption',
      () => readFileSync(clientFile({ token_uri: 'http://evil.example/token' }), 'utf8'),
    ],
  ])('does not begin with %s', async (_, content) => {
    const client = join(folder, 'other.json');
    writeFileSync(client, content());
    const { ended, text } = login({ client });
    await expect(ended).rejects.toMatchObject({
      code: 'google-client-broken',
      advice: expect.stringContaining('Desktop app'),
    });
    expect(text()).not.toContain('TOPSECRET');
    expect(String(await ended.catch((error: unknown) => error))).not.toContain('TOPSECRET');
  });
});

test('a sign-in that cannot be written leaves no copy beside the file', async () => {
  const { ended, address } = login();
  const page = await address();
  mkdirSync(join(out, 'something-else'), { recursive: true });
  await fetch(page);
  await expect(ended).rejects.toMatchObject({ code: 'secret-file-unwritable' });
  expect(readdirSync(dirname(out))).toEqual(['user.json']);
});
