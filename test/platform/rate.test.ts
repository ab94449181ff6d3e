import { afterEach, describe, expect, test } from 'vitest';
import type { DeferredError } from '../../src/engine/errors.ts';
import { LocalPause } from '../../src/platform/http-rate.ts';
import { atLength, rowsOf } from '../stand/runs.ts';
import { clientFor, failureOf, list, problem, type Reply, Stands, TestClock } from './stand.ts';

const stands = new Stands();
afterEach(() => stands.close());

const budget = (limit: number, remaining: number, reset: number) => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(reset),
});
const ok = (headers: Record<string, string>): Reply => ({
  status: 200,
  body: { object: 'list', data: [], has_more: false },
  headers,
});
const limited = (headers: Record<string, string>): Reply => ({ ...problem(429, 'rate-limited'), headers });

describe('a 429', () => {
  test.each([
    ['Retry-After in seconds', { 'retry-after': '20' }, 20_000],
    [
      'Retry-After as a date, against the Date of the same answer',
      { date: 'Mon, 02 Mar 2020 09:00:00 GMT', 'retry-after': 'Mon, 02 Mar 2020 09:00:45 GMT' },
      45_000,
    ],
    ['RateLimit-Reset alone', { 'ratelimit-reset': '9' }, 9_000],
    ['nothing that says when', {}, 60_000],
    ['Retry-After: 0', { 'retry-after': '0' }, 1_000],
    ['a day', { 'retry-after': '86400' }, 900_000],
    ['a limit of 0', { 'retry-after': '1', ...budget(0, 0, 1) }, 1_000],
  ] as [string, Record<string, string>, number][])(
    'with %s holds every call back for that long',
    async (_name, headers, waitMs) => {
      const clock = new TestClock();
      const { url, seen } = await stands.answering(() => (seen.length === 1 ? limited(headers) : list([])));
      const client = clientFor(url, { clock });
      expect(await failureOf(client.contacts.list())).toMatchObject({
        code: 'platform-rate-limited',
        retryAfterMs: waitMs,
      });
      clock.advance(waitMs - 400);
      const held = await failureOf(client.appointments.list());
      expect(held).toMatchObject({ family: 'deferred', code: 'platform-rate-limited', retryAfterMs: 400 });
      expect(seen).toHaveLength(1);
      clock.advance(400);
      await client.appointments.list();
      expect(seen).toHaveLength(2);
    },
  );

  test('that says one second in the middle of a window costs one second, not the rest of the window', async () => {
    const clock = new TestClock();
    const replies = [
      ok(budget(600, 300, 60)),
      limited({ 'retry-after': '1', ...budget(600, 0, 1) }),
      ok(budget(600, 299, 50)),
    ];
    const { url, seen } = await stands.answering(() => replies[seen.length - 1] ?? ok(budget(600, 299, 50)));
    const client = clientFor(url, { clock });
    await client.contacts.list();
    clock.advance(10_000);
    expect(await failureOf(client.contacts.list())).toMatchObject({ retryAfterMs: 1_000 });
    clock.advance(1_000);
    await client.contacts.list();
    await client.contacts.list();
    expect(seen).toHaveLength(4);
  });

  atLength.test(
    'that came while the wall clock was hours ahead holds nobody back once that is set right',
    async () => {
      const clock = new TestClock();
      const steady = new TestClock(0);
      const { url, seen } = await stands.answering(() =>
        seen.length === 1 ? limited({ 'retry-after': '2', ...budget(600, 0, 2) }) : list([]),
      );
      const client = clientFor(url, { clock, steady });
      clock.advance(5 * 3_600_000);
      expect(await failureOf(client.contacts.list())).toMatchObject({ retryAfterMs: 2_000 });
      clock.advance(-5 * 3_600_000);
      steady.advance(2_000);
      await client.contacts.list();
      expect(seen).toHaveLength(2);
    },
  );

  atLength.test('that says one second replaces a longer pause that another answer asked for', async () => {
    const clock = new TestClock();
    const pause = new LocalPause(clock);
    const replies = [ok(budget(600, 0, 50)), limited({ 'retry-after': '1' })];
    const { url, seen } = await stands.answering(() => replies[seen.length - 1] ?? list([]));
    const client = clientFor(url, { clock, pause });
    await Promise.all([client.contacts.list(), failureOf(client.contacts.list())]);
    clock.advance(2_000);
    await client.contacts.list();
    expect(seen).toHaveLength(3);
  });

  atLength.test('of a gateway, in HTML, counts as well', async () => {
    const { url } = await stands.answering(() => ({
      status: 429,
      text: '<html>',
      headers: { 'retry-after': '5' },
    }));
    expect(await failureOf(clientFor(url).contacts.list())).toMatchObject({
      family: 'deferred',
      retryAfterMs: 5_000,
    });
  });

  atLength.test('of the test operation, which has its own limit, holds nobody else back', async () => {
    const { url } = await stands.answering(({ path }) =>
      path.endsWith('/test') ? limited({ 'retry-after': '50' }) : list([]),
    );
    const client = clientFor(url);
    const error = await failureOf(client.endpoints.test('e', 'contact.created'));
    expect(error).toMatchObject({ code: 'platform-rate-limited', retryAfterMs: 50_000 });
    expect(await client.contacts.list()).toEqual({ data: [], hasMore: false });
  });

  test('holds back the other processes too', async () => {
    const clock = new TestClock();
    const pause = new LocalPause(clock);
    const { url, seen } = await stands.answering(() => limited({ 'retry-after': '20' }));
    await failureOf(clientFor(url, { clock, pause }).contacts.list());
    expect(await failureOf(clientFor(url, { clock, pause }).contacts.list())).toMatchObject({
      retryAfterMs: 20_000,
    });
    expect(seen).toHaveLength(1);
  });
});

