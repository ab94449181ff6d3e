// Takes counts and measurements under the names of the list, and returns Prometheus text. Uses its own registry, so that two workers in one
// process do not share counters.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { ALERT_NAMES, type AlertName } from '../engine/alert.ts';
import { unbroken } from '../engine/counts.ts';
import { distanceMs } from '../engine/moments.ts';
import type { Clock, Meter } from '../engine/runtime.ts';
import { askedResyncs, realHoles } from './holes.ts';
import { maskText } from './personal-data.ts';
import { MirrorPace, Pace, Usage } from './process-reports.ts';
import type { HoleReport, StatusReport } from './status-report.ts';

/** Every counter and histogram of the worker: name, meaning and labels. */
export const COUNTERS: readonly MetricDeclaration[] = [
  {
    name: 'slotbridge_events_total',
    help: 'Events taken in, by source (webhook, feed) and outcome.',
    labels: ['via', 'outcome'],
  },
  {
    name: 'slotbridge_webhooks_total',
    help: 'Webhook deliveries by outcome: signature-* were refused, wrong-path got 404, kept arrived under backpressure and is taken in later, not-durable got 503.',
    labels: ['outcome'],
  },
  {
    name: 'slotbridge_quarantined_total',
    help: 'Deliveries and events that could not be understood and were quarantined.',
    labels: ['reason'],
  },
  {
    name: 'slotbridge_feed_recovered_total',
    help: 'Events that the feed brought before any webhook.',
    labels: [],
  },
  {
    name: 'slotbridge_feed_walks_total',
    help: 'Walks through the event feed by outcome. Only proved advances the coverage.',
    labels: ['end'],
  },
  {
    name: 'slotbridge_calendar_syncs_total',
    help: 'Reads of a calendar by outcome. proved and listed (a full list) advance its coverage; read-already needed no call.',
    labels: ['end'],
  },
  {
    name: 'slotbridge_calendar_sightings_total',
    help: "The worker's own events that calendars reported: echo is its own write, noticed goes to a handler.",
    labels: ['outcome'],
  },
  {
    name: 'slotbridge_calendar_pings_total',
    help: 'Pings from Google by outcome. Only rung led to a read.',
    labels: ['outcome'],
  },
  {
    name: 'slotbridge_reconciled_total',
    help: 'Objects written to all their mirrors. dirty: the object had changed again meanwhile.',
    labels: ['kind', 'outcome'],
  },
  {
    name: 'slotbridge_outside_bookings_total',
    help: 'Outcomes of outside bookings, by entry of bookings: booked, refused, ignored, moved, cancelled and so on.',
    labels: ['mapping', 'code'],
  },
  {
    name: 'slotbridge_staff_edits_total',
    help: 'Outcomes of staff edits to mirrored events: moved, cancelled, refused, put back, left alone.',
    labels: ['mirror', 'code'],
  },
  {
    name: 'slotbridge_tab_looks_total',
    help: 'Tabs that a flush read before it wrote: rows (only the cells on which its rows depend) or whole (the whole key column).',
    labels: ['extent'],
  },
  {
    name: 'slotbridge_failures_total',
    help: 'Failed attempts to mirror an object. The mirror "*" means: before any mirror was tried.',
    labels: ['mirror', 'code', 'family'],
  },
  {
    name: 'slotbridge_dead_letters_total',
    help: 'Objects that became dead letters, by the code of the first reason.',
    labels: ['code'],
  },
  {
    name: 'slotbridge_queue_engines_rebuilt_total',
    help: 'Queue engines that did nothing for a minute while keys waited, and were built anew.',
    labels: ['queue'],
  },
  {
    name: 'slotbridge_event_writes_total',
    help: 'Completed writes to events in Google Calendar, by mirror and kind of write.',
    labels: ['mirror', 'action'],
  },
  {
    name: 'slotbridge_alert_posts_total',
    help: 'Messages to the alert webhook: sent, or failed and retried.',
    labels: ['outcome'],
  },
  {
    name: 'slotbridge_google_requests_total',
    help: 'Requests to Google by budget and rank: live, catch-up, list.',
    labels: ['budget', 'rank'],
  },
  {
    name: 'platform_requests_total',
    help: 'Requests to the platform by operation and HTTP status; no-answer without a response.',
    labels: ['operation', 'status'],
  },
  {
    name: 'platform_held_back_total',
    help: 'Requests to the platform that were not sent, because its limit is spent or it refuses the key.',
    labels: ['code'],
  },
];

