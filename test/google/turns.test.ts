/** While a target refuses everybody, one caller may try every 15 s. That turn must not go to a call that learns nothing. */

import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type CalendarApi, GoogleCalendarApi } from '../../src/google/calendar-api.ts';
import { SheetsApi } from '../../src/google/sheets-api.ts';
import { ANNA, BORIS, EVENT, openStand, type Stand } from '../calendar/stand.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore } from '../stand/store.ts';

let redis: TestRedis;
let stand: Stand;
let store: ReturnType<typeof openTestStore>;
let api: CalendarApi;
/** What the budget answers with instead of room. */
let refusal: Error | undefined;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  refusal = undefined;
  stand = await openStand();
  store = openTestStore(redis.url);
  await store.ready();
  const { budget } = stand;
  const spend = budget.spend.bind(budget);
  budget.spend = async (...asked) => {
    if (refusal !== undefined) throw refusal;
    return spend(...asked);
  };
  api = openApi();
});
afterEach(async () => {
  store.close();
  await stand.close();
});

function openApi(): CalendarApi {
  const { credential, clock, google, budget } = stand;
  const { problems } = store;
  return new GoogleCalendarApi({
    credential,
    clock,
    budget,
    problems,
    rootUrl: google.url,
    timeoutMs: 5_000,
  });
}

const told = { code: 'calendar-not-shared', message: 'it is not shared', advice: 'Share it.' };
const raise = (...targets: readonly string[]) =>
  Promise.all(targets.map((target) => store.problems.raise({ target, ...told })));
/** 15 s later; what the process knew of the board has been read again. */
const turnComes = (target: string) => {
  api = openApi();
  return store.redis.del(store.keys.probe(target));
};
const targets = async () => (await store.problems.list()).map(({ target }) => target);

