// Maps resources to calendars for `slotbridge init`: first the given answers, then what a person accepts of the calendars that the accounts
// see.

import { type TerminalError, WorkerError } from '../engine/domain/errors.ts';
import type { Named, SeenCalendar } from '../mapping/setup/propose-calendars.ts';
import type { MappedCalendar } from '../mapping/setup/write-yaml.ts';
import type { Dialogue, InitGoogle } from './init-parts.ts';
import { UsageError } from './usage-error.ts';

/** An account that may call Google for calendars. */
export interface InitAccount {
  /** Name in `google.accounts`; absent: the default account. */
  readonly name?: string;
  /** Absent: the account works by the consent of a person, and Google is not called for it. */
  readonly google?: InitGoogle;
  /** Address of the person for whom the account acts. The calendar with this id is theirs, even if Google does not list it. */
  readonly address?: string;
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
  const answers = Object.entries(given.calendars ?? {}).map(
    ([name, text]) => [resourceOf(name, resources), readCalendar(text, accounts)] as const,
  );
  const left = resources.filter(({ id }) => !answers.some(([resource]) => resource.id === id));
  const seen = left.length === 0 && accounts.length === 1 ? new Map() : await look(dialogue, accounts);
  const accountOf = ({ id, account }: SeenCalendar): SeenCalendar =>
    account === undefined ? withAccount(id, seen.get(id.toLowerCase())?.account) : { id, account };
  const chosen = new Map(answers.map(([{ id }, calendar]) => [id, accountOf(calendar)]));
  const typed = left.length === 0 ? '' : ((await asker?.ask(ADDRESSES)) ?? '');
  for (const text of typed.split(/[\s,;]+/).filter((each) => each.includes('@'))) {
    const calendar = accountOf(readCalendar(text, accounts));
    const { name } = seen.get(calendar.id.toLowerCase()) ?? {};
    seen.set(calendar.id.toLowerCase(), name === undefined ? calendar : { ...calendar, name });
  }
  const used = new Set([...taken, ...[...chosen.values()].map(({ id }) => id.toLowerCase())]);
  const free = [...seen].flatMap(([id, calendar]) => (used.has(id) ? [] : [calendar]));
  const { proposeCalendars } = await import('../mapping/setup/propose-calendars.ts');
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
    if (text !== '') chosen.set(resource.id, accountOf(readCalendar(text, accounts)));
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
  for (const { name, google, address } of accounts) {
    const spoken = name === undefined ? 'this credential' : `the account ${name}`;
    let listed: readonly SeenCalendar[] | undefined = [];
    try {
      if (google !== undefined) listed = await google.calendars();
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

/** Reads `branch:anna@clinic.example`. Ids of calendars contain no colon. */
function readCalendar(text: string, accounts: readonly InitAccount[]): SeenCalendar {
  const at = text.indexOf(':');
  if (at < 0) return { id: text.trim() };
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
