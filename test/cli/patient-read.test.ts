import { expect, test } from 'vitest';
import { readPatiently } from '../../src/cli/patient-read.ts';
import { DeferredError, RetryableError, TerminalError } from '../../src/engine/errors.ts';

const away = () => new RetryableError('platform-unreachable', 'the connection failed');

/** Reads that end one after the other in what stands here; what was said, and how long was waited. */
async function play(ends: readonly (Error | string)[]) {
  const said: string[] = [];
  const waitsMs: number[] = [];
  const left = [...ends];
  const read = async () => {
    const next = left.shift();
    if (typeof next === 'string') return next;
    throw next ?? new Error('one read too many');
  };
  const result = await readPatiently(read, {
    who: 'the platform',
    say: (line) => said.push(line),
    pause: async (ms) => waitsMs.push(ms),
  }).catch((error: Error) => error);
  return { result, said, waitsMs, unread: left.length };
}

test('what is not up yet is asked again, each time a little later, and that is said', async () => {
  const { result, said, waitsMs } = await play([away(), away(), 'read']);
  expect(result).toBe('read');
  expect(said).toEqual([
    'Waiting for the platform: the connection failed (platform-unreachable). Trying up to 5 more times.\n',
    'Waiting for the platform: the connection failed (platform-unreachable). Trying up to 4 more times.\n',
  ]);
  expect(waitsMs[0]).toBeGreaterThanOrEqual(500);
  expect(waitsMs[0]).toBeLessThanOrEqual(1_000);
  expect(waitsMs[1]).toBeGreaterThanOrEqual(1_000);
});

test('the waiting has an end', async () => {
  const errors = Array.from({ length: 6 }, away);
  const { result, said, waitsMs } = await play([...errors, 'read']);
  expect(result).toBe(errors[5]);
  expect(said.at(-1)).toContain('Trying once more.');
  expect(waitsMs).toHaveLength(5);
  expect(waitsMs.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(31_000);
});

test('a quota is waited for as long as it asks, but for no hour', async () => {
  const quota = (retryAfterMs: number) =>
    new DeferredError('platform-rate-limited', 'limit', { retryAfterMs });
  expect((await play([quota(20_000), 'read'])).waitsMs).toEqual([20_000]);
  const long = await play([quota(3_600_000), 'read']);
  expect([long.waitsMs, long.unread]).toEqual([[], 1]);
});

test.each([
  new DeferredError('platform-unauthenticated', 'refused', { retryAfterMs: 1 }),
  new DeferredError('platform-forbidden', 'refused', { retryAfterMs: 1 }),
  new DeferredError('spreadsheet-not-shared', 'refused', { retryAfterMs: 1 }),
  new RetryableError('platform-bad-answer', 'no JSON'),
  new RetryableError('google-redirected', 'redirected'),
  new TerminalError('forbidden', 'refused'),
  new Error('a defect'),
])('a refusal is told at once: %s', async (error) => {
  const { result, said, unread } = await play([error, 'read']);
  expect([result, said, unread]).toEqual([error, [], 1]);
});

test('Ctrl-C ends the waiting and the reading at once, whatever the read does', async () => {
  for (const hang of ['read', 'pause'] as const) {
    const stop = new AbortController();
    const never = new Promise<never>(() => {});
    const read = () => {
      if (hang === 'pause') return Promise.reject(away());
      stop.abort();
      return never;
    };
    const pause = () => {
      stop.abort();
      return never;
    };
    const end = readPatiently(read, { who: 'it', say: () => {}, signal: stop.signal, pause });
    await expect(end).rejects.toMatchObject({ code: 'interrupted' });
  }
});
