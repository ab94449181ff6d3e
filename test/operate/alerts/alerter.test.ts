import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { AlertName } from '../../../src/engine/alert.ts';
import { Alerter, type AlertStore, postTo } from '../../../src/operate/alerts/alerter.ts';
import { createLog } from '../../../src/operate/log.ts';
import { createStatusSource } from '../../../src/operate/status.ts';
import { KeptLines } from '../../doubles/kept-lines.ts';
import { StatusStores } from '../../doubles/status-stores.ts';
import { double } from '../../stand/double.ts';
import { type Hook, startHook } from '../../stand/hook.ts';
import { latinRuns } from '../../stand/latin.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { NO_METER, openTestStore, type TestStore } from '../../stand/store.ts';

const MINUTE = 60_000;
const ANNA = 'anna@clinic.example';

let redis: TestRedis;
let hook: Hook;
let store: TestStore;
let world: StatusStores;
let lines: KeptLines;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  hook = await startHook();
  store = openTestStore(redis.url);
  await store.ready();
  world = new StatusStores();
  lines = new KeptLines();
});
afterEach(async () => {
  store.close();
  await hook.close();
});

/** One process; several share the store. */
function startProcess(options: { url?: string; alerts?: AlertStore; language?: 'ru' } = {}) {
  const standing = { alerts: new Set<AlertName>() as ReadonlySet<AlertName> };
  const alerter = new Alerter({
    status: createStatusSource(world.parts()),
    store: options.alerts ?? store.alerts,
    leases: store.leases,
    bounds: {
      lagMs: 5 * MINUTE,
      stuckMs: 10 * MINUTE,
      coverageMs: 10 * MINUTE,
      holeMs: 30 * MINUTE,
      deadLetters: 10,
    },
    damping: { raiseAfterMs: MINUTE, clearAfterMs: MINUTE },
    post: options.url === '' ? undefined : postTo(options.url ?? hook.url),
    installation: 'clinic',
    ...(options.language !== undefined && { language: options.language }),
    show: (alerts) => {
      standing.alerts = alerts;
    },
    clock: world.clock,
    log: createLog({ level: 'info', format: 'json', stream: lines }),
    meter: NO_METER,
  });
  return {
    standing,
    /** So many looks, half a minute apart. */
    async looks(count: number): Promise<void> {
      for (let look = 0; look < count; look += 1) {
        world.clock.advance(MINUTE / 2);
        // The feed goes on being read; what is wrong is what the test says.
        const nowMs = world.clock.now();
        world.coverage = { ...world.coverage, coveredUntilMs: nowMs, provedAtMs: nowMs };
        await alerter.look(new AbortController().signal);
      }
    },
  };
}

function unshare(): void {
  const message = 'the calendar is not shared';
  const at = { sinceMs: 0, lastAtMs: 0 };
  world.problems = [
    {
      target: `calendar:${ANNA}`,
      code: 'calendar-not-shared',
      message,
      advice: `Share <${ANNA}> & wait.`,
      ...at,
    },
  ];
}

function logged(): string[] {
  return lines.records.map((record) => `${record['msg']} ${record['alert'] ?? ''}`.trim());
}

test('a problem is told once, with what to do, and its all-clear once: to the channel, the log and the metric', async () => {
  const worker = startProcess();
  unshare();
  await worker.looks(2);
  expect(hook.texts).toEqual([]);
  expect([...worker.standing.alerts]).toEqual([]);
  await worker.looks(10);
  expect(hook.texts).toHaveLength(1);
  expect(hook.texts[0]).toMatch(/^\[clinic\] ALERT problem: calendar:\[email \w{6}\]: the calendar is not/);
  expect(hook.texts[0]).toContain('-&gt; Share &lt;[email');
  expect([...worker.standing.alerts]).toEqual(['problem']);
  world.problems = [];
  await worker.looks(10);
  expect(hook.texts).toHaveLength(2);
  expect(hook.texts[1]).toMatch(/^\[clinic\] over, after \d+ (s|min): problem: /);
  expect([...worker.standing.alerts]).toEqual([]);
  expect(logged()).toEqual(['alert raised problem', 'alert cleared problem']);
  expect(lines.text + hook.texts.join()).not.toContain('anna');
});

test('a Russian installation is told in Russian, also that it is over; its log is English', async () => {
  const worker = startProcess({ language: 'ru' });
  unshare();
  await worker.looks(4);
  expect(hook.texts).toHaveLength(1);
  expect(hook.texts[0]).toMatch(
    /^\[clinic\] ВНИМАНИЕ, problem: календарь \[email \w{6}\]: Календаря нет или он не открыт\. /,
  );
  expect(hook.texts[0]).toContain('-&gt; Откройте календарь');
  world.problems = [];
  await worker.looks(10);
  expect(hook.texts[1]).toMatch(/^\[clinic\] прошло, длилось \d+ (с|мин), problem: календарь /);
  expect(hook.texts.flatMap(latinRuns)).toEqual([]);
  const [raised] = lines.records;
  expect(raised).toMatchObject({
    text: expect.stringContaining('the calendar is not shared'),
    msg: 'alert raised',
  });
  expect(lines.text).not.toMatch(/[а-яё]/i);
});

test('several processes tell it once, and all of their metrics say the same', async () => {
  const [one, other] = [startProcess(), startProcess()];
  unshare();
  for (let look = 0; look < 6; look += 1) await Promise.all([one.looks(1), other.looks(1)]);
  expect(hook.texts).toHaveLength(1);
  expect([...one.standing.alerts]).toEqual(['problem']);
  expect([...other.standing.alerts]).toEqual(['problem']);
});

