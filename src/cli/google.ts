import type { Command } from 'commander';
import { TerminalError } from '../engine/errors.ts';
import type { LiveFinding } from '../engine/finding.ts';
import { ofKind } from '../engine/mirror.ts';
import type { ActLog } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { didYouMean } from '../mapping/problem.ts';
import type { ForgottenConsents } from '../operate/consents.ts';
import { type LoadChecks, readConfig } from './config-file.ts';
import type { Console } from './console.ts';
import { noteCommand, type OperatorOptions, operatorCommand, say } from './operator-command.ts';
import { UsageError } from './usage-error.ts';

export interface GoogleWiring {
  /** Reads the client file and waits on loopback for the browser. Stores nothing yet. */
  readonly beginLogin: (clientFile: string) => Promise<StartedLogin>;
  /** Throws when the file cannot store a sign-in, or contains something else. */
  readonly assertCredentialFileIsFree: (file: string) => Promise<void>;
}

export interface StartedLogin {
  readonly address: string;
  readonly port: number;
  /** Writes the sign-in into the file, readable by its owner only, once the person has agreed. */
  keepIn(file: string): Promise<void>;
}

/** `slotbridge google login`, `slotbridge google invite` and `slotbridge google forget`. */
export function addGoogle(
  program: Command,
  parts: {
    readonly io: Console;
    readonly wiring: GoogleWiring;
    readonly invite: Omit<InviteParts & ForgetConsentParts, 'io'>;
  },
): void {
  const { io, wiring, invite } = parts;
  const google = program.command('google').description("set up the worker's access to Google");
  google
    .command('login')
    .description('sign a person in to Google, and save the sign-in for the worker')
    .requiredOption('--client <file>', 'JSON file of an OAuth client of type "Desktop app"')
    .option('--out <file>', 'file for the sign-in', './data/google-user.json')
    .action((options: { client: string; out: string }) => login(options, { io, wiring }));
  inviteCommand(google, { io, ...invite });
  forgetConsentCommand(google, { io, ...invite });
}

async function login(
  { client, out }: { readonly client: string; readonly out: string },
  { io, wiring }: { readonly io: Console; readonly wiring: GoogleWiring },
): Promise<void> {
  // Check this first, so that nobody goes through the consent page in vain.
  await wiring.assertCredentialFileIsFree(out);
  const { address, port, keepIn } = await wiring.beginLogin(client);
  io.stdout.write(`Open this address in a browser, sign in and consent:\n\n  ${address}\n\n`);
  io.stdout.write(
    `The browser must reach this machine. If it runs on another machine, first run: ssh -L ${port}:127.0.0.1:${port} <this machine>\n`,
  );
  await keepIn(out);
  io.stdout.write(`\nThe sign-in is saved in ${out}. Set google.credentials in the YAML to this path.\n`);
  io.stdout.write('A running worker that uses this file picks it up automatically.\n');
  io.stdout.write(
    'Note: while the consent screen is in "Testing", Google ends every sign-in after seven days. Publish it ("In production"), or make it "Internal".\n',
  );
}

interface ForgetConsentParts {
  readonly io: Console;
  readonly clock: Clock;
  readonly checks: LoadChecks;
  readonly openRemoval: (config: Config) => Promise<ConsentRemoval>;
}

interface ConsentRemoval {
  readonly acts: ActLog;
  forget(address: string): Promise<ForgottenConsents>;
  close(): Promise<void>;
}

/** `slotbridge google forget`. */
function forgetConsentCommand(google: Command, parts: ForgetConsentParts): void {
  const { io, checks, openRemoval } = parts;
  operatorCommand(google.command('forget'))
    .description("revoke a person's consent at Google, and remove it")
    .argument('<address>', 'e-mail address of the person')
    .action(async (address: string, options: OperatorOptions) => {
      const person = readAddress(address);
      const config = await readConfig(options.config, { env: io.env, checks });
      const session = await openRemoval(config);
      try {
        // Names only accounts: the entry would keep the address that the worker no longer has.
        const act = await noteCommand(parts, session.acts, { what: 'consent-revoked', chosen: 1 });
        const forgotten = await session.forget(person);
        const accounts = forgotten.removed.map(({ account }) => account).join(', ');
        const about = accounts === '' ? {} : { accounts };
        await session.acts.note({ ...act, about, done: accounts === '' ? 0 : 1 });
        say(io, options, { text: textOf(forgotten), json: forgotten });
      } finally {
        await session.close();
      }
    });
}

