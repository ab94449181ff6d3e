// Derives from a status report what is wrong by the operator's bounds. Pure.
import type { AlertCondition, AlertName } from '../../engine/alert.ts';
import { canHaveBeen, distanceMs } from '../../engine/moments.ts';
import type { Language } from '../../mapping/config.ts';
import type { AlertWords, UnreadSource } from '../codes/alert-words.ts';
import { HOLE_AGE_MS_MAX, isAskedFor } from '../holes.ts';
import { maskText } from '../personal-data.ts';
import { CATCH_UP_MS_MAX, type Reading } from '../reading.ts';
import type {
  CalendarCoverageReport,
  CoverageReport,
  HoleReport,
  IntakeCoverageReport,
  ProblemReport,
  StatusReport,
} from '../status-report.ts';
import { type PlaceWords, toldIn } from './words.ts';

export interface AlertBounds {
  /** How long a change may wait for its mirrors. */
  readonly lagMs: number;
  /** How long pending work may make no progress without a known cause. */
  readonly stuckMs: number;
  /** How old the proof of a source may be. */
  readonly coverageMs: number;
  /** How long a hole may stay open. */
  readonly holeMs: number;
  /** Number of dead letters above which an alert covers all of them together. */
  readonly deadLetters: number;
  /** Says in words which calendar or spreadsheet a target is. */
  readonly placeOf?: PlaceWords;
  /** The language of the messages. Absent: English, as in the log. */
  readonly language?: Language | undefined;
}

export function conditionsOf(
  report: StatusReport,
  bounds: AlertBounds,
  stillForMs: number,
): readonly AlertCondition[] {
  return [
    ...lag(report, bounds),
    ...stuck(report, bounds, stillForMs),
    ...coverage(report, bounds),
    ...report.holes.flatMap((hole) => holeConditions(hole, report.at, bounds)),
    ...deadLetters(report, bounds),
    ...report.problems.map((problem) => problemConditions(problem, bounds.placeOf, bounds.language)),
  ];
}

function lag({ pending }: StatusReport, { lagMs, language }: AlertBounds): AlertCondition[] {
  const ageS = pending.oldest_age_s ?? 0;
  if (ageS * 1000 <= lagMs) return [];
  return [
    {
      ...{ alert: 'lag', subject: 'pending' },
      ...toldIn(language, (words) => words.lag(pending.objects, ageS)),
    },
  ];
}

/** Targets whose problems hold up the work of mirrors. Others, such as a copied row or an endpoint, explain no standstill. */
const HOLDING_UP = /^(?:platform|google|redis|mapping|account|calendar:|spreadsheet:)/;

/** Longest standstill that a quota explains: most quotas are per minute. */
const QUOTA_EXPLAINS_MS_MAX = 60 * 60_000;

/**
 * Not raised while a problem or a quota wait explains the standstill: the work continues when that ends. What such a problem holds up is not
 * due; work that is due and is not taken has another cause.
 */
function stuck(
  report: StatusReport,
  { stuckMs, language }: AlertBounds,
  stillForMs: number,
): AlertCondition[] {
  const { pending, problems, quotas } = report;
  const isOverdue = (pending.overdue_s ?? 0) * 1000 > stuckMs;
  const isHeldUp =
    (!isOverdue && problems.some(({ target }) => HOLDING_UP.test(target))) ||
    (stillForMs <= QUOTA_EXPLAINS_MS_MAX && quotas.some((quota) => quota.waiting > 0));
  if (pending.objects + pending.sheet_rows === 0 || isHeldUp || stillForMs <= stuckMs) return [];
  const about = {
    ...{ objects: pending.objects, rows: pending.sheet_rows },
    forS: Math.round(stillForMs / 1000),
  };
  return [{ ...{ alert: 'stuck', subject: 'pending' }, ...toldIn(language, (words) => words.stuck(about)) }];
}

