import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ANNA, APPOINTMENT_ID, appointment, BORIS, EVENT, mirror, openStand, type Stand } from './stand.ts';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.close());

const cancelled = appointment({ status: 'cancelled', resource_ids: [] });
const refusal = (status: number, reason: string, domain = 'global') => ({
  kind: 'status' as const,
  status,
  body: JSON.stringify({
    error: { errors: [{ domain, reason, message: reason }], code: status, message: reason },
  }),
  contentType: 'application/json; charset=UTF-8',
});

describe('only proof of absence is absence (case 35)', () => {
  test.each([
    refusal(401, 'authError'),
    refusal(403, 'forbidden'),
    refusal(403, 'rateLimitExceeded', 'usageLimits'),
    refusal(429, 'rateLimitExceeded', 'usageLimits'),
    refusal(500, 'backendError'),
    { kind: 'reset' as const },
  ])('$status $kind does not make a second event, whatever is repeated', async (fault) => {
    await stand.mirror(appointment());
    const remove = stand.google.faults.add({ fault });
    for (const _ of [1, 2, 3]) await expect(stand.mirror(appointment({ comment: 'x' }))).rejects.toThrow();
    remove();
    await stand.mirror(appointment({ comment: 'x' }));
    expect(stand.google.truth.events(ANNA).map((event) => event['id'])).toEqual([EVENT]);
  });

  test('a calendar that was taken away answers 404 for its events: the links stay and nothing is made anew', async () => {
    await stand.mirror(appointment());
    stand.google.revokeAccess(ANNA);
    await expect(stand.mirror(appointment({ comment: 'x' }))).rejects.toMatchObject({
      code: 'calendar-not-shared',
    });
    await expect(stand.mirror(cancelled)).rejects.toMatchObject({ code: 'calendar-not-shared' });
    expect(stand.links.calendars(APPOINTMENT_ID, mirror.name)).toMatchObject([{ eventId: EVENT }]);
    stand.google.grantAccess(ANNA);
    expect(await stand.mirror(appointment({ comment: 'x' }))).toBe('updated');
    expect(stand.titles(ANNA)).toHaveLength(1);
  });
});

