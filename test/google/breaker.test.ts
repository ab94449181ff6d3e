import { describe, expect, test } from 'vitest';
import { type DeferredError, RetryableError } from '../../src/engine/errors.ts';
import { TargetBreakers } from '../../src/google/call.ts';
import { GoogleFailure } from '../../src/google/errors.ts';
import { HandClock } from '../doubles/hand-clock.ts';

const A = 'calendar:a';
const B = 'calendar:b';
const failing = new RetryableError('google-unavailable', 'x');
const late = new RetryableError('google-timeout', 'x');

function prepare(places?: number) {
  const clock = new HandClock(1_000_000);
  /** Whether Google answered, by each call that says so. */
  const answered: boolean[] = [];
  const breakers = new TargetBreakers({
    ...{ clock, onVerdict: (isAnswered) => answered.push(isAnswered) },
    ...(places === undefined ? {} : { places }),
  });
  const fail = (error: unknown = failing) => breakers.begin(A).ended(error);
  return { clock, breakers, fail, answered };
}

const resting = { family: 'deferred', code: 'calendar-resting', target: A };

describe('a target that fails five times in a row (case 70)', () => {
  test.each([failing, late])('is left alone for a while, the others are not ($code)', (error) => {
    const { clock, breakers, fail } = prepare();
    for (let times = 0; times < 4; times += 1) fail(error);
    expect(() => fail(error)).not.toThrow();
    expect(() => breakers.begin(A)).toThrow(expect.objectContaining(resting));
    breakers.begin(B).ended();
    clock.advance(2_000);
    expect(() => breakers.begin(A)).not.toThrow();
  });

  test('is tried by one call at a time, and has all of them again when that one is answered', () => {
    const { clock, breakers, fail } = prepare();
    // Waited for the budget all the while, and never left.
    const early = breakers.begin(A);
    for (let times = 0; times < 5; times += 1) fail();
    clock.advance(2_000);
    const probe = breakers.begin(A);
    expect(() => breakers.begin(A)).toThrow(expect.objectContaining(resting));
    early.forgone();
    expect(() => breakers.begin(A)).toThrow(expect.objectContaining(resting));
    // Any answer but a failure will do: a refusal comes from a target that works.
    probe.ended(new RetryableError('etag-mismatch', 'x'));
    expect(() => [breakers.begin(A), breakers.begin(A)]).not.toThrow();
  });

  test('is tried by one call at a time, also when calls from before end meanwhile', () => {
    const { clock, breakers, fail } = prepare();
    const early = [breakers.begin(A), breakers.begin(A)];
    clock.advance(100);
    for (let times = 0; times < 5; times += 1) fail();
    clock.advance(2_000);
    breakers.begin(A);
    early[0]?.ended(failing);
    expect(() => breakers.begin(A)).toThrow(expect.objectContaining(resting));
    early[1]?.ended(new RetryableError('google-unreachable', 'x'));
    expect(() => breakers.begin(A)).toThrow(expect.objectContaining(resting));
  });

  test('is left alone once for all calls that were under way together', () => {
    const { clock, breakers } = prepare();
    const together = Array.from({ length: 12 }, () => breakers.begin(A));
    for (const call of together) expect(call.ended(late)).toBe(false);
    clock.advance(2_000);
    expect(() => breakers.begin(A)).not.toThrow();
  });

  test('is left alone for longer each time, and told once it has lasted', () => {
    const { clock, fail } = prepare();
    for (let times = 0; times < 5; times += 1) expect(fail()).toBe(false);
    const told: [number, boolean][] = [];
    for (const waitMs of [2_000, 4_000, 8_000, 15_000]) {
      clock.advance(waitMs - 1);
      expect(() => fail()).toThrow(expect.objectContaining(resting));
      clock.advance(1);
      told.push([waitMs, fail()]);
    }
    expect(told).toEqual([
      [2_000, false],
      [4_000, false],
      [8_000, false],
      [15_000, true],
    ]);
    // From now on the problem board says who may try.
    expect(() => fail()).not.toThrow();
  });

  test('was tried in vain by a call that had no budget: the next one may try', () => {
    const { clock, breakers, fail } = prepare();
    for (let times = 0; times < 5; times += 1) fail();
    clock.advance(2_000);
    breakers.begin(A).forgone();
    expect(() => breakers.begin(A)).not.toThrow();
  });
});

test.each([
  ['an answer in between', undefined],
  ['a way to Google that is cut', new RetryableError('google-unreachable', 'x')],
])('%s opens nothing', (_, between) => {
  const { breakers, fail } = prepare();
  for (let times = 0; times < 4; times += 1) fail();
  for (let times = 0; times < 9; times += 1) breakers.begin(A).ended(between);
  if (between === undefined) for (let times = 0; times < 4; times += 1) fail();
  expect(() => breakers.begin(A)).not.toThrow();
});

