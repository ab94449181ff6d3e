// Builds one plain report from the stores: what is covered, pending, dead or refused now. Read-only.

import type { CalendarCursors, ChannelStore } from '../calendar/stores.ts';
import { type Coverage, FORMATION_MS, type Hole } from '../engine/coverage.ts';
import type { CoverageStore } from '../engine/coverage-store.ts';
import type { Ledger } from '../engine/ledger.ts';
import { agoMs, canHaveBeen, distanceMs, iso } from '../engine/moments.ts';
import type { Outbox } from '../engine/outbox.ts';
import { type PollPace, pollTurns, withChannels } from '../engine/poll-pace.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { QuotaLedger, QuotaState } from '../engine/quotas.ts';
import type { Clock } from '../engine/runtime.ts';
import { accountOfCredential } from '../engine/signing-secret.ts';
import type { DeadLetter, Problem } from '../engine/work.ts';
import { NODE_RULES, zoneNotices } from '../engine/zone-news.ts';
import { ZONES_VERSION } from '../engine/zone-rules.ts';
import type { HostReports, HostSeen, Lag, RemoteSide } from './process-reports.ts';
import { readingOf } from './reading.ts';
import { spokenDuration } from './spoken-time.ts';
import type {
  CalendarCoverageReport,
  CoverageReport,
  DeadLetterReport,
  HoleReport,
  HostReport,
  IntakeCoverageReport,
  PendingReport,
  ProblemReport,
  QuotaReport,
  StatusReport,
} from './status-report.ts';
import { whyNotIdle } from './waiting.ts';

export type { StatusReport } from './status-report.ts';
export { formatStatus } from './status-text.ts';

/** Entries of the YAML whose source is read completely in each round; an incomplete round proves nothing. */
export interface PolledSource {
  readonly entries: readonly {
    readonly name: string;
    readonly everyMs: number;
    /** Absent if the entry is not read from a spreadsheet. */
    readonly spreadsheetId?: string;
    /** Name of the Google account; absent means the default account. */
    readonly account?: string;
  }[];
  /** The moment up to which the entry has been read, epoch milliseconds. */
  readonly readUntilMs: (entry: string) => Promise<number | undefined>;
}

export interface StatusParts {
  readonly version: string;
  readonly installation?: string;
  readonly ledger: Ledger;
  readonly coverage: Pick<CoverageStore, 'read' | 'holes'>;
  readonly outbox: Pick<Outbox, 'waiting'>;
  readonly problems: Pick<ProblemBoard, 'list'>;
  readonly quotas: Pick<QuotaLedger, 'read'>;
  /** Detects what prevents writing the state, even though it can be read. */
  readonly writeProbe: { problem(): Promise<Problem | undefined> };
  /** Keys and sheets that this process works on; undefined if it is not the worker. */
  readonly inFlight: () => number | undefined;
  readonly lag?: () => Promise<Lag>;
  readonly feedEveryMs: number;
  /** The watched calendars; absent if there are none. */
  readonly calendars?: {
    readonly cursors: Pick<CalendarCursors, 'states'>;
    readonly channels: Pick<ChannelStore, 'all'>;
    readonly ids: readonly string[];
    /** The address that Google pings; undefined when push is disabled. */
    readonly address: string | undefined;
    readonly pace: PollPace;
    /** Name of the Google account of `calendar:<id>`. Absent: all use the default account. */
    readonly accountOf?: (target: string) => string | undefined;
  };
  /** The booking sheets; absent if there are none. */
  readonly intakeSheets?: PolledSource;
  /** The entries of `blocks`; absent if there are none. */
  readonly blocks?: PolledSource;
  /** What the hosts of the workers say about themselves. */
  readonly hosts?: Pick<HostReports, 'read'>;
  /** Names of the time zones in use. */
  readonly zones?: () => readonly string[];
  readonly clock: Clock;
  readonly worker: StatusReport['worker'];
  /** When this worker began to work: at its start, or at the last reload. */
  readonly startedAtMs?: number;
  /** When its process began; default: `startedAtMs`. */
  readonly processStartedAtMs?: number | undefined;
}

export interface StatusSource {
  /** Rejects with `RetryableError` `store-unavailable` when Redis does not answer. */
  read(): Promise<StatusReport>;
}

export function createStatusSource(parts: StatusParts): StatusSource {
  return { read: () => readStatus(parts) };
}

