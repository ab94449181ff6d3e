import { afterAll, beforeAll, expect, test } from 'vitest';
import { HostReports, type HostSeen, Reach } from '../../src/operate/process-reports.ts';
import { hostProblems } from '../../src/operate/status.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore } from '../stand/store.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

const NOW = 1_800_000_000_000;
const well = (host: string): HostSeen => ({ host, aheadMs: 20, unreachedMs: { platform: 0, google: 0 } });
const codes = (seen: readonly HostSeen[]) =>
  hostProblems(seen, NOW).map(({ target, code }) => `${target} ${code}`);

test('hosts whose clocks agree and whom all sides answer have no problem', () => {
  expect(codes([well('a'), well('b'), { ...well('c'), aheadMs: -10_000 }])).toEqual([]);
});

test('a clock that differs from that of Redis by more than 10 s is told, with its direction', () => {
  const [behind, ahead] = hostProblems(
    [
      { ...well('a'), aheadMs: -90_000 },
      { ...well('b'), aheadMs: 11_000 },
    ],
    NOW,
  );
  expect(behind).toMatchObject({ target: 'host:a', code: 'clocks-apart' });
  expect([behind?.message, ahead?.message]).toEqual([
    'the clock of a is 90 s behind that of Redis',
    'the clock of b is 11 s ahead of that of Redis',
  ]);
});

test('a host that a side does not answer while it answers others is told', () => {
  const cut = { ...well('a'), unreachedMs: { platform: 61_000, google: 61_000 } };
  expect(codes([cut, well('b')])).toEqual(['host:a:platform host-cut-off', 'host:a:google host-cut-off']);
  expect(codes([{ ...cut, unreachedMs: { platform: 59_000, google: 0 } }, well('b')])).toEqual([]);
});

test('a side that answers no host is down: no host is cut off', () => {
  const down = (host: string) => ({ ...well(host), unreachedMs: { platform: 300_000, google: 0 } });
  expect(codes([down('a'), down('b')])).toEqual([]);
  expect(codes([down('a'), { ...well('b'), unreachedMs: { platform: undefined, google: 0 } }])).toEqual([]);
});

test('each process reports once, its clock is measured against that of Redis, and an answer ends an outage', async () => {
  let nowMs = 0;
  const reach = new Reach({ now: () => nowMs });
  expect(reach.unreachedMs()).toEqual({ platform: undefined, google: undefined });
  reach.note('platform', false);
  reach.note('google', true);
  nowMs = 70_000;
  reach.note('platform', false);
  expect(reach.unreachedMs()).toEqual({ platform: 70_000, google: 0 });
  const store = openTestStore(redis.url);
  await store.ready();
  const parts = { redis: store.redis, keys: store.keys };
  const a = new HostReports({ ...parts, clock: { now: () => Date.now() - 90_000 }, processId: 'a' });
  const b = new HostReports({ ...parts, clock: { now: Date.now }, processId: 'b' });
  await a.report({ host: 'one', unreachedMs: { platform: 1, google: 0 } });
  await a.report({ host: 'one', unreachedMs: reach.unreachedMs() });
  reach.note('platform', true);
  await b.report({ host: 'two', unreachedMs: reach.unreachedMs() });
  const seen = await b.read();
  expect(seen.map(({ host, unreachedMs }) => [host, unreachedMs])).toEqual([
    ['one', { platform: 70_000, google: 0 }],
    ['two', { platform: 0, google: 0 }],
  ]);
  expect(codes(seen)).toEqual(['host:one clocks-apart', 'host:one:platform host-cut-off']);
  store.close();
});
