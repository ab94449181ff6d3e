import { DavCalendar, DavMemory } from '../../caldav/calendar-requests.ts';
import type { DavCallParts } from '../../caldav/call.ts';
import { type ListedDavCalendar, listDavCalendars } from '../../caldav/discovery.ts';
import { counted } from '../../engine/counts.ts';
import type { LiveFinding } from '../../engine/finding.ts';
import { calendarIdsOf, ofKind } from '../../engine/mirror.ts';
import { type Clock, steadyClock } from '../../engine/runtime.ts';
import { KnownProblems, TargetBreakers } from '../../google/call.ts';
import { NO_BOARD, UNLIMITED } from '../../google/unbudgeted.ts';
import { caldavAccountsOf, isCaldav } from '../../mapping/accounts.ts';
import type { Config } from '../../mapping/config.ts';
import { blockCalendars } from '../../mapping/needs.ts';
import { findingOf } from './account-descriptions.ts';

/** Checks whether each account can log in, and whether the worker may use each calendar. It only reads. */
export async function checkCaldav(config: Config, clock: Clock): Promise<readonly LiveFinding[]> {
  const accountOf = caldavAccountsOf(config);
  const calls = openCalls(config, clock);
  const findings: LiveFinding[] = [];
  const broken = new Set<string>();
  for (const [name, account] of Object.entries(config.caldav.accounts)) {
    const about = { side: 'caldav', subject: `account ${name}` } as const;
    try {
      const listed = await listDavCalendars(calls, { name, ...account });
      findings.push({
        ...about,
        verdict: 'ok',
        detail: `logged in, sees ${counted(listed.length, 'calendar')}`,
      });
    } catch (error) {
      const finding = findingOf(about, error);
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
  for (const { id, isMirrored } of calendarsOf(config)) {
    const account = accountOf(`calendar:${id}`);
    if (broken.has(account.name)) continue;
    const about = { side: 'caldav', subject: `calendar ${id}` } as const;
    try {
      const calendar = new DavCalendar({ ...calls, memory: new DavMemory() }, { id, account });
      findings.push({ ...about, ...verdictOn(await calendar.info(), isMirrored) });
    } catch (error) {
      findings.push(findingOf(about, error));
    }
  }
  return findings;
}

/** The calendars that an account of the YAML sees. */
export async function caldavCalendars(
  config: Calls,
  { name, clock }: { readonly name: string; readonly clock: Clock },
): Promise<readonly ListedDavCalendar[]> {
  const account = config.caldav.accounts[name];
  return account === undefined ? [] : listDavCalendars(openCalls(config, clock), { name, ...account });
}

interface Calls {
  readonly caldav: Pick<Config['caldav'], 'accounts' | 'timeoutMs'>;
}

function openCalls({ caldav }: Calls, clock: Clock): DavCallParts {
  return {
    ...{ budget: UNLIMITED, clock, timeoutMs: caldav.timeoutMs },
    breakers: new TargetBreakers({ clock: steadyClock }),
    problems: new KnownProblems(NO_BOARD, steadyClock),
  };
}

function verdictOn(
  { mayWrite, takesEvents, hasSync }: Pick<ListedDavCalendar, 'mayWrite' | 'takesEvents' | 'hasSync'>,
  isMirrored: boolean,
): Pick<LiveFinding, 'verdict' | 'detail' | 'advice'> {
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

function calendarsOf(config: Config): readonly { readonly id: string; readonly isMirrored: boolean }[] {
  const mirrored = new Set(ofKind(config.mirrors, 'calendar').flatMap(calendarIdsOf).filter(isCaldav));
  const read = [...blockCalendars(config)].filter((id) => isCaldav(id) && !mirrored.has(id));
  return [
    ...[...mirrored].map((id) => ({ id, isMirrored: true })),
    ...[...new Set(read)].map((id) => ({ id, isMirrored: false })),
  ];
}
