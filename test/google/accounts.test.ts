import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAccounts } from '../../src/google/auth.ts';
import { GoogleCalendarApi } from '../../src/google/calendar-api.ts';
import { CalendarWatchApi } from '../../src/google/calendar-watch-api.ts';
import { SheetsApi } from '../../src/google/sheets-api.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';

const OFFICE = 'office@one.iam.gserviceaccount.com';
const BRANCH = 'branch@two.iam.gserviceaccount.com';
const ANNA = 'anna@clinic.example';
const BORIS = 'boris@clinic.example';

let google: GoogleSandbox;
let folder: string;
let problems: MemoryProblemBoard;
let budget: CountingBudget;
beforeEach(async () => {
  google = await GoogleSandbox.start();
  google.addCalendar(ANNA, { shareWith: [OFFICE] });
  google.addCalendar(BORIS, { shareWith: [BRANCH] });
  google.addSpreadsheet('office-book', { shareWith: [OFFICE], tabs: [{ title: 'A' }] });
  google.addSpreadsheet('branch-book', { shareWith: [BRANCH], tabs: [{ title: 'B' }] });
  folder = mkdtempSync(join(tmpdir(), 'slotbridge-accounts-'));
  problems = new MemoryProblemBoard();
  budget = new CountingBudget();
});
afterEach(async () => {
  await google.close();
  rmSync(folder, { recursive: true, force: true });
});

function key(email: string, name = email): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify(google.serviceAccountKey(email)));
  return path;
}

function open(office = key(OFFICE), branch = key(BRANCH)) {
  const settings = { credentials: office, accounts: { branch: { credentials: branch } } };
  const accountOf = (target: string) => (/boris|branch/.test(target) ? 'branch' : undefined);
  const credential = openAccounts(
    { ...settings, tokenUrl: google.tokenUrl, timeoutMs: 2_000 },
    { accountOf, usesDefault: true },
  );
  const shared = { credential, budget, problems, clock: new HandClock(0), timeoutMs: 2_000 };
  const rootUrl = google.url;
  return {
    credential,
    calendar: new GoogleCalendarApi({ ...shared, rootUrl }),
    watch: new CalendarWatchApi({ ...shared, rootUrl }),
    sheets: new SheetsApi({ ...shared, rootUrl }),
  };
}

test('each calendar and each spreadsheet is called by its own account, and every budget is one account’s', async () => {
  const { calendar, watch, sheets } = open();
  expect(await calendar.accessRole(ANNA)).toBe('writer');
  expect(await calendar.accessRole(BORIS)).toBe('writer');
  expect(await watch.changes(BORIS, { syncToken: undefined, pageToken: undefined })).toMatchObject({
    events: [],
  });
  expect((await sheets.tabs('office-book')).map(({ title }) => title)).toEqual(['A']);
  expect((await sheets.tabs('branch-book')).map(({ title }) => title)).toEqual(['B']);
  expect(google.stats().tokenRequests).toBe(2);
  expect(problems.codes()).toEqual({});
  const spent = Object.entries(budget.spent).map(([name, calls]) => [
    name.replace(/[0-9a-f]{12}$/, '#'),
    calls,
  ]);
  expect(Object.fromEntries(spent)).toEqual({
    'google-calendar:#': 1,
    'google-calendar:branch~#': 2,
    'google-sheets-read:#': 1,
    'google-sheets-read:branch~#': 1,
  });
});

test('an account that is dead stops its own calendars, and no others', async () => {
  const { calendar } = open();
  google.revokeGrants(BRANCH);
  await expect(calendar.accessRole(BORIS)).rejects.toMatchObject({
    family: 'deferred',
    code: 'google-token-dead',
    target: 'google:branch',
  });
  expect(problems.codes()).toEqual({ 'google:branch': 'google-token-dead' });
  expect(await calendar.accessRole(ANNA)).toBe('writer');
  // An answer to one account says nothing about another.
  expect(problems.codes()).toEqual({ 'google:branch': 'google-token-dead' });
  problems.isTurn = false;
  await expect(calendar.accessRole(BORIS)).rejects.toMatchObject({ code: 'google-paused' });
  expect(await calendar.accessRole(ANNA)).toBe('writer');
  google.restoreGrants();
  problems.isTurn = true;
  expect(await calendar.accessRole(BORIS)).toBe('writer');
  expect(problems.codes()).toEqual({});
});

test('two files with one key are refused when they are opened', () => {
  expect(() => open(key(OFFICE), key(OFFICE, 'copy'))).toThrow(
    expect.objectContaining({ code: 'google-accounts-same' }),
  );
});

test('a default key that nobody uses need not be there; it is missed by whoever needs it', () => {
  const settings = {
    credentials: join(folder, 'none.json'),
    accounts: { branch: { credentials: key(BRANCH) } },
  };
  const credential = openAccounts(
    { ...settings, tokenUrl: google.tokenUrl, timeoutMs: 2_000 },
    { accountOf: (target) => (target === 'calendar:gone' ? undefined : 'branch'), usesDefault: false },
  );
  expect(credential('calendar:any').problems).toBe('google:branch');
  expect(() => credential('calendar:gone')).toThrow(
    expect.objectContaining({ code: 'google-credentials-missing' }),
  );
});

test('P9: failing to stop a channel raises no problem of an account, and stopping one clears none', async () => {
  const { watch } = open();
  const channel = { id: 'left-behind', resourceId: 'r' };
  google.revokeGrants(BRANCH);
  await expect(watch.stop(BORIS, channel)).rejects.toMatchObject({ code: 'google-token-dead' });
  expect(problems.codes()).toEqual({});
  google.restoreGrants();
  await problems.raise({ target: `calendar:${ANNA}`, code: 'calendar-not-found', message: '', advice: '' });
  await expect(open().watch.stop(ANNA, channel)).rejects.toMatchObject({ code: 'calendar-paused' });
  expect(problems.codes()).toEqual({ [`calendar:${ANNA}`]: 'calendar-not-found' });
});

test('P9: however often stopping a channel fails, its calendar is still read', async () => {
  const { watch } = open();
  const lift = google.faults.add({ path: /channels\/stop/, fault: { kind: 'status', status: 503 } });
  for (let times = 0; times < 8; times += 1)
    await watch.stop(ANNA, { id: 'left-behind', resourceId: 'r' }).catch(() => undefined);
  const page = await watch.changes(ANNA, { syncToken: undefined, pageToken: undefined });
  expect(page).toMatchObject({ events: [] });
  expect(problems.codes()).toEqual({});
  lift();
});

test('a request for pings names the dead account as the problem, not the address to ping', async () => {
  const { watch } = open();
  google.revokeGrants(BRANCH);
  const channel = { id: 'new', token: 't', address: 'https://slotbridge.clinic.example/ping', ttlMs: 60_000 };
  await expect(watch.watch(BORIS, channel)).rejects.toMatchObject({ code: 'google-token-dead' });
  expect(problems.codes()).toEqual({ 'google:branch': 'google-token-dead' });
});
