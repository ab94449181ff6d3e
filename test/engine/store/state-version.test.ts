import { afterAll, beforeAll, expect, test } from 'vitest';
import { assertStateIsKnown, STATE_VERSION, stampState } from '../../../src/engine/state-search.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
beforeAll(async () => {
  redis = await startTestRedis();
  store = openTestStore(redis.url);
});
afterAll(async () => {
  store.close();
  await redis.stop();
});

test('a state without a version, as 0.2.0 left it, is taken up; so is an own one', async () => {
  await assertStateIsKnown(store.memory);
  await stampState(store.memory);
  await assertStateIsKnown(store.memory);
});

test.each([String(STATE_VERSION + 1), '99', '99999999999999999999'])(
  'a state of version %s, which a newer slotbridge has written, is refused with advice',
  async (version) => {
    await store.memory.set('state-version', version);
    const refused = {
      family: 'terminal',
      code: 'state-too-new',
      advice: expect.stringContaining('newer slotbridge'),
    };
    await expect(assertStateIsKnown(store.memory)).rejects.toMatchObject(refused);
    await expect(stampState(store.memory)).rejects.toMatchObject(refused);
    expect(await store.memory.get('state-version')).toBe(version);
  },
);
