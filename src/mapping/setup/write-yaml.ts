// What `slotbridge init` writes: a short YAML that contains only what differs from the defaults.
import type { Named } from './propose-calendars.ts';

export interface SetupAnswers {
  readonly baseUrl: string;
  /** Name of the variable that holds the platform's key. The YAML never contains the key itself. */
  readonly keyVariable: string;
  /** The sandbox's key, which is not secret; used while the variable is not set. */
  readonly keyDefault?: string;
  readonly publicUrl?: string;
  readonly credentials: string;
  /** The address of Google in a sandbox; absent: the real Google. */
  readonly googleUrl?: string;
  /** Further accounts, each used by a calendar. */
  readonly accounts?: readonly { readonly name: string; readonly credentials: string }[];
  readonly calendars: readonly MappedCalendar[];
  readonly spreadsheet?: string;
  readonly tabs: readonly SetupTab[];
  /** Whether moves by staff in their calendars move appointments on the platform. */
  readonly staffMoves: boolean;
}

export interface MappedCalendar {
  readonly resource: Named;
  readonly calendarId: string;
  /** The account in `google.accounts`; absent: the default account. */
  readonly account?: string;
  /** Another resource has the same name, so the YAML uses the id. */
  readonly isByItsId: boolean;
}

export interface SetupTab {
  readonly mirror: 'contacts' | 'appointments';
  readonly tab: string;
}

/** Columns of a new tab in order, each with its template and its comment in the YAML. */
export const SETUP_COLUMNS = {
  contacts: {
    ID: ['{{ id }}', 'finds the row again'],
    Name: ['{{ name }}', 'as on the platform'],
    Phone: ['{{ phone }}', 'with the code of the country'],
    'E-mail': ['{{ email }}', 'empty where none is known'],
    Status: ['{{ status }}', 'of the contact'],
  },
  appointments: {
    ID: ['{{ id }}', 'finds the row again'],
    Start: ["{{ starts_at | date: '%Y-%m-%d %H:%M' }}", 'in the time zone of the branch'],
    Status: ['{{ status }}', 'confirmed, cancelled and so on'],
    Service: ['{{ service_name }}', 'by its name'],
    With: ["{{ resource_names | join: ', ' }}", 'all resources'],
    Customer: ['{{ customer_name }}', 'as booked'],
    Phone: ['{{ customer_phone }}', 'as booked'],
  },
} as const;

export function writeSetup(answers: SetupAnswers): string {
  const { baseUrl, keyVariable, keyDefault, publicUrl, credentials, googleUrl, accounts = [] } = answers;
  const port = (publicUrl === undefined ? undefined : portOnThisMachine(publicUrl)) ?? DEFAULT_PORT;
  const lines = [
    '# Written by `slotbridge init`. All settings: docs/reference/configuration.md',
    'platform:  # access to the platform',
    `  base_url: ${quoted(baseUrl)}  # its API, with the version segment`,
    keyDefault === undefined
      ? `  api_key: \${${keyVariable}}  # set this variable; the key is not stored here`
      : `  api_key: \${${keyVariable}:-${keyDefault}}  # the sandbox accepts this key`,
    ...(publicUrl === undefined ? [NO_ADDRESS] : webhookLines(publicUrl)),
    'google:  # access to calendars and spreadsheets',
    `  credentials: ${quoted(credentials)}  # share calendars and spreadsheets with this account`,
    ...(accounts.length === 0 ? [] : ['  accounts:  # calendars refer to these names']),
    ...accounts.map(
      ({ name, credentials: file }) => `    ${name}: { credentials: ${quoted(file)} }  # another account`,
    ),
    ...(googleUrl === undefined
      ? []
      : [
          `  calendar_root_url: ${quoted(`${googleUrl}/`)}  # the sandbox`,
          `  sheets_root_url: ${quoted(`${googleUrl}/`)}  # the sandbox`,
          `  token_url: ${quoted(`${googleUrl}/token`)}  # the sandbox`,
        ]),
    "redis:  # the worker's state",
    `  url: \${REDIS_URL:-}  # empty: the worker starts a private one`,
    "http:  # the worker's HTTP server",
    `  host: \${HOST:-127.0.0.1}  # a reverse proxy with https is in front`,
    `  port: \${PORT:-${port}}  # where the proxy or the platform calls`,
    ...(answers.tabs.some(({ mirror }) => mirror === 'contacts')
      ? [
          'privacy: { forget_deleted: true }  # erases contacts that were deleted on the platform: docs/privacy.md',
        ]
      : []),
    // The sandbox's console answers only requests from this machine, and only with a link. With a real platform the operator decides.
    ...(keyDefault === undefined
      ? []
      : ['console: { enabled: true }  # `slotbridge console login --as ops` prints a link']),
    'mirrors:  # what is mirrored to where',
    ...(answers.calendars.length === 0 ? [] : calendarMirror('staff-calendars', answers)),
    ...answers.tabs.flatMap((tab) => tabMirror(tab.mirror, tab, answers.spreadsheet ?? '')),
  ];
  return `${lines.join('\n')}\n`;
}