describe('the remaining budget', () => {
  test('of 0 lets no call leave before the reset', async () => {
    const clock = new TestClock();
    const { url, seen } = await stands.answering(() => ok(budget(60, seen.length === 1 ? 0 : 59, 30)));
    const client = clientFor(url, { clock });
    await client.contacts.list();
    expect(await failureOf(client.contacts.list())).toMatchObject({
      code: 'platform-rate-limited',
      retryAfterMs: 30_000,
    });
    clock.advance(30_000);
    await client.contacts.list();
    expect(seen).toHaveLength(2);
  });

  test('is not spent twice by calls in flight together', async () => {
    let left = 4;
    const { url, seen } = await stands.answering(async () => {
      left -= 1;
      const headers = budget(60, left, 30);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return ok(headers);
    });
    const client = clientFor(url);
    await client.contacts.list();
    const ends = await Promise.allSettled(Array.from({ length: 10 }, () => client.contacts.list()));
    expect(ends.filter((end) => end.status === 'fulfilled')).toHaveLength(3);
    expect(seen).toHaveLength(4);
  });

  test('is kept for live work: walks stop first, then the feed', async () => {
    const remaining = { now: 15 };
    const { url } = await stands.answering(() => ok(budget(60, remaining.now, 30)));
    const request = { limit: 100 };
    const walk = async () => {
      const client = clientFor(url);
      await client.contacts.list();
      return {
        walk: await client.reader.page('contact', request).then(
          () => 'ok',
          () => 'held',
        ),
        feed: await client.reader.eventPage(request).then(
          () => 'ok',
          () => 'held',
        ),
        live: await client.contacts.list().then(
          () => 'ok',
          () => 'held',
        ),
      };
    };
    expect(await walk()).toEqual({ walk: 'held', feed: 'ok', live: 'ok' });
    remaining.now = 6;
    expect(await walk()).toEqual({ walk: 'held', feed: 'held', live: 'ok' });
    remaining.now = 40;
    expect(await walk()).toEqual({ walk: 'ok', feed: 'ok', live: 'ok' });
  });

  atLength.test(
    'of a window that has just begun is not spent twice either, and nobody comes back at once',
    async () => {
      const clock = new TestClock();
      const { url, seen } = await stands.answering(() =>
        ok(budget(4, seen.length === 1 ? 3 : 9 - seen.length, 30)),
      );
      const client = clientFor(url, { clock });
      await client.contacts.list();
      clock.advance(30_000);
      const ends = await Promise.allSettled(Array.from({ length: 10 }, () => client.contacts.list()));
      expect(seen).toHaveLength(5);
      for (const end of ends) {
        if (end.status === 'rejected')
          expect((end.reason as DeferredError).retryAfterMs).toBeGreaterThanOrEqual(1_000);
      }
    },
  );

  test.each(rowsOf([5, 1, 60], 3))(
    'is not lost for good over an outage longer than a window (limit %i)',
    async (limit) => {
      const clock = new TestClock();
      const platform = { isDown: false };
      const { url } = await stands.answering(() =>
        platform.isDown ? { status: 502, text: '<html>' } : ok(budget(limit, limit - 1, 30)),
      );
      const client = clientFor(url, { clock });
      await client.contacts.list();
      platform.isDown = true;
      for (let index = 0; index < 2 * limit + 2; index += 1) {
        clock.advance(30_000);
        await Promise.allSettled([client.contacts.list(), client.contacts.list(), client.contacts.list()]);
      }
      platform.isDown = false;
      expect(await client.contacts.list()).toEqual({ data: [], hasMore: false });
    },
  );

  test('is the new one at once when the platform raises its limit', async () => {
    const clock = new TestClock();
    const { url, seen } = await stands.answering(() =>
      seen.length === 1 ? limited(budget(2, 0, 30)) : ok(budget(600, 601 - seen.length, 30)),
    );
    const client = clientFor(url, { clock });
    await failureOf(client.contacts.list());
    clock.advance(30_000);
    for (let call = 0; call < 10; call += 1) await client.contacts.list();
    expect(seen).toHaveLength(11);
  });

  test('is the new one at once when the platform lowers its limit', async () => {
    const clock = new TestClock();
    const { url, seen } = await stands.answering(() =>
      ok(seen.length === 1 ? budget(600, 599, 30) : budget(4, 5 - seen.length, 30)),
    );
    const client = clientFor(url, { clock });
    for (let call = 0; call < 5; call += 1) await client.contacts.list();
    expect(await failureOf(client.contacts.list())).toMatchObject({ retryAfterMs: 30_000 });
    expect(seen).toHaveLength(5);
  });

  test('without RateLimit headers there is no limit of our own', async () => {
    const { url, seen } = await stands.answering(() => list([]));
    const client = clientFor(url);
    await Promise.all(Array.from({ length: 50 }, () => client.contacts.list()));
    expect(seen).toHaveLength(50);
  });
});

