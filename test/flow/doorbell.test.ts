import { expect, test, vi } from 'vitest';
import { keySpace } from '../../src/engine/key-space.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { openTestStore } from '../stand/store.ts';
import { ANNA, startWorld } from '../stand/world.ts';

/** Another process reads the feed for so long. */
const WALK_MS = 4_000;

test('P1: a delivery that only wakes, while another process has already read the top of the feed, has a walk of its own', async () => {
  const world = await startWorld({ webhook: ', signature: doorbell', feedEvery: '1h' });
  const store = openTestStore(world.redis.url);
  try {
    const port = await world.door();
    await world.subscribe(port);
    const { url } = await world.startWorker(port);
    await vi.waitFor(async () => expect((await world.status(url)).not_idle_because).toEqual([]), {
      timeout: PATIENCE_MS,
    });
    const lease = keySpace('slotbridge').lease('feed-walk');
    await vi.waitFor(
      async () => expect(await store.redis.set(lease, 'another process', 'PX', WALK_MS, 'NX')).toBe('OK'),
      { timeout: PATIENCE_MS },
    );
    world.book();
    await vi.waitFor(() => expect(world.events(ANNA)).toHaveLength(1), {
      timeout: PATIENCE_MS,
      interval: 100,
    });
  } finally {
    store.close();
    await world.close();
  }
});
