// What the worker does with CalDAV calendars: the calls of each rank, `check --live`, and the list for `init`.
import { counted } from '../engine/counts.ts';
import { DeferredError } from '../engine/errors.ts';
import { findingOf, type LiveFinding } from '../engine/finding.ts';
import type { BudgetRank } from '../engine/quotas.ts';
import { type Clock, steadyClock } from '../engine/runtime.ts';
import type { Listening } from '../google/calendar-watch-api.ts';
import { KnownProblems, TargetBreakers } from '../google/call.ts';
import { NO_BOARD, UNLIMITED } from '../google/unbudgeted.ts';
import { CaldavApi, type CaldavParts } from './caldav-side.ts';
import { CalendarIndex } from './calendar-index.ts';
import { DavCalendar, DavMemory, davPath } from './calendar-requests.ts';
import type { DavAccount, DavCallParts } from './call.ts';
import { isSameService, type ListedDavCalendar, listDavCalendars } from './discovery.ts';
import { homeLooks } from './home-looks.ts';
import type { CaldavSettings } from './settings.ts';
import { CaldavBusyEventsApi, CaldavWatchApi } from './watch-side.ts';

export const caldavLive = { open: openCaldav, check: checkCaldav, list: listCalendars };

type NameOf = (target: string) => string | undefined;

function openCaldav(
  { accounts, timeoutMs, lookEveryMs }: CaldavSettings,
  {
    nameOf,
    store,
    ...shared
  }: Omit<CaldavParts, 'accountOf' | 'index' | 'memory' | 'timeoutMs'> & {
    readonly nameOf: NameOf;
    readonly store: ConstructorParameters<typeof CalendarIndex>[0];
  },
) {
  const parts = {
    ...{ ...shared, timeoutMs, lookEveryMs },
    ...{ index: new CalendarIndex(store), memory: new DavMemory(), accountOf: accountsBy(accounts, nameOf) },
  };
  return {
    listen: (listening: Listening) => homeLooks(parts, listening),
    calendarFor: (rank: BudgetRank) => new CaldavApi(parts, rank),
    watchFor: (rank: BudgetRank) => new CaldavWatchApi(parts, rank),
    busyEvents: new CaldavBusyEventsApi(parts, 'list'),
  };
}

const ACCOUNT_PAUSE_MS = 60_000;

/** The login of a calendar. Without it the YAML no longer names the calendar, which is as closed as one that nobody shares. */
function accountsBy(accounts: CaldavSettings['accounts'], nameOf: NameOf): (target: string) => DavAccount {
  return (target) => {
    const name = nameOf(target);
    const account = name === undefined ? undefined : accounts[name];
    if (name !== undefined && account !== undefined) return { name, ...account };
    throw new DeferredError('calendar-not-shared', 'the YAML has no account for the calendar', {
      ...{ target, retryAfterMs: ACCOUNT_PAUSE_MS },
      advice:
        'Add the account to caldav.accounts again, or remove what the audit lists in the calendar by hand.',
    });
  };
}

/** Checks whether each account can log in, and whether the worker may use each calendar. It only reads. */
async function checkCaldav(
  { accounts, timeoutMs }: CaldavSettings,
  about: {
    readonly calendars: readonly { readonly id: string; readonly isMirrored: boolean }[];
    readonly nameOf: NameOf;
    readonly clock: Clock;
  },
): Promise<readonly LiveFinding[]> {
  const accountOf = accountsBy(accounts, about.nameOf);
  const calls = openCalls({ timeoutMs, clock: about.clock });
  const findings: LiveFinding[] = [];
  const broken = new Set<string>();
  const seen = new Map<string, readonly ListedDavCalendar[]>();
  for (const [name, account] of Object.entries(accounts)) {
    const subject = { side: 'caldav', subject: `account ${name}` } as const;
    try {
      const listed = await listDavCalendars(calls, { name, ...account });
      seen.set(name, listed);
      findings.push({
        ...subject,
        verdict: 'ok',
        detail: `logged in, sees ${counted(listed.length, 'calendar')}`,
      });
    } catch (error) {
      const finding = findingOf(subject, error);
      const isLogin = /caldav-(?:unauthenticated|untrusted|unreachable|timeout)/.test(finding.detail);
      if (isLogin) broken.add(name);
      // A calendar may be named by its address even if the server does not lead to it.
      findings.push(
        isLogin
          ? finding
          : { ...finding, verdict: finding.verdict === 'broken' ? 'notice' : finding.verdict },
      );
    }
  }
  for (const { id, isMirrored } of about.calendars) {
    const account = accountOf(`calendar:${id}`);
    if (broken.has(account.name)) continue;
    const subject = { side: 'caldav', subject: `calendar ${id}` } as const;
    try {
      const calendar = new DavCalendar({ ...calls, memory: new DavMemory() }, { id, account });
      const verdict = verdictOn(await calendar.info(), isMirrored);
      const where = hostNotice(id, account, seen.get(account.name) ?? []);
      findings.push({ ...subject, ...withNotice(verdict, where) });
    } catch (error) {
      findings.push(findingOf(subject, error));
    }
  }
  return findings;
}