function textOf({ address, removed, links, unreadable, named }: ForgottenConsents): string {
  const lines = removed.map(({ account, revoked }) =>
    revoked
      ? `The consent for ${account} is revoked at Google and removed.`
      : `The consent for ${account} is removed. Google no longer knew it, or it could not be read: ${address} can check at https://myaccount.google.com/connections`,
  );
  if (removed.length === 0) lines.push(`No consent of ${address} is stored.`);
  if (links > 0) lines.push(`Links that were sent and no longer work: ${links}.`);
  if (unreadable.length > 0)
    lines.push(
      `Nobody knows whose consent is stored for ${unreadable.join(', ')}: no key in google.consent.keys opens it, or an earlier version stored it.`,
    );
  if (named.length > 0)
    lines.push(
      `The YAML still names ${address} at ${named.join(', ')}. Its calendars wait for a new consent.`,
    );
  return lines.join('\n');
}

interface InviteParts {
  readonly io: Console;
  readonly clock: Clock;
  readonly checks: LoadChecks;
  /** Does not call Google yet. Throws `TerminalError` for a key that cannot work. */
  readonly openAccess: (
    config: Config,
    about: { readonly calendarId: string; readonly account: string | undefined },
  ) => Promise<OpenedAccess>;
  readonly openConsents: (config: Config) => Promise<ConsentSession>;
  /** Default: every five seconds for half an hour. */
  readonly patience?: { readonly everyMs: number; readonly forMs: number };
}

interface OpenedAccess {
  readonly account: string | undefined;
  readonly shareWith: string;
  look(): Promise<LiveFinding>;
}

interface ConsentSession {
  readonly acts: ActLog;
  /** Throws `TerminalError` `consent-unknown`. */
  invite(address: string): Promise<{
    readonly account: string;
    readonly address: string;
    readonly link: string;
    readonly expiresAtMs: number;
  }>;
  agreedAtMs(account: string): Promise<number | undefined>;
  close(): Promise<void>;
}

interface InviteOptions extends OperatorOptions {
  readonly consent?: boolean;
  readonly account?: string;
  readonly wait?: boolean;
}

const PATIENCE = { everyMs: 5_000, forMs: 30 * 60_000 };
const ADDRESS_CHARS_MAX = 320;

/** `slotbridge google invite`. */
function inviteCommand(google: Command, parts: InviteParts): void {
  operatorCommand(google.command('invite'))
    .description('print how a colleague shares a calendar with the worker, and check whether it works')
    .argument('<address>', 'id of the calendar; for a person usually the e-mail address')
    .option('--account <name>', 'account in google.accounts, for a calendar that the YAML does not name yet')
    .option('--consent', 'print a link with which the colleague consents in a browser, instead of the steps')
    .option('--wait', 'check every five seconds until it works, for half an hour at most')
    .action((address: string, options: InviteOptions) =>
      options.consent === true ? inviteToAgree(address, options, parts) : invite(address, options, parts),
    );
}

