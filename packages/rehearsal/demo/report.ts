import type { ClassesVerdict } from './classes/judge.ts';
import { count, type Difference, type PlaceVerdict } from './judge/difference.ts';
import type { Verdict } from './judge/judge.ts';
import { percentile } from './lag/percentile.ts';
import type { LagSamples } from './lag/stopwatch.ts';
import type { OfficeVerdict } from './office/wish-book.ts';
import type { OutsideVerdict } from './outside/book.ts';
import type { BlockedVerdict } from './private-time/judge.ts';
import type { CarriedVerdict } from './staff/corrections.ts';

/** Everything measured while the day was played. */
export interface Measured {
  readonly changes: number;
  /** How often people changed something in Google. */
  readonly staffActs: number;
  /** The server that keeps one of the calendars, and how often its owner changed something there. Absent: all are Google's. */
  readonly caldav?: { readonly server: string; readonly phoneActs: number };
  readonly outside: OutsideVerdict;
  readonly blocked: BlockedVerdict;
  readonly classes: ClassesVerdict;
  readonly carried: { readonly names: CarriedVerdict; readonly appointments: OfficeVerdict };
  readonly feedsRight: number;
  /** People's own fields that have changed, one line each. */
  readonly peoplesLost: readonly string[];
  readonly webhooksSent: number;
  readonly webhooksLost: number;
  readonly webhooksDoubled: number;
  readonly recoveredFromFeed: number;
  readonly kills: number;
  readonly googleCalls: number;
  readonly caldavRequests: number;
  readonly sheetWriteRequests: number;
  readonly platformCalls: number;
  readonly platformWrites: number;
  readonly mailsSent: number;
  readonly faultsInjected: number;
  readonly deadLetters: number;
  readonly isIdle: boolean;
  readonly notIdleBecause: readonly string[];
  readonly calendarLag: LagSamples;
  readonly rowLag: LagSamples;
  readonly seed: number;
  readonly durationMs: number;
}

/** The demo's numbers, as `--json` prints them. Lags are in milliseconds, null when nothing was measured. */
export interface DemoReport {
  readonly ok: boolean;
  readonly seed: number;
  readonly changes: number;
  /** How often people changed something in Google: moved, deleted, recoloured, sorted, typed. */
  readonly staff_acts: number;
  /** Name and version of the CalDAV server that keeps one of the calendars; null when all are Google's. */
  readonly caldav_server: string | null;
  /** The worker's requests to it, and how often the calendar's owner changed something there. */
  readonly caldav_requests: number;
  readonly caldav_acts: number;
  /** Fields, copies and notes of people that the worker changed. */
  readonly people_fields_changed: number;
  /** Bookings that staff made in their calendars and in the intake tab, and their results. */
  readonly outside_made: number;
  readonly outside_booked: number;
  readonly outside_refused: number;
  readonly outside_doubled: number;
  readonly outside_unanswered: number;
  /** Quarter hours with private events, and how many of them are unbookable. */
  readonly blocked_expected: number;
  readonly blocked_found: number;
  /** Classes with guests, and how many of them have one event with all their guests. */
  readonly classes_expected: number;
  readonly classes_right: number;
  /** Changes that the office made in rows and that the platform accepted: corrected names, typed starts, ticks. */
  readonly carried: number;
  readonly carried_moves: number;
  readonly carried_cancels: number;
  /** Number of calendar feeds (there is one) that match the platform. */
  readonly feeds_right: number;
  readonly webhooks_sent: number;
  readonly webhooks_lost: number;
  readonly webhooks_doubled: number;
  readonly recovered_from_feed: number;
  readonly kills: number;
  readonly events_expected: number;
  readonly events_found: number;
  readonly rows_expected: number;
  readonly rows_found: number;
  readonly missing: number;
  readonly doubled: number;
  readonly stale: number;
  readonly google_calls_per_change: number;
  readonly lag_ms_p50: number | null;
  readonly lag_ms_p99: number | null;
  /** Only changes whose webhook was not lost. */
  readonly lag_ms_delivered_p50: number | null;
  readonly lag_ms_delivered_p99: number | null;
  readonly lag_ms_sheet_p50: number | null;
  readonly lag_ms_sheet_p99: number | null;
  readonly google_calls: number;
  readonly sheet_write_requests: number;
  readonly platform_calls: number;
  /** The worker's calls that change something on the platform, such as moving an appointment whose event staff moved. */
  readonly platform_writes: number;
  readonly mails_sent: number;
  readonly faults_injected: number;
  readonly dead_letters: number;
  readonly idle: boolean;
  readonly not_idle_because: readonly string[];
  readonly duration_ms: number;
}

