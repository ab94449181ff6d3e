import { ofKind } from '../engine/mirror.ts';
// Decides which account calls the API for a calendar or spreadsheet. Pure.
import { KIND_NAMES, type KindName } from './calendar-kinds.ts';
import type { Config } from './config.ts';

type Named = Pick<Config, 'mirrors' | 'bookings' | 'blocks'> & {
  readonly google: Pick<Config['google'], 'accounts'>;
} & { readonly [Name in KindName]: Pick<Config[Name], 'accounts'> };

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
    ...KIND_NAMES.flatMap((name) => Object.keys(config[name].accounts)),
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