export const HISTOGRAMS: readonly HistogramDeclaration[] = [
  {
    name: 'slotbridge_lag_seconds',
    help: 'Time from the change on the platform to the confirmed write in the mirror.',
    labels: ['mirror'],
    bucketsS: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600, 86_400],
  },
  {
    name: 'platform_request_seconds',
    help: 'Duration of a request to the platform.',
    labels: ['operation'],
    bucketsS: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
];

/** `status` shows percentiles of this histogram's newest samples. */
const LAG = 'slotbridge_lag_seconds';

interface MetricDeclaration {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

interface HistogramDeclaration extends MetricDeclaration {
  /** Upper bounds in seconds. */
  readonly bucketsS: readonly number[];
}

export interface Metrics {
  readonly meter: Meter;
  /** Prometheus text. The gauges of the state come from `report`; without one they are absent. */
  text(report?: StatusReport): Promise<string>;
  readonly contentType: string;
  showReload(isTakenUp: boolean): void;
  showAlerts(alerts: ReadonlySet<AlertName>): void;
  /** What this process has written since it last said so. */
  readonly pace: Pick<Pace, 'flush'>;
  /** The same by mirror, with what failed. */
  readonly mirrorPace: Pick<MirrorPace, 'flush'>;
  /** This process's usage over the last minute. */
  readonly usage: Pick<Usage, 'read'>;
}

/** `clock` tells the minute of a write. */
export function createMetrics(clock: Clock = MACHINE_CLOCK): Metrics {
  const registry = new Registry();
  collectOwnMetrics(registry);
  const pace = new Pace(clock);
  const mirrorPace = new MirrorPace(clock);
  const usage = new Usage();
  const gauges = new StatusGauges(registry);
  const alerts = new AlertGauge(registry);
  const reloads = new ReloadGauges(registry);
  return {
    meter: new PrometheusMeter(registry, {
      onLag(seconds, { mirror = '' }) {
        pace.add(seconds);
        mirrorPace.wrote(mirror, seconds);
      },
      onCount(counter, { budget = '', rank = '', operation = '', mirror = '' }) {
        if (counter === 'slotbridge_failures_total') mirrorPace.failed(mirror);
        if (counter === 'slotbridge_google_requests_total') usage.add(budget, rank);
        if (counter === 'platform_requests_total') usage.add('platform', operation);
      },
    }),
    async text(report) {
      gauges.show(report);
      return (await registry.metrics()).split('\n').map(unbroken).join('\n');
    },
    contentType: registry.contentType,
    showReload: (isTakenUp) => reloads.show(isTakenUp),
    showAlerts: (standing) => alerts.show(standing),
    pace,
    mirrorPace,
    usage,
  };
}

const MACHINE_CLOCK: Clock = { now: () => Date.now() };

/** The lag of the event loop is measured so often. Each sample wakes the process: 10 ms, the default, costs an idle one 4 ms a second. */
const LAG_SAMPLED_EVERY_MS = 100;

/** What the process tells of itself. A delay as Node.js records it includes the time between two samples; what is shown does not. */
function collectOwnMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLED_EVERY_MS });
  for (const part of ['min', 'max', 'mean', 'p50', 'p90', 'p99']) {
    const gauge = registry.getSingleMetric(`nodejs_eventloop_lag_${part}_seconds`) as Gauge;
    const set = gauge.set.bind(gauge);
    Object.assign(gauge, {
      set: (labels: Labels, seconds: number) =>
        set(labels, Math.max(0, seconds - LAG_SAMPLED_EVERY_MS / 1_000)),
    });
  }
}

type Labels = Readonly<Record<string, string>>;

interface Listener {
  onLag(seconds: number, labels: Labels): void;
  onCount(counter: string, labels: Labels): void;
}

