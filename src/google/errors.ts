import * as z from 'zod';
import { DeferredError, RetryableError, TerminalError, WorkerError } from '../engine/errors.ts';
import type { QuotaStop } from '../engine/quotas.ts';
import { refusedBackoffMs } from '../engine/work.ts';

/** Codes that callers decide by. They are retryable: if not handled, the object gets another turn. */
export const ETAG_MISMATCH = 'etag-mismatch';
export const DUPLICATE_ID = 'duplicate-id';
export const GONE = 'gone';
export const FULL_SYNC_REQUIRED = 'full-sync-required';
/** A 403 on one event: it belongs to another organizer, or it is a tombstone that may not be revived. */
export const EVENT_FORBIDDEN = 'event-forbidden';

/** A quota was exceeded: of the credential, whose budget pauses, or of one target that Google limits. Not a problem of the target. */
export const GOOGLE_QUOTA = 'google-quota';

/** Target of problems with the default account as a whole. */
export const DEFAULT_CREDENTIAL = 'google';

export const ANSWER_TOO_LARGE = 'google-answer-too-large';

/** Reason of a failure. */
export const NO_REDIRECT = 'no-redirect';

const MINUTE_MS = 60_000;
/** A daily limit lasts hours, not seconds (Google, Calendar usage limits). */
const DAILY_STOP = { firstMs: 15 * MINUTE_MS, times: 2, longestMs: 120 * MINUTE_MS, atOnce: true };
/** A limit against abuse lasts equally long. One refusal does not prove it: while Google answers other calls, there is no such limit. */
const ABUSE_STOP = { ...DAILY_STOP, atOnce: false };
/** Longest pause that a `Retry-After` header may impose on a budget. */
const RETRY_AFTER_MS_MAX = 120 * MINUTE_MS;
/** Wait of a refused call: slightly longer than the 15 s after which one caller may test whether a refusing target works again. */
const REFUSED_PAUSE_MS = 20_000;
const QUOTA_REASONS = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'quotaExceeded',
  'dailyLimitExceeded',
  'RATE_LIMIT_EXCEEDED',
  'RESOURCE_EXHAUSTED',
]);
/** Reasons of a 410 that mean an invalid sync token instead of a deleted event. */
const FULL_SYNC_REASONS = new Set(['fullSyncRequired', 'updatedMinTooLongAgo']);

/**
 * Translates anything thrown by a call to Calendar or Sheets into one of the three families. `target` is `calendar:<id>` or
 * `spreadsheet:<id>[/<tab>]`; an error of the credential itself names `credential` instead. The error's `cause` is a `GoogleFailure`:
 * status, reason, and Google's words for decisions. A 404 counts as the whole target's; a caller that requested one item must check whether
 * the target exists.
 */
