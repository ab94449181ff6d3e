import { afterAll, beforeAll, expect, test } from 'vitest';
import { RedisProblemBoard } from '../../../src/engine/problem-board.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore } from '../../stand/store.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

test('what is wrong with a calendar that the YAML names no more is no problem, also when an older worker raised it', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  const { keys, problems: older } = store;
  const board = new RedisProblemBoard({
    ...{ redis: store.redis, keys, clock: { now: Date.now } },
    concerns: (target) => target !== 'calendar:former',
  });
  const about = { code: 'calendar-not-shared', message: 'it is not shared', advice: 'Share it.' };
  await older.raise({ ...about, target: 'calendar:former' });
  expect(await board.list()).toEqual([]);
  expect(await board.mayTry('calendar:former')).toBe('free');
  expect(await older.mayTry('calendar:former')).toBe(false);
  await board.raise({ ...about, target: 'calendar:named' });
  await board.raise({ ...about, target: 'calendar:former' });
  expect((await board.list()).map(({ target }) => target)).toEqual(['calendar:named']);
  await board.clearAll();
  expect(await older.list()).toEqual([]);
  store.close();
});
