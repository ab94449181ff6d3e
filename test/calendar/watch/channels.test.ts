import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PING_PATH, pingRoute } from '../../../src/calendar/calendar-watch.ts';
import { Channels } from '../../../src/calendar/channels.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { ANNA, BORIS, openStand, type WatchStand } from './stand.ts';

const DAY = 86_400_000;

let redis: TestRedis;
let stand: WatchStand;
let app: FastifyInstance;
let address: string;
let woken: string[];
let strangers: { id: string; resourceId: string }[];
/** How far the worker's clock is ahead of Google's. */
let aheadMs: number;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  stand = await openStand(redis.url);
  [woken, strangers, aheadMs] = [[], [], 0];
  app = Fastify({ forceCloseConnections: true });
  await app.register(
    pingRoute({
      channels: stand.store.channels,
      cursors: stand.store.calendars,
      wake: (calendarId) => void woken.push(calendarId),
      onStranger: (channel) => void strangers.push(channel),
      clock: stand.clock,
      log: stand.log,
      meter: stand.meter,
    }),
  );
  address = `${await app.listen({ port: 0, host: '127.0.0.1' })}${PING_PATH}`;
});
afterEach(async () => {
  await app.close();
  await stand.close();
});

function channels(over: { calendars?: readonly string[]; address?: string | undefined } = {}): Channels {
  return new Channels({
    api: stand.watchApi,
    channels: stand.store.channels,
    problems: stand.problems,
    calendars: over.calendars ?? [ANNA],
    address: 'address' in over ? over.address : address,
    ttlMs: 7 * DAY,
    clock: { now: () => Date.now() + aheadMs },
    log: stand.log,
  });
}

const care = (of = channels()) => of.care(new AbortController().signal);
const rows = () => stand.store.channels.all();
const open = () => stand.google.channels();
const eventually = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: PATIENCE_MS, interval: 20 });
const change = () => void stand.foreign();
const ping = (headers: Record<string, string>) => fetch(address, { method: 'POST', headers });

describe('a calendar', () => {
  test('has one channel, however often it is cared for, and its pings wake it alone', async () => {
    const cared = channels({ calendars: [ANNA, BORIS] });
    await care(cared);
    await care(cared);
    expect(open()).toHaveLength(2);
    change();
    await eventually(() => expect(woken).toEqual([ANNA]));
  });

  test('does not wake the first message of a channel, which says only that it is open (case 32)', async () => {
    await care();
    await eventually(() => expect(stand.meter.counts['slotbridge_calendar_pings_total']).toBe(1));
    expect(woken).toEqual([]);
  });

  test('goes on with its channel after a restart', async () => {
    await care();
    await care(channels());
    expect(open()).toHaveLength(1);
  });

  test('wakes for every ping that is doubled or late, and for none that is lost', async () => {
    await care();
    Object.assign(stand.google.pings, { doubleShare: 1, delayMsMax: 50 });
    change();
    await eventually(() => expect(woken).toEqual([ANNA, ANNA]));
    Object.assign(stand.google.pings, { doubleShare: 0, loseShare: 1, delayMsMax: 0 });
    change();
    await new Promise((done) => setTimeout(done, 100));
    expect(woken).toHaveLength(2);
  });
});

describe('a channel', () => {
  test('is renewed at 80 % of the time that Google gave, under a new id, and the old one ends after an overlap (case 31)', async () => {
    const cared = channels();
    await care(cared);
    const [first] = await rows();
    aheadMs = 0.79 * 7 * DAY;
    await care(cared);
    expect(open()).toHaveLength(1);
    aheadMs = 0.81 * 7 * DAY;
    await care(cared);
    expect(open()).toHaveLength(2);
    aheadMs += 30_000;
    await care(cared);
    expect(open()).toHaveLength(2);
    aheadMs += 60_000;
    await care(cared);
    const left = await rows();
    expect(left).toHaveLength(1);
    expect(left[0]?.id).not.toBe(first?.id);
    expect(open().map((channel) => channel['id'])).toEqual([left[0]?.id]);
  });

  test('that has expired is replaced', async () => {
    const cared = channels();
    await care(cared);
    const [first] = await rows();
    aheadMs = 8 * DAY;
    await care(cared);
    const left = await rows();
    expect(left).toHaveLength(1);
    expect(left[0]?.id).not.toBe(first?.id);
  });

  test('ends when its calendar leaves the mapping, the address changes, or push is switched off', async () => {
    await care(channels({ calendars: [ANNA, BORIS] }));
    await care(channels({ calendars: [BORIS] }));
    expect(open().map((channel) => channel['calendarId'])).toEqual([BORIS]);
    await care(channels({ calendars: [BORIS], address: `${address}?moved` }));
    expect(open().map((channel) => channel['address'])).toEqual([`${address}?moved`]);
    await care(channels({ calendars: [], address: undefined }));
    expect(open()).toEqual([]);
    expect(await rows()).toEqual([]);
  });

  test('whose answer was lost is taken up by its first ping: none is open that nobody knows', async () => {
    stand.google.faults.add({
      method: 'POST',
      path: /events\/watch/,
      times: 1,
      fault: { kind: 'commit-then-reset' },
    });
    const cared = channels();
    await care(cared);
    await eventually(async () => expect((await rows())[0]?.resourceId).toBeDefined());
    await care(cared);
    expect(open()).toHaveLength(1);
    expect(open()[0]?.['id']).toBe((await rows())[0]?.id);
  });

  test('of which neither answer nor ping has come is replaced, and its row waits for its pings', async () => {
    stand.google.faults.add({
      method: 'POST',
      path: /events\/watch/,
      times: 1,
      fault: { kind: 'reset' },
    });
    const cared = channels();
    await care(cared);
    expect(open()).toEqual([]);
    await care(cared);
    expect(open()).toEqual([]);
    aheadMs = 121_000;
    await care(cared);
    expect(open()).toHaveLength(1);
    expect(await rows()).toHaveLength(2);
  });

  test('that could not be stopped is stopped at the next round', async () => {
    await care();
    stand.google.faults.add({
      method: 'POST',
      path: /channels\/stop/,
      times: 1,
      fault: { kind: 'status', status: 503 },
    });
    await care(channels({ calendars: [] }));
    expect(open()).toHaveLength(1);
    await care(channels({ calendars: [] }));
    expect(open()).toEqual([]);
  });
});

