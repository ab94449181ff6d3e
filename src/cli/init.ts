// `slotbridge init`: first the questions, then a preview of the YAML, then the writes. If it stops before the writes, it leaves nothing
// behind. It asks for the platform's key and uses it, but never writes it.
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { counted } from '../engine/counts.ts';
import { RetryableError, TerminalError } from '../engine/errors.ts';
import type { Directory } from '../engine/mirror.ts';
import type { KindName } from '../mapping/calendar-kinds.ts';
import type { Config } from '../mapping/config.ts';
import type {
  GivenAnswers,
  MappedCalendar,
  Named,
  SetupTab,
  WrittenMap,
} from '../mapping/setup/write-yaml.ts';
import { OWN_WORDS } from '../operate/codes/code-text.ts';
import { openAsker } from './ask.ts';
import { CONFIG_OPTION, environmentOf, loadText, readConfig, readText } from './config-file.ts';
import type { Console } from './console.ts';
import {
  accountOfKind,
  type ChosenSheet,
  chooseSheet,
  createTabs,
  type InitAccount,
  idOfSpreadsheet,
  loginsOf,
  makeSpreadsheet,
  mapCalendars,
  openOfKind,
  TABS,
  waitingFor,
} from './init-calendars.ts';
import type { Dialogue, InitGoogle, InitParts } from './init-parts.ts';
import { type NewSpreadsheet, newSpreadsheet } from './new-spreadsheet.ts';
import { interrupted, readPatiently } from './patient-read.ts';
import { UsageError } from './usage-error.ts';

interface InitOptions extends OptionsOfKinds, Omit<GivenAnswers, KindName | 'accounts' | 'calendars'> {
  readonly config: string;
  readonly answers?: string;
  readonly yes?: boolean;
  readonly account: readonly string[];
  readonly calendar: readonly string[];
}

type OptionsOfKinds = { readonly [Kind in KindName]: readonly string[] };

const KEY_VARIABLE = 'PLATFORM_API_KEY';
/** What `slotbridge sandbox` serves without options for its ports. */
const SANDBOX = {
  platformUrl: 'http://127.0.0.1:4010/v1',
  googleUrl: 'http://127.0.0.1:4020',
  key: 'sandbox-key',
  credentials: './data/sandbox/google-key.json',
  spreadsheet: 'sandbox-office',
  publicUrl: 'http://127.0.0.1:8080',
};
export function addInit(program: Command, initParts: InitParts): void {
  const command = program
    .command('init')
    .description('ask questions and write a short YAML; if it exists, propose only what is new')
    .option(...CONFIG_OPTION)
    .option('--yes', 'do not ask: use the given options and unambiguous proposals')
    .option('--answers <file>', 'YAML file with answers; answered questions are not asked')
    .option('--sandbox', 'set up for a running `slotbridge sandbox`, without any accounts')
    .option('--platform-url <url>', "address of the platform's API with its version segment")
    .option('--key-file <file>', `file with the platform's key (default: the variable ${KEY_VARIABLE})`)
    .option('--credentials <file>', 'key file of the service account, or a sign-in of `google login`')
    .option('--account <name=file>', 'another Google account and its key file; repeatable', collect, []);
  for (const [kind, { option }] of Object.entries(OWN_WORDS))
    if (option !== undefined) command.option(`--${kind} <name=url>`, `${option}; repeatable`, collect, []);
  command
    .option(
      '--calendar <resource=id>',
      'calendar of a resource, by name or id; prefix it with "account:" for another account; repeatable',
      collect,
      [],
    )
    .option('--spreadsheet <id>', 'spreadsheet for contacts and appointments, by id or address')
    .option('--create-tabs', 'create missing tabs in it')
    .option('--create-spreadsheet', 'also create the spreadsheet; only if the account is a person')
    .option('--staff-moves', 'let staff move appointments by moving events')
    .option('--public-url <url>', 'address at which the platform reaches the worker; registers the webhook')
    .option('--google-url <url>', 'address of a sandbox that replaces Google')
    .action(async (options: InitOptions) => {
      const given = await givenBy(options);
      const env = environmentOf(options.config, initParts.io.env);
      // Inherits the standard input, which only a question may open.
      const parts = { ...initParts, io: Object.create(initParts.io, { env: { value: env } }) as Console };
      const asker = options.yes === true ? undefined : openAsker(parts.io);
      try {
        const { file, env } = existsSync(options.config)
          ? await extend(options.config, { given, asker, parts })
          : await begin(options.config, { given, asker, parts });
        asker?.close();
        if (asker?.stopped.aborted === true) throw stoppedAfter(file);
        await finish(file, { env, parts });
      } finally {
        asker?.close();
      }
    });
}