test('a restart tells nothing again, and gives the all-clear that its predecessor owed', async () => {
  unshare();
  await startProcess().looks(4);
  const next = startProcess();
  await next.looks(4);
  expect(hook.texts).toHaveLength(1);
  expect([...next.standing.alerts]).toEqual(['problem']);
  world.problems = [];
  await startProcess().looks(5);
  expect(hook.texts).toHaveLength(2);
});

test('a channel that is away is asked ever more seldom; once back, it hears once what stands, and of the rest that it is over', async () => {
  hook.status = 503;
  unshare();
  const worker = startProcess();
  await worker.looks(20);
  world.problems = [];
  await worker.looks(20);
  expect(hook.posts).toBeGreaterThan(3);
  expect(hook.posts).toBeLessThan(20);
  expect(hook.texts).toEqual([]);
  hook.status = 200;
  await worker.looks(20);
  expect(hook.texts).toHaveLength(1);
  expect(hook.texts[0]).toMatch(/^\[clinic\] over, after \d+ (s|min): problem: /);
  expect(hook.texts[0]).not.toContain('ALERT');
  expect(logged().filter((line) => /raised|cleared/.test(line))).toEqual([
    'alert raised problem',
    'alert cleared problem',
  ]);
  expect(lines.text).not.toContain('secret-part');
});

test('a channel that is back while the problem is perhaps over hears nothing before that is known', async () => {
  hook.status = 429;
  hook.headers = { 'retry-after': '60' };
  unshare();
  const worker = startProcess();
  await worker.looks(3);
  expect(hook.posts).toBe(1);
  hook.status = 200;
  world.problems = [];
  await worker.looks(2);
  expect(hook.posts).toBe(1);
  unshare();
  await worker.looks(2);
  expect(hook.texts).toHaveLength(1);
  expect(hook.texts[0]).toContain('ALERT problem');
});

test('a channel that asks for a pause gets it', async () => {
  hook.status = 429;
  hook.headers = { 'retry-after': '300' };
  unshare();
  const worker = startProcess();
  await worker.looks(11);
  expect(hook.posts).toBe(1);
  hook.status = 200;
  await worker.looks(3);
  expect(hook.texts).toHaveLength(1);
});

test('an answer that is lost may bring the message twice, never not at all', async () => {
  hook.losesAnswer = true;
  unshare();
  const worker = startProcess();
  await worker.looks(3);
  hook.losesAnswer = false;
  await worker.looks(4);
  expect(hook.texts).toHaveLength(2);
  expect(hook.texts[1]).toBe(hook.texts[0]);
});

test('a process killed between the message and the note of it has the next one send it again, once', async () => {
  unshare();
  const dies: AlertStore = double({
    read: () => store.alerts.read(),
    // Dead from the moment after the post: what it would have written never arrives.
    save: (book, token) =>
      hook.posts > 0 ? Promise.reject(new Error('killed')) : store.alerts.save(book, token),
  });
  await startProcess({ alerts: dies }).looks(3);
  expect(hook.texts).toHaveLength(1);
  await startProcess().looks(10);
  expect(hook.texts).toHaveLength(2);
});

test('a holder that slept through its lease writes nothing over its successor', async () => {
  unshare();
  await startProcess().looks(3);
  const book = await store.alerts.read();
  expect(book.standing).toHaveLength(1);
  const slept = await store.under('alerts', async (lease) => lease);
  expect(await store.alerts.save({ ...book, standing: [] }, slept)).toBe(false);
  expect((await store.alerts.read()).standing).toHaveLength(1);
});

test('without a channel the log and the metric tell it, and nothing piles up', async () => {
  unshare();
  const worker = startProcess({ url: '' });
  await worker.looks(6);
  expect(logged()).toEqual(['alert raised problem']);
  expect([...worker.standing.alerts]).toEqual(['problem']);
  expect((await store.alerts.read()).unsent).toEqual([]);
});

test('pending work that stands still is told, work that moves is not', async () => {
  const worker = startProcess();
  const since = world.clock.now();
  for (let round = 0; round < 30; round += 1) {
    world.rows = [{ spreadsheetId: 'x', rows: 5 + (round % 2) }];
    await worker.looks(1);
  }
  expect(hook.texts).toEqual([]);
  expect(world.clock.now() - since).toBeGreaterThan(10 * MINUTE);
  await worker.looks(24);
  expect(hook.texts).toHaveLength(1);
  expect(hook.texts[0]).toContain('ALERT stuck');
});

test('a state that cannot be read is told by each process itself, and so is its return', async () => {
  const away: AlertStore = double({
    read: () => Promise.reject(new Error('away')),
    save: () => Promise.reject(new Error('away')),
  });
  const parts = { isAway: true };
  const flaky: AlertStore = double({
    read: () => (parts.isAway ? away : store.alerts).read(),
    save: (book, token) => (parts.isAway ? away : store.alerts).save(book, token),
  });
  const worker = startProcess({ alerts: flaky });
  await worker.looks(6);
  expect(hook.texts).toHaveLength(1);
  expect(hook.texts[0]).toContain('ALERT state-unreadable');
  expect([...worker.standing.alerts]).toEqual(['state-unreadable']);
  parts.isAway = false;
  await worker.looks(5);
  expect(hook.texts).toHaveLength(2);
  expect([...worker.standing.alerts]).toEqual([]);
});

test('a stop does not wait for a channel that takes the message and says nothing', async () => {
  hook.holds = true;
  const stopping = new AbortController();
  const outcome = postTo(hook.url)('x', stopping.signal);
  await vi.waitFor(() => expect(hook.posts).toBe(1), { timeout: PATIENCE_MS });
  stopping.abort();
  expect(await outcome).toMatchObject({ sent: false, status: undefined });
});