describe('Google that will not ping', () => {
  test('is said once with the way out, asked again after an hour, and the calendars stay unharmed', async () => {
    stand.google.switches.httpsOnly = true;
    const cared = channels({ calendars: [ANNA, BORIS] });
    await care(cared);
    await care(cared);
    expect(stand.calls()['events.watch']).toBe(2);
    expect(await rows()).toEqual([]);
    expect(await stand.problems.list()).toMatchObject([
      { target: 'calendar-push', code: 'push-refused', advice: expect.stringContaining('public_url') },
    ]);
    expect(await stand.sync()).toBe('listed');
    stand.google.switches.httpsOnly = false;
    aheadMs = 3_600_000;
    await care(cared);
    expect(open()).toHaveLength(2);
    expect(await stand.problems.list()).toEqual([]);
  });

  test('for a calendar that cannot push is no problem: it is polled, and asked again a day later', async () => {
    const HOLIDAYS = 'de.german#holiday@group.v.calendar.google.com';
    stand.google.addCalendar(HOLIDAYS, { shareWith: [defaultAccount] });
    const cared = channels({ calendars: [HOLIDAYS, ANNA] });
    await care(cared);
    aheadMs = 3_600_000;
    await care(cared);
    expect(stand.calls()['events.watch']).toBe(2);
    expect(open().map((channel) => channel['calendarId'])).toEqual([ANNA]);
    expect((await rows()).map(({ calendarId }) => calendarId)).toEqual([ANNA]);
    expect(await stand.problems.list()).toEqual([]);
    aheadMs = DAY;
    await care(cared);
    expect(stand.calls()['events.watch']).toBe(3);
  });

  test.each([
    [400, 'badRequest'],
    [403, 'forbidden'],
  ])(
    'for one calendar (%i %s) names it, says nothing about https, and is over once it pings',
    async (status, reason) => {
      const errors = [{ domain: 'global', reason, message: 'No.' }];
      const remove = stand.google.faults.add({
        method: 'POST',
        path: /anna.*events\/watch/,
        fault: {
          kind: 'status',
          status,
          body: JSON.stringify({ error: { errors, code: status, message: 'No.' } }),
          contentType: 'application/json',
        },
      });
      const cared = channels({ calendars: [ANNA, BORIS] });
      await care(cared);
      expect(open().map((channel) => channel['calendarId'])).toEqual([BORIS]);
      const [problem, ...others] = await stand.problems.list();
      expect(problem).toMatchObject({ target: `calendar-push:${ANNA}`, code: 'push-refused' });
      expect(`${problem?.message} ${problem?.advice}`).not.toContain('https');
      expect(others).toEqual([]);
      remove();
      aheadMs = 3_600_000;
      await care(cared);
      expect(open()).toHaveLength(2);
      expect(await stand.problems.list()).toEqual([]);
    },
  );

  test('with a 401 about the address does not pass for a credential that was revoked', async () => {
    const errors = [{ domain: 'global', reason: 'push.webhookUrlUnauthorized', message: 'Unauthorized' }];
    stand.google.faults.add({
      method: 'POST',
      path: /events\/watch/,
      fault: {
        kind: 'status',
        status: 401,
        body: JSON.stringify({ error: { errors, code: 401, message: 'Unauthorized' } }),
        contentType: 'application/json',
      },
    });
    await care();
    expect((await stand.problems.list()).map((problem) => problem.target)).toEqual(['calendar-push']);
    expect(await stand.sync()).toBe('listed');
  });

  test('for a calendar that is not shared leaves the others their channels (case 70)', async () => {
    stand.google.revokeAccess(ANNA);
    await care(channels({ calendars: [ANNA, BORIS] }));
    expect(open().map((channel) => channel['calendarId'])).toEqual([BORIS]);
  });
});

