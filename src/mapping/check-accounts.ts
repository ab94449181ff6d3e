import { resolve } from 'node:path';
import { CALENDAR_KINDS, calendarKindOf, KIND_NAMES } from './calendar-kinds.ts';
import type { ConfigDocument } from './document.ts';
import { ENTRY_NAME } from './kinds/section.ts';
import { rulePath } from './mirror-sketch.ts';
import { type Advice, didYouMean, formatPath, type Path, type ProblemList } from './problem.ts';
import type { WrittenConfig } from './schema/root.ts';

/** An entry of the file that uses a calendar or spreadsheet, and the account that it names. */
interface Use {
  /** The path of the setting `account`, even where the file does not contain it. */
  readonly path: Path;
  readonly account: string | undefined;
  /** The calendars or spreadsheets of the entry. Several entries may name the same one. */
  readonly targets: readonly string[];
}

/** Checks accounts across settings: which exist, which are used, and which are the same account twice. */
export function checkAccounts(written: WrittenConfig, document: ConfigDocument, problems: ProblemList): void {
  const say = (path: Path, advice: Advice) => problems.add(path, document.placeOf(path), advice);
  const sayAtKey = (path: Path, advice: Advice) => problems.add(path, document.placeOfKey(path), advice);
  const accounts = written.google.accounts ?? {};
  const uses = usesOf(written, document);
  for (const { path, account, targets } of uses) {
    const [name] = targets.flatMap((target) => calendarKindOf(target.slice(target.indexOf(':') + 1)) ?? []);
    const there = name === undefined ? accounts : (written[name].accounts ?? {});
    if (account === undefined ? name === undefined : Object.hasOwn(there, account)) continue;
    // Never show a value that came from a variable.
    const near =
      document.isFilled(path) || account === undefined ? '' : didYouMean(account, Object.keys(there));
    say(path, {
      what:
        account === undefined && name !== undefined
          ? `is missing: a ${CALENDAR_KINDS[name].called} calendar is reached by an account`
          : `is not an account of ${name ?? 'google'}.accounts`,
      fix:
        name === undefined
          ? `${near}add it there, or remove the line to use the default account`
          : `${near}add a login to ${name}.accounts, and write { id: ${CALENDAR_KINDS[name].id.shown}, account: its name }`,
    });
  }
  // An account that nothing uses reaches the calendars that an earlier YAML named: what is in them has to move.
  checkAccountsOfKinds(written, sayAtKey);
  for (const name of Object.keys(accounts)) {
    const path = ['google', 'accounts', name];
    if (!ENTRY_NAME.test(name)) {
      sayAtKey(path, {
        what: 'is a name with other characters than letters, digits, - and _, or longer than 64',
        fix: 'rename the account, for example branch-two',
      });
    }
    checkConsent(name, written, say);
  }
  checkSealingKeys(written, say);
  checkKeys(written, sayAtKey);
  checkSharedTargets(uses, { say, lineOf: (path) => document.placeOf(path).line });
}

function checkAccountsOfKinds(written: WrittenConfig, sayAtKey: (path: Path, advice: Advice) => void): void {
  const sections = ['google', ...KIND_NAMES] as const;
  const all = sections.flatMap((section) =>
    Object.keys(written[section].accounts ?? {}).map((name) => ({ section, name })),
  );
  for (const { section, name } of all) {
    if (section === 'google') continue;
    const path = [section, 'accounts', name];
    const twin = all.find((each) => each.name === name);
    if (!ENTRY_NAME.test(name))
      sayAtKey(path, {
        what: 'is a name with other characters than letters, digits, - and _, or longer than 64',
        fix: 'rename the account, for example office',
      });
    else if (twin !== undefined && twin.section !== section)
      sayAtKey(path, {
        what: `is also the name of an account in ${twin.section}.accounts`,
        fix: 'give it another name',
      });
  }
}

const SEALING_KEY_BYTES = 32;

/** A person's account has no key file. It needs a page of its own, to which the browser returns. */
function checkConsent(
  name: string,
  { google, platform }: WrittenConfig,
  say: (path: Path, advice: Advice) => void,
): void {
  const account = google.accounts?.[name];
  if (account?.consent === undefined) return;
  const path = ['google', 'accounts', name, 'consent'];
  const { public_url: url } = platform.webhook;
  if (account.credentials !== undefined || account.act_as !== undefined) {
    say(path, {
      what: "an account has either a key or a person's consent",
      fix: 'remove credentials and act_as, or consent',
    });
  } else if (google.consent === undefined) {
    say(path, {
      what: 'needs the section google.consent',
      fix: 'add consent: with client: and keys: below google:',
    });
  } else if (url === undefined) {
    say(path, {
      what: "needs an address at which that person's browser reaches the worker",
      fix: 'set platform.webhook.public_url',
    });
  }
}

