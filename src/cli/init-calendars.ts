// Maps resources to calendars for `slotbridge init`: first the given answers, then what a person accepts of the calendars that the accounts
// see.

import { RetryableError, TerminalError, WorkerError } from '../engine/errors.ts';
import type { KindName } from '../mapping/calendar-kinds.ts';
import type {
  MappedCalendar,
  Named,
  SeenCalendar,
  SetupTab,
  WrittenLogin,
} from '../mapping/setup/write-yaml.ts';
import type { Console } from './console.ts';
import type { Dialogue, InitGoogle, InitParts } from './init-parts.ts';
import type { NewSpreadsheet } from './new-spreadsheet.ts';
import { readPatiently } from './patient-read.ts';
import { UsageError } from './usage-error.ts';

/** An account that may list calendars. */
export interface InitAccount {
  /** Name in the YAML; absent: the default account of Google. */
  readonly name?: string;
  /** Absent: the account works by the consent of a person, and Google is not called for it. */
  readonly google?: InitGoogle;
  /** For another kind of calendar. */
  readonly other?: Pick<InitGoogle, 'calendars'>;
  /** Address of the person for whom the account acts. The calendar with this id is theirs, even if Google does not list it. */
  readonly address?: string;
}

interface Login extends WrittenLogin {
  readonly secret?: { readonly setting: string; readonly variable: string; readonly value: string };
}

/** The accounts of other kinds of calendars that were given. A secret comes from its variable, or is typed. */
export async function loginsOf(dialogue: Dialogue): Promise<readonly Login[]> {
  const { CALENDAR_KINDS, KIND_NAMES } = await import('../mapping/calendar-kinds.ts');
  const logins: Login[] = [];
  for (const kind of KIND_NAMES)
    for (const [name, text] of Object.entries(dialogue.given[kind] ?? {})) {
      const { setup } = CALENDAR_KINDS[kind];
      const settings = setup.read(text);
      if (settings === undefined)
        throw new UsageError('answer-missing', `the address of ${name} ${setup.refused}`, {
          advice: `Nothing was written. ${setup.advice(name)}`,
        });
      const secret = setup.secret && (await secretOf({ kind, name, setting: setup.secret }, dialogue));
      logins.push({ kind, name, settings, ...(secret && { secret }) });
    }
  return logins;
}

async function secretOf(
  { kind, name, setting }: { readonly kind: KindName; readonly name: string; readonly setting: string },
  { asker, parts }: Dialogue,
): Promise<NonNullable<Login['secret']>> {
  const variable = `${name}_${kind}_${setting}`.toUpperCase().replace(/[^A-Z0-9]/g, '_');
  const set = parts.io.env[variable] ?? '';
  const called = `${setting[0]?.toUpperCase()}${setting.slice(1)}`;
  const question = `${called} of ${name} (not shown, and not written anywhere):`;
  const value = set === '' ? ((await asker?.askSecret(question)) ?? '') : set;
  if (value !== '') return { setting, variable, value };
  throw new UsageError('answer-missing', `the ${setting} of ${name} is missing`, {
    advice: `Nothing was written. Set ${variable}.`,
  });
}

export function accountOfKind(
  { kind, name, settings, secret }: Login,
  dialogue: Dialogue,
): Promise<InitAccount> {
  const account = { ...settings, ...(secret && { [secret.setting]: secret.value }) };
  return openOfKind({ kind, name, account }, dialogue);
}

export async function openOfKind(
  login: Parameters<InitParts['wiring']['calendarsOf']>[0],
  dialogue: Dialogue,
): Promise<InitAccount> {
  const { kind, name } = login;
  const { CALENDAR_KINDS } = await import('../mapping/calendar-kinds.ts');
  const waiting = waitingFor(`the ${CALENDAR_KINDS[kind].setup.host} of ${name}`, dialogue);
  const calendars = () => readPatiently(() => dialogue.parts.wiring.calendarsOf(login), waiting);
  return { name, other: { calendars } };
}