const FEED = 'feed';
const DEAD_LETTERS_SHOWN_MAX = 20;
/** Rounds and extra time within which a proof counts as fresh: one late or slow walk is no alarm. */
const PROOF_ROUNDS_MAX = 2;
const PROOF_GRACE_MS = 15_000;
const NO_LAG: Lag = { p50: null, p99: null, samples: 0 };

async function readStatus(parts: StatusParts): Promise<StatusReport> {
  // Read in the direction in which work moves. In the other order, an object that moves on meanwhile would be seen in neither place. Holes
  // come first: a resync marks the objects as pending, then closes its hole.
  const [coverage, holes] = await Promise.all([parts.coverage.read(FEED), parts.coverage.holes()]);
  const quotas = (await parts.quotas.read()).map(reportQuota);
  const calendars = await reportCalendars(parts, quotas);
  const intakeSheets = await reportPolled(parts.intakeSheets, parts, quotas);
  const blocks = await reportPolled(parts.blocks, parts, quotas);
  const objects = await parts.ledger.pending();
  const inFlight = parts.inFlight();
  const depths = await parts.outbox.waiting();
  const [dead, quarantined, problems, unwritable, lag = NO_LAG, hosts = []] = await Promise.all([
    parts.ledger.deadLetters(DEAD_LETTERS_SHOWN_MAX),
    parts.ledger.quarantined(),
    parts.problems.list(),
    parts.writeProbe.problem(),
    parts.lag?.(),
    parts.hosts?.read(),
  ]);
  const nowMs = parts.clock.now();
  const { startedAtMs, processStartedAtMs: runningSinceMs = startedAtMs } = parts;
  const state = {
    coverage: {
      feed: reportCoverage(coverage, nowMs, { everyMs: parts.feedEveryMs, startedAtMs, isLimited: false }),
      calendars,
      intake_sheets: intakeSheets,
      ...(blocks.length > 0 && { blocks }),
    },
    holes: holes.map(reportHole),
    pending: {
      objects: objects.objects,
      oldest_age_s: objects.oldestSinceMs === undefined ? null : ageS(objects.oldestSinceMs, nowMs),
      ...(objects.dueSinceMs !== undefined &&
        objects.dueSinceMs <= nowMs && { overdue_s: ageS(objects.dueSinceMs, nowMs) }),
      in_flight: inFlight ?? null,
      sheet_rows: depths.reduce((rows, depth) => rows + depth.rows, 0),
    } satisfies PendingReport,
  };
  const reasons = whyNotIdle(state);
  return {
    version: parts.version,
    ...(parts.installation !== undefined && { installation: parts.installation }),
    time_zones: {
      version: ZONES_VERSION,
      node_version: NODE_RULES.version ?? null,
      notices: zoneNotices(parts.zones?.() ?? [], { nowMs }),
    },
    at: iso(nowMs),
    worker: parts.worker,
    started_at: runningSinceMs === undefined ? null : iso(runningSinceMs),
    configured_at: startedAtMs === undefined ? null : iso(startedAtMs),
    idle: reasons.length === 0,
    not_idle_because: reasons,
    ...state,
    dead_letters: {
      count: dead.count,
      by_code: dead.codes,
      recent: dead.letters.slice(0, DEAD_LETTERS_SHOWN_MAX).map(reportDeadLetter),
    },
    quarantined,
    lag_s: lag,
    problems: [
      ...(unwritable === undefined ? [] : [unwritable]),
      ...hostProblems(hosts, nowMs),
      ...problems,
    ].map(reportProblem),
    ...(hosts.length > 0 && { hosts: hosts.map(reportHost) }),
    quotas,
  };
}

function reportHost({ host, aheadMs, unreachedMs }: HostSeen): HostReport {
  const seconds = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms / 1000));
  return {
    host,
    clock_ahead_s: Math.round(aheadMs / 1000),
    platform_unreached_s: seconds(unreachedMs.platform),
    google_unreached_s: seconds(unreachedMs.google),
  };
}