/** Never throws, because counting must not make work fail: a wrong name or number is itself counted. */
class PrometheusMeter implements Meter {
  readonly #counters = new Map<string, { metric: Counter; labels: readonly string[] }>();
  readonly #histograms = new Map<string, { metric: Histogram; labels: readonly string[] }>();
  readonly #listener: Listener;
  readonly #misused: Counter;

  constructor(registry: Registry, listener: Listener) {
    const registers = [registry];
    for (const { bucketsS, ...told } of HISTOGRAMS) {
      const metric = new Histogram({ ...describe(told), buckets: [...bucketsS], registers });
      this.#histograms.set(told.name, { metric, labels: told.labels });
    }
    for (const told of COUNTERS) {
      this.#counters.set(told.name, {
        metric: new Counter({ ...describe(told), registers }),
        labels: told.labels,
      });
    }
    this.#misused = new Counter({
      name: 'slotbridge_meter_misused_total',
      help: 'Lost counts: the metric is not declared, or the value is not a number. A bug in slotbridge.',
      labelNames: ['metric'],
      registers,
    });
    this.#listener = listener;
  }

  add(counter: string, labels: Labels = {}, by = 1): void {
    const known = this.#counters.get(counter);
    if (known === undefined || !isCountable(by)) this.#misused.inc({ metric: counter });
    else {
      known.metric.inc(pick(known.labels, labels), by);
      this.#listener.onCount(counter, labels);
    }
  }

  observe(histogram: string, seconds: number, labels: Labels = {}): void {
    const known = this.#histograms.get(histogram);
    if (known === undefined || !Number.isFinite(seconds)) {
      this.#misused.inc({ metric: histogram });
      return;
    }
    // The clocks of the platform and this machine differ: a negative duration counts as zero.
    const elapsed = Math.max(0, seconds);
    known.metric.observe(pick(known.labels, labels), elapsed);
    if (histogram === LAG) this.#listener.onLag(elapsed, labels);
  }
}

function describe({ name, help, labels }: MetricDeclaration) {
  return { name, help, labelNames: [...labels] };
}

function isCountable(by: number): boolean {
  return Number.isFinite(by) && by >= 0;
}

/** The declared labels, with absent ones empty. The registry would reject other labels. */
function pick(names: readonly string[], labels: Labels): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) picked[name] = masked(labels[name] ?? '');
  return picked;
}

/** Few labels exist and every event carries them, so most are looked up instead of being searched for secrets again. */
const maskedLabels = new Map<string, string>();
const LABELS_KEPT_MAX = 1_000;
const LABEL_KEPT_CHARS_MAX = 64;

function masked(label: string): string {
  const known = maskedLabels.get(label);
  if (known !== undefined) return known;
  const text = maskText(label);
  if (maskedLabels.size < LABELS_KEPT_MAX && label.length <= LABEL_KEPT_CHARS_MAX)
    maskedLabels.set(label, text);
  return text;
}

/** The figures of `status` as gauges, as of the scrape. */
class StatusGauges {
  readonly #isReadable: Gauge;
  readonly #gauges: readonly { readonly gauge: Gauge; readonly of: (report: StatusReport) => number }[];
  readonly #labelled: readonly { readonly gauge: Gauge; readonly told: LabelledGauge }[];

  constructor(registry: Registry) {
    const registers = [registry];
    this.#isReadable = new Gauge({
      name: 'slotbridge_status_readable',
      help: '1 if the state in Redis could be read for this scrape. If 0, the gauges of the state are absent.',
      registers,
    });
    this.#gauges = GAUGES.map(({ name, help, of }) => ({ gauge: new Gauge({ name, help, registers }), of }));
    this.#labelled = LABELLED_GAUGES.map((told) => {
      const { name, help, label } = told;
      return { gauge: new Gauge({ name, help, labelNames: [label], registers }), told };
    });
  }

  /** Without a report, the gauges are removed: an old value or a zero would say that all is well. */
  show(report: StatusReport | undefined): void {
    this.#isReadable.set(report === undefined ? 0 : 1);
    for (const { gauge, of } of this.#gauges) {
      if (report === undefined) gauge.remove();
      else gauge.set(of(report));
    }
    for (const { gauge, told } of this.#labelled) {
      gauge.reset();
      const values = report === undefined ? [] : told.of(report);
      for (const [value, amount] of values) gauge.set({ [told.label]: value }, amount);
    }
  }
}