test.each(rowsOf([3, 1], 2))(
  'a run of 600 calls under 60 a minute meets at most one 429 (%i at a time, one process)',
  async (width) => {
    const clock = new TestClock();
    const platform = new FixedWindow(clock, 60);
    const { url } = await stands.answering(() => platform.answer());
    const client = clientFor(url, { clock });
    let done = 0;
    while (done < 600) {
      const ends = await Promise.allSettled(Array.from({ length: width }, () => client.contacts.list()));
      done += ends.filter((end) => end.status === 'fulfilled').length;
      const waits = ends.flatMap((end) =>
        end.status === 'rejected' ? [(end.reason as DeferredError).retryAfterMs] : [],
      );
      clock.advance(waits.length > 0 ? Math.min(...waits) : 150);
    }
    expect(platform.refused).toBeLessThanOrEqual(1);
    // Polite is not slow: 600 calls need ten windows.
    expect(platform.windows).toBeLessThanOrEqual(11);
  },
);

test('three processes that share the pause meet at most one 429 in 600 calls as well', async () => {
  const clock = new TestClock();
  const platform = new FixedWindow(clock, 60);
  const { url } = await stands.answering(() => platform.answer());
  const pause = new LocalPause(clock);
  const clients = Array.from({ length: 3 }, () => clientFor(url, { clock, pause }));
  for (let done = 0; done < 600; ) {
    const ends = await Promise.allSettled(clients.map((client) => client.contacts.list()));
    done += ends.filter((end) => end.status === 'fulfilled').length;
    const waits = ends.flatMap((end) =>
      end.status === 'rejected' ? [(end.reason as DeferredError).retryAfterMs] : [],
    );
    clock.advance(waits.length > 0 ? Math.min(...waits) : 150);
  }
  expect(platform.refused).toBeLessThanOrEqual(1);
  expect(platform.windows).toBeLessThanOrEqual(12);
});

