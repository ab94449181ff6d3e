/**
 * Which Google the suite tests: a separate sandbox for each test, or the server named on the command line.
 */
export const SERVER_VARIABLES = {
  calendarUrl: 'CONFORMANCE_GOOGLE_CALENDAR_URL',
  sheetsUrl: 'CONFORMANCE_GOOGLE_SHEETS_URL',
  token: 'CONFORMANCE_GOOGLE_TOKEN',
  calendar: 'CONFORMANCE_GOOGLE_CALENDAR',
  spreadsheet: 'CONFORMANCE_GOOGLE_SPREADSHEET',
  readOnly: 'CONFORMANCE_GOOGLE_READ_ONLY',
} as const;

/** The server's addresses, and the calendar and spreadsheet to work in. */
export interface Place {
  /** Origins without a trailing slash; `/calendar/v3/…` and `/v4/spreadsheets/…` follow. */
  readonly calendarUrl: string;
  readonly sheetsUrl: string;
  readonly token: string;
  /** Undefined: tests about calendars are skipped. The same applies to the spreadsheet. */
  readonly calendarId: string | undefined;
  readonly spreadsheetId: string | undefined;
}

export interface ForeignServer extends Place {
  /** Only GETs may be sent. */
  readonly isReadOnly: boolean;
}

export const GOOGLE_CALENDAR_URL = 'https://www.googleapis.com';
export const GOOGLE_SHEETS_URL = 'https://sheets.googleapis.com';

/** Undefined: the suite starts its own sandboxes. */
export function foreignServer(variables: NodeJS.ProcessEnv = process.env): ForeignServer | undefined {
  const token = variables[SERVER_VARIABLES.token];
  if (token === undefined) return undefined;
  return {
    token,
    calendarUrl: origin(variables[SERVER_VARIABLES.calendarUrl], GOOGLE_CALENDAR_URL),
    sheetsUrl: origin(variables[SERVER_VARIABLES.sheetsUrl], GOOGLE_SHEETS_URL),
    calendarId: variables[SERVER_VARIABLES.calendar],
    spreadsheetId: variables[SERVER_VARIABLES.spreadsheet],
    isReadOnly: variables[SERVER_VARIABLES.readOnly] === '1',
  };
}

function origin(given: string | undefined, usual: string): string {
  return (given ?? usual).replace(/\/+$/, '');
}
