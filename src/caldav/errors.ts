import { DeferredError, RetryableError, TerminalError, type WorkerError } from '../engine/errors.ts';
import { CALDAV, DAV, refusalsIn } from './xml.ts';

/** An answer of a CalDAV server, or none, without what people wrote. */
export class DavFailure extends Error {
  override readonly name = 'DavFailure';
  /** Undefined when the server did not answer. */
  readonly status: number | undefined;
  /** Conditions that the answer names, such as `no-uid-conflict`; or the code of the connection's error. */
  readonly reasons: readonly string[];
  /** The address that a condition names. */
  readonly href: string | undefined;
  readonly retryAfterMs: number;
  /** A page instead of an answer: a proxy's, a login's, or that of another program. */
  readonly isPage: boolean;

  constructor(parts: {
    readonly status?: number;
    readonly reasons?: readonly string[];
    readonly href?: string | undefined;
    readonly retryAfterMs?: number;
    readonly isPage?: boolean;
    readonly cause?: unknown;
  }) {
    const { status, reasons = [], href, retryAfterMs = 0, isPage = false, cause } = parts;
    super(['CalDAV', status, ...reasons].filter((part) => part !== undefined).join(' '), { cause });
    this.status = status;
    this.reasons = reasons;
    this.href = href;
    this.retryAfterMs = retryAfterMs;
    this.isPage = isPage;
  }
}

/** What callers decide by. Retryable: if not handled, the object gets another turn. */
export const NOT_FOUND = 'not-found';
export const CHANGED = 'etag-mismatch';
export const UID_TAKEN = 'duplicate-id';

/** Wait of a refused call: slightly longer than the 15 s after which one caller may test whether a refusing target works again. */
const REFUSED_PAUSE_MS = 20_000;
const BUSY_PAUSE_MS = 30_000;
const RETRY_AFTER_MS_MAX = 3_600_000;
/** The certificate, not the network (Node, X509 certificate error codes). */
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ERR_TLS_CERT|HOSTNAME_MISMATCH/;
const UID_CONFLICTS = ['no-uid-conflict', 'unique-scheduling-object-resource'];
/** Ask again: a time-out, somebody else's lock (423), too early. */
const PASSING = [408, 423, 425];
const TOO_LARGE = ['max-resource-size', 'max-attendees-per-instance', 'max-instances'];
/** What a server names that does not know its token (RFC 6578, 3.2). */
export const LOST_TOKEN = 'valid-sync-token';
/** A calendar only for tasks (RFC 4791, 5.3.2.1). */
export const TAKES_NO_EVENTS = 'supported-calendar-component';

export interface FailedCall {
  /** `calendar:<address>` or `caldav:<account>`. */
  readonly target: string;
  /** `caldav:<account>`. */
  readonly account: string;
  readonly direction: 'read' | 'write';
  /** The call names one event. */
  readonly isItem: boolean;
}

