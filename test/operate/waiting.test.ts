import { expect, test } from 'vitest';
import { DeferredError, RetryableError } from '../../src/engine/errors.ts';
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

/** Reads pages, of which some get no answer at first. Returns how often it waited, and what became of each page. */
async function walk(pages: readonly ('read' | 'lost' | 'lost for good')[]) {
  let waits = 0;
  const limits = new Limits({
    onWait() {},
    onLost() {
      waits += 1;
    },
    pause: async () => undefined,
  });
  const told: string[] = [];
  for (const page of pages) {
    let tries = 0;
    const read = async () => {
      tries += 1;
      if (page === 'lost for good' || (page === 'lost' && tries < 3))
        throw new RetryableError('platform-unreachable', 'connection lost');
      return page;
    };
    told.push(await limits.outlast(read, { isPage: true }).catch((error: RetryableError) => error.code));
  }
  return { waits, told };
}

test('a page that gets no answer amid others is read again: one lost connection does not end a read of hours', async () => {
  expect(await walk(['read', 'lost', 'read'])).toEqual({ waits: 2, told: ['read', 'lost', 'read'] });
});

test('a platform that stays away is told in the end', async () => {
  expect(await walk(['read', 'lost for good'])).toEqual({ waits: 8, told: ['read', 'platform-unreachable'] });
});

test('a first page without an answer is told at once: nothing is lost yet', async () => {
  expect(await walk(['lost'])).toEqual({ waits: 0, told: ['platform-unreachable'] });
});

test('a request that is no page is never repeated for want of an answer: it may have been performed', async () => {
  const limits = new Limits();
  await limits.outlast(async () => 'read', { isPage: true });
  let tries = 0;
  const booking = limits.outlast(async () => {
    tries += 1;
    throw new RetryableError('platform-timeout', 'no answer');
  });
  await expect(booking).rejects.toMatchObject({ code: 'platform-timeout' });
  expect(tries).toBe(1);
});
