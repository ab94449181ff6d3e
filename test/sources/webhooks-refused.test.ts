import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { RefusedWatch } from '../../src/sources/webhook/refused-watch.ts';
import { freePort } from '../stand/port.ts';
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

test('deliveries that are all refused are a problem, which the first right one ends', async () => {
  const watch = new RefusedWatch(store.problems);
  for (let time = 0; time < 4; time += 1) await watch.saw('wrong');
  expect(await codes()).toEqual([]);
  await watch.saw('wrong');
  expect(await codes()).toEqual(['webhooks-refused']);
  expect((await store.problems.list())[0]?.advice).toContain('webhook test');
  await watch.saw('valid');
  expect(await codes()).toEqual([]);
});

test('a secret that was put right ends the problem, also after the restart that it took', async () => {
  const before = new RefusedWatch(store.problems);
  for (let refused = 0; refused < 5; refused += 1) await before.saw('wrong');
  expect(await store.problems.list()).toMatchObject([{ code: 'webhooks-refused' }]);
  await new RefusedWatch(store.problems).saw('valid');
  expect(await store.problems.list()).toEqual([]);
});

test('strangers who send rubbish among right deliveries are no problem', async () => {
  const watch = new RefusedWatch(store.problems);
  for (let time = 0; time < 20; time += 1) {
    await watch.saw('missing');
    if (time % 3 === 0) await watch.saw('valid');
  }
  expect(await codes()).toEqual([]);
});

test('a worker whose scheme is wrong is not well, although the feed brings everything', async () => {
  const world = await startWorld({ webhook: ', signature: body', redis: await startTestRedis() });
  try {
    const port = await freePort();
    await world.subscribe(port);
    const { url } = await world.startWorker(port);
    for (let hours = 24; hours < 30; hours += 1) world.book({ hours });
    await world.platform.whenDeliveriesSettle(20_000).catch(() => undefined);
    const { problems } = await world.untilIdle(url);
    expect(problems.map(({ code }) => code)).toEqual(['webhooks-refused']);
  } finally {
    await world.close();
  }
}, 40_000);
