import { WorkerError } from '../../engine/errors.ts';
import { findingOf, type LiveFinding } from '../../engine/finding.ts';
import type { Memory } from '../../engine/memory.ts';
import { calendarIdsOf, type KeyedTab, ofKind, type SheetMirror } from '../../engine/mirror.ts';
import { ROW_OUTPUTS, type SheetBookings } from '../../engine/outside-booking.ts';
import { type Clock, SILENT } from '../../engine/runtime.ts';
import { openAccounts } from '../../google/auth.ts';
import { type CalendarApi, GoogleCalendarApi } from '../../google/calendar-api.ts';
import { type BusyEventsApi, GoogleBusyEventsApi } from '../../google/calendar-events.ts';
import type { Consents } from '../../google/consent-store.ts';
import { SheetsApi, type TabInfo } from '../../google/sheets-api.ts';
import { NO_BOARD, UNLIMITED } from '../../google/unbudgeted.ts';
import { accountsOf, usesDefaultAccount } from '../../mapping/accounts.ts';
import { calendarKindOf } from '../../mapping/calendar-kinds.ts';
import type { Config } from '../../mapping/config.ts';
import { isLocked } from '../../sheet/flush-write.ts';
import { isTabFault } from '../../sheet/tab-layout.ts';
import {
  findColumns,
  type IntakeFault,
  isIntakeFault,
  readTabs,
  type TabReading,
} from '../../sheet/tab-reading.ts';
import { placesOf, RememberedTabs, type Seen, TabSurvey } from '../../sheet/tab-survey.ts';
import { isOfCredential } from './account-descriptions.ts';
import { privateCalendarFinding, privateCalendars } from './blocks-side.ts';

/** No worker has stored anything yet. */
const NO_MEMORY: Memory = {
  get: async () => undefined,
  set: async () => {},
  forget: async () => {},
  all: async () => new Map(),
};
/** The roles that may create and change events (Google, Calendar access roles). */
const WRITING_ROLES = ['owner', 'writer', 'writerWithoutPrivateAccess'];

interface CheckContext {
  readonly calendar: CalendarApi;
  readonly sheets: SheetsApi;
  readonly busyEvents: BusyEventsApi;
  /** The ids by which a worker finds its tabs. */
  readonly tabs: RememberedTabs;
  readonly clock: Clock;
  /** Name of the account for a target; undefined means the default account. */
  readonly accountOf: (target: string) => string | undefined;
  readonly shareWith: (account: string | undefined) => string;
}

/** With the address of the account of this target. */
type AskingAs = Omit<CheckContext, 'shareWith'> & { readonly shareWith: string };

interface Check {
  readonly target: string;
  readonly ask: (shareWith: string) => Promise<readonly LiveFinding[]>;
}

/** Checks whether the worker can read and write every calendar and spreadsheet of the mapping, and whether the tabs fit. */
export async function checkGoogle(
  config: Config,
  parts: {
    readonly clock: Clock;
    readonly shareWith: (account: string | undefined) => string;
    /** People's consents, or the error that prevents reading them. */
    readonly consents: Pick<Consents, 'token'> | WorkerError | undefined;
    /** Read only. It has the ids of tabs that people may have renamed. */
    readonly memory?: Memory | undefined;
  },
): Promise<readonly LiveFinding[]> {
  const accountOf = accountsOf(config);
  const { clock, shareWith, consents } = parts;
  const known = consents instanceof WorkerError ? undefined : consents;
  const asking: CheckContext = {
    ...openApis(config, { accountOf, clock, consents: known }),
    ...{ accountOf, shareWith },
    tabs: new RememberedTabs(parts.memory ?? NO_MEMORY),
  };
  const findings: LiveFinding[] = [];
  const dead = new Set<string | undefined>();
  if (consents instanceof WorkerError) {
    findings.push(ofConsents(consents));
    for (const [account, { consent }] of Object.entries(config.google.accounts ?? {}))
      if (consent !== undefined) dead.add(account);
  }
  for (const { target, ask } of questions(config, asking)) {
    const account = asking.accountOf(target);
    if (dead.has(account)) continue;
    try {
      findings.push(...(await ask(asking.shareWith(account))));
    } catch (error) {
      // The credential itself failed: its other calls would fail the same way.
      if (!isOfCredential(error)) throw error;
      dead.add(account);
      const subject = account === undefined ? 'credential' : `account ${account}`;
      findings.push(findingOf({ side: 'google', subject }, error));
    }
  }
  return findings;
}

function ofConsents({ message, code }: WorkerError): LiveFinding {
  return {
    ...{ side: 'google', subject: 'consents of people', verdict: 'unknown' },
    detail: `${message} (${code}); accounts with consent were not checked`,
    advice: 'Consents are stored in Redis. Start the worker, or set redis.url, and run the check again.',
  };
}