export function classifyGoogleError(
  error: unknown,
  target: string,
  { credential = DEFAULT_CREDENTIAL }: { readonly credential?: string | undefined } = {},
): WorkerError {
  if (error instanceof WorkerError) return error;
  const failure = error instanceof GoogleFailure ? error : new GoogleFailure(error);
  const { status, reason } = failure;
  const details = { target, cause: failure, ...(status === undefined ? {} : { status }) };

  if (isUnauthenticated(failure) && reason === 'invalid_grant') {
    return new DeferredError('google-token-dead', "Google no longer accepts the worker's sign-in or key", {
      ...details,
      target: credential,
      retryAfterMs: REFUSED_PAUSE_MS,
      advice:
        'For a person, run `slotbridge google login` again (while the consent screen is in "Testing", a sign-in lasts seven days). For a service account, check that it is enabled, that google.act_as names a user, and the clock of this machine, or create a new key. The worker reads the file again when it changes; no restart is needed.',
    });
  }
  if (isUnauthenticated(failure)) {
    return new DeferredError(
      'google-unauthenticated',
      `Google does not accept the worker's credential (${reason})`,
      {
        ...details,
        target: credential,
        retryAfterMs: REFUSED_PAUSE_MS,
        advice:
          'Check that the key in google.credentials was not revoked, that google.act_as is allowed for it, and the clock of this machine. Otherwise give the worker a new key.',
      },
    );
  }
  if (status === undefined) return unreachable(failure, target);
  if (status === 429 || failure.namesMetric || (reason !== undefined && QUOTA_REASONS.has(reason))) {
    return new DeferredError(GOOGLE_QUOTA, `Google's quota is spent (${reason ?? status})`, {
      ...details,
      retryAfterMs: quotaStop(failure)?.firstMs ?? refusedBackoffMs(1),
    });
  }
  if (status === 403 || status === 404) {
    const denial = denialOf(status, reason, target);
    const { message, advice } = DENIALS[denial];
    return new DeferredError(denial, message, { ...details, advice, retryAfterMs: REFUSED_PAUSE_MS });
  }
  if (status === 408 || status >= 500) {
    return new RetryableError('google-unavailable', `Google answered ${status}`, details);
  }
  switch (status) {
    case 409:
      return reason === 'duplicate'
        ? new RetryableError(DUPLICATE_ID, 'the event id is taken', details)
        : new RetryableError('google-conflict', `Google reports a conflict (${reason})`, details);
    case 410:
      return reason !== undefined && FULL_SYNC_REASONS.has(reason)
        ? new RetryableError(FULL_SYNC_REQUIRED, 'the sync token is no longer valid', details)
        : new RetryableError(GONE, 'the event was deleted', details);
    case 412:
      return new RetryableError(ETAG_MISMATCH, 'the event was changed meanwhile', details);
    default:
      return new TerminalError('google-refused', `Google refused the request: ${sayRefusal(failure)}`, {
        ...details,
        advice:
          "Check the output of this mirror's templates for the object. Google says which part it refuses.",
      });
  }
}

function isUnauthenticated(failure: GoogleFailure): boolean {
  // An overloaded or failing token endpoint says nothing about the credential.
  if (failure.ofToken) return failure.status !== undefined && failure.status < 429;
  // Without a key file, the library searches the machine, and throws a plain sentence when it finds nothing.
  return (
    failure.status === 401 || (failure.status === undefined && /default credentials/i.test(failure.words()))
  );
}

function unreachable(failure: GoogleFailure, target: string): RetryableError {
  if (failure.reason === NO_REDIRECT) {
    return new RetryableError(
      'google-redirected',
      "Google's address answered with a redirect, which the worker never follows",
      {
        target,
        cause: failure,
        advice:
          'Check whether a proxy answers for Google, and whether the addresses under google: are right.',
      },
    );
  }
  if (failure.reason === 'max-size') {
    return new RetryableError(ANSWER_TOO_LARGE, 'an answer from Google is larger than 64 MiB', {
      target,
      cause: failure,
      advice: 'Reduce the number of rows in the tab, or move old rows to another spreadsheet.',
    });
  }
  const isTimeout = /timeout|timedout|abort/i.test(`${failure.reason}`);
  return isTimeout
    ? new RetryableError('google-timeout', 'Google did not answer in time', { target, cause: failure })
    : new RetryableError('google-unreachable', `Google cannot be reached (${failure.reason})`, {
        target,
        cause: failure,
      });
}

/** These reasons concern a user or a project, regardless of the calendar or spreadsheet (Calendar API, errors; google.rpc.ErrorInfo). */
const CREDENTIAL_QUOTA_REASONS = new Set([
  'userRateLimitExceeded',
  'dailyLimitExceeded',
  'RATE_LIMIT_EXCEEDED',
  'RESOURCE_EXHAUSTED',
]);

/**
 * True for a `google-quota` that may be about one calendar. Google limits rapid writes to one calendar, and then also answers
 * `rateLimitExceeded` or `quotaExceeded` (Calendar API, usage limits). The body tells: only the quotas of a user or project name a metric,
 * or come from a front end with a `status` (recorded answers).
 */