function coverage(
  { coverage: all, at, started_at, configured_at: begunAt = started_at, hosts = [] }: StatusReport,
  bounds: AlertBounds,
): AlertCondition[] {
  const aheadMs = [0, ...hosts.map(({ clock_ahead_s }) => clock_ahead_s * 1000)];
  const apartMs = Math.max(...aheadMs) - Math.min(...aheadMs);
  const sources: readonly Source[] = [
    { ...all.feed, subject: () => 'event feed', tell: () => ({ is: 'feed' }) },
    ...all.calendars.map((each) => calendarSource(each, bounds)),
    ...all.intake_sheets.map((each) => polled('booking-sheet', each)),
    ...(all.blocks ?? []).map((each) => polled('blocks', each)),
  ];
  const runsMs =
    begunAt === null ? Number.POSITIVE_INFINITY : distanceMs(Date.parse(begunAt), Date.parse(at));
  return (
    sources
      .map((source) => ({ ...source, ageMs: unprovedMs(source, at, begunAt) }))
      // A proof that another host's clock dated may look that much older than it is.
      .filter(({ ageMs, fresh }) => !fresh && ageMs > bounds.coverageMs + apartMs)
      .map(
        ({ subject, tell, ageMs, reading }): AlertCondition => ({
          ...{ alert: 'coverage', subject: subject() },
          ...toldIn(bounds.language, (words) =>
            words.coverage(
              tell(words),
              ageMs === Number.POSITIVE_INFINITY ? undefined : Math.round(ageMs / 1000),
            ),
          ),
          ...(ageMs === Number.POSITIVE_INFINITY
            ? { toldAfterMs: bounds.coverageMs }
            : graceFor(reading, { runsMs, bounds })),
        }),
      )
  );
}

interface Source extends Pick<CoverageReport, 'covered_until' | 'fresh' | 'reading'> {
  /** Computed only for what an alert names: masking costs more than the check. */
  readonly subject: () => string;
  readonly tell: (words: AlertWords) => UnreadSource;
}

function calendarSource(each: CalendarCoverageReport, { placeOf }: AlertBounds): Source {
  const calendar = () => maskText(each.calendar);
  const place = (words: AlertWords) => placeOf?.(`calendar:${each.calendar}`, words);
  return {
    ...{ ...each, subject: () => `calendar ${calendar()}` },
    tell: (words) => ({ is: 'calendar', calendar: calendar(), place: place(words) }),
  };
}

function polled(is: 'booking-sheet' | 'blocks', each: IntakeCoverageReport): Source {
  const entry = () => maskText(each.entry);
  const name = is === 'blocks' ? 'blocks' : 'booking sheet';
  return { ...each, subject: () => `${name} ${entry()}`, tell: () => ({ is, entry: entry() }) };
}

/**
 * A source that makes progress or is limited by Google gets a day. After a restart or a reload, any other unproved source gets time for its first walk.
 * A restart does not clear an alert that is already raised, and a condition's age continues over restarts. So a worker that keeps dying
 * before its first walk ends is reported no later than one that hangs.
 */
function graceFor(
  reading: Reading,
  { runsMs, bounds }: { readonly runsMs: number; readonly bounds: AlertBounds },
): { toldAfterMs?: number } {
  if (reading === 'walking' || reading === 'limited') return { toldAfterMs: CATCH_UP_MS_MAX };
  return runsMs <= bounds.coverageMs ? { toldAfterMs: bounds.coverageMs } : {};
}

/**
 * How long the source has been without proof; since the YAML was taken up if it never had one. Infinite if the proof lies in the future: that
 * is no time to count from.
 */
function unprovedMs(
  source: Pick<CoverageReport, 'covered_until'>,
  at: string,
  startedAt: string | null,
): number {
  const since = source.covered_until ?? startedAt;
  if (since === null) return 0;
  const isFuture = since === source.covered_until && !canHaveBeen(Date.parse(since), Date.parse(at));
  return isFuture ? Number.POSITIVE_INFINITY : distanceMs(Date.parse(since), Date.parse(at));
}

/** Causes that go on until they are mended: an end of such a hole is the repair, and its resync reads what was missed. */
const GROWING_CAUSES: readonly string[] = [
  ...['walk-failed', 'key-without-scope'],
  ...['endpoint-disabled', 'endpoint-missing', 'endpoint-narrow', 'endpoint-unseen'],
];

