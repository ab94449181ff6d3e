// What `slotbridge init` writes: the answers go in, a short YAML comes out that says only what differs from the defaults.
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Named } from './propose-calendars.ts';

export interface SetupAnswers {
  readonly baseUrl: string;
  /** Name of the variable that holds the platform's key; the key itself is never written. */
  readonly keyVariable: string;
  /** Of the sandbox, whose key is no secret: used while the variable is not set. */
  readonly keyDefault?: string;
  readonly publicUrl?: string;
  readonly credentials: string;
  /** Where Google stands in a sandbox; absent: the real one. */
  readonly googleUrl?: string;
  /** Further ones, each used by a calendar. */
  readonly accounts?: readonly { readonly name: string; readonly credentials: string }[];
  readonly calendars: readonly MappedCalendar[];
  readonly spreadsheet?: string;
  readonly tabs: readonly SetupTab[];
  /** Whether what staff move in their calendars is moved on the platform. */
  readonly staffMoves: boolean;
}

export interface MappedCalendar {
  readonly resource: Named;
  readonly calendarId: string;
  /** In `google.accounts`; absent: the default one. */
  readonly account?: string;
  /** Another resource has the same name: the id is written in its place. */
  readonly isByItsId: boolean;
}

export interface SetupTab {
  readonly mirror: 'contacts' | 'appointments';
  readonly tab: string;
}

/** Of a new tab, in their order; the template after each. */
export const SETUP_COLUMNS = {
  contacts: {
    ID: '{{ id }}',
    Name: '{{ name }}',
    Phone: '{{ phone }}',
    'E-mail': '{{ email }}',
    Status: '{{ status }}',
  },
  appointments: {
    ID: '{{ id }}',
    Start: "{{ starts_at | date: '%Y-%m-%d %H:%M' }}",
    Status: '{{ status }}',
    Service: '{{ service_name }}',
    With: "{{ resource_names | join: ', ' }}",
    Customer: '{{ customer_name }}',
    Phone: '{{ customer_phone }}',
  },
} as const;

export function writeSetup(answers: SetupAnswers): string {
  const { baseUrl, keyVariable, keyDefault, publicUrl, credentials, googleUrl, accounts = [] } = answers;
  const port = publicUrl === undefined ? undefined : portOnThisMachine(publicUrl);
  const lines = [
    '# Written by `slotbridge init`. All settings: docs/reference/configuration.md',
    'platform:',
    `  base_url: ${quoted(baseUrl)}`,
    keyDefault === undefined
      ? `  api_key: \${${keyVariable}}  # set this variable; the key is not kept here`
      : `  api_key: \${${keyVariable}:-${keyDefault}}  # the sandbox takes this one`,
    ...(publicUrl === undefined
      ? [
          '  # set webhook.public_url and run `slotbridge webhook register`: without an endpoint the platform tells no changes',
        ]
      : [
          '  webhook:',
          `    public_url: ${quoted(publicUrl)}  # where the platform reaches the worker`,
          '    secret_file: ./data/webhook-secret  # kept by `slotbridge webhook register`',
        ]),
    'google:',
    `  credentials: ${quoted(credentials)}  # share calendars and spreadsheets with this account`,
    ...(accounts.length === 0 ? [] : ['  accounts:  # a calendar names the one that calls for it']),
    ...accounts.map(({ name, credentials: file }) => `    ${name}: { credentials: ${quoted(file)} }`),
    ...(googleUrl === undefined
      ? []
      : [
          `  calendar_root_url: ${quoted(`${googleUrl}/`)}  # the sandbox`,
          `  sheets_root_url: ${quoted(`${googleUrl}/`)}`,
          `  token_url: ${quoted(`${googleUrl}/token`)}`,
        ]),
    ...(port === undefined
      ? []
      : ['http:', `  port: ${port}  # the worker listens where the platform calls: nothing stands between`]),
    ...(answers.tabs.some(({ mirror }) => mirror === 'contacts')
      ? [
          'privacy: { forget_deleted: true }  # a contact deleted on the platform is erased everywhere: docs/privacy.md',
        ]
      : []),
    // Only requests of this machine are answered, and only with a link; with a real platform people decide by themselves.
    ...(keyDefault === undefined
      ? []
      : ['console: { enabled: true }  # `slotbridge console login --as ops` prints a link']),
    'mirrors:',
    ...(answers.calendars.length === 0 ? [] : calendarMirror(answers)),
    ...answers.tabs.flatMap((tab) => tabMirror(tab, answers.spreadsheet ?? '')),
  ];
  return `${lines.join('\n')}\n`;
}

/** Undefined where a proxy stands in front, and for the default. */
function portOnThisMachine(publicUrl: string): string | undefined {
  if (!URL.canParse(publicUrl)) return undefined;
  const { hostname, port } = new URL(publicUrl);
  const isHere = hostname === '127.0.0.1' || hostname === 'localhost';
  return isHere && port !== '' && port !== '8080' ? port : undefined;
}

