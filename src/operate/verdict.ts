import { counted } from '../engine/counts.ts';
import { distanceMs } from '../engine/moments.ts';
import { tellCode } from './codes/codes.ts';
import { askedResyncs, HOLE_AGE_MS_MAX, realHoles } from './holes.ts';
import type { Reading } from './reading.ts';
import { spokenDuration, spokenTime } from './spoken-time.ts';
import type {
  CalendarCoverageReport,
  HoleReport,
  IntakeCoverageReport,
  StatusReport,
} from './status-report.ts';
import { whyNotIdle } from './waiting.ts';

/** The overall state in one line. `wrong` needs a person; `busy` ends automatically. */
export interface Verdict {
  readonly mood: 'well' | 'busy' | 'wrong';
  readonly line: string;
}

export function statusVerdict(report: StatusReport): Verdict {
  const wrong = whatIsWrong(report);
  const busy = whatIsAtWork(report);
  const parts = [
    ...(wrong.length > 0 ? [`needs a person: ${wrong.join(', ')}`] : []),
    ...(busy.length > 0 ? [`${wrong.length > 0 ? 'in progress' : 'working'}: ${busy.join(', ')}`] : []),
    ...(wrong.length + busy.length === 0 ? ['all mirrored'] : []),
    whatIsCovered(report),
  ];
  return { mood: wrong.length > 0 ? 'wrong' : busy.length > 0 ? 'busy' : 'well', line: parts.join('; ') };
}

function whatIsAtWork({ at, coverage, holes, pending }: StatusReport): string[] {
  const { reading, walk_open, proved_ago_s } = coverage.feed;
  // An unread feed is already listed under what is wrong.
  const feed = { ...coverage.feed, fresh: true, walk_open: walk_open && reading !== 'unread' };
  const begun =
    proved_ago_s === null
      ? 'the event feed has not been read completely yet'
      : 'the event feed has yet to be read';
  return [
    ...whyNotIdle({ coverage: { feed }, holes, pending }),
    ...(reading === 'begun' && !walk_open ? [begun] : []),
    ...beside(coverage, ['begun', 'walking'], () => 'yet to be read'),
    ...beside(coverage, ['limited'], (limited) => waitsForGoogle(limited, at)),
  ];
}

function whatIsWrong({ at, worker, problems, dead_letters, coverage, holes }: StatusReport): string[] {
  const isOld = ({ found_at }: HoleReport) =>
    distanceMs(Date.parse(found_at), Date.parse(at)) > HOLE_AGE_MS_MAX;
  const old = realHoles(holes).filter(isOld).length;
  const hanging = askedResyncs(holes).filter(isOld).length;
  return [
    ...(worker === 'running'
      ? []
      : [worker === 'silent' ? 'the worker does not answer' : 'the worker is not running']),
    ...(problems.length > 0 ? [counted(problems.length, 'problem')] : []),
    ...(dead_letters.count > 0 ? [counted(dead_letters.count, 'dead letter')] : []),
    ...(coverage.feed.reading === 'unread' ? ['the event feed is not being read'] : []),
    ...beside(coverage, ['unread'], () => 'not being read'),
    ...(old > 0 ? [`${counted(old, 'hole')} open for more than a day`] : []),
    ...(hanging > 0 ? [`${counted(hanging, 'resync')} running for more than a day`] : []),
  ];
}

type SourceOfGoogle = CalendarCoverageReport | IntakeCoverageReport;

/** The number of sources, other than the feed, in one of these states. */
function beside(
  { calendars, intake_sheets, blocks = [] }: StatusReport['coverage'],
  readings: readonly Reading[],
  words: (like: readonly SourceOfGoogle[]) => string,
): string[] {
  const told = (name: string, sources: readonly SourceOfGoogle[]) => {
    const like = sources.filter(({ reading }) => readings.includes(reading));
    return like.length === 0 ? [] : [`${counted(like.length, name)} ${words(like)}`];
  };
  return [
    ...told('calendar', calendars),
    ...told('booking sheet', intake_sheets),
    ...told('block rule', blocks),
  ];
}

function waitsForGoogle(limited: readonly SourceOfGoogle[], at: string): string {
  const verb = limited.length === 1 ? 'waits' : 'wait';
  const last = limited
    .flatMap(({ limited_until }) => limited_until ?? [])
    .toSorted()
    .at(-1);
  return `${verb} for Google's limit${last === undefined ? '' : ` until ${spokenTime(last, at)}`}`;
}

function whatIsCovered({ at, coverage, holes }: StatusReport): string {
  const { covered_until, proved_ago_s } = coverage.feed;
  if (covered_until === null) return 'nothing is covered yet';
  if (proved_ago_s === null)
    return `nothing is proved: the last proof lies in the future, up to ${spokenTime(covered_until, at)}, because the clock was set back`;
  const missed = realHoles(holes).length;
  const wholeness = missed === 0 ? 'without a hole' : `but for ${counted(missed, 'hole')}`;
  return `covered ${wholeness} up to ${spokenTime(covered_until, at)}, proved ${spokenDuration(proved_ago_s)} ago`;
}

/** The next step for a dead letter in English. The advice of the error itself comes first. */
export function adviceFor({ code, advice }: { readonly code: string; readonly advice?: string }): string {
  return advice ?? tellCode(code, 'en').advice;
}