const body = {
  summary: 'Haircut',
  start: { dateTime: '2026-11-03T09:00:00Z', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-11-03T10:00:00Z', timeZone: 'Europe/Berlin' },
  status: 'confirmed',
  extendedProperties: { private: {} },
} as const;

test('P1: a calendar that is open again is found to be by the look for an event that is not there', async () => {
  await raise(`calendar:${ANNA}`);
  await turnComes(`calendar:${ANNA}`);
  expect(await api.get(ANNA, EVENT)).toBe('absent');
  expect(await targets()).toEqual([]);
});

test('P1: a calendar that is open again is found to be by a write of which nothing comes', async () => {
  await api.insert(ANNA, EVENT, body);
  await raise(`calendar:${ANNA}`);
  await turnComes(`calendar:${ANNA}`);
  expect(await api.insert(ANNA, EVENT, body)).toBe('taken');
  expect(await targets()).toEqual([]);
  await raise(`calendar:${ANNA}`);
  await turnComes(`calendar:${ANNA}`);
  expect(await api.patch(ANNA, { id: EVENT, etag: '"1"' }, body)).toBe('changed');
  expect(await targets()).toEqual([]);
});

test('a calendar that is still closed has the next turn 15 s later, whatever was asked for in it', async () => {
  stand.google.revokeAccess(ANNA);
  await raise(`calendar:${ANNA}`);
  await turnComes(`calendar:${ANNA}`);
  await expect(api.get(ANNA, EVENT)).rejects.toMatchObject({ code: 'calendar-not-shared' });
  await expect(api.get(ANNA, EVENT)).rejects.toMatchObject({ code: 'calendar-paused' });
  expect(await store.redis.pttl(store.keys.probe(`calendar:${ANNA}`))).toBeGreaterThan(0);
});

test('a call that does not leave leaves the turn to the next one', async () => {
  await raise(`calendar:${ANNA}`);
  await turnComes(`calendar:${ANNA}`);
  refusal = new Error('no room');
  await expect(api.get(ANNA, EVENT)).rejects.toBe(refusal);
  refusal = undefined;
  expect(await api.get(ANNA, EVENT)).toBe('absent');
});

test('a calendar that has to wait leaves the turn of the account to another one', async () => {
  await raise('google', `calendar:${ANNA}`);
  await turnComes('google');
  await expect(api.get(ANNA, EVENT)).rejects.toMatchObject({ code: 'calendar-paused' });
  expect(await api.get(BORIS, EVENT)).toBe('absent');
  expect(await targets()).toEqual([`calendar:${ANNA}`]);
});

test('a calendar that refuses leaves the turn of the account to another one', async () => {
  stand.google.revokeAccess(ANNA);
  await raise('google');
  await turnComes('google');
  await expect(api.accessRole(ANNA)).rejects.toMatchObject({ code: 'calendar-not-shared' });
  expect(await api.get(BORIS, EVENT)).toBe('absent');
  expect(await targets()).toEqual([`calendar:${ANNA}`]);
});

test('an account that works again is found to by a calendar that refuses', async () => {
  stand.google.revokeAccess(ANNA);
  await raise('google');
  await turnComes('google');
  await expect(api.accessRole(ANNA)).rejects.toMatchObject({ code: 'calendar-not-shared' });
  expect(await targets()).toEqual([`calendar:${ANNA}`]);
});

const standing = async () =>
  (await store.problems.list()).map(({ target, code, sinceMs }) => [target, code, sinceMs]);

test('a calendar that may only be read stays a problem while it is read, and its writes wait for their turn', async () => {
  stand.google.grantAccess(ANNA, undefined, 'reader');
  await expect(api.insert(ANNA, EVENT, body)).rejects.toMatchObject({ code: 'calendar-read-only' });
  const before = await standing();
  expect(before).toMatchObject([[`calendar:${ANNA}`, 'calendar-read-only', expect.any(Number)]]);
  for (const reader of [api, openApi()]) {
    expect(await reader.get(ANNA, EVENT)).toBe('absent');
    expect(await reader.accessRole(ANNA)).toBe('reader');
    expect(await standing()).toEqual(before);
    await expect(reader.insert(ANNA, EVENT, body)).rejects.toMatchObject({ code: 'calendar-paused' });
  }
  stand.google.grantAccess(ANNA);
  await turnComes(`calendar:${ANNA}`);
  expect(await api.insert(ANNA, EVENT, body)).toMatchObject({ id: EVENT });
  expect(await standing()).toEqual([]);
});

test('bookings that wait for the right to write ask once per turn, and their wait counts from the first', async () => {
  stand.google.grantAccess(ANNA, undefined, 'reader');
  await expect(api.assertWritable(ANNA)).rejects.toMatchObject({ code: 'calendar-read-only' });
  const before = await standing();
  expect(before).toMatchObject([[`calendar:${ANNA}`, 'calendar-read-only', expect.any(Number)]]);
  await expect(api.assertWritable(ANNA)).rejects.toMatchObject({ code: 'calendar-paused' });
  await turnComes(`calendar:${ANNA}`);
  await expect(api.assertWritable(ANNA)).rejects.toMatchObject({ code: 'calendar-read-only' });
  expect(await standing()).toEqual(before);
  stand.google.grantAccess(ANNA);
  await turnComes(`calendar:${ANNA}`);
  await api.assertWritable(ANNA);
  expect(await standing()).toEqual([]);
});

test('a spreadsheet that may only be read stays a problem while it is read', async () => {
  stand.google.addSpreadsheet('book', {
    shareWith: [defaultAccount],
    tabs: [{ title: 'Contacts' }],
    role: 'reader',
  });
  const { credential, clock, google, budget } = stand;
  const { problems } = store;
  const sheets = new SheetsApi({
    credential,
    clock,
    budget,
    problems,
    rootUrl: google.url,
    timeoutMs: 5_000,
  });
  await expect(sheets.assertWritable('book')).rejects.toMatchObject({ code: 'spreadsheet-not-shared' });
  const before = await standing();
  expect(before).toMatchObject([['spreadsheet:book', 'spreadsheet-not-shared', expect.any(Number)]]);
  expect(await sheets.tabs('book')).toMatchObject([{ title: 'Contacts' }]);
  expect(await standing()).toEqual(before);
  await expect(sheets.assertWritable('book')).rejects.toMatchObject({ code: 'spreadsheet-paused' });
});

test('a calendar that is shared for reading only is no longer told as not shared', async () => {
  stand.google.revokeAccess(ANNA);
  await expect(api.accessRole(ANNA)).rejects.toMatchObject({ code: 'calendar-not-shared' });
  stand.google.grantAccess(ANNA, undefined, 'reader');
  await turnComes(`calendar:${ANNA}`);
  await expect(api.insert(ANNA, EVENT, body)).rejects.toMatchObject({ code: 'calendar-read-only' });
  expect(await api.accessRole(ANNA)).toBe('reader');
  expect(await standing()).toMatchObject([[`calendar:${ANNA}`, 'calendar-read-only', expect.any(Number)]]);
});