/** Makes no call yet. Throws `TerminalError` for a key that cannot work. */
export function openApis(
  config: Config,
  parts: {
    readonly accountOf: CheckContext['accountOf'];
    readonly clock: Clock;
    readonly consents?: Pick<Consents, 'token'> | undefined;
  },
): Omit<CheckContext, 'accountOf' | 'shareWith' | 'tabs'> {
  const { google } = config;
  const { accountOf, clock, consents } = parts;
  const { timeoutMs } = google;
  const credential = openAccounts(google, {
    ...{ accountOf, usesDefault: usesDefaultAccount(config), clock },
    ...(consents && { consents }),
  });
  const shared = { credential, budget: UNLIMITED, problems: NO_BOARD, clock, timeoutMs };
  return {
    calendar: new GoogleCalendarApi({ ...shared, rootUrl: google.calendarRootUrl }),
    sheets: new SheetsApi({ ...shared, rootUrl: google.sheetsRootUrl, writeTimeoutMs: timeoutMs }),
    busyEvents: new GoogleBusyEventsApi({ ...shared, rootUrl: google.calendarRootUrl }),
    clock,
  };
}

function questions(config: Config, asking: CheckContext): readonly Check[] {
  const isGoogle = (id: string) => calendarKindOf(id) === undefined;
  const calendars = ofKind(config.mirrors, 'calendar').flatMap(calendarIdsOf).filter(isGoogle);
  const sheets = ofKind(config.mirrors, 'sheet').flatMap((mirror) => placesOf(mirror));
  const entries = ofKind(config.bookings, 'sheet');
  const spreadsheets = new Set([...sheets, ...entries].map(({ spreadsheetId }) => spreadsheetId));
  return [
    ...[...new Set(calendars)].map((id): Check => {
      const target = `calendar:${id}`;
      return { target, ask: async (shareWith) => [await calendarFinding(id, { ...asking, shareWith })] };
    }),
    ...privateCalendars(config, calendars)
      .filter(isGoogle)
      .map((id): Check => {
        const target = `calendar:${id}`;
        return {
          target,
          ask: async (shareWith) => [await privateCalendarFinding(id, { ...asking, shareWith })],
        };
      }),
    ...[...spreadsheets].map((id): Check => {
      const mirrors = sheets.filter(({ spreadsheetId }) => spreadsheetId === id);
      const intakes = entries.filter(({ spreadsheetId }) => spreadsheetId === id);
      const target = `spreadsheet:${id}`;
      return {
        target,
        ask: (shareWith) => spreadsheetFindings(id, { mirrors, intakes }, { ...asking, shareWith }),
      };
    }),
  ];
}

/** `events.list` returns the caller's role, so checking write access needs no write. */
export async function calendarFinding(
  calendarId: string,
  asking: Pick<AskingAs, 'calendar' | 'shareWith'>,
): Promise<LiveFinding> {
  const about = { side: 'google', subject: `calendar ${calendarId}` } as const;
  const share = `Share ${calendarId} with ${asking.shareWith} (Google Calendar, Settings of the calendar, Shared with), "Make changes to events"`;
  try {
    const role = await asking.calendar.accessRole(calendarId);
    if (role === undefined)
      return {
        ...about,
        verdict: 'unknown',
        detail: 'can be read; Google does not say whether it can be written',
      };
    if (WRITING_ROLES.includes(role)) return { ...about, verdict: 'ok', detail: `can be written (${role})` };
    return {
      ...about,
      verdict: 'broken',
      detail: `can only be read (${role}; calendar-read-only)`,
      advice: `${share}.`,
    };
  } catch (error) {
    if (isOfCredential(error)) throw error;
    const finding = findingOf(about, error);
    const isSharing = /calendar-not-shared|calendar-forbidden/.test(finding.detail);
    return isSharing ? { ...finding, advice: `${share}, or correct its id in the mapping.` } : finding;
  }
}

