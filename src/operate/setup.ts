// What `slotbridge init` reads and creates at Google, separate from a running worker. It sends each request once, counts no budget and
// raises no problems. It writes only the spreadsheet and the tabs that a person has asked for.
import { tabIdOf } from '../engine/ids.ts';
import type { Clock } from '../engine/runtime.ts';
import { createGoogleAuth } from '../google/auth.ts';
import { type ListedCalendar, listCalendars } from '../google/calendar-watch-api.ts';
import { type SheetRequest, SheetsApi } from '../google/sheets-api.ts';
import { NO_BOARD, UNLIMITED } from '../google/unbudgeted.ts';

export interface SetupGoogle {
  /** Calendars in the account's own list, from which a shared calendar may be missing. Undefined: the credential may not read the list. */
  calendars(): Promise<readonly ListedCalendar[] | undefined>;
  /** Titles of the tabs. Rejects when the spreadsheet cannot be read, or is read-only. */
  tabs(spreadsheetId: string): Promise<readonly string[]>;
  /** Creates an empty spreadsheet of the account itself and returns its id. After a `RetryableError` one may exist. */
  createSpreadsheet(title: string): Promise<string>;
  /** Creates all of them or none, each with its headers in a frozen row. Rejects when the spreadsheet is read-only. */
  createTabs(spreadsheetId: string, tabs: readonly NewTab[]): Promise<void>;
}

export interface NewTab {
  readonly title: string;
  readonly headers: readonly string[];
}

export interface SetupGoogleOptions {
  readonly credentialsPath: string;
  readonly actAs?: string | undefined;
  readonly calendarRootUrl: string;
  readonly sheetsRootUrl: string;
  readonly tokenUrl: string;
  readonly clock: Clock;
}

const TIMEOUT_MS = 10_000;
const ROWS = 1_000;
/** Throws `TerminalError` for an unusable credential file. Sends no request yet. */
export function openSetupGoogle(options: SetupGoogleOptions): SetupGoogle {
  const { credentialsPath, actAs, tokenUrl, clock } = options;
  const access = { credentialsPath, actAs, tokenUrl, timeoutMs: TIMEOUT_MS, clock };
  const credential = createGoogleAuth(access);
  const sheets = new SheetsApi({
    ...{ credential, budget: UNLIMITED, problems: NO_BOARD, clock },
    ...{ timeoutMs: TIMEOUT_MS, writeTimeoutMs: TIMEOUT_MS, rootUrl: options.sheetsRootUrl },
  });
  return {
    calendars: () => listCalendars({ ...access, rootUrl: options.calendarRootUrl }),
    async tabs(spreadsheetId) {
      const tabs = await sheets.tabs(spreadsheetId);
      await sheets.assertWritable(spreadsheetId);
      return tabs.map(({ title }) => title);
    },
    createSpreadsheet: (title) => sheets.create(title),
    async createTabs(spreadsheetId, tabs) {
      await sheets.write(spreadsheetId, tabs.flatMap(tabRequests));
    },
  };
}

function tabRequests({ title, headers }: NewTab): readonly SheetRequest[] {
  const sheetId = tabIdOf(title);
  const gridProperties = { rowCount: ROWS, columnCount: headers.length, frozenRowCount: 1 };
  const values = headers.map((header) => ({
    userEnteredValue: { stringValue: header },
    userEnteredFormat: { textFormat: { bold: true } },
  }));
  return [
    { addSheet: { properties: { sheetId, title, gridProperties } } },
    {
      updateCells: {
        start: { sheetId, rowIndex: 0, columnIndex: 0 },
        rows: [{ values }],
        fields: 'userEnteredValue,userEnteredFormat.textFormat.bold',
      },
    },
  ];
}