function calendarMirror({ calendars, staffMoves }: SetupAnswers): readonly string[] {
  return [
    '  staff-calendars:  # one event for each appointment',
    '    from: appointments',
    '    calendars:',
    '      map:',
    ...calendars.map((each) => `        ${mapLine(each)}`),
    '    event:',
    '      title: "{{ service_name }}, {{ customer_name }}"',
    '      description: "{{ customer_phone }}"',
    ...(staffMoves
      ? ['    staff_edits: { moved: reschedule }  # an event that staff move moves its appointment']
      : ['    # no staff_edits: what staff change in an event is put back']),
  ];
}

function tabMirror({ mirror, tab }: SetupTab, spreadsheet: string): readonly string[] {
  const columns = Object.entries(SETUP_COLUMNS[mirror]);
  return [
    `  ${mirror}:  # one row for each`,
    `    from: ${mirror}`,
    `    sheet: { spreadsheet: ${quoted(spreadsheet)}, tab: ${quoted(tab)} }`,
    '    columns:',
    ...columns.map(([header, template]) => `      ${header}: ${quoted(template)}`),
  ];
}

export function mapLine({ resource, calendarId, account, isByItsId }: MappedCalendar): string {
  // No variable may stand in a name, not even a masked one.
  const isById = isByItsId || resource.name.includes('$' + '{');
  const [key, comment] = isById ? [resource.id, resource.name] : [resource.name, resource.id];
  const id = quoted(calendarId);
  const value = account === undefined ? id : `{ id: ${id}, account: ${account} }`;
  return `${JSON.stringify(key)}: ${value}  # ${onOneLine(comment)}`;
}

/** A `$` of others' must not be read as a variable. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('$', '$$$$');
}

function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, COMMENT_LENGTH_MAX);
}

const COMMENT_LENGTH_MAX = 200;

/** What stands in a YAML already; read from its text, so that variables stay what they are. */
export interface WrittenMap {
  /** Names and ids under `calendars.map` of all mirrors, each with its calendars in lower case. */
  readonly resources: ReadonlyMap<string, ReadonlySet<string>>;
  readonly calendars: ReadonlySet<string>;
}

export function readWrittenMap(text: string): WrittenMap {
  const resources = new Map<string, Set<string>>();
  for (const { key, value } of mapsIn(text).flatMap(({ items }) => items)) {
    if (!isScalar(key)) continue;
    const name = String(key.value).trim();
    resources.set(name, new Set([...(resources.get(name) ?? []), ...calendarIn(value)]));
  }
  const calendars = rulesIn(text).flatMap((rule) => {
    const map = rule.get('map');
    return [rule.get('calendar', true), ...(isMap(map) ? map.items.map(({ value }) => value) : [])];
  });
  return { resources, calendars: new Set(calendars.flatMap(calendarIn)) };
}

/** Lower case; none where a variable or something else stands. */
function calendarIn(value: unknown): readonly string[] {
  const id = isMap(value) ? value.get('id') : isScalar(value) ? value.value : undefined;
  return typeof id === 'string' ? [id.toLowerCase()] : [];
}

/**
 * The same text with lines after the last one of the first `calendars.map`; nothing else changes. Undefined when there is none in
 * block style: then a person has to write them.
 */
export function addCalendars(text: string, added: readonly MappedCalendar[]): string | undefined {
  const [map] = mapsIn(text).filter(({ flow }) => flow !== true);
  const range = map?.range;
  const first = map?.items[0]?.key;
  if (map === undefined || !range || !isScalar(first) || !first.range) return undefined;
  const counter = new LineCounter();
  parseDocument(text, { lineCounter: counter });
  const indent = ' '.repeat(counter.linePos(first.range[0]).col - 1);
  const last = lastScalarEnd(map) ?? range[1];
  const lineEnd = text.indexOf('\n', last);
  const at = lineEnd < 0 ? text.length : lineEnd;
  const lines = added.map((each) => `\n${indent}${mapLine(each)}`).join('');
  return `${text.slice(0, at)}${lines}${text.slice(at)}`;
}

type YamlMap = Extract<ReturnType<typeof mapsIn>[number], object>;

function lastScalarEnd(map: YamlMap): number | undefined {
  const value = map.items.at(-1)?.value;
  if (isMap(value) && value.flow !== true) return lastScalarEnd(value as YamlMap);
  return isScalar(value) || isMap(value) ? (value.range?.[1] ?? undefined) : undefined;
}

/** Those of resources: nothing else is added to a file. */
function mapsIn(text: string) {
  return rulesIn(text).flatMap((rule) => {
    const map = (rule.get('by') ?? 'resource') === 'resource' ? rule.get('map') : undefined;
    return isMap(map) ? [map] : [];
  });
}

function rulesIn(text: string) {
  const mirrors = parseDocument(text).get('mirrors');
  if (!isMap(mirrors)) return [];
  return mirrors.items.flatMap(({ value }) => {
    const calendars = isMap(value) ? value.get('calendars') : undefined;
    return (isSeq(calendars) ? calendars.items : [calendars]).filter((rule) => isMap(rule));
  });
}