/** Builds the report. `ok` only when nothing differs, no customer was mailed, there is no dead letter and the worker is idle. */
export function reportOf(measured: Measured, verdict: Verdict): DemoReport {
  const places = [...verdict.calendars, ...verdict.tabs];
  const missing = count(places, 'missing');
  const doubled = count(places, 'doubled');
  const stale = count(places, 'stale');
  const { calendarLag, rowLag, mailsSent, platformWrites, deadLetters, isIdle, peoplesLost } = measured;
  const { outside, blocked, classes, carried, feedsRight } = measured;
  const { names, appointments } = carried;
  const wrong = [
    ...[...outside.wrong, ...blocked.wrong, ...classes.wrong],
    ...[...names.wrong, ...appointments.wrong, ...peoplesLost],
  ];
  return {
    ok:
      missing + doubled + stale + mailsSent + deadLetters + wrong.length === 0 && feedsRight === 1 && isIdle,
    seed: measured.seed,
    changes: measured.changes,
    staff_acts: measured.staffActs,
    caldav_server: measured.caldav?.server ?? null,
    caldav_requests: measured.caldavRequests,
    caldav_acts: measured.caldav?.phoneActs ?? 0,
    people_fields_changed: peoplesLost.length,
    outside_made: outside.made,
    outside_booked: outside.booked,
    outside_refused: outside.refused,
    outside_doubled: outside.doubled,
    outside_unanswered: outside.unanswered,
    blocked_expected: blocked.expected,
    blocked_found: blocked.found,
    classes_expected: classes.expected,
    classes_right: classes.right,
    carried: names.carried + appointments.moves + appointments.cancels,
    carried_moves: appointments.moves,
    carried_cancels: appointments.cancels,
    feeds_right: feedsRight,
    webhooks_sent: measured.webhooksSent,
    webhooks_lost: measured.webhooksLost,
    webhooks_doubled: measured.webhooksDoubled,
    recovered_from_feed: measured.recoveredFromFeed,
    kills: measured.kills,
    events_expected: sum(verdict.calendars, 'expected'),
    events_found: sum(verdict.calendars, 'found'),
    rows_expected: sum(verdict.tabs, 'expected'),
    rows_found: sum(verdict.tabs, 'found'),
    missing,
    doubled,
    stale,
    google_calls_per_change: rounded(measured.googleCalls / Math.max(1, measured.changes)),
    lag_ms_p50: percentile(calendarLag.all, 50),
    lag_ms_p99: percentile(calendarLag.all, 99),
    lag_ms_delivered_p50: percentile(calendarLag.delivered, 50),
    lag_ms_delivered_p99: percentile(calendarLag.delivered, 99),
    lag_ms_sheet_p50: percentile(rowLag.all, 50),
    lag_ms_sheet_p99: percentile(rowLag.all, 99),
    google_calls: measured.googleCalls,
    sheet_write_requests: measured.sheetWriteRequests,
    platform_calls: measured.platformCalls,
    platform_writes: platformWrites,
    mails_sent: mailsSent,
    faults_injected: measured.faultsInjected,
    dead_letters: deadLetters,
    idle: isIdle,
    not_idle_because: measured.notIdleBecause,
    duration_ms: Math.round(measured.durationMs),
  };
}

export function differencesOf(verdict: Verdict): Difference[] {
  return [...verdict.calendars, ...verdict.tabs].flatMap(({ differences }) => differences);
}

function sum(places: readonly PlaceVerdict[], what: 'expected' | 'found'): number {
  return places.reduce((total, place) => total + place[what], 0);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