describe('a target that answers slowly', () => {
  test('holds three quarters of the places at most from the first moment on', () => {
    const { breakers } = prepare(8);
    breakers.begin(B).ended();
    for (let times = 0; times < 6; times += 1) breakers.begin(A);
    expect(() => breakers.begin(A)).toThrow(expect.objectContaining({ code: 'calendar-crowded' }));
    expect(() => [breakers.begin(B), breakers.begin(B)]).not.toThrow();
  });

  test('holds a quarter of the places at most while another is at work', () => {
    const { clock, breakers } = prepare(8);
    breakers.begin(B).ended();
    breakers.begin(A);
    const second = breakers.begin(A);
    expect(() => breakers.begin(A).forgone()).not.toThrow();
    clock.advance(2_000);
    expect(() => breakers.begin(A)).toThrow(expect.objectContaining({ code: 'calendar-crowded' }));
    breakers.begin(B).ended();
    second.ended();
    expect(() => breakers.begin(A)).not.toThrow();
  });

  test('may have them all when it is the only one', () => {
    const { clock, breakers } = prepare(8);
    breakers.begin(B).ended();
    for (let times = 0; times < 4; times += 1) breakers.begin(A);
    clock.advance(40_000);
    expect(() => breakers.begin(A)).not.toThrow();
  });
});

test('a call that rests is told when the target is tried next, and up to a quarter more, so that not all come at once', () => {
  const { clock, breakers, fail } = prepare();
  for (let times = 0; times < 5; times += 1) fail();
  const waitMs = () => {
    try {
      breakers.begin(A);
    } catch (error) {
      expect(error).toMatchObject({ message: expect.stringMatching(/failed several times in a row/) });
      return (error as DeferredError).retryAfterMs;
    }
    throw new Error('the call went');
  };
  const expectBetween = (least: number, most: number) => {
    const ms = waitMs();
    expect(ms).toBeGreaterThanOrEqual(least);
    expect(ms).toBeLessThanOrEqual(most);
  };
  expectBetween(2_000, 2_500);
  // Never at once: the call that tries it may take a while.
  clock.advance(1_999);
  expectBetween(1_000, 1_250);
});

test('a spreadsheet and a calendar are named as what they are', () => {
  const { breakers } = prepare();
  for (let times = 0; times < 5; times += 1) breakers.begin('spreadsheet:b/tab').ended(failing);
  expect(() => breakers.begin('spreadsheet:b/tab')).toThrow(
    expect.objectContaining({ code: 'spreadsheet-resting' }),
  );
});

test('only a call that was answered, or that the target failed, says whether Google answers', () => {
  const { breakers, answered } = prepare();
  const ofToken = new GoogleFailure({
    ...{ message: 'x', name: 'GaxiosError' },
    response: { status: 503, data: { error: 'internal_failure' } },
  });
  expect(ofToken.ofToken).toBe(true);
  const ends = [
    ...[undefined, new Error('a defect'), new RetryableError('etag-mismatch', 'x')],
    ...[failing, late],
    ...['google-unreachable', 'google-redirected', 'store-unavailable'].map(
      (code) => new RetryableError(code, 'x'),
    ),
    new RetryableError('google-unavailable', 'x', { cause: ofToken }),
  ];
  expect(ends.map((error) => breakers.begin(A).ended(error))).not.toContain(true);
  expect(answered).toEqual([true, true, true, false, false]);
});

test('a call that left before the target was left alone, and fails after the pause, begins no other pause', () => {
  const { clock, breakers, fail } = prepare();
  const early = breakers.begin(A);
  clock.advance(1);
  for (let times = 0; times < 5; times += 1) fail();
  clock.advance(2_000);
  early.ended(failing);
  expect(() => breakers.begin(A)).not.toThrow();
});

test('a try that hangs while another call was answered keeps no later pause from its end', () => {
  const { clock, breakers, fail } = prepare();
  const early = breakers.begin(A);
  for (let times = 0; times < 5; times += 1) fail();
  clock.advance(2_000);
  breakers.begin(A);
  early.ended();
  for (let times = 0; times < 5; times += 1) fail();
  clock.advance(2_000);
  expect(() => breakers.begin(A)).not.toThrow();
});

describe('a call is late', () => {
  const crowded = { code: 'calendar-crowded', message: expect.stringMatching(/share of parallel calls/) };

  /** Two calls of the target are under way, and another target is at work. Answers take `answersMs`. */
  function underWay(answersMs: readonly number[]) {
    const { clock, breakers } = prepare(8);
    for (const ms of answersMs) {
      const call = breakers.begin(B);
      clock.advance(ms);
      call.ended();
    }
    breakers.begin(B).forgone();
    breakers.begin(A);
    breakers.begin(A);
    return { clock, breakers };
  }

  test.each<[string, readonly number[], number]>([
    ['after a quarter of a second at least', [], 250],
    ['after four times what answers take', [1_000, 1_000, 1_000], 1_230],
    ['after two seconds at most', Array.from({ length: 20 }, () => 1_000), 2_000],
  ])('%s', (_, answersMs, lateMs) => {
    const { clock, breakers } = underWay(answersMs);
    clock.advance(lateMs - 1);
    breakers.begin(A).forgone();
    clock.advance(1);
    expect(() => breakers.begin(A)).toThrow(expect.objectContaining(crowded));
  });
});

test('a target that was at work half a minute ago keeps no places', () => {
  const { clock, breakers } = prepare(8);
  breakers.begin(B).ended();
  clock.advance(30_000 - 1);
  for (let times = 0; times < 6; times += 1) breakers.begin(A);
  expect(() => breakers.begin(A)).toThrow(expect.objectContaining({ code: 'calendar-crowded' }));
  clock.advance(1);
  expect(() => breakers.begin(A)).not.toThrow();
});

test('a target that is the only one takes all places at once', () => {
  const { breakers } = prepare(8);
  expect(() => Array.from({ length: 8 }, () => breakers.begin(A))).not.toThrow();
});
