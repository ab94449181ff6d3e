import { describe, expect, test } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import { classifyGoogleError, GoogleFailure, quotaStop } from '../../src/google/errors.ts';

const CALENDAR = 'calendar:anna';
const SHEET = 'spreadsheet:1AbC/Contacts';

/** What the client library throws: the answer, and beside it the request with everything in it. */
function thrown(status: number, data: unknown, headers: Record<string, string> = {}): Error {
  const config = { data: { summary: 'Nina Weber' }, headers: { authorization: 'Bearer SECRET' } };
  return Object.assign(new Error('Request failed'), {
    status,
    config,
    response: { status, data, headers: new Headers(headers), config },
  });
}
const calendarError = (code: number, reason: string, { message = reason, domain = 'global' } = {}) =>
  thrown(code, { error: { errors: [{ domain, reason, message }], code, message } });
const sheetsError = (
  code: number,
  status: string,
  { message, reason }: { message: string; reason?: string },
) =>
  thrown(code, {
    error: {
      code,
      message,
      status,
      ...(reason && { details: [{ '@type': 'x/Help' }, { '@type': 'x/ErrorInfo', reason }] }),
    },
  });

describe('both envelopes are read (case 36)', () => {
  test.each([
    {
      error: calendarError(403, 'rateLimitExceeded', { message: 'x', domain: 'usageLimits' }),
      target: CALENDAR,
      family: 'deferred',
      code: 'google-quota',
    },
    {
      error: calendarError(403, 'userRateLimitExceeded', { message: 'x', domain: 'usageLimits' }),
      target: CALENDAR,
      family: 'deferred',
      code: 'google-quota',
    },
    {
      error: calendarError(403, 'quotaExceeded', { message: 'x', domain: 'usageLimits' }),
      target: CALENDAR,
      family: 'deferred',
      code: 'google-quota',
    },
    {
      error: calendarError(429, 'rateLimitExceeded', { message: 'x', domain: 'usageLimits' }),
      target: CALENDAR,
      family: 'deferred',
      code: 'google-quota',
    },
    {
      error: sheetsError(429, 'RESOURCE_EXHAUSTED', {
        message: 'Quota exceeded',
        reason: 'RATE_LIMIT_EXCEEDED',
      }),
      target: SHEET,
      family: 'deferred',
      code: 'google-quota',
    },
    { error: thrown(429, '<html>'), target: SHEET, family: 'deferred', code: 'google-quota' },
    {
      error: calendarError(401, 'authError'),
      target: CALENDAR,
      family: 'deferred',
      code: 'google-unauthenticated',
    },
    {
      error: sheetsError(401, 'UNAUTHENTICATED', { message: 'x' }),
      target: SHEET,
      family: 'deferred',
      code: 'google-unauthenticated',
    },
    {
      error: thrown(400, { error: 'invalid_grant', error_description: 'Token has been revoked.' }),
      target: CALENDAR,
      family: 'deferred',
      code: 'google-token-dead',
    },
    {
      error: thrown(401, { error: 'unauthorized_client' }),
      target: CALENDAR,
      family: 'deferred',
      code: 'google-unauthenticated',
    },
    {
      error: thrown(503, { error: 'temporarily_unavailable' }),
      target: CALENDAR,
      family: 'retryable',
      code: 'google-unavailable',
    },
    {
      error: calendarError(403, 'forbiddenForServiceAccounts', { message: 'x', domain: 'calendar' }),
      target: CALENDAR,
      family: 'deferred',
      code: 'google-delegation-needed',
    },
    {
      error: calendarError(403, 'requiredAccessLevel', { message: 'x', domain: 'calendar' }),
      target: CALENDAR,
      family: 'deferred',
      code: 'calendar-read-only',
    },
    {
      error: calendarError(403, 'insufficientPermissions'),
      target: CALENDAR,
      family: 'deferred',
      code: 'google-scope-missing',
    },
    {
      error: sheetsError(403, 'PERMISSION_DENIED', {
        message: 'x',
        reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
      }),
      target: SHEET,
      family: 'deferred',
      code: 'google-scope-missing',
    },
    {
      error: calendarError(403, 'accessNotConfigured', { message: 'x', domain: 'usageLimits' }),
      target: CALENDAR,
      family: 'deferred',
      code: 'google-api-disabled',
    },
    {
      error: sheetsError(403, 'PERMISSION_DENIED', { message: 'x', reason: 'SERVICE_DISABLED' }),
      target: SHEET,
      family: 'deferred',
      code: 'google-api-disabled',
    },
    {
      error: sheetsError(403, 'PERMISSION_DENIED', { message: 'The caller does not have permission' }),
      target: SHEET,
      family: 'deferred',
      code: 'spreadsheet-not-shared',
    },
    {
      error: sheetsError(404, 'NOT_FOUND', { message: 'Requested entity was not found.' }),
      target: SHEET,
      family: 'deferred',
      code: 'spreadsheet-not-shared',
    },
    {
      error: calendarError(404, 'notFound'),
      target: CALENDAR,
      family: 'deferred',
      code: 'calendar-not-shared',
    },
    { error: calendarError(409, 'duplicate'), target: CALENDAR, family: 'retryable', code: 'duplicate-id' },
    { error: calendarError(409, 'conflict'), target: CALENDAR, family: 'retryable', code: 'google-conflict' },
    { error: calendarError(410, 'deleted'), target: CALENDAR, family: 'retryable', code: 'gone' },
    {
      error: calendarError(410, 'fullSyncRequired', { message: 'x', domain: 'calendar' }),
      target: CALENDAR,
      family: 'retryable',
      code: 'full-sync-required',
    },
    {
      error: calendarError(410, 'updatedMinTooLongAgo', { message: 'x', domain: 'calendar' }),
      target: CALENDAR,
      family: 'retryable',
      code: 'full-sync-required',
    },
    {
      error: calendarError(412, 'conditionNotMet'),
      target: CALENDAR,
      family: 'retryable',
      code: 'etag-mismatch',
    },
    {
      error: calendarError(400, 'timeRangeEmpty', { message: 'x', domain: 'calendar' }),
      target: CALENDAR,
      family: 'terminal',
      code: 'google-refused',
    },
    {
      error: sheetsError(400, 'INVALID_ARGUMENT', { message: 'x' }),
      target: SHEET,
      family: 'terminal',
      code: 'google-refused',
    },
    { error: thrown(413, 'too large'), target: SHEET, family: 'terminal', code: 'google-refused' },
    {
      error: calendarError(500, 'backendError'),
      target: CALENDAR,
      family: 'retryable',
      code: 'google-unavailable',
    },
    {
      error: thrown(503, '<html>Service Unavailable</html>'),
      target: SHEET,
      family: 'retryable',
      code: 'google-unavailable',
    },
    { error: thrown(408, ''), target: SHEET, family: 'retryable', code: 'google-unavailable' },
    {
      error: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
      target: CALENDAR,
      family: 'retryable',
      code: 'google-unreachable',
    },
    {
      error: Object.assign(new Error('x'), { code: 'ENOTFOUND' }),
      target: CALENDAR,
      family: 'retryable',
      code: 'google-unreachable',
    },
    {
      error: Object.assign(new Error('x'), { code: 'TimeoutError' }),
      target: CALENDAR,
      family: 'retryable',
      code: 'google-timeout',
    },
    {
      error: new DOMException('late', 'TimeoutError'),
      target: CALENDAR,
      family: 'retryable',
      code: 'google-timeout',
    },
    {
      error: Object.assign(new Error('x'), { code: 'ETIMEDOUT' }),
      target: CALENDAR,
      family: 'retryable',
      code: 'google-timeout',
    },
    {
      error: new Error('Could not load the default credentials. Browse to …'),
      target: CALENDAR,
      family: 'deferred',
      code: 'google-unauthenticated',
    },
    { error: 'a string', target: CALENDAR, family: 'retryable', code: 'google-unreachable' },
    { error: undefined, target: CALENDAR, family: 'retryable', code: 'google-unreachable' },
  ])('%# $error at $target is $family $code', ({ error, target, family, code }) => {
    expect(classifyGoogleError(error, target)).toMatchObject({ family, code });
  });
});

