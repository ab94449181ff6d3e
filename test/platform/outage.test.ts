import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import { type Outage, OutageWatch } from '../../src/platform/http-transport.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startWorld } from '../stand/world.ts';

const told: (Outage | undefined)[] = [];
let watch: OutageWatch;
beforeEach(() => {
  told.length = 0;
  vi.useFakeTimers();
  watch = new OutageWatch({ clock: { now: () => Date.now() } });
  watch.onChange((outage) => told.push(outage));
  watch.answered();
  told.length = 0;
});
afterEach(() => vi.useRealTimers());

const lost = (requestId = 'req_1') =>
  new RetryableError('platform-unavailable', 'answered 503', { target: 'platform', status: 503, requestId });

test('one lost answer is no outage, however long nothing else is asked', () => {
  watch.failed(lost());
  vi.advanceTimersByTime(600_000);
  expect(told).toEqual([]);
});

test('two lost answers are one after half a minute, also when an idle worker asks nothing more', () => {
  const sinceMs = Date.now();
  watch.failed(lost());
  watch.failed(lost('req_2'));
  vi.advanceTimersByTime(29_999);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toMatchObject([{ sinceMs, error: { status: 503, requestId: 'req_2' } }]);
});

test('a lasting outage renews its Request-Id, but not with every call, and the first answer ends it', () => {
  for (let second = 0; second < 60; second += 1) {
    watch.failed(lost(`req_${second}`));
    vi.advanceTimersByTime(1_000);
  }
  expect(told.map((outage) => outage?.error.requestId)).toEqual(['req_29', 'req_45']);
  watch.answered();
  watch.answered();
  expect(told.slice(2)).toEqual([undefined]);
});

test('answers in between start it anew', () => {
  for (let second = 0; second < 120; second += 1) {
    watch.failed(lost());
    vi.advanceTimersByTime(1_000);
    if (second % 20 === 0) watch.answered();
  }
  expect(told).toEqual([]);
});

test('status names an outage with its status, since when and the Request-Id, and ends it with the first answer', async () => {
  vi.useRealTimers();
  const world = await startWorld();
  try {
    const port = await world.door();
    await world.subscribe(port);
    const { url } = await world.startWorker(port);
    await world.untilIdle(url);
    const read = async () => {
      const { problems } = (await (await fetch(`${url}/status`)).json()) as {
        problems: { code: string; target: string; message: string; advice: string }[];
      };
      return problems;
    };
    world.platform.faults.add({
      fault: { kind: 'status', status: 503, headers: { 'request-id': 'req_abc' } },
    });
    await vi.waitFor(async () => expect(await read()).toHaveLength(1), { timeout: 120_000, interval: 1_000 });
    expect(await read()).toMatchObject([
      {
        ...{ code: 'platform-failing', target: 'platform-api' },
        message: expect.stringMatching(
          /^the platform answers 503 since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC; last Request-Id req_/,
        ),
        advice: expect.stringContaining('support'),
        names: ['HTTP 503', expect.stringMatching(/^Request-Id req_/)],
      },
    ]);
    world.platform.faults.clear();
    await vi.waitFor(async () => expect(await read()).toEqual([]), { timeout: PATIENCE_MS, interval: 500 });
  } finally {
    await world.close();
  }
}, 240_000);