async function spreadsheetFindings(
  spreadsheetId: string,
  {
    mirrors,
    intakes,
  }: { readonly mirrors: readonly SheetMirror[]; readonly intakes: readonly SheetBookings[] },
  asking: AskingAs,
): Promise<readonly LiveFinding[]> {
  const { sheets, shareWith, tabs: memory } = asking;
  const about = { side: 'google', subject: `spreadsheet ${spreadsheetId}` } as const;
  const share = `Share the spreadsheet with ${shareWith} as Editor (Google Sheets, Share)`;
  let tabs: readonly TabInfo[];
  let seen: ReadonlyMap<KeyedTab, Seen>;
  let read: ReadonlyMap<SheetBookings, TabReading>;
  try {
    tabs = await sheets.tabs(spreadsheetId);
    seen = await new TabSurvey({ api: sheets, memory, log: SILENT }).look(spreadsheetId, mirrors);
    read = await readTabs({ api: sheets, tabs: memory }, { spreadsheetId, mappings: intakes });
  } catch (error) {
    if (isOfCredential(error)) throw error;
    const finding = findingOf(about, error);
    const isSharing = finding.detail.includes('spreadsheet-not-shared');
    return [isSharing ? { ...finding, advice: `${share}, or correct its id in the mapping.` } : finding];
  }
  const right = await editRight(spreadsheetId, sheets);
  const whole: LiveFinding =
    right === 'editor'
      ? { ...about, verdict: 'ok', detail: 'can be written' }
      : right === 'reader'
        ? {
            ...about,
            verdict: 'broken',
            detail: 'can only be read (spreadsheet-not-shared)',
            advice: `${share}.`,
          }
        : findingOf(about, right);
  return [
    whole,
    ...mirrors.map((mirror) => tabFinding(mirror, seen.get(mirror), { tabs, shareWith })),
    ...intakes.map((entry) => intakeFinding(entry, read.get(entry), { tabs, shareWith })),
  ];
}

async function editRight(
  spreadsheetId: string,
  sheets: SheetsApi,
): Promise<'editor' | 'reader' | WorkerError> {
  try {
    await sheets.assertWritable(spreadsheetId);
    return 'editor';
  } catch (error) {
    if (!(error instanceof WorkerError)) throw error;
    return error.code === 'spreadsheet-not-shared' ? 'reader' : error;
  }
}

function tabFinding(
  mirror: SheetMirror,
  seen: Seen | undefined,
  parts: { tabs: readonly TabInfo[]; shareWith: string },
): LiveFinding {
  const about = { side: 'google', subject: `tab ${mirror.tab} of ${mirror.spreadsheetId}` } as const;
  if (seen === undefined)
    return {
      ...about,
      verdict: 'broken',
      detail: 'another mirror uses the same tab',
      advice: 'Give each mirror a tab of its own.',
    };
  if (isTabFault(seen))
    return { ...about, verdict: 'broken', detail: `${seen.message} (${seen.code})`, advice: seen.advice };
  const tab = parts.tabs.find(({ sheetId }) => sheetId === seen.sheetId);
  const { keyColumn, columns } = seen.layout;
  if (tab !== undefined && isLocked(tab, 1, [keyColumn, ...columns.values()])) {
    const advice = `Let ${parts.shareWith} edit the protected range (Data, Protect sheets and ranges).`;
    return { ...about, verdict: 'broken', detail: 'a protection covers its cells (protected-range)', advice };
  }
  const added = seen.addedColumns?.headers.map((header) => `"${header}"`).join(', ');
  const headers = added === undefined ? 'all headers exist' : `the worker adds the header ${added}`;
  const fits =
    seen.blankColumns === undefined
      ? `${headers}, ids are under "${mirror.keyHeader}"`
      : 'empty: the header is written with the first row';
  return { ...about, verdict: 'ok', detail: `${fits}${renamed(seen.title, mirror.tab)}` };
}

/** The worker follows a tab by its id, so a renamed one is as good as before. */
function renamed(title: string | undefined, tab: string): string {
  return title === undefined || title.trim() === tab.trim() ? '' : `; people renamed it to "${title}"`;
}

/** Checks a booking sheet: are its headers there, and may the worker write its own columns? */
function intakeFinding(
  entry: SheetBookings,
  reading: TabReading | undefined,
  parts: { tabs: readonly TabInfo[]; shareWith: string },
): LiveFinding {
  const about = { side: 'google', subject: `tab ${entry.tab} of bookings.${entry.name}` } as const;
  const broken = ({ message, code, advice }: IntakeFault): LiveFinding => ({
    ...about,
    verdict: 'broken',
    detail: `${message} (${code})`,
    advice,
  });
  if (reading === undefined || ('sheetId' in reading && reading.grid === undefined))
    return {
      ...about,
      verdict: 'unknown',
      detail: 'Google returned nothing about it',
      advice: 'Run the check again.',
    };
  if ('code' in reading) return broken(reading);
  const columns = findColumns(reading.grid?.[0] ?? [], entry);
  if (isIntakeFault(columns)) return broken(columns);
  const tab = parts.tabs.find(({ sheetId }) => sheetId === reading.sheetId);
  const written = ROW_OUTPUTS.flatMap((output) => columns.get(output) ?? []);
  if (tab !== undefined && isLocked(tab, 1, written)) {
    return broken({
      code: 'protected-range',
      message: 'a protection covers the columns that the worker writes',
      advice: `Let ${parts.shareWith} edit the protected range (Data, Protect sheets and ranges).`,
    });
  }
  return {
    ...about,
    verdict: 'ok',
    detail: `all headers exist, ids are under "${entry.columns.id}"${renamed(reading.title, entry.tab)}`,
  };
}