test('an error of the worker passes as it is', () => {
  const own = new RetryableError('mine', 'x');
  expect(classifyGoogleError(own, CALENDAR)).toBe(own);
});

describe('what a refusal for quota stops', () => {
  const stopOf = (error: unknown) => quotaStop(new GoogleFailure(error));
  const HOURS = { firstMs: 15 * 60_000, times: 2, longestMs: 120 * 60_000 };

  test('is nothing for a rate, everything for a daily limit, and for a limit against abuse only when no call gets through', () => {
    expect(stopOf(calendarError(403, 'rateLimitExceeded'))).toBeUndefined();
    expect(stopOf(calendarError(403, 'userRateLimitExceeded'))).toBeUndefined();
    expect(
      stopOf(
        sheetsError(429, 'RESOURCE_EXHAUSTED', { message: 'Quota exceeded', reason: 'RATE_LIMIT_EXCEEDED' }),
      ),
    ).toBeUndefined();
    expect(stopOf(thrown(429, '<html>'))).toBeUndefined();
    expect(stopOf(calendarError(403, 'dailyLimitExceeded'))).toEqual({ ...HOURS, atOnce: true });
    expect(stopOf(calendarError(403, 'quotaExceeded'))).toEqual({ ...HOURS, atOnce: false });
  });

  test('is everything for as long as a Retry-After says, two hours at most', () => {
    const stopAfter = (seconds: string) =>
      stopOf(thrown(429, { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }, { 'retry-after': seconds }));
    expect(stopAfter('90')).toEqual({ firstMs: 90_000, times: 1, longestMs: 90_000, atOnce: true });
    expect(stopAfter('86400')).toMatchObject({ firstMs: 7_200_000 });
    expect(stopAfter('0')).toBeUndefined();
  });
});

describe('what an error says may be logged', () => {
  const refusal = sheetsError(400, 'INVALID_ARGUMENT', {
    message: 'Invalid requests[2].updateCells: bad value "Nina Weber" for nina@x.example, +49 151 1234 5678',
  });

  test("Google's reason stays, what it quotes of people goes", () => {
    const error = classifyGoogleError(refusal, SHEET);
    expect(error.message).toContain('INVALID_ARGUMENT: Invalid requests[2].updateCells: bad value');
    expect(error.message).not.toMatch(/Nina|nina@|1234/);
  });

  test('nothing of the request hangs on it', () => {
    const error = classifyGoogleError(refusal, SHEET);
    const everything: string[] = [];
    for (let each: unknown = error; each instanceof Error; each = each.cause) {
      everything.push(String(each), JSON.stringify(each), ...Object.values(each).map(String));
    }
    expect(everything.join()).not.toMatch(/Nina|SECRET/);
  });

  test("Google's own words are there for decisions", () => {
    const { cause } = classifyGoogleError(refusal, SHEET);
    expect(cause instanceof GoogleFailure && cause.words()).toContain('requests[2]');
  });

  test('advice names the step, and nobody', () => {
    const error = classifyGoogleError(calendarError(404, 'notFound'), 'calendar:anna@clinic.example');
    expect(error.advice).toContain("'Make changes to events'");
    expect(error.message + error.advice).not.toContain('@');
  });
});
