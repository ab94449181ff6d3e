import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RaisedProblem } from '../../src/engine/problem-board.ts';
import type { DeliveryVerdict } from '../../src/platform/webhook-delivery.ts';
import { areRefused, RefusedWatch } from '../../src/platform/webhook-route.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore, type TestStore } from '../stand/store.ts';
import { startWorld } from '../stand/world.ts';

let redis: TestRedis;
let store: TestStore;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
});
afterEach(() => store.close());

const codes = async () => (await store.problems.list()).map(({ code }) => code);

let nowMs = Date.UTC(2026, 10, 22);
let aheadMs = 0;
let secrets: readonly string[] = ['one'];
const clocks = { clock: { now: () => nowMs }, wall: { now: () => nowMs + aheadMs } };
const watchOf = () => new RefusedWatch({ problems: store.problems, ...clocks, secrets: () => secrets });

async function see(watch: RefusedWatch, verdicts: readonly DeliveryVerdict[]): Promise<void> {
  for (const verdict of verdicts) await watch.saw(verdict);
}

const times = (count: number, verdict: DeliveryVerdict): DeliveryVerdict[] =>
  Array.from({ length: count }, () => verdict);

test.each([
  ['nothing', [] as DeliveryVerdict[], false],
  ['four refused', times(4, 'wrong'), false],
  ['five refused', times(5, 'wrong'), true],
  ['five signed too long ago', times(5, 'too-old'), true],
  ['five refused and five valid', [...times(5, 'wrong'), ...times(5, 'valid')], true],
  ['five refused and six valid', [...times(5, 'wrong'), ...times(6, 'valid')], false],
  ['nine refused of twenty', [...times(9, 'wrong'), ...times(11, 'valid')], false],
])('%s: is the secret or the scheme wrong?', (_, verdicts, isProblem) => {
  expect(areRefused(verdicts.map((verdict) => ({ verdict, atMs: 0 })))).toBe(isProblem);
});

test('deliveries that are mostly refused are a problem, which valid ones end', async () => {
  const watch = watchOf();
  await see(watch, times(4, 'wrong'));
  expect(await codes()).toEqual([]);
  await watch.saw('wrong');
  expect(await codes()).toEqual(['webhooks-refused']);
  expect((await store.problems.list())[0]?.advice).toContain('webhook test');
  await see(watch, times(6, 'valid'));
  expect(await codes()).toEqual([]);
});

test.each([
  ['too-large', 'too large', 'platform.webhook.max_body'],
  ['unreadable', 'cut off', 'proxy'],
  ['compressed', 'compressed', 'proxy'],
  ['not-understood', 'no events', 'quarantine'],
  ['too-old', 'signed too long ago', 'clock'],
  ['wrong-path', 'sent to another path', '/webhooks/platform'],
] as const)(
  'refusals of the kind %s are a problem with a remedy of its own',
  async (verdict, said, remedy) => {
    const watch = watchOf();
    await see(watch, [...times(5, verdict), 'valid']);
    const [problem] = await store.problems.list();
    expect(problem?.message).toBe(`5 of the newest 5 webhooks were refused (5 ${said})`);
    expect(problem?.advice).toContain(remedy);
  },
);

test('however many were refused before, eleven valid ones end the problem', async () => {
  const watch = watchOf();
  await see(watch, times(500, 'wrong'));
  await see(watch, times(11, 'valid'));
  expect(await codes()).toEqual([]);
});

test('the problem ends by itself when nothing is refused for an hour', async () => {
  const watch = watchOf();
  await see(watch, times(5, 'wrong'));
  nowMs += 3_599_999;
  await watch.look();
  expect(await codes()).toEqual(['webhooks-refused']);
  nowMs += 2;
  await watch.look();
  expect(await codes()).toEqual([]);
});

test('a secret that was put right ends the problem, also after the restart that it took', async () => {
  await see(watchOf(), times(5, 'wrong'));
  expect(await codes()).toEqual(['webhooks-refused']);
  await watchOf().saw('valid');
  expect(await codes()).toEqual([]);
});

test('P8: a clock that was set right, and a secret, end the problem with the first delivery that verifies', async () => {
  const putRight = [
    { verdict: 'too-old', ahead: -3_600_000, by: ['one'] },
    { verdict: 'wrong', ahead: -3_600_000, by: ['two'] },
  ] as const;
  for (const { verdict, ahead, by } of putRight) {
    const watch = watchOf();
    await see(watch, times(20, verdict));
    if (aheadMs !== ahead) aheadMs = ahead;
    else secrets = by;
    await watch.look();
    expect(await codes()).toEqual(verdict === 'wrong' ? ['webhooks-refused'] : []);
    nowMs += 60_000;
    await watch.saw('valid');
    expect(await codes()).toEqual([]);
    // Refused again by what is in force now.
    await see(watch, times(5, verdict));
    expect(await codes()).toEqual(['webhooks-refused']);
    await see(watch, times(4, 'valid'));
    expect(await codes()).toEqual(['webhooks-refused']);
    await see(watch, times(20, 'valid'));
  }
});

test('P8: a clock that was set right ends the problem by itself, though no delivery comes any more', async () => {
  const watch = watchOf();
  await see(watch, times(20, 'too-old'));
  expect(await codes()).toEqual(['webhooks-refused']);
  aheadMs += 3_600_000;
  await watch.look();
  expect(await codes()).toEqual([]);
});

