import { describe, expect, test } from 'vitest';
import { RetryableError } from '../../src/domain/errors.ts';
import { classifyGoogleError, quotaStop } from '../../src/google/errors.ts';
import { GoogleFailure } from '../../src/google/failure.ts';

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
const calendarError = (code: number, reason: string, message = reason, domain = 'global') =>
  thrown(code, { error: { errors: [{ domain, reason, message }], code, message } });
const sheetsError = (code: number, status: string, message: string, reason?: string) =>
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
    [calendarError(403, 'rateLimitExceeded', 'x', 'usageLimits'), CALENDAR, 'deferred', 'google-quota'],
    [calendarError(403, 'userRateLimitExceeded', 'x', 'usageLimits'), CALENDAR, 'deferred', 'google-quota'],
    [calendarError(403, 'quotaExceeded', 'x', 'usageLimits'), CALENDAR, 'deferred', 'google-quota'],
    [calendarError(429, 'rateLimitExceeded', 'x', 'usageLimits'), CALENDAR, 'deferred', 'google-quota'],
    [
      sheetsError(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded', 'RATE_LIMIT_EXCEEDED'),
      SHEET,
      'deferred',
      'google-quota',
    ],
    [thrown(429, '<html>'), SHEET, 'deferred', 'google-quota'],
    [calendarError(401, 'authError'), CALENDAR, 'deferred', 'google-unauthenticated'],
    [sheetsError(401, 'UNAUTHENTICATED', 'x'), SHEET, 'deferred', 'google-unauthenticated'],
    [
      thrown(400, { error: 'invalid_grant', error_description: 'Token has been revoked.' }),
      CALENDAR,
      'deferred',
      'google-token-dead',
    ],
    [thrown(401, { error: 'unauthorized_client' }), CALENDAR, 'deferred', 'google-unauthenticated'],
    [thrown(503, { error: 'temporarily_unavailable' }), CALENDAR, 'retryable', 'google-unavailable'],
    [
      calendarError(403, 'forbiddenForServiceAccounts', 'x', 'calendar'),
      CALENDAR,
      'deferred',
      'google-delegation-needed',
    ],
    [calendarError(403, 'requiredAccessLevel', 'x', 'calendar'), CALENDAR, 'deferred', 'calendar-read-only'],
    [calendarError(403, 'insufficientPermissions'), CALENDAR, 'deferred', 'google-scope-missing'],
    [
      sheetsError(403, 'PERMISSION_DENIED', 'x', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'),
      SHEET,
      'deferred',
      'google-scope-missing',
    ],
    [
      calendarError(403, 'accessNotConfigured', 'x', 'usageLimits'),
      CALENDAR,
      'deferred',
      'google-api-disabled',
    ],
    [
      sheetsError(403, 'PERMISSION_DENIED', 'x', 'SERVICE_DISABLED'),
      SHEET,
      'deferred',
      'google-api-disabled',
    ],
    [
      sheetsError(403, 'PERMISSION_DENIED', 'The caller does not have permission'),
      SHEET,
      'deferred',
      'spreadsheet-not-shared',
    ],
    [
      sheetsError(404, 'NOT_FOUND', 'Requested entity was not found.'),
      SHEET,
      'deferred',
      'spreadsheet-not-shared',
    ],
    [calendarError(404, 'notFound'), CALENDAR, 'deferred', 'calendar-not-shared'],
    [calendarError(409, 'duplicate'), CALENDAR, 'retryable', 'duplicate-id'],
    [calendarError(409, 'conflict'), CALENDAR, 'retryable', 'google-conflict'],
    [calendarError(410, 'deleted'), CALENDAR, 'retryable', 'gone'],
    [calendarError(410, 'fullSyncRequired', 'x', 'calendar'), CALENDAR, 'retryable', 'full-sync-required'],
    [
      calendarError(410, 'updatedMinTooLongAgo', 'x', 'calendar'),
      CALENDAR,
      'retryable',
      'full-sync-required',
    ],
    [calendarError(412, 'conditionNotMet'), CALENDAR, 'retryable', 'etag-mismatch'],
    [calendarError(400, 'timeRangeEmpty', 'x', 'calendar'), CALENDAR, 'terminal', 'google-refused'],
    [sheetsError(400, 'INVALID_ARGUMENT', 'x'), SHEET, 'terminal', 'google-refused'],
    [thrown(413, 'too large'), SHEET, 'terminal', 'google-refused'],
    [calendarError(500, 'backendError'), CALENDAR, 'retryable', 'google-unavailable'],
    [thrown(503, '<html>Service Unavailable</html>'), SHEET, 'retryable', 'google-unavailable'],
    [thrown(408, ''), SHEET, 'retryable', 'google-unavailable'],
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), CALENDAR, 'retryable', 'google-unreachable'],
    [Object.assign(new Error('x'), { code: 'ENOTFOUND' }), CALENDAR, 'retryable', 'google-unreachable'],
    [Object.assign(new Error('x'), { code: 'TimeoutError' }), CALENDAR, 'retryable', 'google-timeout'],
    [new DOMException('late', 'TimeoutError'), CALENDAR, 'retryable', 'google-timeout'],
    [Object.assign(new Error('x'), { code: 'ETIMEDOUT' }), CALENDAR, 'retryable', 'google-timeout'],
    [
      new Error('Could not load the default credentials. Browse to …'),
      CALENDAR,
      'deferred',
      'google-unauthenticated',
    ],
    ['a string', CALENDAR, 'retryable', 'google-unreachable'],
    [undefined, CALENDAR, 'retryable', 'google-unreachable'],
  ])('%# %s at %s is %s %s', (error, target, family, code) => {
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
      stopOf(sheetsError(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded', 'RATE_LIMIT_EXCEEDED')),
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
  const refusal = sheetsError(
    400,
    'INVALID_ARGUMENT',
    'Invalid requests[2].updateCells: bad value "Nina Weber" for nina@x.example, +49 151 1234 5678',
  );

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
