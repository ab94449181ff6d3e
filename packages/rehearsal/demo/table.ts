import { BAD_DELIVERY, EVENT_DELAY_MS } from './day/weather.ts';
import { count, type PlaceVerdict } from './judge/difference.ts';
import type { Verdict } from './judge/judge.ts';
import { type DemoReport, differencesOf } from './report.ts';

const DIFFERENCES_SHOWN = 10;
const PLATFORM_TAKES = range([
  EVENT_DELAY_MS[0] + BAD_DELIVERY.delayMs[0],
  EVENT_DELAY_MS[1] + BAD_DELIVERY.delayMs[1],
]);
const COLUMNS = ['expected', 'found', 'missing', 'doubled', 'stale'] as const;
const COLUMN_WIDTH = 10;
const GREEN = '\x1b[32m';
const RED = '\x1b[31m';
const PLAIN = '\x1b[0m';

/** The result as text: one line per calendar and tab, the numbers in words, and a verdict. */
export function tableOf(report: DemoReport, verdict: Verdict, options: { readonly color: boolean }): string {
  const paint = (text: string, isGood: boolean) =>
    options.color ? `${isGood ? GREEN : RED}${text}${PLAIN}` : text;
  const places = [...verdict.calendars, ...verdict.tabs];
  const width = Math.max(...places.map(({ label }) => label.length), 'Calendar, resource'.length) + 2;
  const line = (place: PlaceVerdict) => placeLine(place, { width, paint });
  return [
    '',
    headerLine('Calendar, resource', width),
    ...verdict.calendars.map(line),
    '',
    headerLine('Sheet, tab', width),
    ...verdict.tabs.map(line),
    '',
    ...inWords(report),
    '',
    ...differenceLines(verdict),
    paint(verdictLine(report), report.ok),
    '',
  ].join('\n');
}

function headerLine(title: string, width: number): string {
  return `  ${title.padEnd(width)}${COLUMNS.map((name) => name.padStart(COLUMN_WIDTH)).join('')}`;
}

function placeLine(
  place: PlaceVerdict,
  how: { width: number; paint: (text: string, isGood: boolean) => string },
): string {
  const numbers = [
    place.expected,
    place.found,
    ...(['missing', 'doubled', 'stale'] as const).map((kind) => count([place], kind)),
  ];
  const isGood = place.differences.length === 0;
  const cells = numbers.map((value) => String(value).padStart(COLUMN_WIDTH)).join('');
  return `  ${place.label.padEnd(how.width)}${cells}   ${how.paint(isGood ? 'the same' : 'DIFFERENT', isGood)}`;
}

function inWords(report: DemoReport): string[] {
  const lag = (p50: number | null, p99: number | null) =>
    `half within ${seconds(p50)}, 99 % within ${seconds(p99)}`;
  return [
    `  ${report.changes} changes on the platform; ${report.webhooks_sent} webhooks, of which ${report.webhooks_lost} were lost and ${report.webhooks_doubled} doubled, all shuffled`,
    `  ${report.staff_acts} times staff moved, deleted, recoloured or sorted something in Google; ${report.people_fields_changed} of people's own fields were changed`,
    ...(report.caldav_server === null
      ? []
      : [
          `  ${report.caldav_acts} times the colleague with a CalDAV calendar (${report.caldav_server}) changed something in it; ${report.caldav_requests} requests of the worker to that server`,
        ]),
    `  ${report.outside_made} bookings made in calendars and in the booking sheet: ${report.outside_booked} booked, ${report.outside_refused} refused where they were made, the rest taken away or unfinished`,
    `  ${report.blocked_found} of ${report.blocked_expected} quarters of an hour of private events are unbookable; ${carriedInWords(report)}; ${report.feeds_right} of 1 calendar feed, ${report.classes_right} of ${report.classes_expected} classes right`,
    `  ${report.recovered_from_feed} events came by the feed first; the worker was killed ${times(report.kills)}; ${report.faults_injected} calls were made to fail on purpose`,
    `  ${report.google_calls_per_change} Google calls per change, ${report.sheet_write_requests} of all were writes to the spreadsheet`,
    `  From the change to the calendar: ${lag(report.lag_ms_p50, report.lag_ms_p99)}`,
    `    of which the platform itself takes ${PLATFORM_TAKES} to form an event and to deliver it`,
    `    where the webhook was not lost: ${lag(report.lag_ms_delivered_p50, report.lag_ms_delivered_p99)}`,
    `  From the change to the sheet: ${lag(report.lag_ms_sheet_p50, report.lag_ms_sheet_p99)}`,
    `  ${report.mails_sent} mails sent, ${report.platform_writes} calls that change the platform, ${report.dead_letters} dead letters`,
    `  ${seconds(report.duration_ms)} in all, seed ${report.seed}`,
  ];
}

function carriedInWords({ carried, carried_moves, carried_cancels }: DemoReport): string {
  const names = carried - carried_moves - carried_cancels;
  return `${names} names, ${carried_moves} moves, ${carried_cancels} cancellations carried from tabs`;
}

function differenceLines(verdict: Verdict): string[] {
  const differences = [
    ...differencesOf(verdict).map(
      ({ kind, place, id, what }) => `  ${kind.padEnd(8)} ${place}  ${id}  ${what}`,
    ),
    ...(verdict.besides ?? []).map((line) => `  ${line}`),
  ];
  if (differences.length === 0) return [];
  const shown = differences.slice(0, DIFFERENCES_SHOWN);
  const more = differences.length - shown.length;
  return ['Differences:', ...shown, ...(more > 0 ? [`  and ${more} more`] : []), ''];
}

function verdictLine(report: DemoReport): string {
  if (report.ok)
    return 'Every calendar and every sheet is as the platform says: nothing missing, doubled or stale.';
  const why = [
    ...(report.idle
      ? []
      : [`the worker did not come to rest (${report.not_idle_because.join('; ') || 'coverage is behind'})`]),
    ...(['missing', 'doubled', 'stale'] as const).flatMap((kind) =>
      report[kind] > 0 ? [`${report[kind]} ${kind}`] : [],
    ),
    ...(report.dead_letters > 0 ? [`${report.dead_letters} dead letters`] : []),
    ...(report.mails_sent > 0 ? [`${report.mails_sent} mails sent`] : []),
    ...(report.outside_doubled + report.outside_unanswered > 0
      ? [`${report.outside_doubled} bookings doubled, ${report.outside_unanswered} unanswered`]
      : []),
    ...(report.blocked_found < report.blocked_expected
      ? [`${report.blocked_expected - report.blocked_found} quarters of an hour can be booked`]
      : []),
    ...(report.classes_right < report.classes_expected
      ? [`${report.classes_expected - report.classes_right} classes are wrong`]
      : []),
    ...(report.feeds_right === 0 ? ['the calendar feed is wrong'] : []),
    ...(report.people_fields_changed > 0
      ? [`${report.people_fields_changed} of people's own fields changed`]
      : []),
  ];
  // A difference that no number above counts.
  return `NOT the same: ${why.join(', ') || 'see the differences above'}.`;
}

function range([from, to]: readonly [number, number]): string {
  return `${(from / 1_000).toFixed(1)} to ${(to / 1_000).toFixed(1)} s`;
}

function seconds(ms: number | null): string {
  return ms === null ? 'nothing measured' : `${(ms / 1_000).toFixed(1)} s`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
