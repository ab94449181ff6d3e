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

export type Denial = keyof typeof DENIALS;

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