/** AES-256 needs keys of 32 bytes. Node's decoder skips invalid characters, so a key must also encode back to the same text. */
function checkSealingKeys({ google }: WrittenConfig, say: (path: Path, advice: Advice) => void): void {
  if (google.consent === undefined) return;
  const { keys } = google.consent;
  const wrong = keys.findIndex((key) => {
    const bytes = Buffer.from(key, 'base64');
    return bytes.length !== SEALING_KEY_BYTES || bytes.toString('base64') !== key;
  });
  if (keys.length > 0 && wrong < 0) return;
  say(['google', 'consent', 'keys'], {
    what: keys.length === 0 ? 'has no key' : `no. ${wrong + 1} of the keys is not 32 bytes in base64`,
    fix: `make one with openssl rand -base64 32, and name its variable: keys: ["\${GOOGLE_CONSENT_KEY}"]`,
  });
}

/** One key under two names would spend its quota twice. */
function checkKeys({ google }: WrittenConfig, say: (path: Path, advice: Advice) => void): void {
  const seen = new Map<string, string>();
  const identity = (key: {
    credentials?: string | undefined;
    act_as?: string | undefined;
    consent?: string | undefined;
  }) =>
    JSON.stringify([
      key.consent?.toLowerCase() ?? '',
      key.credentials === undefined ? '' : resolve(key.credentials),
      key.act_as ?? '',
    ]);
  const { credentials, act_as } = google;
  seen.set(identity({ credentials, act_as }), 'google.credentials');
  for (const [name, account] of Object.entries(google.accounts ?? {})) {
    const path = ['google', 'accounts', name];
    const own = identity({ ...account, credentials: account.credentials ?? google.credentials });
    const twin = seen.get(own);
    if (twin === undefined) seen.set(own, formatPath(path));
    else
      say(path, {
        what: `is the same key and the same user as ${twin}`,
        fix: 'let its calendars use that one, or give it other credentials or another act_as',
      });
  }
}

/**
 * One request writes all rows of a spreadsheet, and a request has one sender. A calendar has one reader. So all entries must agree; naming
 * the account once is enough.
 */
function checkSharedTargets(
  uses: readonly Use[],
  { say, lineOf }: { say: (path: Path, advice: Advice) => void; lineOf: (path: Path) => number },
): void {
  const first = new Map<string, Use>();
  for (const use of uses.filter(({ account }) => account !== undefined)) {
    for (const target of use.targets) {
      const other = first.get(target);
      if (other === undefined) first.set(target, use);
      else if (other.account !== use.account) {
        const where = formatPath(other.path.slice(0, -1));
        const [what = ''] = target.split(':', 1);
        say(use.path, {
          what: `the same ${what} has a different account in ${where}, line ${lineOf(other.path)}`,
          fix: `name one account: all entries for a ${what} share it`,
        });
      }
    }
  }
}

function usesOf(written: WrittenConfig, document: ConfigDocument): readonly Use[] {
  const ofMirrors = document.keysAt(['mirrors']).flatMap((name): Use[] => {
    const mirror = written.mirrors[name];
    if (mirror === undefined) return [];
    const path = ['mirrors', name];
    const { sheet } = mirror;
    const calendars = mirror.from === 'appointments' ? mirror.calendars : undefined;
    const ofCalendars = (calendars ?? []).flatMap(({ map = {}, calendar }, at) => {
      const rule = rulePath(name, at, document);
      const lines = Object.entries(map).map(([subject, entry]) => ({ at: ['map', subject], entry }));
      const all = calendar === undefined ? lines : [...lines, { at: ['calendar'], entry: calendar }];
      return all.map(({ at: line, entry }) => ({
        path: [...rule, ...line, 'account'],
        account: typeof entry === 'string' ? undefined : entry.account,
        targets: [calendarTarget(typeof entry === 'string' ? entry : entry.id)],
      }));
    });
    if (sheet === undefined) return ofCalendars;
    const { spreadsheet, archive, account } = sheet;
    const targets = [...new Set([spreadsheet, archive?.spreadsheet ?? spreadsheet])].map(spreadsheetTarget);
    return [...ofCalendars, { path: [...path, 'sheet', 'account'], account, targets }];
  });
  const ofBookings = document.keysAt(['bookings']).flatMap((name): Use[] => {
    const from = written.bookings?.[name]?.from;
    if (from?.spreadsheet === undefined) return [];
    const path = ['bookings', name, 'from', 'account'];
    return [{ path, account: from.account, targets: [spreadsheetTarget(from.spreadsheet)] }];
  });
  const ofBlocks = document.keysAt(['blocks']).flatMap((name) =>
    Object.entries(written.blocks?.[name]?.people ?? {}).flatMap(([resource, calendars]) =>
      calendars.map((entry, index): Use => {
        const person = ['blocks', name, 'people', resource];
        const isList = calendars.length > 1 || !document.keysAt(person).includes('id');
        const path = [...person, ...(isList ? [index] : []), 'account'];
        const { id, account } = typeof entry === 'string' ? { id: entry } : entry;
        return { path, account, targets: [calendarTarget(id)] };
      }),
    ),
  );
  return [...ofMirrors, ...ofBookings, ...ofBlocks];
}

function spreadsheetTarget(id: string): string {
  return `spreadsheet:${id}`;
}

/** Google ignores case in the ids of calendars. */
function calendarTarget(id: string): string {
  return `calendar:${id.toLowerCase()}`;
}