export function waitingFor(who: string, { asker, parts }: Dialogue) {
  return { who, say: (line: string) => parts.io.stdout.write(line), signal: asker?.stopped };
}

interface About {
  readonly dialogue: Dialogue;
  /** The default account is first: it gets the calendars that several accounts see. */
  readonly accounts: readonly InitAccount[];
  /** Every resource of the platform. If two have the same name, the YAML uses the id. */
  readonly all: readonly Named[];
  /** Ids of calendars that the YAML already names, in lower case. */
  readonly taken?: ReadonlySet<string>;
}

export async function mapCalendars(
  resources: readonly Named[],
  { dialogue, accounts, all, taken = new Set() }: About,
): Promise<readonly MappedCalendar[]> {
  const { given, asker, parts } = dialogue;
  const { io } = parts;
  const { calendarKindOf } = await import('../mapping/calendar-kinds.ts');
  const read = (text: string) => readCalendar(text, accounts, (id) => calendarKindOf(id) !== undefined);
  const answers = Object.entries(given.calendars ?? {}).map(
    ([name, text]) => [resourceOf(name, resources), read(text)] as const,
  );
  const left = resources.filter(({ id }) => !answers.some(([resource]) => resource.id === id));
  const isPlain = accounts.length === 1 && accounts[0]?.name === undefined;
  const seen = left.length === 0 && isPlain ? new Map() : await look(dialogue, accounts);
  const accountOf = ({ id, account }: SeenCalendar): SeenCalendar =>
    account === undefined ? withAccount(id, seen.get(id.toLowerCase())?.account) : { id, account };
  const chosen = new Map(answers.map(([{ id }, calendar]) => [id, accountOf(calendar)]));
  const typed = left.length === 0 ? '' : ((await asker?.ask(ADDRESSES)) ?? '');
  for (const text of typed.split(/[\s,;]+/).filter((each) => each.includes('@'))) {
    const calendar = accountOf(read(text));
    const { name } = seen.get(calendar.id.toLowerCase()) ?? {};
    seen.set(calendar.id.toLowerCase(), name === undefined ? calendar : { ...calendar, name });
  }
  const used = new Set([...taken, ...[...chosen.values()].map(({ id }) => id.toLowerCase())]);
  const free = [...seen].flatMap(([id, calendar]) => (used.has(id) ? [] : [calendar]));
  const { proposeCalendars } = await import('../mapping/setup/write-yaml.ts');
  const { pairs, open } = proposeCalendars(left, free);
  for (const { resource, calendar, confidence, because } of pairs) {
    const by = calendar.account === undefined ? '' : `, account ${calendar.account}`;
    const line = `${resource.name} -> ${calendar.id}${by}  (${confidence}: ${because})`;
    const isTaken =
      asker === undefined
        ? confidence === 'sure'
        : await asker.confirm(`  ${line}?`, confidence === 'sure' ? 'yes' : 'no');
    if (asker === undefined) io.stdout.write(`  ${line}${isTaken ? '' : ', left open'}\n`);
    if (isTaken) chosen.set(resource.id, calendar);
  }
  for (const { resource, why } of open) {
    io.stdout.write(`  ${resource.name} (${resource.id}) is left open: ${why}.\n`);
    const text = (await asker?.ask(`  Calendar of ${resource.name} (Enter: none):`)) ?? '';
    if (text !== '') chosen.set(resource.id, accountOf(read(text)));
  }
  const isTwin = ({ name }: Named) => all.filter((each) => each.name.trim() === name.trim()).length > 1;
  return resources.flatMap((resource) => {
    const { id: calendarId, account } = chosen.get(resource.id) ?? {};
    if (calendarId === undefined) return [];
    return [
      { resource, calendarId, isByItsId: isTwin(resource), ...(account === undefined ? {} : { account }) },
    ];
  });
}

const ADDRESSES =
  'Addresses of calendars that are shared with this account, separated by commas (Enter: only those listed by Google):';

