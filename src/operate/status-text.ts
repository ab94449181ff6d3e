// One screen for an operator who was woken up: first the verdict, then the facts behind it, and for each failure what to do.

import { counted, grouped, unbroken } from '../engine/counts.ts';
import { askedResyncs, realHoles } from './holes.ts';
import { type Paint, painter } from './paint.ts';
import type { Reading } from './reading.ts';
import { spokenAge, spokenDuration, spokenTime } from './spoken-time.ts';
import type {
  CalendarCoverageReport,
  DeadLetterReport,
  IntakeCoverageReport,
  StatusReport,
} from './status-report.ts';
import { statusVerdict } from './verdict.ts';

const HOLES_SHOWN_MAX = 5;
const CALENDARS_SHOWN_MAX = 5;
const PROBLEMS_SHOWN_MAX = 8;
const CAUSES_SHOWN_MAX = 5;
const KEYS_SHOWN_MAX = 3;

/** The result does not end with a newline. */
export function formatStatus(source: StatusReport, options: { readonly color: boolean }): string {
  const report = withoutControls(source);
  const paint = painter(options.color);
  const verdict = statusVerdict(report);
  const lines = [
    paint[verdict.mood](verdict.line),
    '',
    row('worker', describeWorker(report)),
    row('coverage', describeCoverage(report)),
    ...describeCalendars(report),
    ...describePolledSources(report),
    ...describeHoles(report),
    ...describeResyncs(report),
    row('pending', describePending(report)),
    ...describeProblems(report, paint),
    ...describeQuotas(report),
    ...describeDeadLetters(report, paint),
    row(
      'quarantined',
      report.quarantined === 0 ? 'none' : `${counted(report.quarantined, 'entry', 'entries')} not understood`,
    ),
    row('lag', describeLag(report)),
    ...describeZones(report, paint),
  ];
  return lines.join('\n');
}

function row(name: string, text: string): string {
  return `${name.padEnd(16)}${text}`;
}

function describeZones({ time_zones }: StatusReport, paint: Paint): string[] {
  const notices = time_zones?.notices ?? [];
  return notices.length === 0
    ? []
    : [row('time zones', notices.length === 1 ? 'a notice' : `${notices.length} notices`)].concat(
        notices.map((notice) => `    ${paint.advice(`-> ${notice}`)}`),
      );
}

function describeWorker({ worker, version: own, time_zones, started_at, at }: StatusReport): string {
  const version = time_zones === undefined ? own : `${own}, time zones ${time_zones.version}`;
  if (worker === 'silent')
    return 'does not answer. If that lasts, it hangs: stop it (SIGTERM, after half a minute SIGKILL) and start it again';
  if (worker === 'not-running') return 'not running; start it with slotbridge start';
  if (started_at === null) return `running, version ${version}`;
  return `running for ${spokenAge(started_at, at)}, since ${spokenTime(started_at, at)}, version ${version}`;
}

function describeCoverage({ coverage, at }: StatusReport): string {
  const { covered_until, proved_ago_s, reading, walk_open } = coverage.feed;
  const walk = walk_open ? '; a walk is in progress' : '';
  if (covered_until === null) return `the event feed was never read completely${walk}`;
  if (proved_ago_s === null) return `event feed: ${FUTURE}${walk}`;
  const age = `proved ${spokenDuration(proved_ago_s)} ago${doubtOf(reading)}`;
  return `event feed up to ${spokenTime(covered_until, at)}, ${age}${walk}`;
}

const FUTURE = 'nothing is proved, because the last proof lies in the future: the clock was set back';

function doubtOf(reading: Reading): string {
  if (reading === 'limited') return "; waits for Google's limit";
  return reading === 'unread' ? ', which is too long' : '';
}

/** The calendars that were read longest ago come first, because they need attention. */
function describeCalendars({ coverage, at }: StatusReport): string[] {
  const { calendars } = coverage;
  if (calendars.length === 0) return [];
  const stale = calendars.filter((each) => !each.fresh).length;
  const said = stale === 0 ? 'all read recently' : `${stale} not read recently`;
  const oldestFirst = [...calendars].sort(
    (a, b) => (b.proved_ago_s ?? Number.POSITIVE_INFINITY) - (a.proved_ago_s ?? Number.POSITIVE_INFINITY),
  );
  const shown = oldestFirst.slice(0, CALENDARS_SHOWN_MAX).map((each) => {
    const walk = each.walk_open ? '; being read' : '';
    if (each.covered_until === null) return `  ${each.calendar}: never read${walk}`;
    if (each.proved_ago_s === null) return `  ${each.calendar}: ${FUTURE}${walk}`;
    const proof = `proved ${spokenDuration(each.proved_ago_s)} ago${doubtOf(each.reading)}`;
    return `  ${each.calendar}: seen up to ${spokenTime(each.covered_until, at)}, ${proof}${walk}`;
  });
  return [
    row(
      'calendars',
      `${counted(calendars.length, 'calendar')} watched, ${said}; ${describePolling(calendars)}`,
    ),
    ...shown,
    ...more(calendars, CALENDARS_SHOWN_MAX),
  ];
}