/** The calendars that an account sees and may write to. */
async function listCalendars(
  account: CaldavSettings['accounts'][string],
  { name, ...parts }: { readonly name: string; readonly timeoutMs: number; readonly clock: Clock },
): Promise<readonly { readonly id: string; readonly name?: string }[]> {
  const listed = await listDavCalendars(openCalls(parts), { name, ...account });
  return listed
    .filter(({ mayWrite, takesEvents }) => mayWrite !== false && takesEvents)
    .map(({ id, name: shown }) => ({ id, ...(shown !== undefined && { name: shown }) }));
}

function openCalls(parts: Pick<DavCallParts, 'timeoutMs' | 'clock'>): DavCallParts {
  return {
    ...{ ...parts, budget: UNLIMITED },
    breakers: new TargetBreakers({ clock: steadyClock }),
    problems: new KnownProblems(NO_BOARD, steadyClock),
  };
}

type Verdict = Pick<LiveFinding, 'verdict' | 'detail' | 'advice'>;

/** The password of an account goes where its calendars are, and a search beside a calendar goes only to its own host. */
function hostNotice(
  id: string,
  account: DavAccount,
  listed: readonly ListedDavCalendar[],
): Omit<Verdict, 'verdict'> | undefined {
  const url = new URL(id);
  const named = listed
    .map((each) => new URL(each.id))
    .filter((each) => davPath(each.pathname, each) === davPath(url.pathname, url));
  if (named.some(({ host }) => host === url.host)) return undefined;
  const [other] = named;
  if (other !== undefined)
    return {
      detail: `the server calls it ${other.href}, on another host: events that people drag to calendars beside it count as deleted`,
      advice: 'If that address is right, name the calendar so; otherwise have the server name its own host.',
    };
  if (isSameService(url, account)) return undefined;
  return {
    detail: `it is on another host than account ${account.name}: the password goes there too`,
    advice: 'Correct the address, or give the calendar an account of its own.',
  };
}

function withNotice(verdict: Verdict, where: Omit<Verdict, 'verdict'> | undefined): Verdict {
  if (where === undefined) return verdict;
  if (verdict.verdict !== 'ok') return { ...verdict, detail: `${verdict.detail}; ${where.detail}` };
  return { ...where, verdict: 'notice', detail: `${verdict.detail}; ${where.detail}` };
}

function verdictOn(
  { mayWrite, takesEvents, hasSync }: Pick<ListedDavCalendar, 'mayWrite' | 'takesEvents' | 'hasSync'>,
  isMirrored: boolean,
): Verdict {
  if (!takesEvents)
    return {
      verdict: 'broken',
      detail: 'is only for tasks (caldav-tasks-only)',
      advice: 'Name a calendar that takes events.',
    };
  if (!isMirrored) return { verdict: 'ok', detail: 'can be read' };
  if (mayWrite === false)
    return {
      verdict: 'broken',
      detail: 'can only be read (calendar-read-only)',
      advice: 'Give the account the right to write to it, or name another account.',
    };
  const how = hasSync ? '' : '; changes are found by comparing its whole list';
  if (mayWrite === undefined)
    return {
      verdict: 'unknown',
      detail: `can be read; the server does not say whether it can be written${how}`,
    };
  return { verdict: 'ok', detail: `can be written${how}` };
}