interface Written {
  readonly file: string;
  readonly env: Console['env'];
}

async function begin(file: string, dialogue: Dialogue): Promise<Written> {
  const { given, asker, parts } = dialogue;
  const { io, wiring } = parts;
  const { baseUrl, apiKey, directory, sandbox } = await askPlatform(dialogue);
  tellDirectory(io, directory);
  const logins = await loginsOf(dialogue);
  const known = given.credentials ?? sandbox?.credentials;
  // Whoever has another kind of calendar may have no account at Google.
  const credentials =
    known === undefined && logins.length > 0
      ? undefined
      : (known ??
        (await answer(dialogue, 'credentials', 'Key file of the Google service account, or a sign-in:')));
  const googleUrl = withoutSlash(given.googleUrl ?? sandbox?.googleUrl);
  const google =
    credentials === undefined
      ? undefined
      : patient(await wiring.openGoogle({ credentials, url: googleUrl }), dialogue);
  if (google !== undefined) io.stdout.write(`Share calendars and spreadsheets with ${google.shareWith}.\n`);
  const accounts: InitAccount[] = google === undefined ? [] : [{ google }];
  for (const [name, file] of Object.entries(given.accounts ?? {})) {
    const further = patient(await wiring.openGoogle({ credentials: file, url: googleUrl }), dialogue);
    io.stdout.write(`For the account ${name}, share them with ${further.shareWith}.\n`);
    accounts.push({ name, google: further });
  }
  accounts.push(...(await Promise.all(logins.map((login) => accountOfKind(login, dialogue)))));
  const resources = [...directory.resources.values()];
  const calendars = await mapCalendars(resources, { accounts, all: resources, dialogue });
  const staffMoves = calendars.length > 0 && (await mayMove(dialogue));
  const sheets = google && { google, fresh: newSpreadsheet(file, google) };
  const chosen = sheets && (await chooseSheet(dialogue, { ...sheets, ofSandbox: sandbox?.spreadsheet }));
  const publicUrl =
    given.publicUrl ?? sandbox?.publicUrl ?? ((await asker?.ask(PUBLIC_ADDRESS)) || undefined);
  if (calendars.length === 0 && chosen === undefined) throw nothingToMirror();
  const { writeSetup } = await import('../mapping/setup/write-yaml.ts');
  const textWith = (sheet: ChosenSheet | undefined) =>
    writeSetup({
      ...{ baseUrl, keyVariable: KEY_VARIABLE, calendars, staffMoves },
      ...(credentials === undefined ? {} : { credentials }),
      logins: logins.filter(({ name }) => calendars.some(({ account }) => account === name)),
      ...(sandbox === undefined ? {} : { keyDefault: sandbox.key }),
      ...(googleUrl === undefined ? {} : { googleUrl }),
      ...(publicUrl === undefined ? {} : { publicUrl: withoutSlash(publicUrl) }),
      ...(sheet === undefined ? {} : { spreadsheet: sheet.spreadsheet }),
      // The loader refuses an account that nothing uses.
      accounts: Object.entries(given.accounts ?? {}).flatMap(([name, file]) =>
        calendars.some(({ account }) => account === name) ? [{ name, credentials: file }] : [],
      ),
      tabs: sheet?.tabs ?? [],
    });
  const text = textWith(chosen);
  const secrets = logins.flatMap(({ secret }) => (secret ? [[secret.variable, secret.value]] : []));
  const env = { ...io.env, [KEY_VARIABLE]: apiKey, ...Object.fromEntries(secrets) };
  const config = await loadText({ text, path: file }, { env, checks: parts.checks });
  io.stdout.write(`\n${indented(text)}\n`);
  if (asker !== undefined && !(await asker.confirm(`Write this to ${file}?`, 'yes'))) throw declined();
  const wished = chosen && sheets && { chosen, ...sheets };
  const isPrivate = await isSecret(text, config);
  await makeAndWrite(wished, io, (sheet) => writeWhole(file, textWith(sheet), { isPrivate }));
  io.stdout.write(`Written to ${file}.${isPrivate ? ONLY_OWNER : ''}\n`);
  return { file, env };
}