function describePolling(calendars: readonly CalendarCoverageReport[]): string {
  const [shortest = 0, ...longer] = calendars.map((each) => each.read_every_s).toSorted((a, b) => a - b);
  const longest = longer.at(-1) ?? shortest;
  const range = [...new Set([shortest, longest].map(spokenDuration))].join(' to ');
  return `polled every ${range}, pings arrive for ${calendars.filter((each) => each.pinged).length}`;
}

function describePolledSources({ coverage, at }: StatusReport): string[] {
  const { intake_sheets: sheets, blocks = [] } = coverage;
  return [
    ...describeEntries(sheets, at, { label: 'booking sheets', of: 'bookings' }),
    ...describeEntries(blocks, at, { label: 'private time', of: 'blocks' }),
  ];
}

function describeEntries(
  entries: readonly IntakeCoverageReport[],
  at: string,
  { label, of }: { readonly label: string; readonly of: string },
): string[] {
  if (entries.length === 0) return [];
  const stale = entries.filter((each) => !each.fresh).length;
  const said = stale === 0 ? 'all read recently' : `${stale} not read recently`;
  return [
    row(label, `${counted(entries.length, 'entry', 'entries')} of ${of}, ${said}`),
    ...entries.map(({ entry, covered_until, proved_ago_s, reading }) =>
      proved_ago_s === null || covered_until === null
        ? `  ${entry}: ${covered_until === null ? 'never read' : FUTURE}`
        : `  ${entry}: read up to ${spokenTime(covered_until, at)}, ${spokenDuration(proved_ago_s)} ago${doubtOf(reading)}`,
    ),
  ];
}

function describeHoles({ holes: all, at }: StatusReport): string[] {
  const holes = realHoles(all);
  if (holes.length === 0) return [row('holes', 'none')];
  const shown = holes.slice(0, HOLES_SHOWN_MAX).map((hole) => {
    const from = hole.from === null ? 'the beginning' : spokenTime(hole.from, at);
    const to = hole.to === null ? 'now, still growing' : spokenTime(hole.to, at);
    return `  ${hole.source}: ${from} to ${to} (${hole.cause}), found ${spokenAge(hole.found_at, at)} ago`;
  });
  return [
    row('holes', `${holes.length}, each closes when its resync is done`),
    ...shown,
    ...more(holes, HOLES_SHOWN_MAX),
  ];
}

function describeResyncs({ holes, at }: StatusReport): string[] {
  const asked = askedResyncs(holes);
  if (asked.length === 0) return [];
  const shown = asked.slice(0, HOLES_SHOWN_MAX).map(({ cause, found_at }) => {
    const who = cause === 'scheduled' ? 'the schedule' : 'an operator';
    return `  requested ${spokenAge(found_at, at)} ago by ${who}`;
  });
  return [row('resyncs', `${asked.length} requested`), ...shown, ...more(asked, HOLES_SHOWN_MAX)];
}

function describePending({ pending }: StatusReport): string {
  const { objects, oldest_age_s, in_flight, sheet_rows } = pending;
  const oldest = oldest_age_s === null ? '' : `, the oldest for ${spokenDuration(oldest_age_s)}`;
  const parts = [
    ...(objects > 0 ? [`${counted(objects, 'object')}${oldest}`] : []),
    ...((in_flight ?? 0) > 0 ? [`${in_flight} in flight`] : []),
    ...(sheet_rows > 0 ? [`${counted(sheet_rows, 'sheet row')} to be written`] : []),
  ];
  return parts.length === 0 ? 'nothing' : parts.join('; ');
}