/** Causes that come from an operator's action; no events were missed. */
const EXPECTED_CAUSES: readonly string[] = ['first-start', 'mapping-changed'];

function holeConditions(hole: HoleReport, at: string, { holeMs, language }: AlertBounds): AlertCondition[] {
  const { cause, to } = hole;
  // Not the hole's id: a growing hole gets a new id when its end is known, but it is the same hole to people.
  const subject = `${cause} ${hole.found_at}`;
  const openMs = distanceMs(Date.parse(hole.found_at), Date.parse(at));
  const openS = Math.round(openMs / 1000);
  const open: Pick<AlertCondition, 'alert' | 'subject'> = { alert: 'hole-open', subject };
  if (isAskedFor(hole)) {
    // Nothing is missing, so the bound for holes does not apply: the resync may take its time behind live work.
    if (openMs <= Math.max(holeMs, HOLE_AGE_MS_MAX)) return [];
    return [{ ...open, ...toldIn(language, (words) => words.resyncHangs(cause, openS)) }];
  }
  const missed: AlertCondition = {
    ...{ alert: 'hole', subject },
    ...toldIn(language, (words) => words.hole(hole)),
    ...(to !== null && GROWING_CAUSES.includes(cause) && { toldAfterMs: holeMs }),
  };
  return [
    ...(EXPECTED_CAUSES.includes(cause) ? [] : [missed]),
    ...(openMs > holeMs ? [{ ...open, ...toldIn(language, (words) => words.holeOpen(hole, openS)) }] : []),
  ];
}

function deadLetters(
  { dead_letters }: StatusReport,
  { deadLetters: bound, language }: AlertBounds,
): AlertCondition[] {
  const { count, by_code } = dead_letters;
  const classes = Object.entries(by_code).map(
    ([code, some]): AlertCondition => ({
      ...{ alert: 'dead-letters', subject: code },
      ...toldIn(language, (words) => words.deadLetters(code, some)),
    }),
  );
  if (count <= bound) return classes;
  const many = toldIn(language, (words) => words.manyDeadLetters(count, bound));
  return [...classes, { alert: 'many-dead-letters', subject: 'all', ...many }];
}

/** Converts a current problem to an alert. `placeOf` says in words what its target is. */
export function problemConditions(
  problem: ProblemReport,
  placeOf?: PlaceWords,
  language?: Language,
): AlertCondition {
  const { target, code } = problem;
  const mirror = mappedBy(target);
  return {
    alert: nameOf(problem),
    subject: mirror === undefined ? `${maskText(target)} ${code}` : `mapping:${mirror} ${code}`,
    ...toldIn(language, (words) =>
      mirror === undefined
        ? words.problem({ ...shown(problem), place: placeOf?.(target, words) })
        : words.mappedName(mirror, code),
    ),
    ...found(problem),
  };
}

/** The mirror of a name in the mapping. Target and advice of such a problem name resources, which are people. */
function mappedBy(target: string): string | undefined {
  return /^mapping:([^/]+)\//.exec(target)?.[1];
}

function shown({ target, code, message, advice, names = [] }: ProblemReport) {
  return {
    ...{ target: maskText(target), code, message: maskText(message) },
    advice: advice === null ? undefined : maskText(advice),
    names: names.map(maskText),
  };
}

/** Closer together, two finds are one failure that two calls met. */
const FINDS_APART_MS_MIN = 10_000;

/** Many problems are found once and stand until they are cleared; the others are looked for again and again. */
function found({ since, last_at }: ProblemReport): { foundAtMs?: number } {
  const foundAtMs = Date.parse(last_at);
  return foundAtMs - Date.parse(since) < FINDS_APART_MS_MIN ? {} : { foundAtMs };
}

function nameOf({ target, code }: ProblemReport): AlertName {
  if (target === 'platform') return 'platform-refused';
  if (target === 'webhook-endpoint') return 'endpoint';
  return target === 'google' || code.startsWith('google-') ? 'google-refused' : 'problem';
}