interface WishedSheet {
  readonly chosen: ChosenSheet;
  readonly google: InitGoogle;
  readonly fresh: NewSpreadsheet;
}

/** Everything is created and written here, at the end: an earlier stop leaves nothing behind. */
async function makeAndWrite(
  wished: WishedSheet | undefined,
  io: Console,
  write: (sheet: ChosenSheet | undefined) => void,
): Promise<void> {
  if (wished === undefined) return write(undefined);
  const { chosen, google, fresh } = wished;
  const sheet = chosen.isNew === true ? { ...chosen, spreadsheet: await makeSpreadsheet(fresh, io) } : chosen;
  const made = await createTabs(sheet, google, io);
  try {
    write(sheet);
    fresh.forget();
  } catch (error) {
    if (made.length > 0)
      io.stderr.write(`Left in the spreadsheet: ${made.join(', ')}. The next run uses them.\n`);
    throw error;
  }
}

async function mayMove({ given, asker }: Dialogue): Promise<boolean> {
  const asked = 'May staff move appointments by moving events?';
  return given.staffMoves ?? (await asker?.confirm(asked, 'no')) ?? false;
}

/** Adds only what the YAML does not have yet: resources, a tab, the public address. It inserts lines and changes none. */
async function extend(file: string, dialogue: Dialogue): Promise<Written> {
  const { asker, parts } = dialogue;
  const { io } = parts;
  const before = readText(file);
  const isKeySet = (io.env[KEY_VARIABLE] ?? '') !== '' || !before.includes(`\${${KEY_VARIABLE}}`);
  const env = isKeySet ? io.env : { ...io.env, [KEY_VARIABLE]: await askPlatformKey(dialogue, undefined) };
  const config = await readConfig(file, { env, checks: parts.checks });
  const { extendYaml, hasCalendars } = await import('../mapping/setup/write-yaml.ts');
  const calendars = await newCalendars({ file, before, config }, dialogue);
  const staffMoves = calendars.length > 0 && !hasCalendars(before) && (await mayMove(dialogue));
  const wished = await newTabs({ file, config }, dialogue);
  const publicUrl = await newAddress(config, dialogue);
  const names = config.mirrors.map(({ name }) => name);
  const extended = (sheet: ChosenSheet | undefined) => {
    const { tabs = [], spreadsheet = '' } = sheet ?? {};
    return extendYaml(before, { calendars, staffMoves, tabs, spreadsheet, publicUrl }, names);
  };
  const { text, added, byHand } = extended(wished?.chosen);
  for (const { where, lines } of byHand)
    io.stdout.write(`Add these lines manually ${where}:\n${indented(lines.join('\n'))}\n`);
  if (text === before) {
    if (byHand.length === 0) io.stdout.write('Nothing was added.\n');
    return { file, env };
  }
  await loadText({ text, path: file }, { env, checks: parts.checks });
  io.stdout.write(`\n${added.map((line) => `+ ${line}`).join('\n')}\n\n`);
  if (asker !== undefined && !(await asker.confirm(`Add this to ${file}?`, 'yes'))) throw declined();
  const isPrivate = await isSecret(text, config);
  await makeAndWrite(wished, io, (sheet) => writeWhole(file, extended(sheet).text, { before, isPrivate }));
  io.stdout.write(`Added to ${file}; nothing else in it was changed.${isPrivate ? ONLY_OWNER : ''}\n`);
  return { file, env };
}

