import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore } from '../../stand/store.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

test('the states of all calendars, read in one step, are what each cursor says', async () => {
  const store = openTestStore(redis.url);
  try {
    const { calendars, leases } = store;
    const proof = { syncToken: 'token', coveredUntilMs: 1_000, provedAtMs: 2_000 };
    await leases.hold('calendar:read', async (lease) => {
      await calendars.close(
        'read',
        { ...proof, listedAtMs: 2_000, changedAtMs: 1_500, missedAtMs: 1_600 },
        lease,
      );
      const open = { startedAtMs: 3_000, pageToken: 'a page', isFull: true, pages: 1, pageAtMs: 3_500 };
      await calendars.saveSync('read', open, lease);
    });
    await leases.hold('calendar:plain', (lease) => calendars.close('plain', proof, lease));
    await calendars.pinged('plain', 4_000);
    const ids = ['never', 'read', 'plain'];
    const states = await calendars.states(ids);
    expect(states.map(([id]) => id)).toEqual(ids);
    for (const [id, state] of states) expect(await calendars.read(id)).toMatchObject(state);
    expect(states[1]?.[1]).toMatchObject({
      missedAtMs: 1_600,
      open: { pageToken: 'a page', pageAtMs: 3_500 },
    });
    expect(await calendars.states([])).toEqual([]);
  } finally {
    await store.close();
  }
});
