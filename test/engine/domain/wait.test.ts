import { describe, expect, test } from 'vitest';
import { DeferredError, RetryableError, TerminalError } from '../../../src/engine/errors.ts';
import { holding, isHopeless, isResting, placeKey, type Wait, waitAfter } from '../../../src/engine/work.ts';

const NOW = 1_000_000;
const reason = { mirror: 'm', code: 'c', message: 'm' };
const wait = (change: Partial<Wait> = {}): Wait => ({
  ...{ family: 'retryable', rev: 3, sinceMs: NOW, untilMs: NOW + 8_000, attempts: 4, reason },
  ...change,
});
const next = (
  before: Wait | undefined,
  error: Parameters<typeof waitAfter>[1]['error'],
  { nowMs = NOW, rev = 4 } = {},
) => waitAfter(before, { error, reason, rev, nowMs });

const retryable = new RetryableError('a', 'a');
const deferred = new DeferredError('b', 'b', { retryAfterMs: 5_000, quota: 'google-calendar:x' });
const terminal = new TerminalError('c', 'c');

describe('a place is left alone', () => {
  test.each([
    ['until its time comes', { nowMs: NOW, rev: 3 }, true],
    ['not longer', { nowMs: NOW + 8_000, rev: 3 }, false],
    ['only for the revision that failed', { nowMs: NOW, rev: 4 }, false],
    ['also when this clock is a little behind', { nowMs: NOW - 50_000, rev: 3 }, true],
    ['not for a wait that was set by a clock hours ahead', { nowMs: NOW - 3_600_000, rev: 3 }, false],
  ])('%s', (_, { nowMs, rev }, rests) => {
    const waits = holding({ 'm room': wait() }, { rev, nowMs });
    expect(isResting({ waits }, 'm', 'room')).toBe(rests);
    expect([isResting({ waits }, 'm'), isResting({}, 'm', 'room')]).toEqual([false, false]);
  });

  test('for good, when only a newer revision can help', () => {
    const hopeless = next(undefined, terminal);
    expect(Object.keys(holding({ m: hopeless }, { rev: 4, nowMs: NOW * 1e6 }))).toEqual(['m']);
    expect(holding({ m: hopeless }, { rev: 5, nowMs: NOW })).toEqual({});
  });
});

describe('a failure', () => {
  test('that may pass counts, and each one waits longer, five minutes at most', () => {
    let waits: Wait | undefined;
    let nowMs = NOW;
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      waits = next(waits, retryable, { nowMs });
      expect(waits.attempts).toBe(attempt);
      const fullMs = Math.min(1_000 * 2 ** (attempt - 1), 300_000);
      expect(waits.untilMs - nowMs).toBeGreaterThanOrEqual(fullMs / 2);
      expect(waits.untilMs - nowMs).toBeLessThanOrEqual(fullMs);
      nowMs = waits.untilMs;
    }
  });

  test('before its time, of something newer, counts nothing and changes no time', () => {
    expect(next(wait(), retryable, { nowMs: NOW + 1_000, rev: 9 })).toEqual(wait({ rev: 9 }));
    expect(next(wait(), retryable, { nowMs: NOW + 8_000, rev: 9 })).toMatchObject({ attempts: 5, rev: 9 });
  });

  test('that asks for a time counts nothing, waits so long, and names its quota', () => {
    const expected = { family: 'deferred', attempts: 4, untilMs: NOW + 5_000, quota: 'google-calendar:x' };
    expect(next(wait(), deferred)).toMatchObject(expected);
    expect(
      next(wait({ family: 'deferred', untilMs: NOW + 7_200_000, attempts: 0 }), retryable).untilMs,
    ).toBeLessThan(NOW + 1_001);
  });
});

test.each([
  ['after the last attempt', wait({ attempts: 5 }), true],
  ['before it', wait({ attempts: 4 }), false],
  ['never while it waits for its target', wait({ family: 'deferred', attempts: 9 }), false],
  ['at once when repeating would fail the same way', wait({ family: 'terminal', attempts: 1 }), true],
])('a place is given up %s', (_, given, expected) => {
  expect(isHopeless(given, 5)).toBe(expected);
});

test('a place is named apart from its mirror as a whole', () => {
  expect([placeKey('m'), placeKey('m', 'room')]).toEqual(['m', 'm room']);
});
