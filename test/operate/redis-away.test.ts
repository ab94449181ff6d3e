import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import { createHttpServer, type HttpServer } from '../../src/operate/http-server.ts';
import { createMetrics } from '../../src/operate/metrics.ts';
import { createStatusSource, type StatusParts } from '../../src/operate/status.ts';
import { KeptLog } from '../doubles/listener.ts';
import { StatusStores } from '../doubles/status-stores.ts';
import { double } from '../stand/double.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore } from '../stand/store.ts';

let server: HttpServer | undefined;
afterEach(() => server?.close());

async function serve(parts: Partial<StatusParts>, isAnswering: () => Promise<unknown>) {
  const metrics = createMetrics();
  metrics.meter.add('slotbridge_feed_recovered_total', {}, 5);
  server = createHttpServer({
    status: createStatusSource({ ...new StatusStores().parts(), clock: { now: Date.now }, ...parts }),
    metrics,
    isReady: async () => {
      await isAnswering();
      return { ready: true, reasons: [] };
    },
    plugins: [],
    log: new KeptLog(),
  });
  return (await server.listen({ host: '127.0.0.1', port: 0 })).url;
}

/** All four pages at once. */
async function ask(url: string) {
  const pages = await Promise.all(
    ['/healthz', '/readyz', '/status', '/metrics'].map(async (path) => {
      const answer = await fetch(`${url}${path}`);
      return { status: answer.status, text: await answer.text() };
    }),
  );
  const [healthz, readyz, status, metrics] = pages;
  if (!healthz || !readyz || !status || !metrics) throw new Error('four pages were asked for');
  return { healthz, readyz, status, metrics };
}

type Pages = Awaited<ReturnType<typeof ask>>;

function expectAway({ healthz, readyz, status, metrics }: Pages): void {
  expect([healthz.status, readyz.status, status.status, metrics.status]).toEqual([200, 503, 503, 200]);
  expect(JSON.parse(readyz.text)).toEqual({
    ready: false,
    reasons: [expect.stringMatching(/Redis|no answer/)],
  });
  expect(JSON.parse(status.text)).toEqual({
    error: 'status-unavailable',
    code: 'store-unavailable',
    reason: expect.stringMatching(/Redis|no answer/),
    advice: expect.stringContaining('Redis'),
  });
  expect(metrics.text).toMatch(/^slotbridge_status_readable 0$/m);
  expect(metrics.text).toMatch(/^slotbridge_feed_recovered_total 5$/m);
  expect(metrics.text).not.toMatch(/^slotbridge_pending_objects /m);
}

function expectBack({ readyz, status, metrics }: Pages): void {
  expect([readyz.status, status.status]).toEqual([200, 200]);
  expect(metrics.text).toMatch(/^slotbridge_pending_objects 0$/m);
}

describe('while Redis is away', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterAll(() => redis.stop());

  test('hung: the state is 503 while it hangs, the process is healthy, counters are told, and all comes back', async () => {
    const store = openTestStore(redis.url);
    try {
      await store.ready();
      const url = await serve(
        { ledger: store.ledger, coverage: store.coverage, outbox: store.outbox, problems: store.problems },
        () => store.redis.ping(),
      );
      expectBack(await ask(url));
      process.kill(redis.pid, 'SIGSTOP');
      try {
        expectAway(await ask(url));
      } finally {
        process.kill(redis.pid, 'SIGCONT');
      }
      expectBack(await ask(url));
    } finally {
      store.close();
    }
  });

  test('not there at all: the same', async () => {
    const store = openTestStore('unix:///nonexistent/redis.sock');
    try {
      const url = await serve(
        { ledger: store.ledger, coverage: store.coverage, outbox: store.outbox, problems: store.problems },
        () => store.problems.list(),
      );
      expectAway(await ask(url));
    } finally {
      store.close();
    }
  });

  test('a store that never answers, not even that it cannot, is the same', async () => {
    const stores = new StatusStores();
    stores.gate = new Promise(() => undefined);
    const url = await serve(stores.parts(), () => stores.gate);
    expectAway(await ask(url));
  });

  test('a store that answers each of several questions late does not add its delays up', async () => {
    const stores = new StatusStores();
    let asked = 0;
    const slow = async <T>(value: T): Promise<T> => {
      asked += 1;
      await new Promise((done) => setTimeout(done, 2_500));
      return value;
    };
    const parts = stores.parts();
    const ledger = { ...parts.ledger, pending: () => slow({ objects: 0, oldestSinceMs: undefined }) };
    const coverage = { ...parts.coverage, holes: () => slow([]) };
    const url = await serve({ ledger: double(ledger), coverage }, () => slow(0).then(() => slow(0)));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const pages = ask(url);
      while (asked < 3) await new Promise((done) => setImmediate(done));
      // The store needs 5 s for two questions; nobody waits longer than 4 s for all of them.
      await vi.advanceTimersByTimeAsync(4_000);
      expectAway(await pages);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('an error that is not the worker’s own', () => {
  test('is not quoted to whoever asks', async () => {
    const parts = new StatusStores().parts();
    const broken = async () => {
      throw new SyntaxError('Unexpected token: Anna Petrova');
    };
    const url = await serve({ ledger: double({ ...parts.ledger, pending: broken }) }, broken);
    const { readyz, status, metrics } = await ask(url);
    expect([readyz.status, status.status, metrics.status]).toEqual([503, 503, 200]);
    expect(readyz.text + status.text + metrics.text).not.toContain('Anna');
  });

  test('the worker’s own is, with its advice', async () => {
    const parts = new StatusStores().parts();
    const refused = async () => {
      throw new RetryableError('store-unavailable', 'Redis did not carry out a command', {
        advice: 'See to it.',
      });
    };
    const url = await serve({ ledger: double({ ...parts.ledger, pending: refused }) }, refused);
    expect(JSON.parse((await ask(url)).status.text)).toMatchObject({ advice: 'See to it.' });
  });
});