test('a shared pause that cannot be read or written stops nobody', async () => {
  const broken = {
    leftMs: () => Promise.reject(new Error('redis')),
    pause: () => Promise.reject(new Error('redis')),
  };
  const { url, seen } = await stands.answering(() =>
    seen.length === 1 ? list([]) : limited({ 'retry-after': '5' }),
  );
  const client = clientFor(url, { pause: broken });
  expect(await client.contacts.list()).toEqual({ data: [], hasMore: false });
  expect(await failureOf(client.contacts.list())).toMatchObject({
    code: 'platform-rate-limited',
    retryAfterMs: 5_000,
  });
  expect(await failureOf(client.contacts.list())).toMatchObject({
    code: 'platform-rate-limited',
    retryAfterMs: 5_000,
  });
  expect(seen).toHaveLength(2);
});

test('what is left of the budget can be asked for, without a call', async () => {
  const clock = new TestClock();
  const { url } = await stands.answering(() => ok(budget(600, 450, 20)));
  const client = clientFor(url, { clock, steady: clock });
  expect(await client.budget()).toEqual({
    limit: undefined,
    left: undefined,
    renewedInMs: 0,
    pausedForMs: 0,
  });
  await client.contacts.list();
  expect(await client.budget()).toEqual({ limit: 600, left: 450, renewedInMs: 20_000, pausedForMs: 0 });
  clock.advance(20_000);
  expect(await client.budget()).toEqual({ limit: 600, left: 600, renewedInMs: 0, pausedForMs: 0 });
});

/** The platform's limit as its document words it: so many calls a minute, told in whole seconds. */
class FixedWindow {
  refused = 0;
  windows = 0;
  #startedMs = Number.NEGATIVE_INFINITY;
  #calls = 0;
  readonly #clock: TestClock;
  readonly #limit: number;

  constructor(clock: TestClock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  answer(): Reply {
    const now = this.#clock.now();
    if (now - this.#startedMs >= 60_000) {
      this.#startedMs = now;
      this.#calls = 0;
      this.windows += 1;
    }
    const reset = Math.ceil((this.#startedMs + 60_000 - now) / 1000);
    if (this.#calls >= this.#limit) {
      this.refused += 1;
      return limited({ ...budget(this.#limit, 0, reset), 'retry-after': String(reset) });
    }
    this.#calls += 1;
    return ok(budget(this.#limit, this.#limit - this.#calls, reset));
  }
}

test.each([
  ['a success', ok],
  ['a 429', limited],
])(
  'the headers of the test operation, on %s, are about its own limit and hold back no other call',
  async (_, answer) => {
    const clock = new TestClock();
    const pause = new LocalPause(clock);
    const { url } = await stands.answering(({ path }) =>
      path.endsWith('/test') ? answer(budget(5, 0, 50)) : ok(budget(600, 300, 50)),
    );
    const client = clientFor(url, { clock, pause });
    await client.endpoints.test('e', 'contact.created').catch(() => undefined);
    expect(await client.contacts.list()).toEqual({ data: [], hasMore: false });
    expect(await clientFor(url, { clock, pause }).contacts.list()).toEqual({ data: [], hasMore: false });
  },
);