describe('a calendar that refuses everybody', () => {
  test('is a problem with the step that ends it, and no problem any more once it works', async () => {
    stand.google.revokeAccess(ANNA);
    await expect(stand.mirror(appointment())).rejects.toMatchObject({
      family: 'deferred',
      retryAfterMs: 20_000,
    });
    const [problem] = await stand.problems.list();
    expect(problem).toMatchObject({ target: `calendar:${ANNA}`, code: 'calendar-not-shared' });
    expect(problem?.advice).toMatch(/Share the calendar with the worker's service account/);
    expect(`${problem?.message}${problem?.advice}`).not.toContain('@');
    stand.google.grantAccess(ANNA);
    await stand.mirror(appointment());
    expect(stand.problems.codes()).toEqual({});
  });

  test('that may only be read is told apart from one that is not shared', async () => {
    stand.google.grantAccess(ANNA, undefined, 'reader');
    await expect(stand.mirror(appointment())).rejects.toMatchObject({ code: 'calendar-read-only' });
    expect(stand.problems.codes()).toEqual({ [`calendar:${ANNA}`]: 'calendar-read-only' });
  });

  test('is left in peace until it is time for the next try; the other calendars go on', async () => {
    stand.google.revokeAccess(ANNA);
    await expect(stand.mirror(appointment())).rejects.toThrow();
    stand.problems.isTurn = false;
    stand.google.resetCounts();
    await expect(stand.mirror(appointment())).rejects.toMatchObject({
      code: 'calendar-paused',
      retryAfterMs: 15_000,
    });
    expect(stand.google.stats().calls).toBe(0);
    await stand.mirror(
      appointment({ id: '22222222-2222-4222-8222-222222222222', resource_ids: ['r-boris'] }),
    );
    expect(stand.titles(BORIS)).toHaveLength(1);
  });

  test('was refused by another process: its problem is cleared by whoever succeeds', async () => {
    await stand.problems.raise({ target: `calendar:${ANNA}`, code: 'calendar-not-shared', message: '' });
    await stand.mirror(appointment());
    expect(stand.problems.codes()).toEqual({});
  });
});

describe('a spent quota is no problem of anybody (case 36)', () => {
  test.each(['403', '429'] as const)(
    'as %s: it is deferred for seconds, and nothing is raised',
    async (quotaForm) => {
      stand.google.switches.quotaForm = quotaForm;
      stand.google.changeQuotas({ calendarPerMinutePerUser: 1 });
      await stand.mirror(appointment());
      await expect(stand.mirror(appointment({ comment: 'x' }))).rejects.toMatchObject({
        family: 'deferred',
        code: 'google-quota',
      });
      expect(stand.problems.codes()).toEqual({});
    },
  );

  test("a call costs the credential's budget one, a look that costs no call nothing", async () => {
    await stand.mirror(appointment());
    await stand.mirror(appointment());
    expect(stand.budget.spent).toEqual({ [`google-calendar:${stand.credential.name}`]: 1 });
  });
});

test('a revoked credential is one problem of all calendars, and over when it works again', async () => {
  stand.google.revokeGrants();
  stand.google.revokeTokens();
  await expect(stand.mirror(appointment())).rejects.toMatchObject({
    family: 'deferred',
    code: 'google-token-dead',
  });
  expect(stand.problems.codes()).toEqual({ google: 'google-token-dead' });
  stand.problems.isTurn = false;
  await expect(stand.mirror(appointment({ resource_ids: ['r-boris'] }))).rejects.toMatchObject({
    code: 'google-paused',
  });
  stand.problems.isTurn = true;
  stand.google.restoreGrants();
  await stand.mirror(appointment());
  expect(stand.problems.codes()).toEqual({});
});

test('what Google refuses for its content is a dead letter that quotes nobody', async () => {
  const backwards = appointment({ ends_at: '2026-11-03T08:00:00Z' });
  const failure = await stand.mirror(backwards).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ family: 'terminal', code: 'google-refused', target: `calendar:${ANNA}` });
  expect(String(failure)).toContain('timeRangeEmpty');
  expect(String(failure)).not.toMatch(/Nina|491511/);
});

describe('a handler whose claim was taken over', () => {
  test('does not bring back what a newer one has deleted', async () => {
    const late = stand.claim(appointment());
    await stand.mirror(appointment());
    await stand.mirror(cancelled);
    await expect(stand.target.reconcile(late)).rejects.toMatchObject({ family: 'retryable', code: 'fenced' });
    expect(stand.titles(ANNA)).toEqual([]);
  });

  test('does not delete what a newer one has written', async () => {
    await stand.mirror(appointment());
    const late = stand.claim(cancelled);
    await stand.mirror(appointment({ comment: 'newer' }));
    await expect(stand.target.reconcile(late)).rejects.toMatchObject({ code: 'fenced' });
    expect(stand.titles(ANNA)).toHaveLength(1);
  });

  test('that comes late with an older state is stopped by the etag or the fence, and records nothing', async () => {
    await stand.mirror(appointment());
    const late = stand.claim(appointment({ comment: 'old' }));
    await stand.mirror(appointment({ comment: 'new' }));
    await expect(stand.target.reconcile(late)).rejects.toMatchObject({ code: 'fenced' });
    expect(stand.google.truth.event(ANNA, EVENT)).toMatchObject({ description: '+4915112345678\nnew' });
  });

  test('makes no event for an appointment that was cancelled before it was ever shown', async () => {
    const late = stand.claim(appointment());
    await stand.mirror(cancelled);
    await expect(stand.target.reconcile(late)).rejects.toMatchObject({ code: 'fenced' });
    expect(stand.titles(ANNA)).toEqual([]);
  });

  test('writes nothing any more, into no calendar', async () => {
    const both = { resource_ids: ['r-anna', 'r-room'] };
    await stand.mirror(appointment(both));
    const late = stand.claim(appointment({ ...both, comment: 'x' }));
    stand.claim(appointment(both));
    stand.google.resetCounts();
    await expect(stand.target.reconcile(late)).rejects.toMatchObject({ code: 'fenced' });
    expect(stand.calls()).toEqual({});
  });
});
