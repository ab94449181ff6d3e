import { describe, expect, test } from 'vitest';
import { DeferredError, RetryableError } from '../../src/engine/errors.ts';
import { type GoogleCall, googleCall, KnownProblems, TargetBreakers } from '../../src/google/call.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';

function prepare(more: Partial<GoogleCall> = {}) {
  const board = new MemoryProblemBoard();
  const budget = new CountingBudget();
  const clock = new HandClock(0);
  const problems = new KnownProblems(board, clock);
  const call: GoogleCall = {
    target: 'calendar:a',
    direction: 'read',
    budgetName: 'b',
    budget,
    breakers: new TargetBreakers({ clock }),
    problems,
    timeoutMs: 1_000,
    ...more,
  };
  return { board, budget, clock, problems, call };
}

const noBudget = { refused: async () => ({ quota: 'b', waitMs: 0 }), answered: async () => {} };

const refuse = (status: number, reason: string) => () =>
  Promise.reject(
    Object.assign(new Error('x'), {
      response: { status, data: { error: { errors: [{ reason }], code: status } } },
    }),
  );

describe('a call', () => {
  test('is paid for, and gives what it gave', async () => {
    const { call, budget } = prepare();
    expect(await googleCall(call, async () => 7)).toBe(7);
    expect(budget.spent).toEqual({ b: 1 });
    await googleCall({ ...call, rank: 'list' }, async () => 7);
    expect(budget.ranks).toEqual(['live', 'list']);
  });

  test('is not made when the budget is spent', async () => {
    const spend = () => Promise.reject(new DeferredError('quota-spent', 'x', { retryAfterMs: 1 }));
    const { call } = prepare({ budget: { ...noBudget, spend } });
    let made = false;
    await expect(googleCall(call, async () => (made = true))).rejects.toMatchObject({ code: 'quota-spent' });
    expect(made).toBe(false);
  });

  test('that finds the budget spent while it tries a resting target leaves the try to the next one', async () => {
    const { call, clock } = prepare();
    for (let times = 0; times < 5; times += 1)
      await googleCall(call, refuse(503, 'x')).catch(() => undefined);
    clock.advance(2_000);
    const spend = () => Promise.reject(new DeferredError('quota-spent', 'x', { retryAfterMs: 1 }));
    const poor = { ...call, budget: { ...noBudget, spend } };
    await expect(googleCall(poor, async () => 7)).rejects.toMatchObject({ code: 'quota-spent' });
    expect(await googleCall(call, async () => 7)).toBe(7);
  });

  test('that Google refuses for quota is no problem of the target, and says what it waits for', async () => {
    const { call, board, budget, clock } = prepare();
    clock.advance(500);
    await expect(googleCall(call, refuse(403, 'rateLimitExceeded'))).rejects.toMatchObject({
      family: 'deferred',
      code: 'google-quota',
      quota: 'b',
      retryAfterMs: budget.pauseMs,
    });
    const refusal = { reason: 'rateLimitExceeded', mayMeanTarget: true };
    expect(budget.refusals).toEqual([{ name: 'b', target: 'calendar:a', refusal }]);
    expect(board.codes()).toEqual({});
  });

  test('that Google refuses for quota comes back by itself within half a second when only the rate is lowered', async () => {
    const { call, budget } = prepare();
    budget.pauseMs = 0;
    const refused = await googleCall(call, refuse(403, 'userRateLimitExceeded')).catch((error) => error);
    expect(refused).toMatchObject({ code: 'google-quota', backsOff: true });
    expect(refused.retryAfterMs).toBeGreaterThan(0);
    expect(refused.retryAfterMs).toBeLessThanOrEqual(500);
  });

  test.each([
    ['done', async () => 7, 1],
    ['not found', refuse(404, 'notFound'), 1],
    ['failing at Google', refuse(503, 'backendError'), 1],
    ['refused for quota', refuse(403, 'rateLimitExceeded'), 0],
    ['lost on the way', () => Promise.reject(new Error('socket hang up')), 0],
  ] as [string, () => Promise<unknown>, number][])(
    'that is %s: whether the budget hears that Google had room for it',
    async (_how, run, answers) => {
      const { call, budget } = prepare();
      await googleCall(call, run).catch(() => undefined);
      expect(budget.answers.length).toBe(answers);
    },
  );

  test.each([
    [403, 'rateLimitExceeded', true],
    [429, 'rateLimitExceeded', true],
    [403, 'quotaExceeded', true],
    [403, 'userRateLimitExceeded', false],
    [403, 'dailyLimitExceeded', false],
    [429, 'RATE_LIMIT_EXCEEDED', false],
  ])('refused with %i %s: whether one calendar may be meant', async (status, reason, mayMeanTarget) => {
    const { call, budget } = prepare();
    await expect(googleCall(call, refuse(status, reason))).rejects.toMatchObject({ code: 'google-quota' });
    expect(budget.refusals.map(({ refusal }) => refusal.mayMeanTarget)).toEqual([mayMeanTarget]);
  });

  // Recorded answers: the limit of one calendar has neither a status nor the name of a metric.
  const METRIC =
    "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user' of service 'calendar-json.googleapis.com' for consumer 'project_number:1'.";
  test.each([
    ['of one calendar', { message: 'Rate Limit Exceeded' }, true],
    ['of a user or project', { message: METRIC, status: 'PERMISSION_DENIED' }, false],
    ['of a user or project, in words alone', { message: METRIC }, false],
    ['of a user or project, in other words', { message: 'Spent.', status: 'RESOURCE_EXHAUSTED' }, false],
  ])(
    'refused with rateLimitExceeded for the quota %s: whether one calendar may be meant',
    async (_, body, mayMeanTarget) => {
      const { call, budget } = prepare();
      const errors = [{ domain: 'usageLimits', reason: 'rateLimitExceeded', message: body.message }];
      const thrown = { response: { status: 403, data: { error: { code: 403, errors, ...body } } } };
      await expect(googleCall(call, () => Promise.reject(thrown))).rejects.toMatchObject({
        code: 'google-quota',
      });
      expect(budget.refusals.map(({ refusal }) => refusal.mayMeanTarget)).toEqual([mayMeanTarget]);
    },
  );

  test('a 403 that names a quota metric and no reason is no missing permission', async () => {
    const { call, board } = prepare();
    const error = { code: 403, message: METRIC, status: 'PERMISSION_DENIED' };
    const thrown = { response: { status: 403, data: { error } } };
    await expect(googleCall(call, () => Promise.reject(thrown))).rejects.toMatchObject({
      code: 'google-quota',
    });
    expect(board.codes()).toEqual({});
  });

  test('of a target that has failed again and again is not made, costs nothing, and is a problem once that has lasted', async () => {
    const { call, board, budget, clock } = prepare();
    const fail = refuse(503, 'backendError');
    for (let times = 0; times < 5; times += 1) await googleCall(call, fail).catch(() => undefined);
    expect(budget.spent).toEqual({ b: 5 });
    await expect(googleCall(call, fail)).rejects.toMatchObject({ code: 'calendar-resting' });
    expect(budget.spent).toEqual({ b: 5 });
    for (let times = 0; times < 4; times += 1) {
      clock.advance(15_000);
      await googleCall(call, fail).catch(() => undefined);
    }
    expect(board.codes()).toEqual({ 'calendar:a': 'calendar-failing' });
    await googleCall(call, async () => 1);
    expect(board.codes()).toEqual({});
  });

  test('that is paused costs nothing', async () => {
    const { call, board, budget } = prepare();
    await board.raise({ target: 'calendar:a', code: 'x', message: 'x' });
    board.isTurn = false;
    await expect(googleCall(call, async () => 1)).rejects.toMatchObject({
      code: 'calendar-paused',
      retryAfterMs: 15_000,
    });
    expect(budget.spent).toEqual({});
  });

  test('ends at its deadline even when the request forgets to, and the request is told', async () => {
    const { call } = prepare({ timeoutMs: 50 });
    let told = false;
    const forgetful = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => {
        told = true;
      });
      return new Promise<never>(() => {});
    };
    await expect(googleCall(call, forgetful)).rejects.toMatchObject({
      family: 'retryable',
      code: 'google-timeout',
    });
    expect(told).toBe(true);
  });

  test('that worked has worked, even when the board cannot be written', async () => {
    const { call } = prepare();
    const fails = () => Promise.reject(new Error('no board'));
    const problems = {
      ...{ raise: fails, clear: fails, giveBack: fails },
      ...{ list: async () => [], mayTry: async () => 'free' as const },
    };
    expect(await googleCall({ ...call, problems }, async () => 1)).toBe(1);
    await expect(googleCall({ ...call, problems }, refuse(404, 'notFound'))).rejects.toMatchObject({
      code: 'calendar-not-shared',
    });
  });
});