function reportCoverage(
  coverage: Pick<Coverage, 'coveredUntilMs' | 'provedAtMs'> & {
    readonly open: { readonly pageAtMs?: number } | undefined;
  },
  nowMs: number,
  {
    everyMs,
    ...known
  }: {
    readonly everyMs: number;
    readonly startedAtMs: number | undefined;
    readonly isLimited: boolean;
  },
): CoverageReport {
  const { coveredUntilMs, provedAtMs, open } = coverage;
  const freshForMs = PROOF_ROUNDS_MAX * everyMs + PROOF_GRACE_MS;
  // A clock that was ahead wrote a moment of the future: it proves nothing.
  const isProof = [coveredUntilMs, provedAtMs].every((ms) => ms !== undefined && canHaveBeen(ms, nowMs));
  // A walk that resumed after a long break ends now, but proves only what was true when it began.
  const isFresh = isProof && agoMs(coveredUntilMs ?? 0, nowMs) <= freshForMs + FORMATION_MS;
  const source = { isFresh, freshForMs, coveredUntilMs, pageAtMs: open?.pageAtMs, ...known };
  return {
    covered_until: coveredUntilMs === undefined ? null : iso(coveredUntilMs),
    proved_at: provedAtMs === undefined ? null : iso(provedAtMs),
    proved_ago_s: isProof && provedAtMs !== undefined ? Math.round(agoMs(provedAtMs, nowMs) / 1000) : null,
    fresh: isFresh,
    reading: readingOf(source, nowMs),
    walk_open: open !== undefined,
  };
}

async function reportCalendars(
  { calendars, clock, startedAtMs }: StatusParts,
  quotas: readonly QuotaReport[],
): Promise<readonly CalendarCoverageReport[]> {
  if (calendars === undefined) return [];
  const { ids, pace, address, accountOf = () => undefined } = calendars;
  const [read, channels] = await Promise.all([
    calendars.cursors.states(ids),
    address === undefined ? [] : calendars.channels.all(),
  ]);
  const nowMs = clock.now();
  const turns = pollTurns(withChannels(read, { channels, address, accountOf }, nowMs), pace, nowMs);
  return read.map(([calendar, cursor], at) => {
    const { everyMs, isPinged } = turns[at] ?? { everyMs: pace.everyMs, isPinged: false };
    const limits = limitsOn(calendarSource(calendar, accountOf(`calendar:${calendar}`)), quotas);
    const about = { everyMs, startedAtMs, isLimited: limits.length > 0 };
    return {
      calendar,
      ...reportCoverage(cursor, nowMs, about),
      read_every_s: Math.round(everyMs / 1000),
      pinged: isPinged,
      listed_at: cursor.listedAtMs === undefined ? null : iso(cursor.listedAtMs),
      limited_until: limitedUntil(limits),
    };
  });
}

/** A poll reads everything in one step, so reading and proof have the same time. */
async function reportPolled(
  source: PolledSource | undefined,
  { clock, startedAtMs }: StatusParts,
  quotas: readonly QuotaReport[],
): Promise<readonly IntakeCoverageReport[]> {
  if (source === undefined) return [];
  return Promise.all(
    source.entries.map(async ({ name: entry, everyMs, spreadsheetId, account }) => {
      const untilMs = await source.readUntilMs(entry);
      const read = { coveredUntilMs: untilMs, provedAtMs: untilMs, open: undefined };
      const limits = spreadsheetId === undefined ? [] : limitsOn(sheetSource(spreadsheetId, account), quotas);
      const about = { everyMs, startedAtMs, isLimited: limits.length > 0 };
      const { walk_open: _, ...report } = reportCoverage(read, clock.now(), about);
      return { entry, ...report, limited_until: limitedUntil(limits) };
    }),
  );
}

function reportHole(hole: Hole): HoleReport {
  return {
    id: hole.id,
    source: hole.source,
    from: hole.fromMs === undefined ? null : iso(hole.fromMs),
    to: hole.toMs === undefined ? null : iso(hole.toMs),
    cause: hole.cause,
    found_at: iso(hole.foundAtMs),
  };
}

function reportDeadLetter(letter: DeadLetter): DeadLetterReport {
  return {
    key: letter.key,
    at: iso(letter.atMs),
    attempts: letter.attempts,
    reasons: letter.reasons.map(({ mirror, code, message, advice }) => ({
      mirror,
      code,
      message,
      advice: advice ?? null,
    })),
  };
}

function reportProblem(problem: Problem): ProblemReport {
  const { target, code, message, advice, names = [], sinceMs, lastAtMs } = problem;
  return {
    ...{ target, code, message, advice: advice ?? null },
    ...(names.length > 0 && { names }),
    ...{ since: iso(sinceMs), last_at: iso(lastAtMs) },
  };
}

