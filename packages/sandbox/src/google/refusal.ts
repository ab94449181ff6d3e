// Every answer that is not a success. Google has three envelopes: the Calendar backend's, the Sheets one
// (google.rpc.Status), and that of the front end before Calendar, which mixes both.
import type { JsonObject } from './json.ts';

/** A refusal: HTTP status and the exact JSON body to send. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: JsonObject;

  constructor(status: number, body: JsonObject, message: string) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

export interface CalendarReason {
  domain?: 'global' | 'calendar' | 'usageLimits';
  reason: string;
  message: string;
  locationType?: 'parameter' | 'header';
  location?: string;
}

/** Calendar backend: `{error:{errors:[{domain,reason,message,…}],code,message}}`, without a status key. */
export function calendarRefusal(code: number, why: CalendarReason): Refusal {
  const { domain = 'global', reason, message, locationType, location } = why;
  const entry: JsonObject = { domain, reason, message };
  if (locationType !== undefined) entry['locationType'] = locationType;
  if (location !== undefined) entry['location'] = location;
  return new Refusal(code, { error: { errors: [entry], code, message } }, message);
}

/** Sheets: `{error:{code,message,status[,details]}}`, without `errors`. */
export function sheetsRefusal(code: number, message: string, details?: JsonObject[]): Refusal {
  const error: JsonObject = { code, message, status: statusNames[code] ?? 'UNKNOWN' };
  if (details !== undefined) error['details'] = details;
  return new Refusal(code, { error }, message);
}

/** The front end before Calendar: both `errors` and `status`, and `details` if there are any. */
export function frontEndRefusal(code: number, why: CalendarReason, details?: JsonObject[]): Refusal {
  const { domain = 'global', reason, message, locationType, location } = why;
  const entry: JsonObject = { message: shortMessages[reason] ?? message, domain, reason };
  if (location !== undefined) entry['location'] = location;
  if (locationType !== undefined) entry['locationType'] = locationType;
  const error: JsonObject = { code, message, errors: [entry], status: statusNames[code] ?? 'UNKNOWN' };
  if (details !== undefined) error['details'] = details;
  return new Refusal(code, { error }, message);
}

/** The refusal of a quota of Calendar, by the front end that counts it: `rateLimitExceeded`, `status`, and the quota's name. */
export function calendarQuotaRefusal(of: 'user' | 'project'): Refusal {
  const limit = of === 'user' ? 'Queries per minute per user' : 'Queries per minute';
  return frontEndRefusal(403, {
    domain: 'usageLimits',
    reason: 'rateLimitExceeded',
    message: `Quota exceeded for quota metric 'Queries' and limit '${limit}' of service 'calendar-json.googleapis.com' for consumer 'project_number:100000000000'.`,
  });
}

/** The refusal of Calendar's backend: too much at once, without `status` and without saying whose limit it is. */
export function calendarLimitRefusal(code: 403 | 429): Refusal {
  return calendarRefusal(code, {
    domain: 'usageLimits',
    reason: 'rateLimitExceeded',
    message: 'Rate Limit Exceeded',
  });
}

/** A 400 of Sheets. */
export function invalidArgument(message: string): Refusal {
  return sheetsRefusal(400, message);
}

/** A 400 of Calendar about an invalid value. */
export function invalidValue(message: string, location?: string): Refusal {
  return calendarRefusal(400, {
    reason: 'invalid',
    message,
    ...(location === undefined ? {} : { locationType: 'parameter', location }),
  });
}

/**
 * Google can do this, the sandbox cannot. It refuses clearly, because a wrong imitation would mislead tests.
 */
export function notInSandbox(what: string): Refusal {
  return sheetsRefusal(501, `The Google sandbox does not perform ${what}.`);
}

/** OAuth's own envelope: `{error, error_description}`. */
export function oauthRefusal(status: number, error: string, description: string): Refusal {
  return new Refusal(status, { error, error_description: description }, description);
}

const statusNames: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
};

const shortMessages: Record<string, string> = {
  authError: 'Invalid Credentials',
  required: 'Login Required.',
  insufficientPermissions: 'Insufficient Permission',
};