const ONLY_OWNER = ' Only its owner can read it, because a secret stands in it.';

async function isSecret(text: string, config: Config): Promise<boolean> {
  const { holdsSecret } = await import('../mapping/changes.ts');
  return holdsSecret(text, config);
}

/** Calendars for resources that the YAML does not name yet. */
async function newCalendars(
  { file, before, config }: { readonly file: string; readonly before: string; readonly config: Config },
  dialogue: Dialogue,
): Promise<readonly MappedCalendar[]> {
  const { io, wiring } = dialogue.parts;
  const { baseUrl, apiKey } = config.platform;
  const directory = await readPatiently(
    () => wiring.readDirectory({ baseUrl, apiKey }),
    waitingFor(`the platform at ${baseUrl}`, dialogue),
  );
  const { readWrittenMap } = await import('../mapping/setup/write-yaml.ts');
  const written = readWrittenMap(before);
  const all = [...directory.resources.values()];
  const given = withoutWritten(dialogue.given, { resources: all, written });
  const unlike = otherThan(config, given);
  if (unlike.length > 0)
    io.stdout.write(`Ignored: ${unlike.join(', ')}. ${file} has other values; change them there manually.\n`);
  const fresh = all.filter(
    ({ id, name }) => !written.resources.has(id) && !written.resources.has(name.trim()),
  );
  if (fresh.length === 0) {
    io.stdout.write(`${file} already names every resource of the platform.\n`);
    return [];
  }
  io.stdout.write(`${counted(fresh.length, 'resource')} of the platform missing in ${file}.\n`);
  const accounts = await openAccounts(config, dialogue);
  return mapCalendars(fresh, {
    ...{ accounts, all, taken: written.calendars },
    dialogue: { ...dialogue, given },
  });
}

/** Tabs for contacts and appointments, as far as the YAML has none. */
async function newTabs(
  { file, config }: { readonly file: string; readonly config: Config },
  dialogue: Dialogue,
): Promise<WishedSheet | undefined> {
  const { asker } = dialogue;
  const tabs = tabsLeft(config);
  // Never create the spreadsheet of an earlier run again.
  const createSpreadsheet = dialogue.given.createSpreadsheet === true && tabs.length === TABS.length;
  const given = { ...dialogue.given, createSpreadsheet };
  const isWished = given.spreadsheet !== undefined || createSpreadsheet;
  if (tabs.length === 0 || !(isWished || asker !== undefined)) return undefined;
  const [{ name, google } = {}] = await openAccounts(config, dialogue);
  if (google === undefined || name !== undefined) return undefined;
  const fresh = newSpreadsheet(file, google);
  const chosen = await chooseSheet({ ...dialogue, given }, { google, fresh, ofSandbox: undefined, tabs });
  return chosen && { chosen, google, fresh };
}

function tabsLeft({ mirrors }: Config): readonly SetupTab[] {
  const there = new Set(mirrors.flatMap((mirror) => (mirror.kind === 'sheet' ? `${mirror.from}s` : [])));
  return TABS.filter(({ mirror }) => !there.has(mirror));
}

