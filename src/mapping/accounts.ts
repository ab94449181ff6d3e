import { DeferredError } from '../engine/errors.ts';
import { ofKind } from '../engine/mirror.ts';
// Decides which Google account calls the API for a calendar or spreadsheet. Pure.
import type { Config } from './config.ts';

type Named = Pick<Config, 'mirrors' | 'bookings' | 'blocks'> & {
  readonly google: Pick<Config['google'], 'accounts'>;
  readonly caldav: Pick<Config['caldav'], 'accounts'>;
};

/** True for the address of a CalDAV calendar; ids of Google have no `//`. */
export function isCaldav(calendarId: string): boolean {
  return /^https?:\/\//i.test(calendarId);
}

/**
 * Returns the name of the account for a target (`calendar:<id>`, `spreadsheet:<id>`); undefined means the default account. `remembered`
 * holds the accounts of calendars that an earlier YAML named: their events still exist. The YAML takes precedence.
 */
export function accountsOf(
  config: Named,
  remembered: ReadonlyMap<string, string> = new Map(),
): (target: string) => string | undefined {
  const known = new Set([
    ...Object.keys(config.google.accounts ?? {}),
    ...Object.keys(config.caldav.accounts),
  ]);
  const named = new Map([
    ...[...remembered].map(([calendarId, account]) => [targetOf('calendar', calendarId), account] as const),
    ...assignments(config),
  ]);
  return (target) => {
    const account = named.get(target.startsWith('calendar:') ? target.toLowerCase() : target);
    return account !== undefined && known.has(account) ? account : undefined;
  };
}

/** The login of a CalDAV calendar. Throws `DeferredError` if the YAML no longer has it. */
export function caldavAccountsOf(config: Named, remembered?: ReadonlyMap<string, string>) {
  const nameOf = accountsOf(config, remembered);
  return (target: string) => {
    const name = nameOf(target);
    const account = name === undefined ? undefined : config.caldav.accounts[name];
    if (name !== undefined && account !== undefined) return { name, ...account };
    throw new DeferredError('caldav-account-unknown', 'the YAML has no account for the calendar', {
      ...{ target, retryAfterMs: ACCOUNT_PAUSE_MS },
      advice:
        'Add the account to caldav.accounts again, or remove what the audit lists in the calendar by hand.',
    });
  };
}

const ACCOUNT_PAUSE_MS = 60_000;

/** Maps the id of every mapped calendar to the name of its account; undefined means the default account. */
export function calendarAccounts({
  mirrors,
}: Pick<Config, 'mirrors'>): ReadonlyMap<string, string | undefined> {
  const calendars = ofKind(mirrors, 'calendar').flatMap((mirror) => mirror.calendars);
  return new Map(calendars.map(({ calendarId, account }) => [calendarId, account]));
}

/** True when a calendar or spreadsheet of the YAML uses the default account. */
export function usesDefaultAccount(config: Named): boolean {
  return [...assignments(config).values()].includes(undefined);
}

/** What an account is used for: the worker asks a person for no other right. */
export function accountUse(config: Named, account: string): { calendars: boolean; spreadsheets: boolean } {
  const targets = [...assignments(config)].flatMap(([target, each]) => (each === account ? [target] : []));
  return {
    calendars: targets.some((target) => target.startsWith('calendar:')),
    spreadsheets: targets.some((target) => target.startsWith('spreadsheet:')),
  };
}

/** The account of every target. If several entries share a target, it is enough that one of them names the account. */
function assignments({ mirrors, bookings, blocks }: Pick<Config, 'mirrors' | 'bookings' | 'blocks'>) {
  const sheets = mirrors.flatMap((mirror) => {
    if (mirror.kind !== 'sheet') return [];
    const { spreadsheetId, archive, account } = mirror;
    const all = archive === undefined ? [spreadsheetId] : [spreadsheetId, archive.spreadsheetId];
    return all.map((id) => [targetOf('spreadsheet', id), account] as const);
  });
  const read = bookings.flatMap((entry) =>
    entry.kind === 'sheet' ? [[targetOf('spreadsheet', entry.spreadsheetId), entry.account] as const] : [],
  );
  const calendars = [...calendarAccounts({ mirrors })].map(
    ([calendarId, account]) => [targetOf('calendar', calendarId), account] as const,
  );
  const busy = blocks.flatMap(({ people }) =>
    people
      .flatMap((person) => person.calendars)
      .map(({ calendarId, account }) => [targetOf('calendar', calendarId), account] as const),
  );
  const found = new Map<string, string | undefined>();
  for (const [target, account] of [...calendars, ...sheets, ...read, ...busy])
    found.set(target, found.get(target) ?? account);
  return found;
}

/** Google ignores case in the ids of calendars, but not in those of spreadsheets. */
function targetOf(kind: 'calendar' | 'spreadsheet', id: string): string {
  return `${kind}:${kind === 'calendar' ? id.toLowerCase() : id}`;
}