const GAUGES: readonly {
  readonly name: string;
  readonly help: string;
  readonly of: (report: StatusReport) => number;
}[] = [
  {
    name: 'slotbridge_pending_objects',
    help: 'Objects whose mirrors are not up to date.',
    of: (report) => report.pending.objects,
  },
  {
    name: 'slotbridge_oldest_pending_age_seconds',
    help: 'Seconds that the oldest pending object has waited; 0 if nothing is pending.',
    of: (report) => report.pending.oldest_age_s ?? 0,
  },
  {
    name: 'slotbridge_in_flight',
    help: 'Objects and sheets that this process is working on.',
    of: (report) => report.pending.in_flight ?? 0,
  },
  {
    name: 'slotbridge_sheet_rows_waiting',
    help: 'Rows waiting to be written to a sheet.',
    of: (report) => report.pending.sheet_rows,
  },
  {
    name: 'slotbridge_dead_letters_standing',
    help: 'Objects that wait for a person: dead letters.',
    of: (report) => report.dead_letters.count,
  },
  {
    name: 'slotbridge_quarantine_entries',
    help: 'Deliveries and events that could not be understood.',
    of: (report) => report.quarantined,
  },
  {
    name: 'slotbridge_coverage_age_seconds',
    help: 'Age of the last proof that the feed was read without a gap. +Inf before the first proof, and when it lies in the future.',
    // Infinite, so that an alert on a large age also fires for a worker that never proved anything.
    of: (report) => report.coverage.feed.proved_ago_s ?? Number.POSITIVE_INFINITY,
  },
  {
    name: 'slotbridge_calendar_coverage_age_seconds',
    help: 'Age of the oldest proof of a watched calendar. +Inf if one was never proved or its proof lies in the future; 0 without watched calendars.',
    // One figure for all calendars, because a calendar's id may be a person's address.
    of: ({ coverage }) =>
      Math.max(0, ...coverage.calendars.map((each) => each.proved_ago_s ?? Number.POSITIVE_INFINITY)),
  },
  {
    name: 'slotbridge_calendars_stale',
    help: 'Watched calendars whose proof is older than two polling intervals plus 15 s.',
    of: ({ coverage }) => coverage.calendars.filter((each) => !each.fresh).length,
  },
  {
    name: 'slotbridge_intake_sheets_stale',
    help: 'Entries of bookings whose sheet was not read for two polling rounds plus 15 s.',
    of: ({ coverage }) => coverage.intake_sheets.filter((each) => !each.fresh).length,
  },
  {
    name: 'slotbridge_holes',
    help: 'Holes: times without proof that all events were read, not yet closed by a resync.',
    of: (report) => realHoles(report.holes).length,
  },
  {
    name: 'slotbridge_oldest_hole_age_seconds',
    help: 'Seconds that the oldest hole has been open; 0 without holes.',
    of: ({ holes, at }) => oldestS(realHoles(holes), at),
  },
  {
    name: 'slotbridge_oldest_resync_age_seconds',
    help: 'Seconds since the oldest unfinished resync was requested; 0 without one.',
    of: ({ holes, at }) => oldestS(askedResyncs(holes), at),
  },
  {
    name: 'slotbridge_problems',
    help: 'Known problems, such as a calendar that is not shared or a revoked key.',
    of: (report) => report.problems.length,
  },
  {
    name: 'slotbridge_idle',
    help: '1 if nothing is pending or in progress and the coverage is fresh and without holes.',
    of: (report) => (report.idle ? 1 : 0),
  },
];

function oldestS(holes: readonly HoleReport[], at: string): number {
  return Math.max(0, ...holes.map((hole) => distanceMs(Date.parse(hole.found_at), Date.parse(at)) / 1000));
}

/** A gauge with one series per value of its label; values that disappear leave no series behind. */
interface LabelledGauge {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  readonly of: (report: StatusReport) => Iterable<readonly [string, number]>;
}