/** Without a public address the platform reports no changes. */
async function newAddress({ platform }: Config, { given, asker }: Dialogue): Promise<string | undefined> {
  if (platform.webhook.publicUrl !== undefined) return undefined;
  const answered = given.publicUrl ?? ((await asker?.ask(PUBLIC_ADDRESS)) || undefined);
  return withoutSlash(answered);
}

/**
 * Drops answers that the YAML already contains: people run the same command again after it has stopped. Throws if the YAML has another
 * calendar for a resource.
 */
function withoutWritten(
  given: GivenAnswers,
  { resources, written }: { readonly resources: readonly Named[]; readonly written: WrittenMap },
): GivenAnswers {
  const left = Object.entries(given.calendars ?? {}).filter(([key, text]) => {
    const asked = key.trim();
    const meant = resources.filter(({ id, name }) => id === asked || name.trim() === asked);
    const names = [asked, ...meant.flatMap(({ id, name }) => [id, name.trim()])];
    const there = new Set(names.flatMap((name) => [...(written.resources.get(name) ?? [])]));
    if (there.size === 0) return true;
    const calendar = text.slice(text.indexOf(':') + 1).trim();
    if (there.has(calendar.toLowerCase())) return false;
    throw calendarWritten(asked, [...there].join(' and '));
  });
  return { ...given, calendars: Object.fromEntries(left) };
}

/** Flags that contradict the YAML, in which nothing is changed. */
function otherThan(config: Config, given: GivenAnswers): readonly string[] {
  const { platform, google, mirrors } = config;
  const isFull = tabsLeft(config).length === 0;
  const sheets = mirrors.flatMap((mirror) => (mirror.kind === 'sheet' ? mirror.spreadsheetId : []));
  const moves = mirrors.some(
    (mirror) => mirror.kind === 'calendar' && mirror.staffEdits.moved === 'reschedule',
  );
  const isOther: Readonly<Record<string, boolean>> = {
    '--platform-url': differs(given.platformUrl, platform.baseUrl),
    '--credentials': differs(given.credentials, google.credentials),
    '--public-url':
      platform.webhook.publicUrl !== undefined && differs(given.publicUrl, platform.webhook.publicUrl),
    '--spreadsheet':
      given.spreadsheet !== undefined && isFull && !sheets.includes(idOfSpreadsheet(given.spreadsheet)),
    '--staff-moves': given.staffMoves === true && !moves && mirrors.some(({ kind }) => kind === 'calendar'),
  };
  return Object.keys(isOther).filter((flag) => isOther[flag]);
}

function differs(given: string | undefined, written: string | undefined): boolean {
  return given !== undefined && withoutSlash(given) !== written;
}

/** Opens the accounts of the YAML. It uses no consents: for such an account it proposes the person's own calendar. */
async function openAccounts(config: Config, dialogue: Dialogue): Promise<readonly InitAccount[]> {
  const { given, parts } = dialogue;
  const { calendarRootUrl, credentials = '', actAs, accounts = {} } = config.google;
  const [added] = Object.keys(given.accounts ?? {}).filter((name) => !Object.hasOwn(accounts, name));
  if (added !== undefined) throw accountNotInYaml(added);
  const isReal = calendarRootUrl.startsWith('https://www.googleapis.com');
  const url = isReal ? undefined : calendarRootUrl.replace(/\/$/, '');
  const open = async (key: { credentials: string; actAs?: string | undefined }) =>
    patient(await parts.wiring.openGoogle({ ...key, url }), dialogue);
  const opened: InitAccount[] = [];
  const { usesDefaultAccount } = await import('../mapping/accounts.ts');
  const { KIND_NAMES } = await import('../mapping/calendar-kinds.ts');
  const logins = KIND_NAMES.flatMap((kind) =>
    Object.entries(config[kind].accounts).map(([name, account]) => ({ kind, name, account })),
  );
  if (usesDefaultAccount(config) || Object.keys(accounts).length + logins.length === 0)
    opened.push({ google: await open({ credentials, actAs }), ...(actAs && { address: actAs }) });
  for (const [name, { consent, actAs: user, credentials: file = '' }] of Object.entries(accounts)) {
    if (consent !== undefined) opened.push({ name, address: consent });
    else
      opened.push({
        ...{ name, google: await open({ credentials: file, actAs: user }) },
        ...(user !== undefined && { address: user }),
      });
  }
  opened.push(...(await Promise.all(logins.map((login) => openOfKind(login, dialogue)))));
  return opened;
}

