import { expect, test, vi } from 'vitest';
import { ringEvery } from '../../src/upkeep/schedule.ts';

test('a bell rings while its part runs, and no more once that has ended', async () => {
  const ring = vi.fn();
  const stopping = new AbortController();
  const running = ringEvery('bell', 1_000, ring).run(stopping.signal);
  await vi.waitFor(() => expect(ring).toHaveBeenCalledTimes(2), { timeout: 30_000 });
  stopping.abort();
  await running;
  const rung = ring.mock.calls.length;
  await new Promise((done) => setTimeout(done, 2_100));
  expect(ring).toHaveBeenCalledTimes(rung);
});