/** `extend-yaml.ts` finds and removes this line, also in files of earlier versions: its text must not change. */
export const NO_ADDRESS =
  '  # set webhook.public_url and run `slotbridge webhook register`: without an endpoint the platform tells no changes';

export function webhookLines(publicUrl: string): readonly string[] {
  return [
    '  webhook:  # how the platform reports changes',
    `    public_url: ${quoted(publicUrl)}  # address at which the platform reaches the worker`,
    '    secret_file: ./data/webhook-secret  # written by `slotbridge webhook register`',
  ];
}

const DEFAULT_PORT = '8080';

/** Undefined when a proxy is in front of the worker. */
function portOnThisMachine(publicUrl: string): string | undefined {
  if (!URL.canParse(publicUrl)) return undefined;
  const { hostname, port } = new URL(publicUrl);
  const isHere = hostname === '127.0.0.1' || hostname === 'localhost';
  return isHere && port !== '' ? port : undefined;
}

/** Indented as below `mirrors:`. */
export function calendarMirror(
  name: string,
  { calendars, staffMoves }: Pick<SetupAnswers, 'calendars' | 'staffMoves'>,
): readonly string[] {
  return [
    `  ${name}:  # one event per appointment`,
    '    from: appointments  # kind of object',
    '    calendars:  # where the events are',
    '      map:  # resource to calendar',
    ...calendars.map((each) => `        ${mapLine(each)}`),
    `    event:  # try templates: slotbridge render ${name} --sample`,
    '      title: "{{ service_name }}, {{ customer_name }}"  # title of the event',
    '      description: "{{ customer_phone }}"  # description of the event',
    ...(staffMoves
      ? ['    staff_edits: { moved: reschedule }  # moving an event moves its appointment']
      : ['    # no staff_edits: moved and deleted events are restored']),
  ];
}

/** Indented as below `mirrors:`. */
export function tabMirror(name: string, { mirror, tab }: SetupTab, spreadsheet: string): readonly string[] {
  const columns = Object.entries(SETUP_COLUMNS[mirror]);
  return [
    `  ${name}:  # one row per object`,
    `    from: ${mirror}  # kind of object`,
    `    sheet: { spreadsheet: ${quoted(spreadsheet)}, tab: ${quoted(tab)} }  # id of the spreadsheet, name of the tab`,
    '    columns:  # header: template',
    ...columns.map(([header, [template, comment]]) => `      ${header}: ${quoted(template)}  # ${comment}`),
  ];
}

export function mapLine({ resource, calendarId, account, isByItsId }: MappedCalendar): string {
  // A name must not contain a variable, not even an escaped one.
  const isById = isByItsId || resource.name.includes('$' + '{');
  const [key, comment] = isById ? [resource.id, resource.name] : [resource.name, resource.id];
  const id = quoted(calendarId);
  const value = account === undefined ? id : `{ id: ${id}, account: ${account} }`;
  return `${JSON.stringify(key)}: ${value}  # ${onOneLine(comment)}`;
}

/** Escapes `$`, so that text from elsewhere is not read as a variable. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('$', '$$$$');
}

function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, COMMENT_LENGTH_MAX);
}

const COMMENT_LENGTH_MAX = 200;