export function mayMeanTarget({ reason, namesMetric, isFrontEnd }: GoogleFailure): boolean {
  if (namesMetric || isFrontEnd) return false;
  return reason === undefined || !CREDENTIAL_QUOTA_REASONS.has(reason);
}

/**
 * Whether a `google-quota` stops the credential or target, and for how long; undefined: only the rate is lowered. Google documents no
 * Retry-After, but a proxy's is obeyed.
 */
export function quotaStop({ reason, retryAfterMs = 0 }: GoogleFailure): QuotaStop | undefined {
  const own =
    reason === 'dailyLimitExceeded' ? DAILY_STOP : reason === 'quotaExceeded' ? ABUSE_STOP : undefined;
  const askedMs = Math.min(retryAfterMs, RETRY_AFTER_MS_MAX);
  if (own === undefined)
    return askedMs === 0 ? undefined : { firstMs: askedMs, times: 1, longestMs: askedMs, atOnce: true };
  return { ...own, firstMs: Math.max(own.firstMs, askedMs), atOnce: own.atOnce || askedMs > 0 };
}

/** Google's message without text that may identify people: quoted text, addresses, long numbers. At most 160 characters. */
function sayRefusal(failure: GoogleFailure): string {
  const words = failure
    .words()
    .replace(/"[^"]*"|“[^“”]*”|'[^']*'|`[^`]*`/g, '…')
    .replace(/(?<!\S)\S+@\S+/g, '…')
    .replace(/\+?\d[\d\s().-]{5,}\d/g, '…')
    .slice(0, 160);
  const where = failure.location === undefined ? '' : ` at ${failure.location}`;
  return `${failure.reason ?? failure.status}${where}${words === '' ? '' : `: ${words}`}`;
}

/** The code of an error of the three families; undefined for anything else. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof WorkerError ? error.code : undefined;
}

/** Google's two error envelopes: Calendar uses `errors[].reason`; Sheets and the front ends use `status` and `details[].reason`. */
const ENVELOPE = z.object({
  error: z.object({
    message: z.string().optional().catch(undefined),
    status: z.string().optional().catch(undefined),
    errors: z
      .array(z.object({ reason: z.string().optional(), location: z.string().optional() }).catch({}))
      .optional()
      .catch(undefined),
    details: z
      .array(z.object({ reason: z.string().optional() }).catch({}))
      .optional()
      .catch(undefined),
  }),
});
/** The token endpoint's error shape (RFC 6749, 5.2). */
const TOKEN_REFUSAL = z.object({ error: z.string() });

const QUOTA_METRIC = /^Quota exceeded for quota metric/i;

const THROWN = z.object({
  message: z.string().catch(''),
  name: z.string().catch(''),
  // A DOMException has a useless numeric code; its name is useful.
  code: z.string().optional().catch(undefined),
  response: z
    .object({ status: z.number(), data: z.unknown().optional(), headers: z.unknown().optional() })
    .optional()
    .catch(undefined),
});

/**
 * An error from Google or the network, without the request. Errors of the client library carry the request's body with personal data, which
 * must not get near a log. Google's message may quote that body, so it is not a property that a logger would print. Read it with `words()`,
 * and only to decide.
 */
export class GoogleFailure extends Error {
  /** HTTP status; undefined when Google did not answer. */
  readonly status: number | undefined;
  /** The most specific reason given: `rateLimitExceeded`, `RATE_LIMIT_EXCEEDED`, `invalid_grant`, `ECONNREFUSED`, `TimeoutError`. */
  readonly reason: string | undefined;
  /** The parameter or header that Google names as the cause. */
  readonly location: string | undefined;
  /** True when the token endpoint refused, not the API. */
  readonly ofToken: boolean;
  /** True when Google names a quota metric, which counts the calls of a user or project. */
  readonly namesMetric: boolean;
  /** The answer has a `status`, which only Google's front ends and Sheets set. */
  readonly isFrontEnd: boolean;
  readonly retryAfterMs: number | undefined;
  readonly #words: string;