describe('what becomes a problem of the target', () => {
  test.each([
    [404, 'notFound', { 'calendar:a': 'calendar-not-shared' }],
    [403, 'requiredAccessLevel', { 'calendar:a': 'calendar-read-only' }],
    [403, 'forbidden', { 'calendar:a': 'calendar-forbidden' }],
    [401, 'authError', { google: 'google-unauthenticated' }],
    [403, 'rateLimitExceeded', {}],
    [429, 'rateLimitExceeded', {}],
    [400, 'invalid', {}],
    [409, 'duplicate', {}],
    [412, 'conditionNotMet', {}],
    [500, 'backendError', {}],
  ])('%i %s', async (status, reason, codes) => {
    const { call, board } = prepare();
    await expect(googleCall(call, refuse(status, reason))).rejects.toThrow();
    expect(board.codes()).toEqual(codes);
  });

  test.each([
    [404, 'notFound', { family: 'retryable', code: 'not-found' }],
    [403, 'forbidden', { family: 'retryable', code: 'event-forbidden' }],
    [403, 'forbiddenForNonOrganizer', { family: 'terminal', code: 'event-forbidden' }],
  ])(
    '%i %s to a call about one item says nothing about the target',
    async (status, reason, { family, code }) => {
      const { call, board } = prepare({ about: 'item' });
      // A dead letter says what to do.
      const advice = family === 'terminal' ? expect.any(String) : undefined;
      await expect(googleCall(call, refuse(status, reason))).rejects.toMatchObject({ family, code, advice });
      expect(board.codes()).toEqual({});
    },
  );
});

