// Google's troubles for a fault plan: the real bodies of refusals that a test cannot cause otherwise.
import type { Fault } from '../faults.ts';
import {
  calendarLimitRefusal,
  calendarQuotaRefusal,
  calendarRefusal,
  frontEndRefusal,
  type Refusal,
  sheetsRefusal,
} from './refusal.ts';

const refusals = {
  /** Too many requests a minute of this user, or of the project: back off and retry. */
  calendarUserRateLimit: () => calendarQuotaRefusal('user'),
  calendarProjectRateLimit: () => calendarQuotaRefusal('project'),
  /** Many writes to one calendar in quick succession. */
  calendarRateLimit: () => calendarLimitRefusal(403),
  calendarTooMany: () => calendarLimitRefusal(429),
  /** Abuse limits, which last hours, not seconds. */
  calendarUsageLimits: () =>
    calendarRefusal(403, {
      domain: 'usageLimits',
      reason: 'quotaExceeded',
      message: 'Calendar usage limits exceeded.',
    }),
  calendarForbidden: () => calendarRefusal(403, { reason: 'forbidden', message: 'Forbidden' }),
  calendarConflict: () => calendarRefusal(409, { reason: 'conflict', message: 'Conflict' }),
  calendarFullSync: () =>
    calendarRefusal(410, {
      domain: 'calendar',
      reason: 'fullSyncRequired',
      message: 'Sync token is no longer valid, a full sync is required.',
      locationType: 'parameter',
      location: 'syncToken',
    }),
  calendarBackend500: () => calendarRefusal(500, { reason: 'backendError', message: 'Backend Error' }),
  calendarBackend503: () => calendarRefusal(503, { reason: 'backendError', message: 'Backend Error' }),
  calendarExpiredToken: () =>
    frontEndRefusal(401, {
      reason: 'authError',
      message: 'Request had invalid authentication credentials.',
      locationType: 'header',
      location: 'Authorization',
    }),
  sheetsInternal: () => sheetsRefusal(500, 'Internal error encountered.'),
  sheetsUnavailable: () => sheetsRefusal(503, 'The service is currently unavailable.'),
  sheetsTooMany: () =>
    sheetsRefusal(
      429,
      "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute per user' of service 'sheets.googleapis.com'.",
    ),
  sheetsForbidden: () => sheetsRefusal(403, 'The caller does not have permission'),
} satisfies Record<string, () => Refusal>;

export type Trouble = keyof typeof refusals;

/** The trouble as a fault: an answer instead of performing the call. Throws for an unknown name. */
export function trouble(name: Trouble): Fault {
  if (!Object.hasOwn(refusals, name)) throw new Error(`the sandbox knows no trouble ${name}`);
  const { status, body } = refusals[name]();
  return {
    kind: 'status',
    status,
    body: JSON.stringify(body),
    contentType: 'application/json; charset=UTF-8',
  };
}