export const LABELLED_GAUGES: readonly LabelledGauge[] = [
  {
    name: 'slotbridge_source_coverage_age_seconds',
    help: 'Age of the last proof that a source, the event feed or a watched calendar, was read without a gap. +Inf before the first proof, and when it lies in the future.',
    label: 'source',
    of: ({ coverage }) => [
      ['feed', coverage.feed.proved_ago_s ?? Number.POSITIVE_INFINITY],
      // A calendar's id may be a person's address, so it is masked as in the log; the same id always gets the same mask.
      ...coverage.calendars.map(
        ({ calendar, proved_ago_s }) =>
          [maskText(`calendar ${calendar}`), proved_ago_s ?? Number.POSITIVE_INFINITY] as const,
      ),
    ],
  },
  {
    name: 'slotbridge_dead_letters_by_code',
    help: 'Dead letters by the code of their first reason.',
    label: 'code',
    of: ({ dead_letters }) => Object.entries(dead_letters.by_code),
  },
  {
    name: 'slotbridge_problems_by_code',
    help: 'Known problems by code.',
    label: 'code',
    of: ({ problems }) => summed(problems.map(({ code }) => [code, 1])),
  },
  {
    name: 'slotbridge_host_clock_ahead_seconds',
    help: "By how much a host's clock is ahead of that of Redis; negative: behind.",
    label: 'host',
    of: ({ hosts = [] }) => hosts.map(({ host, clock_ahead_s }) => [host, clock_ahead_s]),
  },
  {
    name: 'slotbridge_host_platform_unreached_seconds',
    help: 'For how long the platform has not answered a host; 0 while it does.',
    label: 'host',
    of: ({ hosts = [] }) => hosts.map(({ host, platform_unreached_s }) => [host, platform_unreached_s ?? 0]),
  },
  {
    name: 'slotbridge_host_google_unreached_seconds',
    help: 'For how long Google has not answered a host; 0 while it does.',
    label: 'host',
    of: ({ hosts = [] }) => hosts.map(({ host, google_unreached_s }) => [host, google_unreached_s ?? 0]),
  },
  {
    name: 'slotbridge_quota_waits',
    help: 'Objects and spreadsheets that wait for a Google budget.',
    label: 'budget',
    of: ({ quotas }) => summed(quotas.map(({ name, waiting }) => [name.split(':')[0] ?? name, waiting])),
  },
];

function summed(pairs: readonly (readonly [string, number])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [name, amount] of pairs) sums.set(name, (sums.get(name) ?? 0) + amount);
  return sums;
}

/** The two gauges that Prometheus and its relatives export about their own configuration. */
class ReloadGauges {
  readonly #isSuccessful: Gauge;
  readonly #atSeconds: Gauge;

  /** The worker was started with a YAML, which counts as the first reload. */
  constructor(registry: Registry) {
    const registers = [registry];
    this.#isSuccessful = new Gauge({
      name: 'slotbridge_config_last_reload_successful',
      help: '1 if the newest YAML was taken up. 0 if it was rejected and the former one is at work.',
      registers,
    });
    this.#atSeconds = new Gauge({
      name: 'slotbridge_config_last_reload_success_timestamp_seconds',
      help: 'When a YAML was last taken up, as Unix time.',
      registers,
    });
    this.show(true);
  }

  show(isTakenUp: boolean): void {
    this.#isSuccessful.set(isTakenUp ? 1 : 0);
    if (isTakenUp) this.#atSeconds.setToCurrentTime();
  }
}

/** `slotbridge_alert{alert="…"}`: 1 from raising the alert until it is cleared. */
class AlertGauge {
  readonly #gauge: Gauge<'alert'>;

  constructor(registry: Registry) {
    this.#gauge = new Gauge({
      name: 'slotbridge_alert',
      help: '1 while the alert is raised, otherwise 0. The same in all processes.',
      labelNames: ['alert'],
      registers: [registry],
    });
    this.show(new Set());
  }

  show(standing: ReadonlySet<AlertName>): void {
    for (const alert of ALERT_NAMES) this.#gauge.set({ alert }, standing.has(alert) ? 1 : 0);
  }
}