describe('the route', () => {
  test('lets nobody wake who does not know the token, and tells him nothing', async () => {
    await care();
    const [row] = await rows();
    const known = { 'x-goog-channel-id': row?.id ?? '', 'x-goog-resource-state': 'exists' };
    for (const token of ['', 'x', 'x'.repeat(43)]) {
      expect((await ping({ ...known, 'x-goog-channel-token': token })).status).toBe(204);
    }
    expect(woken).toEqual([]);
    expect((await ping({ ...known, 'x-goog-channel-token': row?.token ?? '' })).status).toBe(204);
    expect(woken).toEqual([ANNA]);
  });

  test('answers a channel that it does not know with 204, and hands it on to be stopped (case 31)', async () => {
    const headers = { 'x-goog-channel-id': 'old-one', 'x-goog-resource-id': 'r-1' };
    expect((await ping({ ...headers, 'x-goog-resource-state': 'exists' })).status).toBe(204);
    expect(strangers).toEqual([{ id: 'old-one', resourceId: 'r-1' }]);
    expect(woken).toEqual([]);
  });

  test('takes whatever comes: no headers, a body, a strange content type', async () => {
    expect((await ping({})).status).toBe(204);
    const odd = { method: 'POST', headers: { 'content-type': 'application/json' } };
    expect((await fetch(address, { ...odd, body: '{"a":' })).status).toBe(204);
    expect((await fetch(address, odd)).status).toBe(204);
    expect((await ping({ 'x-goog-channel-id': 'x'.repeat(5_000) })).status).toBe(204);
  });
});

test('the first ping of a channel, which tells of no change, is noted as proof that pings arrive', async () => {
  await care();
  await eventually(async () =>
    expect((await stand.store.calendars.read(ANNA)).pingedAtMs ?? 0).toBeGreaterThan(0),
  );
  expect(woken).toEqual([]);
});

test('if Google gives no answer about a calendar’s channels for hours, the calendar gets only one more entry an hour', async () => {
  const lift = stand.google.faults.add({ path: /watch/, fault: { kind: 'status', status: 503 } });
  const cared = channels();
  const asked: number[] = [];
  for (let minutes = 0; minutes < 300; minutes += 1) {
    aheadMs = minutes * 60_000;
    const before = (await rows()).length;
    await care(cared);
    if ((await rows()).length === before) continue;
    asked.push(minutes);
    // Other calls to the calendar work.
    await stand.sync();
  }
  expect(asked).toEqual([0, 2, 6, 14, 30, 62, 122, 182, 242]);
  lift();
  aheadMs += 3_600_000;
  await care(cared);
  expect(open()).toHaveLength(1);
});

test('an outage that is over does not delay the next lost answer: the channel is asked for again after two minutes', async () => {
  const lift = stand.google.faults.add({ path: /watch/, fault: { kind: 'status', status: 503 } });
  const cared = channels();
  for (let minutes = 0; minutes <= 62; minutes += 1) {
    aheadMs = minutes * 60_000;
    await care(cared);
    // Other calls to the calendar work.
    await stand.sync();
  }
  expect(await rows()).toHaveLength(6);
  lift();
  aheadMs = 130 * 60_000;
  await care(cared);
  expect(open()).toHaveLength(1);
  // Days later its renewal gets no answer once.
  aheadMs += 6 * DAY;
  stand.google.faults.add({ path: /watch/, times: 1, fault: { kind: 'status', status: 503 } });
  await care(cared);
  expect(open()).toHaveLength(1);
  aheadMs += 121_000;
  await care(cared);
  expect(open()).toHaveLength(2);
});

test('P8: a channel that was requested while the clock was ahead is requested again once it is set right', async () => {
  aheadMs = 20 * DAY;
  await care();
  const [early] = await rows();
  expect(early?.resourceId).toBeDefined();
  aheadMs = 0;
  await care();
  expect((await rows()).map(({ id }) => id)).not.toEqual([early?.id]);
  expect((await rows()).some(({ requestedAtMs }) => requestedAtMs <= Date.now())).toBe(true);
});

test('P8: a refusal that was heard while the clock was ahead does not hold for as long as it was', async () => {
  const own = channels();
  aheadMs = 3 * 3_600_000;
  stand.google.switches.httpsOnly = true;
  await care(own);
  expect(await rows()).toEqual([]);
  stand.google.switches.httpsOnly = false;
  aheadMs = 0;
  await care(own);
  expect(await rows()).toHaveLength(1);
});
