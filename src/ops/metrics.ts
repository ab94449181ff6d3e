// Takes counts and measurements under the names of the list, and returns Prometheus text. Uses its own registry, so that two workers in one
// process do not share counters.
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { AlertName } from '../domain/alert.ts';
import type { Meter } from '../ports/runtime.ts';
import { AlertGauge } from './alerts/gauge.ts';
import { StatusGauges } from './gauges.ts';
import { type Lag, RecentLags } from './lag.ts';
import { COUNTERS, HISTOGRAMS, LAG, type MetricDeclaration } from './metric-list.ts';
import { Pace } from './pace.ts';
import { maskText } from './personal-data.ts';
import type { StatusReport } from './status-report.ts';
import { Usage } from './usage.ts';

export interface Metrics {
  readonly meter: Meter;
  /** Prometheus text. The gauges of the state come from `report`; without one they are absent. */
  text(report?: StatusReport): Promise<string>;
  readonly contentType: string;
  /** Sets the alerts that are raised now. */
  showAlerts(alerts: ReadonlySet<AlertName>): void;
  /** Lags of this process's newest 2,000 writes, in seconds. */
  lag(): Lag;
  /** This process's pace by minute, over the last day. */
  readonly pace: Pick<Pace, 'read'>;
  /** This process's usage over the last minute. */
  readonly usage: Pick<Usage, 'read'>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const lags = new RecentLags();
  const pace = new Pace();
  const usage = new Usage();
  const gauges = new StatusGauges(registry);
  const alerts = new AlertGauge(registry);
  return {
    meter: new PrometheusMeter(registry, {
      onLag(seconds) {
        lags.add(seconds);
        pace.add(seconds);
      },
      onCount(counter, { budget = '', rank = '', operation = '' }) {
        if (counter === 'slotbridge_google_requests_total') usage.add(budget, rank);
        if (counter === 'platform_requests_total') usage.add('platform', operation);
      },
    }),
    text: (report) => {
      gauges.show(report);
      return registry.metrics();
    },
    contentType: registry.contentType,
    showAlerts: (standing) => alerts.show(standing),
    lag: () => lags.read(),
    pace,
    usage,
  };
}

type Labels = Readonly<Record<string, string>>;

interface Listener {
  onLag(seconds: number): void;
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
    if (histogram === LAG) this.#listener.onLag(elapsed);
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