describe('the board', () => {
  test('is read at most every ten seconds, and then knows what other processes raised', async () => {
    const { call, board, clock } = prepare();
    for (let n = 0; n < 100; n++) await googleCall(call, async () => 1);
    expect(board.reads).toBe(1);
    await board.raise({ target: 'calendar:a', code: 'x', message: 'x' });
    clock.advance(10_000);
    await googleCall(call, async () => 1);
    expect(board.reads).toBe(2);
    expect(board.codes()).toEqual({});
  });
});

test('a problem that is raised while the board is read is known afterwards', async () => {
  const { board, call, problems } = prepare();
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  const list = board.list.bind(board);
  board.list = async () => {
    const before = await list();
    await held;
    return before;
  };
  const reading = problems.mayTry('calendar:b', 'read');
  await expect(googleCall(call, refuse(404, 'notFound'))).rejects.toThrow();
  release();
  await reading;
  board.isTurn = false;
  await expect(googleCall(call, async () => 1)).rejects.toMatchObject({ code: 'calendar-paused' });
});

test('a board that could not be read is read again by the next call', async () => {
  const { board, call } = prepare();
  await board.raise({ target: 'calendar:a', code: 'x', message: 'x' });
  board.isTurn = false;
  const list = board.list.bind(board);
  board.list = () => Promise.reject(new RetryableError('store-unavailable', 'no Redis'));
  await expect(googleCall(call, async () => 1)).rejects.toMatchObject({ code: 'store-unavailable' });
  board.list = list;
  await expect(googleCall(call, async () => 1)).rejects.toMatchObject({ code: 'calendar-paused' });
});

test('a call whose target cannot be looked up leaves the turn of its account to the next call', async () => {
  const { board, call } = prepare();
  const given: string[] = [];
  const problems = {
    raise: (problem: Parameters<typeof board.raise>[0]) => board.raise(problem),
    clear: (target: string) => board.clear(target),
    giveBack: async (target: string) => {
      given.push(target);
    },
    mayTry: async (target: string) => {
      if (target === 'google') return 'turn' as const;
      throw new RetryableError('store-unavailable', 'no Redis');
    },
  };
  await expect(googleCall({ ...call, problems }, async () => 1)).rejects.toMatchObject({
    code: 'store-unavailable',
  });
  expect(given).toEqual(['google']);
});
