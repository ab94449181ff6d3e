import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { GoogleCalendarApi } from '../../src/google/calendar-api.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';

const OWNER = 'owner@firm.example';
const SCOPES = [
  'https://www.googleapis.com/auth/calendar.events',
  'https://www.googleapis.com/auth/spreadsheets',
];

let google: GoogleSandbox;
let folder: string;
let path: string;
let clock: HandClock;
let servers: Server[] = [];

beforeEach(async () => {
  google = await GoogleSandbox.start();
  google.addCalendar('anna', { shareWith: [defaultAccount, OWNER] });
  folder = mkdtempSync(join(tmpdir(), 'slotbridge-reread-'));
  path = join(folder, 'key.json');
  clock = new HandClock(1_000_000);
});
afterEach(async () => {
  await google.close();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  servers = [];
  rmSync(folder, { recursive: true, force: true });
});

const keep = (content: unknown) => {
  writeFileSync(`${path}.new`, typeof content === 'string' ? content : JSON.stringify(content));
  renameSync(`${path}.new`, path);
};
const signIn = () => ({ type: 'authorized_user', ...google.oauthGrant(OWNER, SCOPES) });

function open() {
  const unusable: unknown[] = [];
  const problems = new MemoryProblemBoard();
  const credential = createGoogleAuth({
    credentialsPath: path,
    tokenUrl: google.tokenUrl,
    timeoutMs: 2_000,
    clock,
    onUnusable: (error) => unusable.push(error),
  });
  const api = new GoogleCalendarApi({
    credential,
    rootUrl: google.url,
    budget: new CountingBudget(),
    problems,
    clock,
    timeoutMs: 2_000,
  });
  return { unusable, problems, credential, look: () => api.get('anna', 'sb12345') };
}

describe('a credential file that is replaced', () => {
  test('after its sign-in died: is taken up without a restart, and the problem is gone (case 75)', async () => {
    keep(signIn());
    const { look, problems, credential } = open();
    const before = credential.name;
    expect(await look()).toBe('absent');
    google.revokeGrants();
    await expect(look()).rejects.toMatchObject({ family: 'deferred', code: 'google-token-dead' });
    expect(problems.codes()).toEqual({ google: 'google-token-dead' });
    keep(signIn());
    clock.advance(2_000);
    expect(await look()).toBe('absent');
    expect(problems.codes()).toEqual({});
    expect(credential.name).not.toBe(before);
  });

  test('by another kind of credential is taken up, too', async () => {
    keep(signIn());
    const { look } = open();
    await look();
    google.revokeAccess('anna', OWNER);
    keep(google.serviceAccountKey());
    clock.advance(2_000);
    expect(await look()).toBe('absent');
  });

  test('by something that cannot be used is told once, and what was there goes on', async () => {
    keep(signIn());
    const { look, unusable } = open();
    keep('{"private_key": "TOPSECRET');
    for (let times = 0; times < 3; times += 1) {
      clock.advance(2_000);
      expect(await look()).toBe('absent');
    }
    expect(unusable).toEqual([expect.objectContaining({ code: 'google-credentials-broken' })]);
    expect(String(unusable)).not.toContain('TOPSECRET');
  });

  test('and becomes readable only by a change of owner or mode is read again: its size and time of writing stay the same', async () => {
    const [broken, whole] = [signIn(), signIn()].map((each) => JSON.stringify(each));
    keep(signIn());
    const { look, unusable, credential } = open();
    const before = credential.name;
    keep(`x${broken?.slice(1)}`);
    utimesSync(path, 1_000, 1_000);
    clock.advance(2_000);
    await look();
    expect(unusable).toHaveLength(1);
    writeFileSync(path, `${whole}`);
    utimesSync(path, 1_000, 1_000);
    clock.advance(2_000);
    await look();
    expect(credential.name).not.toBe(before);
  });

  test('is not read again as long as it is the same', async () => {
    keep(signIn());
    const { look } = open();
    await look();
    clock.advance(60_000);
    await look();
    // A new client would have fetched a token of its own.
    expect(google.stats().tokenRequests).toBe(1);
  });
});

test('a workload identity (external_account) is exchanged at its own token service, with the token of the machine', async () => {
  const asked: URLSearchParams[] = [];
  const server = createServer((request, reply) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      asked.push(new URLSearchParams(body));
      const access_token = google.accessToken(defaultAccount, SCOPES);
      reply.setHeader('content-type', 'application/json');
      reply.end(
        JSON.stringify({
          access_token,
          issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
          token_type: 'Bearer',
          expires_in: 3600,
        }),
      );
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  writeFileSync(join(folder, 'machine-token'), 'token-of-the-machine');
  keep({
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/token`,
    credential_source: { file: join(folder, 'machine-token') },
  });
  const { look } = open();
  expect(await look()).toBe('absent');
  expect(await look()).toBe('absent');
  expect(asked.length).toBe(1);
  expect(asked[0]?.get('subject_token')).toBe('token-of-the-machine');
  expect(asked[0]?.get('scope')).toContain('calendar.events');
});
