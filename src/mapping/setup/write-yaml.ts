// What `slotbridge init` writes: a short YAML that contains only what differs from the defaults.

import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, parse, parseDocument } from 'yaml';
import { TerminalError } from '../../engine/errors.ts';
import { isRecord } from '../../engine/object.ts';
import { CALENDAR_KINDS, eachKind, KIND_NAMES, type KindName } from '../calendar-kinds.ts';

export interface SetupAnswers {
  readonly baseUrl: string;
  /** Name of the variable that holds the platform's key. The YAML never contains the key itself. */
  readonly keyVariable: string;
  /** The sandbox's key, which is not secret; used while the variable is not set. */
  readonly keyDefault?: string;
  readonly publicUrl?: string;
  /** Absent: Google is not used. */
  readonly credentials?: string;
  /** Accounts of other kinds of calendars, each used by a calendar. */
  readonly logins?: readonly WrittenLogin[];
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

/** An account of a kind of calendar, as it is written into its section. */
export interface WrittenLogin {
  readonly kind: KindName;
  readonly name: string;
  /** Without the secret. */
  readonly settings: Readonly<Record<string, string>>;
  readonly secret?: { readonly setting: string; readonly variable: string };
}

export interface MappedCalendar {
  readonly resource: Named;
  readonly calendarId: string;
  /** The account in `google.accounts`, or in the section of another kind; absent: the default account of Google. */
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
  const { baseUrl, keyVariable, keyDefault, publicUrl, accounts = [], logins = [] } = answers;
  const port = (publicUrl === undefined ? undefined : portOnThisMachine(publicUrl)) ?? DEFAULT_PORT;
  const lines = [
    '# Written by `slotbridge init`. All settings: docs/reference/configuration.md',
    'platform:  # access to the platform',
    `  base_url: ${quoted(baseUrl)}  # its API, with the version segment`,
    keyDefault === undefined
      ? `  api_key: \${${keyVariable}}  # set this variable; the key is not stored here`
      : `  api_key: \${${keyVariable}:-${keyDefault}}  # the sandbox accepts this key`,
    ...(publicUrl === undefined ? [NO_ADDRESS] : webhookLines(publicUrl)),
    ...googleLines(answers, accounts),
    ...KIND_NAMES.flatMap((kind) => kindLines(kind, logins)),
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

function googleLines(
  { credentials, googleUrl }: SetupAnswers,
  accounts: NonNullable<SetupAnswers['accounts']>,
): readonly string[] {
  if (credentials === undefined) return [];
  return [
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
  ];
}

function kindLines(kind: KindName, logins: readonly WrittenLogin[]): readonly string[] {
  const own = logins.filter((login) => login.kind === kind);
  if (own.length === 0) return [];
  return [
    `${kind}:  # ${CALENDAR_KINDS[kind].setup.heading}`,
    '  accounts:  # calendars refer to these names',
    ...own.map(({ name, settings, secret }) => {
      const plain = Object.entries(settings).map(([key, value]) => `${key}: ${quoted(value)}`);
      const all = secret === undefined ? plain : [...plain, `${secret.setting}: "\${${secret.variable}}"`];
      return `    ${name}: { ${all.join(', ')} }${secret === undefined ? '' : '  # set this variable'}`;
    }),
  ];
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

/** Accounts of each other kind by name, and their address: `https://anna@cloud.clinic.example`. */
type GivenLogins = { readonly [Kind in KindName]?: Readonly<Record<string, string>> };

/** Answers that `slotbridge init` takes instead of asking. */
export interface GivenAnswers extends GivenLogins {
  readonly sandbox?: boolean;
  readonly platformUrl?: string;
  readonly keyFile?: string;
  readonly credentials?: string;
  /** Name of a further Google account, and its key file. */
  readonly accounts?: Readonly<Record<string, string>>;
  /** Resource, by name or id, and calendar; `branch:anna@clinic.example` is a calendar of another account. */
  readonly calendars?: Readonly<Record<string, string>>;
  readonly spreadsheet?: string;
  readonly createTabs?: boolean;
  readonly createSpreadsheet?: boolean;
  readonly staffMoves?: boolean;
  readonly publicUrl?: string;
  /** The address of a sandbox that stands in for Google. */
  readonly googleUrl?: string;
}

const KEYS = {
  sandbox: ['sandbox', 'boolean'],
  platform_url: ['platformUrl', 'string'],
  key_file: ['keyFile', 'string'],
  credentials: ['credentials', 'string'],
  accounts: ['accounts', 'object'],
  ...eachKind((kind) => [kind, 'object'] as const),
  calendars: ['calendars', 'object'],
  spreadsheet: ['spreadsheet', 'string'],
  create_tabs: ['createTabs', 'boolean'],
  create_spreadsheet: ['createSpreadsheet', 'boolean'],
  staff_moves: ['staffMoves', 'boolean'],
  public_url: ['publicUrl', 'string'],
  google_url: ['googleUrl', 'string'],
} as const satisfies Record<string, readonly [keyof GivenAnswers, string]>;

/**
 * Reads YAML or JSON. Throws `TerminalError` `answers-unusable` for an unknown answer: otherwise `init` would ask again for one that was
 * misspelt.
 */
export function readAnswers(text: string): GivenAnswers {
  const value = parsed(text);
  const found: Record<string, unknown> = {};
  for (const [key, answer] of Object.entries(value)) {
    const [name, type] = (KEYS as Record<string, readonly [string, string]>)[key] ?? [];
    if (name === undefined) throw unusable(`unknown answer ${JSON.stringify(key)}`);
    if (typeof answer !== type || answer === null) throw unusable(`${key} must be ${SPOKEN[type ?? '']}`);
    found[name] = answer;
  }
  assertTexts(found['calendars'], 'calendars must name one calendar for each resource');
  assertTexts(found['accounts'], 'accounts must name one key file for each account');
  for (const kind of KIND_NAMES) assertTexts(found[kind], `${kind} must name one address for each account`);
  return found;
}

function assertTexts(group: unknown, what: string): void {
  if (Object.values((group ?? {}) as object).some((text) => typeof text !== 'string')) throw unusable(what);
}

const SPOKEN: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  object: 'group',
};

function parsed(text: string): object {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw unusable('it is no YAML');
  }
  if (isRecord(value)) return value;
  throw unusable('it holds no group of answers');
}

function unusable(what: string): TerminalError {
  return new TerminalError('answers-unusable', `the answers cannot be used: ${what}`, {
    advice: `Known are ${Object.keys(KEYS).join(', ')}.`,
  });
}

// What `slotbridge init` adds to an existing YAML: it inserts lines and leaves everything that people wrote unchanged.

interface Additions {
  readonly calendars: readonly MappedCalendar[];
  /** Used only if the YAML has no mirror with calendars yet. */
  readonly staffMoves: boolean;
  readonly tabs: readonly SetupTab[];
  readonly spreadsheet: string;
  readonly publicUrl: string | undefined;
}

/** Lines for which the text has no place: a person has to add them. */
interface ByHand {
  readonly where: string;
  readonly lines: readonly string[];
}

/** `names`: the names of the existing mirrors. */
export function extendYaml(
  text: string,
  added: Additions,
  names: readonly string[],
): { readonly text: string; readonly added: readonly string[]; readonly byHand: readonly ByHand[] } {
  const { calendars, staffMoves, tabs, spreadsheet, publicUrl } = added;
  const byHand: ByHand[] = [];
  let all = text;
  const applyOrReport = (next: string | undefined, hand: ByHand): string => {
    if (next === undefined) byHand.push(hand);
    return next ?? all;
  };
  if (calendars.length > 0 && hasCalendars(text))
    all = applyOrReport(addCalendars(all, calendars), {
      where: 'under calendars.map of a mirror',
      lines: calendars.map(mapLine),
    });
  const mirrors = [
    ...(calendars.length > 0 && !hasCalendars(text)
      ? calendarMirror(freeName('staff-calendars', names), { calendars, staffMoves })
      : []),
    ...tabs.flatMap((tab) => tabMirror(freeName(tab.mirror, names), tab, spreadsheet)),
  ];
  if (mirrors.length > 0)
    all = applyOrReport(addMirrors(all, mirrors), { where: 'under mirrors', lines: mirrors });
  if (publicUrl !== undefined)
    all = applyOrReport(addAddress(all, publicUrl), {
      where: 'under platform',
      lines: webhookLines(publicUrl),
    });
  return { text: all, added: addedLines(text, all), byHand };
}

/** The inserted lines. An address replaces the hint that there is none. */
function addedLines(before: string, after: string): readonly string[] {
  const old = before.split('\n');
  let at = 0;
  return after.split('\n').filter((line) => {
    if (old[at] === NO_ADDRESS && line !== NO_ADDRESS) at += 1;
    const isOld = line === old[at];
    if (isOld) at += 1;
    return !isOld;
  });
}

/** Whether a mirror has a rule under `calendars`. */
export function hasCalendars(text: string): boolean {
  return rulesIn(text).length > 0;
}

function freeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? freeName(`${name}-2`, taken) : name;
}

/** What a YAML already maps. Read from its text, so that variables stay unfilled. */
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

/** The id in lower case; empty for anything but a text. A variable counts by its name. */
function calendarIn(value: unknown): readonly string[] {
  const id = isMap(value) ? value.get('id') : isScalar(value) ? value.value : undefined;
  return typeof id === 'string' ? [id.toLowerCase()] : [];
}

/**
 * Inserts lines after the last one of the first `calendars.map`; nothing else changes. Undefined when no such map is in block style: then a
 * person has to add the lines.
 */
export function addCalendars(text: string, added: readonly MappedCalendar[]): string | undefined {
  const [map] = mapsIn(text).filter(({ flow }) => flow !== true);
  return map === undefined ? undefined : withLines(text, map, added.map(mapLine));
}

/** Inserts mirrors after the last one; nothing else changes. Undefined where people have to add them. */
function addMirrors(text: string, lines: readonly string[]): string | undefined {
  const map = parseDocument(text).get('mirrors');
  if (!isMap(map) || map.flow === true) return undefined;
  return withLines(
    text,
    map,
    lines.map((line) => line.slice('  '.length)),
  );
}

/** Inserts the address at which the platform reaches the worker. Undefined where people have to add it. */
function addAddress(text: string, publicUrl: string): string | undefined {
  const map = parseDocument(text).get('platform');
  if (!isMap(map) || map.flow === true || map.has('webhook')) return undefined;
  const lines = webhookLines(publicUrl).map((line) => line.slice('  '.length));
  return withLines(text, map, lines)?.replace(`${NO_ADDRESS}\n`, '');
}

/** Indents each line as the entries of the map are indented. */
function withLines(text: string, map: YamlGroup, lines: readonly string[]): string | undefined {
  const first = map.items[0]?.key;
  if (!isScalar(first) || !first.range) return undefined;
  const counter = new LineCounter();
  parseDocument(text, { lineCounter: counter });
  const indent = ' '.repeat(counter.linePos(first.range[0]).col - 1);
  let last = endOf(map) ?? 0;
  // The range of a text with several lines includes its last line break.
  while (text[last - 1] === '\n') last -= 1;
  const lineEnd = text.indexOf('\n', last);
  const at = lineEnd < 0 ? text.length : lineEnd;
  return `${text.slice(0, at)}${lines.map((line) => `\n${indent}${line}`).join('')}${text.slice(at)}`;
}

type YamlGroup = ReturnType<typeof mapsIn>[number];

function endOf(node: unknown): number | undefined {
  if (isPair(node)) return endOf(node.value) ?? endOf(node.key);
  const last = (isMap(node) || isSeq(node)) && node.flow !== true ? node.items.at(-1) : undefined;
  return last === undefined ? (isNode(node) ? node.range?.[1] : undefined) : endOf(last);
}

/** Maps with `by: resource` only: `init` adds to no others. */
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

// Proposes which calendar belongs to which resource, each pair with its confidence. It never picks between two equally good candidates: a
// wrong pair would show one person's customers in another person's calendar.

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** A calendar that the account can see, or an address that a person gave. Google shows the name. */
export interface SeenCalendar {
  readonly id: string;
  readonly name?: string;
  /** The account of `google.accounts` that sees it; absent: the default account. */
  readonly account?: string;
}

interface Pair {
  readonly resource: Named;
  readonly calendar: SeenCalendar;
  /** `sure`: the calendar has all words of the name. `likely`: it has only some of them, or an initial. */
  readonly confidence: 'sure' | 'likely';
  readonly because: string;
}

interface Proposal {
  readonly pairs: readonly Pair[];
  /** Resources for which a person has to decide, each with the reason. */
  readonly open: readonly { readonly resource: Named; readonly why: string }[];
}

interface Fit {
  readonly resource: Named;
  readonly calendar: SeenCalendar;
  readonly score: number;
  readonly because: string;
}

const SURE = 3;

export function proposeCalendars(resources: readonly Named[], calendars: readonly SeenCalendar[]): Proposal {
  const bestOf = new Map(resources.map((resource) => [resource.id, best(resource, calendars)]));
  const wanted = new Map<string, Named[]>();
  for (const fits of bestOf.values()) {
    for (const { calendar, resource } of fits)
      wanted.set(calendar.id, [...(wanted.get(calendar.id) ?? []), resource]);
  }
  const pairs: Pair[] = [];
  const open: { resource: Named; why: string }[] = [];
  for (const resource of resources) {
    const fits = bestOf.get(resource.id) ?? [];
    const [fit, ...others] = fits;
    const twins = resources.filter((each) => wordsOf(each.name).join() === wordsOf(resource.name).join());
    if (fit === undefined) open.push({ resource, why: 'no calendar fits the name' });
    else if (twins.length > 1) open.push({ resource, why: `${twins.length} resources have this name` });
    else if (others.length > 0)
      open.push({ resource, why: `${fits.map(({ calendar }) => calendar.id).join(' and ')} fit equally` });
    else if ((wanted.get(fit.calendar.id) ?? []).length > 1) {
      const rivals = (wanted.get(fit.calendar.id) ?? []).filter(({ id }) => id !== resource.id);
      open.push({
        resource,
        why: `${fit.calendar.id} fits ${rivals.map(({ name }) => name).join(' and ')} as well`,
      });
    } else {
      const { calendar, score, because } = fit;
      pairs.push({ resource, calendar, confidence: score >= SURE ? 'sure' : 'likely', because });
    }
  }
  return { pairs, open };
}

/** All calendars that share the best score. */
function best(resource: Named, calendars: readonly SeenCalendar[]): readonly Fit[] {
  const fits = calendars.flatMap((calendar) => fitOf(resource, calendar) ?? []);
  const top = Math.max(0, ...fits.map(({ score }) => score));
  return fits.filter(({ score }) => score === top);
}

function fitOf(resource: Named, calendar: SeenCalendar): Fit | undefined {
  const name = wordsOf(resource.name);
  if (name.length === 0) return undefined;
  const shown = wordsOf(calendar.name === calendar.id ? '' : (calendar.name ?? ''));
  const local = wordsOf(calendar.id.split('@')[0] ?? '');
  const as = (score: number, because: string) => ({ resource, calendar, score, because });
  if (isSame(name, shown)) return as(4, 'the calendar has this name');
  if (isWithin(name, shown)) return as(3, 'the name is in that of the calendar');
  if (isSame(name, local) || local.join('') === name.join('')) return as(3, 'the address is the name');
  if (name.length > 1 && isInitials(name, local.join('')))
    return as(2, 'the address has an initial and a name');
  if (local.length === 1 && name.includes(local[0] ?? ''))
    return as(1, 'the address is one word of the name');
  return undefined;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && isWithin(one, other);
}

function isWithin(some: readonly string[], all: readonly string[]): boolean {
  return some.every((word) => all.includes(word));
}

/** Matches `apetrova`, `petrovaa` and `annap` for Anna Petrova. */
function isInitials([first = '', ...rest]: readonly string[], local: string): boolean {
  const last = rest.at(-1) ?? '';
  const initial = (word: string) => word.slice(0, 1);
  return [initial(first) + last, last + initial(first), first + initial(last)].includes(local);
}

/** Lower case, without accents, in Latin letters: addresses have no others. */
function wordsOf(text: string): readonly string[] {
  const plain = text
    .slice(0, NAME_LENGTH_MAX)
    .toLowerCase()
    .replace(/[а-яё]/g, (letter) => LATIN[letter] ?? '');
  return plain
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

const NAME_LENGTH_MAX = 200;

const LATIN: Readonly<Record<string, string>> = Object.fromEntries([
  ...[...'абвгдеёзийклмнопрстуфыэ'].map((letter, at) => [letter, 'abvgdeeziyklmnoprstufye'[at]]),
  ...[
    ['ж', 'zh'],
    ['х', 'kh'],
    ['ц', 'ts'],
    ['ч', 'ch'],
    ['ш', 'sh'],
    ['щ', 'shch'],
    ['ю', 'yu'],
    ['я', 'ya'],
  ],
] as [string, string][]);