function reportQuota(state: QuotaState): QuotaReport {
  const { name, target, spent, admitted, limit, pausedUntilMs, reason, waiting } = state;
  const paused_until = pausedUntilMs === undefined ? null : iso(pausedUntilMs);
  return {
    ...{ name, target: target ?? null, spent, admitted, limit },
    ...{ paused_until, reason: reason ?? null, waiting },
  };
}

/** Distance: what a clock that was ahead has noted waits, too, and not for 0 s. */
function ageS(sinceMs: number, nowMs: number): number {
  return Math.round(distanceMs(sinceMs, nowMs) / 1000);
}

// Determines which of Google's quotas prevent a source from being read. Pure.

/** A source in Google, and the budget that reading it spends. */
interface GoogleSource {
  readonly budget: string;
  readonly target: string;
  /** Name of the Google account that reads it; undefined means the default account. */
  readonly account: string | undefined;
}

function calendarSource(calendarId: string, account?: string): GoogleSource {
  return { budget: 'google-calendar:', target: `calendar:${calendarId}`, account };
}

function sheetSource(spreadsheetId: string, account?: string): GoogleSource {
  return { budget: 'google-sheets-read:', target: `spreadsheet:${spreadsheetId}`, account };
}

/** When the last of the limits ends, ISO 8601; null if unknown. */
function limitedUntil(limits: readonly QuotaReport[]): string | null {
  return (
    limits
      .flatMap(({ paused_until }) => paused_until ?? [])
      .toSorted()
      .at(-1) ?? null
  );
}

/** The limits on this source: its own, and those of its whole budget. */
function limitsOn(
  { budget, target, account }: GoogleSource,
  quotas: readonly QuotaReport[],
): readonly QuotaReport[] {
  return quotas.filter(
    (quota) =>
      quota.name.startsWith(budget) &&
      accountOfCredential(quota.name.slice(budget.length)) === account &&
      (quota.target === null || quota.target === target) &&
      (quota.paused_until !== null || quota.waiting > 0),
  );
}

// What is wrong with single hosts, by what their processes last said about themselves. Pure.

/** Difference between the clocks of a host and of Redis above which people are told. */
const APART_MS_MAX = 10_000;
/** How long a side may not answer one host while it answers others. */
const CUT_OFF_MS_MAX = 60_000;
const SIDES = { platform: 'the platform', google: 'Google' } as const;

export function hostProblems(seen: readonly HostSeen[], nowMs: number): readonly Problem[] {
  return seen.flatMap((own) => [...clockProblem(own, nowMs), ...cutOffProblems(own, seen, nowMs)]);
}

function clockProblem({ host, aheadMs }: HostSeen, nowMs: number): readonly Problem[] {
  if (Math.abs(aheadMs) <= APART_MS_MAX) return [];
  const apart = spokenDuration(Math.round(Math.abs(aheadMs) / 1000));
  return [
    {
      target: `host:${host}`,
      code: 'clocks-apart',
      message: `the clock of ${host} is ${apart} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of Redis`,
      advice: 'Let every host and Redis follow the same time server (chrony, systemd-timesyncd).',
      ...{ sinceMs: nowMs, lastAtMs: nowMs },
    },
  ];
}

/** A side that answers nobody is down, which other problems tell. */
function cutOffProblems(own: HostSeen, seen: readonly HostSeen[], nowMs: number): readonly Problem[] {
  const { host } = own;
  return (Object.keys(SIDES) as RemoteSide[]).flatMap((side) => {
    const unreachedMs = own.unreachedMs[side] ?? 0;
    const isReached = seen.some((other) => other.unreachedMs[side] === 0);
    if (unreachedMs < CUT_OFF_MS_MAX || !isReached) return [];
    const since = spokenDuration(Math.round(unreachedMs / 1000));
    return [
      {
        target: `host:${host}:${side}`,
        code: 'host-cut-off',
        message: `${SIDES[side]} has not answered ${host} for ${since}, and answers other hosts`,
        advice: `Check the route, the proxy and the firewall of ${host}, or stop its worker: the others take over its work.`,
        ...{ sinceMs: nowMs - unreachedMs, lastAtMs: nowMs },
      },
    ];
  });
}