/** Translates a failed call into one of the three families. */
export function classifyDavFailure(failure: DavFailure, call: FailedCall): WorkerError {
  const { target, account } = call;
  const { status, reasons } = failure;
  const details = { target, cause: failure, ...(status !== undefined && { status }) };
  const refused = (
    code: string,
    message: string,
    about: { readonly advice: string; readonly of?: string },
  ) => {
    const { advice, of = target } = about;
    return new DeferredError(code, message, {
      ...details,
      target: of,
      advice,
      retryAfterMs: REFUSED_PAUSE_MS,
    });
  };
  if (status === undefined) return withoutAnswer(failure, call);
  if (failure.isPage)
    return refused('caldav-not-caldav', `the address answers with a page, not with CalDAV (${status})`, {
      of: account,
      advice:
        'Check the address of the account in caldav.accounts, and whether a proxy or a sign-in page answers for it.',
    });
  if (status === 401)
    return refused('caldav-unauthenticated', 'the CalDAV server does not accept user and password', {
      of: account,
      advice:
        'Check user and password of the account in caldav.accounts. Many services need an app password, which may have expired: create a new one there.',
    });
  if (status === 429 || (status === 503 && failure.retryAfterMs > 0))
    return new DeferredError('caldav-busy', `the CalDAV server asks for a pause (${status})`, {
      ...details,
      retryAfterMs: Math.min(failure.retryAfterMs || BUSY_PAUSE_MS, RETRY_AFTER_MS_MAX),
      backsOff: true,
    });
  if (PASSING.includes(status) || (status >= 500 && status !== 507))
    return new RetryableError('caldav-unavailable', `the CalDAV server answered ${status}`, details);
  if (status === 412 && !reasons.some((each) => UID_CONFLICTS.includes(each)))
    return new RetryableError(CHANGED, 'the event was changed meanwhile', details);
  if (
    reasons.some((each) => UID_CONFLICTS.includes(each)) ||
    (status === 409 && call.isItem && reasons.length === 0)
  )
    return new RetryableError(UID_TAKEN, 'an event with this UID exists', details);
  if ((status === 404 || status === 410) && call.isItem)
    return new RetryableError(NOT_FOUND, 'the event was not found', details);
  if (status === 413 || reasons.some((each) => TOO_LARGE.includes(each)))
    return new TerminalError('caldav-too-large', `the CalDAV server has no room for the event (${status})`, {
      ...details,
      advice: 'Shorten what the mirror writes, or remove attachments from the event.',
    });
  if (status === 507)
    return refused('caldav-full', 'the CalDAV server has no room left (507)', {
      advice: "Make room in the owner's account, or raise its quota. Events are then written by themselves.",
    });
  if (status === 404 || status === 410 || status === 405 || (status >= 300 && status < 400))
    return refused(
      'calendar-not-shared',
      `the calendar does not exist, or the account may no longer read it (${status})`,
      {
        advice:
          "Share the calendar with the account, or correct its address in the mapping. `slotbridge init` shows the account's calendars.",
      },
    );
  if (status === 403 && (reasons.length === 0 || reasons.includes('need-privileges')))
    return call.direction === 'write'
      ? refused('calendar-read-only', 'the account can read the calendar, but not write to it', {
          advice: 'Give the account the right to write to the calendar, or name another account.',
        })
      : refused('calendar-forbidden', 'the CalDAV server does not let the account use the calendar', {
          advice: 'Share the calendar with the account, or name another account.',
        });
  if (status === 403 && reasons.includes(TAKES_NO_EVENTS))
    return refused('caldav-tasks-only', 'the calendar is only for tasks', {
      advice: 'Name a calendar that takes events.',
    });
  if (status === 403 && reasons.includes(LOST_TOKEN))
    return new RetryableError('full-sync-required', 'the sync token is no longer valid', details);
  return new TerminalError(
    'caldav-refused',
    `the CalDAV server refused the event (${[status, ...reasons].join(' ')})`,
    {
      ...details,
      advice: "Check the output of this mirror's templates for the object. The server says what it refuses.",
    },
  );
}

function withoutAnswer(failure: DavFailure, { target, account }: FailedCall): WorkerError {
  const reason = failure.reasons[0] ?? 'unknown';
  if (UNTRUSTED.test(reason))
    return new DeferredError(
      'caldav-untrusted',
      `the certificate of the CalDAV server is not trusted (${reason})`,
      {
        ...{ target: account, cause: failure, retryAfterMs: REFUSED_PAUSE_MS },
        advice:
          'Renew the certificate of the server. If the company has its own authority, set NODE_EXTRA_CA_CERTS to its certificate.',
      },
    );
  if (/timeout|abort/i.test(reason))
    return new RetryableError('caldav-timeout', 'the CalDAV server did not answer in time', {
      ...{ target, cause: failure },
    });
  if (reason === 'too-large')
    return new RetryableError('caldav-answer-too-large', 'an answer of the CalDAV server is too large', {
      ...{ target, cause: failure },
    });
  return new RetryableError('caldav-unreachable', `the CalDAV server cannot be reached (${reason})`, {
    ...{ target, cause: failure },
  });
}

/** The names of conditions without their namespace. */
export function reasonsIn(body: string): {
  readonly reasons: readonly string[];
  readonly href: string | undefined;
} {
  const { names, href } = refusalsIn(body);
  return { reasons: names.map(withoutNamespace), href };
}

export function withoutNamespace(name: string): string {
  return name.replace(`${CALDAV} `, '').replace(`${DAV} `, '').slice(0, 60);
}

const ODD_PAUSE_MS = 60_000;

export const EVENTS_ODD = 'caldav-events-odd';
export const HIDDEN = 'the server lists it and does not show it';

export function oddEvent(calendarId: string, why: string): DeferredError {
  return new DeferredError(EVENTS_ODD, `nobody can read the event: ${why}`, {
    ...{ target: `calendar:${calendarId}`, retryAfterMs: ODD_PAUSE_MS },
  });
}