async function invite(address: string, options: InviteOptions, parts: InviteParts): Promise<void> {
  const { io, checks } = parts;
  const config = await readConfig(options.config, { env: io.env, checks });
  const { calendarId, isNamed } = findCalendar(address, config);
  assertAccount(options.account, { config, isNamed });
  await assertShared(calendarId, { config, account: options.account });
  const access = await parts.openAccess(config, { calendarId, account: options.account });
  const steps = stepsFor(calendarId, access.shareWith);
  if (options.json !== true) {
    io.stdout.write(`${letter(calendarId, { ...access, steps, isNamed })}\n`);
  }
  const found = options.wait === true ? await untilOpen(access, { options, parts }) : await access.look();
  const { verdict, detail, advice } = found;
  const json = {
    calendar: calendarId,
    account: access.account ?? null,
    in_yaml: isNamed,
    share_with: access.shareWith,
    steps,
    works: verdict === 'ok',
    detail,
  };
  const end = verdict === 'ok' ? `It works: ${detail}.` : `Not yet: ${detail}.`;
  const why = verdict === 'ok' || isAboutSharing(detail) || advice === undefined ? '' : `\n  ${advice}`;
  say(io, options, { text: `${end}${why}`, json });
}

/** Throws for what cannot be an address. */
function readAddress(typed: string, what = 'an e-mail address', or = ''): string {
  const written = typed.trim();
  if (/^[^\s@]+@[^\s@]+$/.test(written) && written.length <= ADDRESS_CHARS_MAX) return written;
  throw new UsageError('address-unusable', `this is not ${what}`, {
    advice: `Give the colleague's e-mail address${or}.`,
  });
}

/** The calendar as the YAML spells it, if the YAML names it. */
function findCalendar(address: string, { mirrors }: Config): { calendarId: string; isNamed: boolean } {
  const written = readAddress(
    address,
    'the id of a calendar',
    ", or the Calendar ID from the calendar's settings",
  );
  const mapped = ofKind(mirrors, 'calendar').flatMap((mirror) => mirror.calendars);
  const found = mapped.find(({ calendarId }) => calendarId.toLowerCase() === written.toLowerCase());
  return { calendarId: found?.calendarId ?? written, isNamed: found !== undefined };
}

function assertAccount(
  account: string | undefined,
  { config, isNamed }: { readonly config: Config; readonly isNamed: boolean },
): void {
  if (account === undefined) return;
  if (isNamed) {
    throw new UsageError('account-named', 'the YAML already sets the account of this calendar', {
      advice: 'Omit --account, or change account: at the calendar in the YAML.',
    });
  }
  const known = Object.keys(config.google.accounts ?? {});
  if (known.includes(account)) return;
  throw new UsageError('account-unknown', `google.accounts has no account ${account}`, {
    advice: `${didYouMean(account, known)}It has: ${known.length === 0 ? 'none' : known.join(', ')}.`,
  });
}

/** Throws for a calendar whose account works by a person's consent: it needs no sharing. */
async function assertShared(
  calendarId: string,
  { config, account: chosen }: { readonly config: Config; readonly account: string | undefined },
): Promise<void> {
  const { accountsOf } = await import('../mapping/accounts.ts');
  const account = chosen ?? accountsOf(config)(`calendar:${calendarId}`);
  if (account === undefined || config.google.accounts?.[account]?.consent === undefined) return;
  throw new UsageError('consent-needed', `the account ${account} uses a person's consent`, {
    advice: 'Run the command with --consent: it prints a link for that person.',
  });
}

/** Steps for the colleague (Google Calendar Help, "Share your calendar with someone"). */
function stepsFor(calendarId: string, shareWith: string): readonly string[] {
  if (shareWith.toLowerCase() === calendarId.toLowerCase()) return [];
  return [
    'Open https://calendar.google.com in a browser on a computer. The phone app cannot share a calendar.',
    `On the left, point at the calendar ${calendarId}, open its three-dot menu, then "Settings and sharing".`,
    'Under "Shared with", choose "Add people and groups".',
    `Enter ${shareWith}`,
    'Choose "Make changes to events", then "Send".',
  ];
}

