import { expect, test } from 'vitest';
import { DeferredError } from '../../src/engine/errors.ts';
import { Limits, type LimitWait } from '../../src/operate/waiting.ts';

/** Waits that were told while a request was held back `times` times, each time for `retryAfterMs`. */
async function toldBy(times: number, retryAfterMs: number): Promise<LimitWait[]> {
  const told: LimitWait[] = [];
  const limits = new Limits({ onWait: (wait) => told.push(wait) });
  let left = times;
  const answer = await limits.outlast(async () => {
    left -= 1;
    if (left >= 0) throw new DeferredError('platform-rate-limited', 'too many requests', { retryAfterMs });
    return 'read';
  });
  expect(answer).toBe('read');
  return told;
}

test('one short wait is not told', async () => {
  expect(await toldBy(1, 300)).toEqual([]);
});

test('short waits are told when they add up to one that people notice', async () => {
  expect(await toldBy(6, 300)).toEqual([{ whose: 'platform', ms: 300 }]);
});