/** Calendars by id in lower case. If a further account cannot be listed, the others still count. */
async function look(
  { parts }: Dialogue,
  accounts: readonly InitAccount[],
): Promise<Map<string, SeenCalendar>> {
  const { stdout } = parts.io;
  const seen = new Map<string, SeenCalendar>();
  for (const { name, google, other, address } of accounts) {
    const spoken = name === undefined ? 'this credential' : `the account ${name}`;
    let listed: readonly SeenCalendar[] | undefined = [];
    try {
      const lists = google ?? other;
      if (lists !== undefined) listed = await lists.calendars();
    } catch (error) {
      if (name === undefined || !(error instanceof WorkerError)) throw error;
      stdout.write(`Calendars of ${spoken} cannot be listed: ${error.message} (${error.code}).\n`);
    }
    if (listed === undefined) stdout.write(`Google does not show ${spoken} a list of calendars.\n`);
    const own = address === undefined ? [] : [{ id: address }];
    for (const calendar of [...(listed ?? []), ...own]) {
      const id = calendar.id.toLowerCase();
      if (!seen.has(id)) seen.set(id, name === undefined ? calendar : { ...calendar, account: name });
    }
  }
  return seen;
}

/** Reads `branch:anna@clinic.example` and `office:https://…`. Ids of Google calendars contain no colon. */
function readCalendar(
  text: string,
  accounts: readonly InitAccount[],
  isId: (text: string) => boolean,
): SeenCalendar {
  const at = text.indexOf(':');
  if (at < 0 || isId(text.trim())) return { id: text.trim() };
  const account = text.slice(0, at).trim();
  if (accounts.some(({ name }) => name === account)) return { id: text.slice(at + 1).trim(), account };
  const known = accounts.flatMap(({ name }) => name ?? []);
  throw new UsageError('account-unknown', `unknown Google account ${account}`, {
    advice: `Nothing was written. Known: ${known.length === 0 ? 'none; give it with --account' : known.join(', ')}.`,
  });
}

function withAccount(id: string, account: string | undefined): SeenCalendar {
  return account === undefined ? { id } : { id, account };
}

function resourceOf(name: string, resources: readonly Named[]): Named {
  const named = resources.filter((each) => each.id === name || each.name.trim() === name.trim());
  const [resource] = named;
  if (resource !== undefined && named.length === 1) return resource;
  const what =
    named.length === 0
      ? `no resource has the name ${name}`
      : `${named.length} resources have the name ${name}`;
  throw notOneResource(what);
}

function notOneResource(what: string): TerminalError {
  return new UsageError('resource-unclear', what, {
    advice: 'Nothing was written. Give its id; `slotbridge init` prints names and ids.',
  });
}

// Chooses the spreadsheet and the tabs for `slotbridge init`, and creates what is missing.

export const TABS: readonly SetupTab[] = [
  { mirror: 'contacts', tab: 'Contacts' },
  { mirror: 'appointments', tab: 'Appointments' },
];

export interface ChosenSheet {
  readonly spreadsheet: string;
  readonly tabs: readonly SetupTab[];
  readonly missing: readonly SetupTab[];
  /** It is created after everything else is settled. */
  readonly isNew?: true;
}