function letter(
  calendarId: string,
  about: {
    readonly account: string | undefined;
    readonly shareWith: string;
    readonly steps: readonly string[];
    readonly isNamed: boolean;
  },
): string {
  const { account, shareWith, steps, isNamed } = about;
  const who = account === undefined ? 'the default account' : `the account ${account}`;
  const lines = [`${calendarId} is reached by ${who}: ${shareWith}`, ''];
  if (steps.length === 0) lines.push('The worker acts as this user, so nothing has to be shared.');
  else {
    lines.push('Send this to the owner of the calendar:', '');
    lines.push(...steps.map((step, at) => `  ${at + 1}. ${step}`));
    lines.push('');
    lines.push('If "Make changes to events" cannot be chosen, the domain administrator must allow');
    lines.push('sharing with that right outside the organization.');
  }
  if (!isNamed) {
    lines.push('', 'The YAML does not name this calendar yet. Add it under calendars: map: of a mirror.');
  }
  return [...lines, ''].join('\n');
}

function isAboutSharing(detail: string): boolean {
  return /calendar-not-shared|calendar-read-only|calendar-forbidden/.test(detail);
}

/** Looks until the calendar is writable. A finding that stays the same is printed once. */
async function untilOpen(
  access: OpenedAccess,
  { options, parts }: { readonly options: InviteOptions; readonly parts: InviteParts },
): Promise<LiveFinding> {
  const { everyMs, forMs } = parts.patience ?? PATIENCE;
  const endMs = performance.now() + forMs;
  let told: string | undefined;
  for (;;) {
    const found = await access.look();
    if (found.verdict === 'ok') return found;
    if (found.detail !== told && options.json !== true)
      parts.io.stdout.write(`Not yet: ${found.detail}. Checking again every ${everyMs / 1000} s.\n`);
    told = found.detail;
    if (performance.now() + everyMs > endMs) {
      throw new TerminalError('google-invite-late', `the calendar cannot be written yet: ${found.detail}`, {
        advice: 'Ask the owner to check all steps, then run the command again.',
      });
    }
    await new Promise((done) => setTimeout(done, everyMs));
  }
}

async function inviteToAgree(address: string, options: InviteOptions, parts: InviteParts): Promise<void> {
  const { io, checks } = parts;
  if (options.account !== undefined) {
    throw new UsageError('account-named', 'with --consent the address already selects the account', {
      advice: 'Omit --account.',
    });
  }
  const config = await readConfig(options.config, { env: io.env, checks });
  const session = await parts.openConsents(config);
  try {
    const made = await session.invite(address);
    // Names only the account: the person may never consent.
    await noteCommand(parts, session.acts, { what: 'consent-asked', about: { account: made.account } });
    const agreedAtMs = () => session.agreedAtMs(made.account);
    const before = await agreedAtMs();
    const until = new Date(made.expiresAtMs).toISOString();
    const { account, address: person, link } = made;
    const json = { account, person, link, expires_at: until };
    say(io, options, { text: consentLetter(made, until), json });
    if (options.wait !== true) return;
    await untilAgreed(async () => (await agreedAtMs()) !== before, parts);
    if (options.json !== true) io.stdout.write('It works: the person has consented.\n');
  } finally {
    await session.close();
  }
}

function consentLetter(
  { account, address, link }: { readonly account: string; readonly address: string; readonly link: string },
  until: string,
): string {
  return [
    `The account ${account} uses the consent of ${address}. Send this link only to that person:`,
    '',
    `  ${link}`,
    '',
    `It works once, until ${until}, in any browser, while the worker runs.`,
    'The person signs in to Google with the invited address, leaves every box ticked, and consents.',
    '',
  ].join('\n');
}

async function untilAgreed(hasAgreed: () => Promise<boolean>, parts: InviteParts): Promise<void> {
  const { everyMs, forMs } = parts.patience ?? PATIENCE;
  const endMs = performance.now() + forMs;
  while (!(await hasAgreed())) {
    if (performance.now() + everyMs > endMs) {
      throw new TerminalError('google-invite-late', 'the person has not consented yet', {
        advice: 'The link works until it expires. `slotbridge status` shows when the account works.',
      });
    }
    await new Promise((done) => setTimeout(done, everyMs));
  }
}