  constructor(thrown: unknown) {
    const { code, name, message, response } = THROWN.catch({ message: '', name: '' }).parse(thrown);
    const answer = readAnswer(response?.data);
    const reason = answer.reason ?? (response === undefined ? (code ?? name) : undefined);
    super(['Google', response?.status, reason].filter((part) => part !== undefined).join(' '));
    this.name = 'GoogleFailure';
    this.status = response?.status;
    this.reason = reason;
    this.location = answer.location;
    this.ofToken = answer.ofToken;
    this.namesMetric = QUOTA_METRIC.test(answer.words ?? '');
    this.isFrontEnd = answer.isFrontEnd ?? false;
    this.retryAfterMs = readRetryAfter(response?.headers);
    this.#words = answer.words ?? message;
  }

  /** Google's message, only for decisions; it may quote what people wrote. */
  words(): string {
    return this.#words;
  }

  /** Index of the refused request in a batch, from `Invalid requests[2].updateCells: …` or `… at 'requests[2].update_cells…'`. */
  refusedRequest(): number | undefined {
    const at = /requests\[(\d+)\]/.exec(this.#words)?.[1];
    return at === undefined ? undefined : Number(at);
  }
}

function readAnswer(data: unknown): {
  reason?: string | undefined;
  location?: string | undefined;
  words?: string | undefined;
  isFrontEnd?: boolean;
  ofToken: boolean;
} {
  const token = TOKEN_REFUSAL.safeParse(data);
  if (token.success) return { reason: token.data.error, ofToken: true };
  const envelope = ENVELOPE.safeParse(data);
  if (!envelope.success) return { ofToken: false };
  const { errors, details, status, message } = envelope.data.error;
  const detail = details?.find((item) => item.reason !== undefined)?.reason;
  return {
    reason: errors?.[0]?.reason ?? detail ?? status,
    location: errors?.[0]?.location,
    words: message,
    isFrontEnd: status !== undefined,
    ofToken: false,
  };
}

/** Seconds only. Calendar and Sheets are not known to send the header; proxies and front ends before them do. */
function readRetryAfter(headers: unknown): number | undefined {
  const seconds = Number.parseInt(headerOf(headers, 'retry-after') ?? '', 10);
  return seconds >= 0 ? seconds * 1000 : undefined;
}

/** A header of Google's answer; `name` in lower case. The client library turns the headers of a success into a plain object. */
export function headerOf(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const said =
    'get' in headers && typeof headers.get === 'function'
      ? headers.get(name)
      : (headers as Record<string, unknown>)[name];
  return typeof said === 'string' ? said : undefined;
}

/** Why a calendar, a spreadsheet or Google as a whole refuses the worker, and the step that fixes it. */
export const DENIALS = {
  'calendar-not-shared': {
    message: 'the calendar does not exist or is not shared with the worker',
    advice:
      "Share the calendar with the worker's service account, or correct its id in the mapping. To share: Google Calendar, Settings of the calendar, Shared with, 'Make changes to events'.",
  },
  'calendar-read-only': {
    message: 'the worker can read the calendar, but not write to it',
    advice:
      "Give the worker's service account 'Make changes to events' (Google Calendar, Settings of the calendar, Shared with).",
  },
  'calendar-forbidden': {
    message: 'Google does not let the worker use the calendar',
    advice:
      "Share the calendar with the worker's service account with 'Make changes to events'. In a Workspace, check that sharing outside the organization is allowed.",
  },
  'spreadsheet-not-shared': {
    message: 'the spreadsheet does not exist or is not shared with the worker',
    advice:
      "Share the spreadsheet with the worker's service account as Editor (Google Sheets, Share), or correct its id in the mapping.",
  },
  'google-delegation-needed': {
    message: 'Google allows this to service accounts only with domain-wide delegation',
    advice:
      'Set google.act_as and allow domain-wide delegation for the service account (Workspace admin console, Security, API controls).',
  },
  'google-scope-missing': {
    message: "the worker's credential lacks a scope",
    advice:
      'Allow the scopes calendar.events and spreadsheets: for domain-wide delegation in the Workspace admin console, for a person by signing in again.',
  },
  'google-api-disabled': {
    message: "the API is not enabled in the project of the worker's credential",
    advice:
      "Enable the Google Calendar API and the Google Sheets API in the Google Cloud project of the worker's service account (APIs and services, Library).",
  },
} as const;

type Denial = keyof typeof DENIALS;

/**
 * Interprets a 404, or a 403 that is not about a quota, by Google's reason. A wrong mapping would treat a permission as a quota or the
 * reverse.
 */
export function denialOf(status: 403 | 404, reason: string | undefined, target: string): Denial {
  const isSpreadsheet = target.startsWith('spreadsheet:');
  if (status === 404) return isSpreadsheet ? 'spreadsheet-not-shared' : 'calendar-not-shared';
  switch (reason) {
    case 'forbiddenForServiceAccounts':
      return 'google-delegation-needed';
    case 'insufficientPermissions':
    case 'ACCESS_TOKEN_SCOPE_INSUFFICIENT':
      return 'google-scope-missing';
    case 'accessNotConfigured':
    case 'SERVICE_DISABLED':
      return 'google-api-disabled';
    case 'requiredAccessLevel':
    case 'insufficientAccess':
      return isSpreadsheet ? 'spreadsheet-not-shared' : 'calendar-read-only';
    default:
      return isSpreadsheet ? 'spreadsheet-not-shared' : 'calendar-forbidden';
  }
}

const CLOSED: readonly string[] = [
  'calendar-not-shared',
  'calendar-read-only',
  'calendar-forbidden',
] satisfies readonly Denial[];

/** True when Google refuses a single calendar while the credential itself works. */
export function isCalendarDenied(code: string): boolean {
  return CLOSED.includes(code);
}

// A call that may not leave yet: what its caller is told.

/** How long a caller waits at most before it checks whether a stop is over. The check costs Google nothing. */
const WAIT_MS_MAX = 5 * 60_000;
/** Random share added to a wait, and its limit, so that callers come back apart from each other. */
const SPREAD_SHARE = 0.1;
const SPREAD_MS_MAX = 5_000;

/** A little longer, each time another. */
export function spread(waitMs: number): number {
  const ms = Math.min(waitMs, WAIT_MS_MAX);
  return Math.ceil(ms + Math.random() * Math.min(ms * SPREAD_SHARE, SPREAD_MS_MAX));
}

export function spent(quota: string, waitMs: number): DeferredError {
  const { budget, target } = readQuotaName(quota);
  const what = target === undefined ? `the budget ${budget}` : 'the budget of one calendar';
  return new DeferredError('quota-spent', `${what} is spent for now`, {
    target: target ?? budget,
    quota,
    // SPEND has already given each caller its own moment.
    retryAfterMs: waitMs,
  });
}

export function paused(quota: string, waitMs: number): DeferredError {
  const { budget, target } = readQuotaName(quota);
  const what = target === undefined ? `the budget ${budget}` : 'one calendar';
  return new DeferredError('quota-paused', `Google has refused more requests of ${what} for now`, {
    target: target ?? budget,
    quota,
    retryAfterMs: spread(waitMs),
  });
}

/** A quota's name is that of its budget, or that of the budget and one target. */
export function readQuotaName(quota: string): {
  readonly budget: string;
  readonly target: string | undefined;
} {
  const at = quota.indexOf(' ');
  return at < 0
    ? { budget: quota, target: undefined }
    : { budget: quota.slice(0, at), target: quota.slice(at + 1) };
}