export async function chooseSheet(
  { given, asker, parts }: Dialogue,
  about: {
    readonly google: InitGoogle;
    readonly fresh: NewSpreadsheet;
    readonly ofSandbox: string | undefined;
    /** The tabs that the YAML does not have yet. */
    readonly tabs?: readonly SetupTab[];
  },
): Promise<ChosenSheet | undefined> {
  const { google, fresh, ofSandbox, tabs: wanted = TABS } = about;
  const mayMake = google.isPerson ? `, ${NEW} to create one` : '';
  const what = wanted.map(({ mirror }) => mirror).join(' and ');
  const question = `Spreadsheet for ${what}, id or address${mayMake} (Enter: none):`;
  const wished = given.spreadsheet ?? (given.createSpreadsheet === true ? NEW : undefined);
  const answered = wished ?? ofSandbox ?? (await asker?.ask(question)) ?? '';
  if (answered === '') return undefined;
  const isNew = answered === NEW;
  if (isNew && !google.isPerson) throw nobodysDrive(google.shareWith);
  const written = isNew ? fresh.madeBefore() : answered;
  if (written === undefined) return { spreadsheet: NEW_SHOWN, tabs: wanted, missing: wanted, isNew: true };
  const spreadsheet = idOfSpreadsheet(written);
  const titles = await google.tabs(spreadsheet).catch((error: unknown) => {
    const isSharing = error instanceof WorkerError && error.code === 'spreadsheet-not-shared';
    throw isSharing ? notAnEditor(spreadsheet, google.shareWith, error) : error;
  });
  const there = titles.map((title) => title.toLowerCase());
  const missing = wanted.filter(({ tab }) => !there.includes(tab.toLowerCase()));
  if (missing.length === 0) return { spreadsheet, tabs: wanted, missing };
  const names = missing.map(({ tab }) => tab).join(' and ');
  const mayCreate =
    (isNew ? true : given.createTabs) ??
    (await asker?.confirm(`Create the missing tabs ${names}?`, 'yes')) ??
    false;
  if (mayCreate) return { spreadsheet, tabs: wanted, missing };
  const tabs = wanted.filter((tab) => !missing.includes(tab));
  parts.io.stdout.write(`Skipped because their tabs are missing: ${names}.\n`);
  return tabs.length === 0 ? undefined : { spreadsheet, tabs, missing: [] };
}

/** The answer that asks for a new spreadsheet. */
const NEW = 'new';
/** Placeholder in the YAML until the spreadsheet exists. */
const NEW_SHOWN = 'a-new-spreadsheet';

export async function makeSpreadsheet(fresh: NewSpreadsheet, io: Console): Promise<string> {
  const { id, title } = await fresh.make();
  io.stdout.write(`Created the spreadsheet ${title}: https://docs.google.com/spreadsheets/d/${id}\n`);
  return id;
}

export async function createTabs(
  { spreadsheet, missing }: ChosenSheet,
  google: InitGoogle,
  io: Console,
): Promise<readonly string[]> {
  if (missing.length === 0) return [];
  const { SETUP_COLUMNS } = await import('../mapping/setup/write-yaml.ts');
  const tabs = missing.map(({ mirror, tab }) => ({
    title: tab,
    headers: Object.keys(SETUP_COLUMNS[mirror]),
  }));
  const titles = tabs.map(({ title }) => title);
  try {
    await google.createTabs(spreadsheet, tabs);
  } catch (error) {
    if (error instanceof RetryableError)
      io.stderr.write(`Possibly created in the spreadsheet: ${titles.join(', ')}. The next run uses them.\n`);
    throw error;
  }
  io.stdout.write(`Created in the spreadsheet: ${titles.join(', ')}.\n`);
  return titles;
}

/** Takes the id out of a copied address. */
export function idOfSpreadsheet(text: string): string {
  return /\/d\/([\w-]+)/.exec(text)?.[1] ?? text;
}

function notAnEditor(id: string, shareWith: string, cause: Error): TerminalError {
  return new TerminalError('spreadsheet-not-shared', `the worker may not write to the spreadsheet ${id}`, {
    advice: `Nothing was written. Share it with ${shareWith} as editor, or correct its id.`,
    cause,
  });
}

/** A service account has no Drive that people see, and since 2025 no storage in it (Google Drive, storage of service accounts). */
function nobodysDrive(shareWith: string): TerminalError {
  return new UsageError('account-has-no-drive', 'a service account has no Drive for a new spreadsheet', {
    advice: `Nothing was written. Create one at https://sheets.new, share it with ${shareWith} as editor, and give its address with --spreadsheet.`,
  });
}
