import { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createConsentAuth } from '../../src/google/auth.ts';
import { GoogleCalendarApi } from '../../src/google/calendar-api.ts';
import { CalendarWatchApi } from '../../src/google/calendar-watch-api.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';

const ANNA = 'anna@clinic.example';
const SCOPES = ['https://www.googleapis.com/auth/calendar.events'];

let google: GoogleSandbox;
let problems: MemoryProblemBoard;
let clock: HandClock;
/** What stands in Redis. */
let kept: { token: string } | 'missing' | 'unreadable';
let client: { clientId: string; clientSecret: string; authUri: string; tokenUri: string };
let grant: { client_id: string; client_secret: string; refresh_token: string };
beforeEach(async () => {
  google = await GoogleSandbox.start();
  google.addCalendar(ANNA, { shareWith: [ANNA] });
  problems = new MemoryProblemBoard();
  clock = new HandClock(0);
  grant = google.oauthGrant(ANNA, SCOPES);
  client = {
    ...{ clientId: grant.client_id, clientSecret: grant.client_secret },
    ...{ authUri: google.authUrl, tokenUri: google.tokenUrl },
  };
  kept = { token: grant.refresh_token };
});
afterEach(() => google.close());

function keep(what: typeof kept): void {
  kept = what;
}

function open() {
  const owner = { account: 'colleague', address: ANNA };
  const consents = { token: async () => kept };
  const credential = createConsentAuth({ owner, client, consents, timeoutMs: 2_000, clock });
  const shared = { credential, budget: new CountingBudget(), problems, clock, timeoutMs: 2_000 };
  const rootUrl = google.url;
  return {
    calendar: new GoogleCalendarApi({ ...shared, rootUrl }),
    watch: new CalendarWatchApi({ ...shared, rootUrl }),
  };
}

test('calls are made as the person, with one token, under a name that tells nothing of them', async () => {
  const { calendar } = open();
  expect(await calendar.accessRole(ANNA)).toBe('owner');
  expect(await calendar.accessRole(ANNA)).toBe('owner');
  expect(google.stats().tokenRequests).toBe(1);
});

describe.each([
  ['missing', 'google-consent-missing', () => keep('missing')],
  ['unreadable', 'google-consent-unreadable', () => keep('unreadable')],
  ['withdrawn', 'google-consent-ended', () => google.revokeGrants(ANNA)],
] as const)('a consent that is %s', (_, code, happen) => {
  const expected = { family: 'deferred', code, target: 'google:colleague' };

  test.each([
    ['a look at one event', ({ calendar }: ReturnType<typeof open>) => calendar.get(ANNA, 'sb12345')],
    ['the removal of an event', ({ calendar }) => calendar.remove(ANNA, { id: 'sb12345', etag: '"1"' })],
    ['a list of changes', ({ watch }) => watch.changes(ANNA, { syncToken: 'x', pageToken: undefined })],
    [
      'a wish for pings',
      ({ watch }) => watch.watch(ANNA, { id: 'c', token: 't', address: 'https://b.example', ttlMs: 60_000 }),
    ],
  ] satisfies readonly (readonly [string, (apis: ReturnType<typeof open>) => Promise<unknown>])[])(
    'is the word that %s ends with: never an absence',
    async (_what, call) => {
      happen();
      await expect(call(open())).rejects.toMatchObject(expected);
      expect(problems.codes()).toEqual({ 'google:colleague': code });
    },
  );

  test('is the error of a request to stop pings, which raises no problem', async () => {
    happen();
    await expect(open().watch.stop(ANNA, { id: 'c', resourceId: 'r' })).rejects.toMatchObject(expected);
    expect(problems.codes()).toEqual({});
  });

  test('names no person in its advice', async () => {
    happen();
    const error = await open()
      .calendar.get(ANNA, 'sb12345')
      .catch((thrown: unknown) => thrown);
    expect(JSON.stringify([String(error), (error as { advice: string }).advice])).not.toContain('anna');
  });
});

test('a new consent is noticed within seconds, and the old token is used no more', async () => {
  const { calendar } = open();
  expect(await calendar.accessRole(ANNA)).toBe('owner');
  google.revokeGrants(ANNA);
  await expect(calendar.accessRole(ANNA)).rejects.toMatchObject({ code: 'google-consent-ended' });
  google.restoreGrants();
  google.consent.answerAs(ANNA);
  kept = 'missing';
  clock.advance(2_000);
  await expect(calendar.accessRole(ANNA)).rejects.toMatchObject({ code: 'google-consent-missing' });
  kept = { token: grant.refresh_token };
  expect(await calendar.accessRole(ANNA)).toBe('owner');
});

test('a token endpoint that is down says nothing about the consent', async () => {
  google.faults.add({ path: /^\/token/, fault: { kind: 'status', status: 503 } });
  await expect(open().calendar.accessRole(ANNA)).rejects.toMatchObject({ family: 'retryable' });
  expect(problems.codes()).toEqual({});
});