/** A sandbox that starts at the same time publishes its ports a moment later, so each try reads them again. */
async function askPlatform(dialogue: Dialogue) {
  const { parts } = dialogue;
  let sandbox = (await wantsSandbox(dialogue)) ? await sandboxOf(parts) : undefined;
  const given =
    sandbox === undefined ? await answer(dialogue, 'platformUrl', "Address of the platform's API:") : '';
  const apiKey = await askPlatformKey(dialogue, sandbox?.key);
  const read = async () => {
    if (sandbox !== undefined) sandbox = await sandboxOf(parts);
    const baseUrl = sandbox?.platformUrl ?? given;
    const directory = await parts.wiring.readDirectory({ baseUrl, apiKey });
    return { baseUrl, apiKey, directory, sandbox };
  };
  const who = sandbox === undefined ? `the platform at ${given}` : 'the sandbox';
  try {
    return await readPatiently(read, waitingFor(who, dialogue));
  } catch (error) {
    if (sandbox === undefined || !(error instanceof RetryableError)) throw error;
    throw noSandbox(sandbox.platformUrl, error);
  }
}

/** Repeats reads; a request that creates something is sent once. */
function patient(google: InitGoogle, dialogue: Dialogue): InitGoogle {
  const waiting = waitingFor('Google', dialogue);
  return {
    ...google,
    calendars: () => readPatiently(() => google.calendars(), waiting),
    tabs: (spreadsheetId) => readPatiently(() => google.tabs(spreadsheetId), waiting),
  };
}

/** The addresses that the sandbox of this folder has published, otherwise the usual ones. `PORT` is where the worker will listen. */
async function sandboxOf({ io, wiring }: InitParts): Promise<typeof SANDBOX> {
  const port = io.env['PORT'] ?? '';
  const own = port === '' ? {} : { publicUrl: `http://127.0.0.1:${port}` };
  return { ...SANDBOX, ...(await wiring.sandbox()), ...own };
}

async function wantsSandbox({ given, asker }: Dialogue): Promise<boolean> {
  if (given.sandbox === true) return true;
  if (given.sandbox === false || given.platformUrl !== undefined || asker === undefined) return false;
  const hasAccount = await asker.confirm('Do you have an account on the platform?', 'yes');
  if (hasAccount) return false;
  if (await asker.confirm('Set up for the sandbox (`slotbridge sandbox` runs in another terminal)?', 'yes'))
    return true;
  throw declined();
}

async function askPlatformKey(
  { given, asker, parts }: Dialogue,
  ofSandbox: string | undefined,
): Promise<string> {
  if (given.keyFile !== undefined) return readAnswerFile(given.keyFile).trim();
  const set = parts.io.env[KEY_VARIABLE] ?? '';
  const known = set === '' ? ofSandbox : set;
  if (known !== undefined) return known;
  const typed = await asker?.askSecret("The platform's API key (not shown, and not written anywhere):");
  if (typed !== undefined && typed !== '') return typed;
  throw new UsageError('answer-missing', "the platform's API key is missing", {
    advice: `Set ${KEY_VARIABLE}, or give --key-file.`,
  });
}

function tellDirectory(io: Console, { resources, branches, services }: Directory): void {
  const projects = new Set([...branches.values(), ...resources.values()].map(({ projectId }) => projectId));
  const counts = [
    counted(projects.size, 'project'),
    counted(branches.size, 'branch', 'branches'),
    counted(resources.size, 'resource'),
    counted(services.size, 'service'),
  ];
  io.stdout.write(`The key sees ${counts.join(', ')}.\n`);
  if (resources.size === 0)
    io.stdout.write(
      'Calendars need resources. Add staff or rooms on the platform, then run this command again.\n',
    );
}