function describeProblems({ problems, at }: StatusReport, paint: Paint): string[] {
  if (problems.length === 0) return [row('problems', 'none')];
  const shown = problems.slice(0, PROBLEMS_SHOWN_MAX).flatMap((problem) => {
    const since = `${problem.code}, for ${spokenAge(problem.since, at)}, last seen ${spokenAge(problem.last_at, at)} ago`;
    return [`  ${paint.wrong(problem.target)}  ${since}`, ...told(problem, paint)];
  });
  return [
    row('problems', `${problems.length}, each shown until it is over`),
    ...shown,
    ...more(problems, PROBLEMS_SHOWN_MAX),
  ];
}

/** Only budgets that are paused or waited for; other budgets are no news. */
function describeQuotas({ quotas, at }: StatusReport): string[] {
  const tight = quotas.filter((quota) => quota.waiting > 0 || quota.paused_until !== null);
  if (tight.length === 0) return [];
  const shown = tight.map((quota) => {
    const { target, paused_until, reason, waiting } = quota;
    const paused =
      paused_until === null ? '' : `, paused by Google (${reason}) until ${spokenTime(paused_until, at)}`;
    const what = target === null ? describeRate(quota) : `${target}  limited separately`;
    return `  ${what}${paused}, ${counted(waiting, 'object, calendar or sheet', 'objects, calendars or sheets')} waiting`;
  });
  return [row('quotas', `${tight.length} spent or paused; work continues automatically`), ...shown];
}

function describeRate({ name, spent, admitted, limit, reason }: StatusReport['quotas'][number]): string {
  const lowered = admitted < limit ? `, ${admitted} a minute allowed after refusals (${reason})` : '';
  return `${name}  ${spent} of ${limit} in the last minute${lowered}`;
}

/** Grouped by cause: one calendar that was never shared makes hundreds of letters, but needs one action. */
function describeDeadLetters({ dead_letters }: StatusReport, paint: Paint): string[] {
  const { count, recent } = dead_letters;
  if (count === 0) return [row('dead letters', 'none')];
  const causes = causesOf(recent);
  const shown = causes.slice(0, CAUSES_SHOWN_MAX).flatMap((cause) => {
    const keys = cause.keys.slice(0, KEYS_SHOWN_MAX).join(', ');
    return [
      `  ${paint.wrong(cause.code)}  ${cause.keys.length}, mirror ${cause.mirror}`,
      ...told(cause, paint),
      `    ${keys}${cause.keys.length > KEYS_SHOWN_MAX ? ', …' : ''}`,
    ];
  });
  const newest = recent.length < count ? `, of which the newest ${recent.length} by cause` : '';
  return [row('dead letters', `${count}${newest}`), ...shown, ...more(causes, CAUSES_SHOWN_MAX)];
}

function told(
  { message, advice }: { readonly message: string; readonly advice: string | null },
  paint: Paint,
): string[] {
  return [`    ${message}`, ...(advice === null ? [] : [`    ${paint.advice(`-> ${advice}`)}`])];
}

function more(all: readonly unknown[], shownMax: number): string[] {
  return all.length > shownMax ? [`  and ${all.length - shownMax} more; see --json`] : [];
}

function describeLag({ lag_s }: StatusReport): string {
  if (lag_s.p50 === null || lag_s.p99 === null) return 'not measured yet';
  return `half of the writes within ${seconds(lag_s.p50)}, 99 of 100 within ${seconds(lag_s.p99)} (newest ${grouped(lag_s.samples)})`;
}

function seconds(value: number): string {
  return value < 10 ? `${value.toFixed(1)} s` : spokenDuration(value);
}

/** Text from outside (a target, a message) must not move the cursor, colour the screen or break a line. */
function withoutControls(report: StatusReport): StatusReport {
  const clean = (_name: string, value: unknown) => (typeof value === 'string' ? unbroken(value) : value);
  return JSON.parse(JSON.stringify(report, clean)) as StatusReport;
}

/** The causes of these letters, the most frequent first. A letter with several reasons counts for each. */
function causesOf(letters: readonly DeadLetterReport[]): Cause[] {
  const causes = new Map<string, Cause>();
  for (const letter of letters) {
    for (const reason of letter.reasons) {
      const name = JSON.stringify([reason.mirror, reason.code, reason.advice]);
      const cause = causes.get(name) ?? { ...reason, keys: [] };
      cause.keys.push(letter.key);
      causes.set(name, cause);
    }
  }
  return [...causes.values()].sort((a, b) => b.keys.length - a.keys.length);
}

/** Why some dead letters do not reach their mirror. */
interface Cause {
  readonly mirror: string;
  readonly code: string;
  readonly message: string;
  readonly advice: string | null;
  readonly keys: string[];
}