test('a clock that was set does not excuse another refusal, nor does a secret', async () => {
  const watch = watchOf();
  await see(watch, times(10, 'compressed'));
  aheadMs += 3_600_000;
  secrets = ['three'];
  await watch.saw('valid');
  expect(await codes()).toEqual(['webhooks-refused']);
});

test('P8: a problem whose write was reported as failed, and stands all the same, ends with its reason', async () => {
  const problems = {
    raise: async (problem: RaisedProblem) => {
      await store.problems.raise(problem);
      throw new Error('no answer in time');
    },
    clear: (target: string) => store.problems.clear(target),
  };
  const watch = new RefusedWatch({ problems, ...clocks, secrets: () => secrets });
  await see(watch, times(5, 'too-old'));
  expect(await codes()).toEqual(['webhooks-refused']);
  aheadMs += 3_600_000;
  await watch.look();
  expect(await codes()).toEqual([]);
});

test('P8: a problem that ends while it is still being written is not left on the board', async () => {
  let letWrite = () => {};
  const mayWrite = new Promise<void>((resolve) => {
    letWrite = resolve;
  });
  const problems = {
    raise: (problem: RaisedProblem) => mayWrite.then(() => store.problems.raise(problem)),
    clear: (target: string) => store.problems.clear(target),
  };
  const watch = new RefusedWatch({ problems, ...clocks, secrets: () => secrets });
  await see(watch, times(4, 'too-old'));
  const raised = watch.saw('too-old');
  aheadMs += 3_600_000;
  const ended = watch.look();
  // Time for a write that does not wait its turn.
  await store.problems.list();
  letWrite();
  await Promise.all([raised, ended]);
  expect(await codes()).toEqual([]);
});

test('a storm of refused deliveries writes the problem once a minute', async () => {
  let raised = 0;
  const problems = {
    raise: async () => {
      raised += 1;
    },
    clear: async () => undefined,
  };
  const watch = new RefusedWatch({ problems, ...clocks, secrets: () => secrets });
  await see(watch, times(1_000, 'wrong'));
  expect(raised).toBe(1);
  nowMs += 60_000;
  await watch.saw('wrong');
  expect(raised).toBe(2);
});

test('unsigned rubbish is no problem, however much of it comes', async () => {
  const world = await startWorld({ redis: await startTestRedis() });
  try {
    const port = await world.door();
    await world.subscribe(port);
    const { url } = await world.startWorker(port);
    const heads: Record<string, string>[] = [
      {},
      { 'service-signature': 'rubbish' },
      { 'service-signature': 't=1,v1=zz' },
      { 'webhook-id': '1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' },
    ];
    for (let time = 0; time < 20; time += 1) {
      const headers = heads[time % heads.length] ?? {};
      const answer = await fetch(`${url}/webhooks/platform`, { method: 'POST', body: '{}', headers });
      expect(answer.status).toBe(401);
    }
    const { problems } = await world.untilIdle(url);
    expect(problems).toEqual([]);
  } finally {
    await world.close();
  }
});

test('P8: deliveries that a proxy compresses, strips of their signature or sends elsewhere are told; scanners are not', async () => {
  const world = await startWorld({ redis: await startTestRedis() });
  try {
    const port = await world.door();
    await world.subscribe(port);
    const { url } = await world.startWorker(port);
    const post = async (path: string, body: Buffer | string, headers: Record<string, string> = {}) =>
      (await fetch(`${url}${path}`, { method: 'POST', body: new Uint8Array(Buffer.from(body)), headers }))
        .status;
    const signed = { 'service-signature': `t=1,v1=${'0'.repeat(64)}` };
    const event = { id: 'e', type: 'appointment.created', created_at: '2026-03-01T00:00:00Z' };
    const body = JSON.stringify({ ...event, data: { object: { object: 'appointment', id: 'a' } } });
    for (const path of ['/wp-login.php', '/api/hooks', '/']) await post(path, body);
    for (const rubbish of ['{}', '<xml/>', '{"type":"a.b","id":"1"}'])
      await post('/webhooks/platform', rubbish);
    expect(await post('/webhooks/platform', gzipSync('{}'), { ...signed, 'content-encoding': 'gzip' })).toBe(
      415,
    );
    for (let time = 0; time < 2; time += 1) expect(await post('/webhooks/platform', body)).toBe(401);
    for (const path of ['/platform', '/webhooks/platform/']) expect(await post(path, body, signed)).toBe(404);
    const { problems } = await world.untilIdle(url);
    const kinds = "2 without the scheme's signature, 2 sent to another path, 1 compressed";
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ['webhooks-refused', `5 of the newest 5 webhooks were refused (${kinds})`],
    ]);
  } finally {
    await world.close();
  }
});

test('a worker whose scheme is wrong is not well, although the feed brings everything', async () => {
  const world = await startWorld({ webhook: ', signature: body', redis: await startTestRedis() });
  try {
    const port = await world.door();
    await world.subscribe(port);
    const { url } = await world.startWorker(port);
    for (let hours = 24; hours < 30; hours += 1) world.book({ hours });
    await world.platform.whenDeliveriesSettle(20_000).catch(() => undefined);
    const { problems } = await world.untilIdle(url);
    expect(problems.map(({ code }) => code)).toEqual(['webhooks-refused']);
  } finally {
    await world.close();
  }
});