/** The platform records events only for endpoints: without one the feed stays empty too. */
const PUBLIC_ADDRESS =
  'Public address of this worker, https (Enter: none yet; the platform reports no changes until it has an endpoint):';

/** Checks the result with the commands that a person would run next. */
async function finish(
  file: string,
  { env, parts }: { readonly env: Console['env']; readonly parts: InitParts },
): Promise<void> {
  const { io, wiring } = parts;
  const config = await readConfig(file, { env, checks: parts.checks });
  const on = ['--config', file];
  let isWell = true;
  const run = async (...args: readonly string[]) => {
    io.stdout.write(`\n$ slotbridge ${[...args, ...on].join(' ')}\n`);
    isWell = (await wiring.run([...args, ...on], env)) === 0 && isWell;
  };
  if (config.platform.webhook.publicUrl !== undefined && config.platform.webhook.secretFile !== undefined)
    await run('webhook', 'register');
  await run('check', '--live');
  if (isWell) await run('plan');
  if (!isWell) parts.onBroken();
  const isKeySet = (io.env[KEY_VARIABLE] ?? '') !== '' || !readText(file).includes(`\${${KEY_VARIABLE}}`);
  const set = isKeySet ? '' : `set ${KEY_VARIABLE} to the platform's key, then `;
  const next = isWell
    ? `slotbridge start ${on.join(' ')}`
    : 'fix the problems above, then run this command again';
  io.stdout.write(`\nNext: ${set}${next}\n`);
}

/**
 * Writes all of the text or nothing. It replaces neither a file that appeared meanwhile nor changes that people made meanwhile. A file that
 * it replaces keeps its owner, and a link to it stays a link. It keeps its mode too, unless it is private: only its owner may use it then.
 */
function writeWhole(
  file: string,
  text: string,
  { before, isPrivate }: { readonly before?: string; readonly isPrivate: boolean },
): void {
  const place = before === undefined ? file : realpathSync(file);
  const fresh = `${place}.new`;
  mkdirSync(dirname(place), { recursive: true });
  // A killed run may have left this file, and it may be a hard link to the YAML: remove it before writing.
  rmSync(fresh, { force: true });
  writeFileSync(fresh, text, { flag: 'wx', mode: before === undefined && !isPrivate ? 0o666 : 0o600 });
  try {
    if (before === undefined) linkSync(fresh, place);
    else if (readFileSync(place, 'utf8') === before) {
      becomeLike(fresh, place, isPrivate ? 0o700 : 0o777);
      renameSync(fresh, place);
    } else throw changedMeanwhile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw changedMeanwhile(file);
    throw error;
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** `bits`: which of the file's mode stay. */
function becomeLike(fresh: string, file: string, bits: number): void {
  const { mode, uid, gid } = statSync(file);
  // Only root may give a file away. Without that the worker's user could no longer read it.
  const own = statSync(fresh);
  if (process.getuid?.() === 0 && (own.uid !== uid || own.gid !== gid)) chownSync(fresh, uid, gid);
  chmodSync(fresh, mode & bits);
}

async function givenBy(options: InitOptions): Promise<GivenAnswers> {
  const { readAnswers } = await import('../mapping/setup/write-yaml.ts');
  const fromFile = options.answers === undefined ? {} : readAnswers(readAnswerFile(options.answers));
  const { CALENDAR_KINDS, eachKind } = await import('../mapping/calendar-kinds.ts');
  const { config: _, answers: __, yes: ___, calendar, account, ...others } = options;
  const ofKinds: { readonly [name: string]: unknown } = eachKind((kind) => options[kind]);
  const flags = Object.fromEntries(Object.entries(others).filter(([name]) => !(name in ofKinds)));
  const set = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  const calendars = Object.fromEntries(
    calendar.map((text) => readPair(text, 'calendar', 'Anna Petrova=anna@clinic.example')),
  );
  const accounts = Object.fromEntries(
    account.map((text) => readPair(text, 'account', 'branch=./secrets/branch.json')),
  );
  const logins = eachKind((kind) => {
    const example = `office=${CALENDAR_KINDS[kind].setup.example}`;
    return Object.fromEntries(options[kind].map((text) => readPair(text, kind, example)));
  });
  return {
    ...{ ...fromFile, ...set },
    ...eachKind((kind) => ({ ...fromFile[kind], ...logins[kind] })),
    calendars: { ...fromFile.calendars, ...calendars },
    accounts: { ...fromFile.accounts, ...accounts },
  };
}

function readPair(text: string, flag: string, example: string): readonly [string, string] {
  const at = text.lastIndexOf('=');
  const [name, value] = [text.slice(0, Math.max(0, at)).trim(), text.slice(at + 1).trim()];
  if (name !== '' && value !== '') return [name, value];
  throw new UsageError('answer-missing', `"${text}" is not a pair for --${flag}`, {
    advice: `Write --${flag} "${example}".`,
  });
}

async function answer(
  { given, asker }: Dialogue,
  name: 'platformUrl' | 'credentials',
  question: string,
): Promise<string> {
  const known = given[name] ?? (await asker?.ask(question)) ?? '';
  if (known !== '') return known;
  const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UsageError('answer-missing', `${flag} is missing`, { advice: `Give ${flag}, or --sandbox.` });
}

function readAnswerFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new UsageError('answer-missing', `${path} cannot be read (${reason})`, {
      advice: 'Give a file that this user can read.',
      cause,
    });
  }
}

function calendarWritten(resource: string, calendars: string): TerminalError {
  return new UsageError('calendar-named', `the YAML already has ${calendars} for ${resource}`, {
    advice: 'Nothing was written. Omit --calendar for this resource, or change the YAML manually.',
  });
}

function accountNotInYaml(name: string): TerminalError {
  return new UsageError('account-unknown', `the YAML has no account ${name}`, {
    advice: 'Nothing was written. Add it manually below google.accounts, with a calendar that uses it.',
  });
}

function nothingToMirror(): TerminalError {
  return new UsageError('nothing-chosen', 'no calendar and no spreadsheet was chosen', {
    advice: 'Nothing was written. Give --calendar or --spreadsheet, or answer one of these questions.',
  });
}

function declined(): TerminalError {
  return new TerminalError('interrupted', 'nothing was written', { advice: 'Run the command again.' });
}

function noSandbox(url: string, cause: Error): TerminalError {
  return new TerminalError('sandbox-not-running', `no sandbox responds at ${url}`, {
    advice:
      'Nothing was written. Run `slotbridge sandbox` in another terminal, in the same folder, and leave it running.',
    cause,
  });
}

function stoppedAfter(file: string): TerminalError {
  const { code } = interrupted();
  return new TerminalError(
    code,
    `${file} is written, but the webhook is not registered and nothing was checked`,
    {
      advice: 'Run the command again: it continues from there.',
    },
  );
}

function changedMeanwhile(file: string): TerminalError {
  return new TerminalError('changed-meanwhile', `${file} was changed meanwhile and was not overwritten`, {
    advice: 'Run the command again.',
  });
}

function indented(text: string): string {
  return text.trimEnd().replace(/^/gm, '    ');
}

function collect(value: string, values: readonly string[]): readonly string[] {
  return [...values, value];
}

/** A copied address ends in one slash at most. */
function withoutSlash<Text extends string | undefined>(address: Text): Text | string {
  return address?.endsWith('/') === true ? address.slice(0, -1) : address;
}
