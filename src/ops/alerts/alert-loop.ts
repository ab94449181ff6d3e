import type { Config } from '../../config/config.ts';
import type { Leases } from '../../ports/leases.ts';
import type { AlertStore } from '../../ports/operator.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import { repeat } from '../../work/loops.ts';
import type { Metrics } from '../metrics.ts';
import type { StatusSource } from '../status.ts';
import { Alerter } from './alerter.ts';
import { postTo } from './post.ts';

/** Between two looks for alerts. */
const LOOK_EVERY_MS_MIN = 1_000;
const LOOK_EVERY_MS_MAX = 10_000;
/** Looks within the time that a condition has to stand. */
const LOOKS_BEFORE_RAISED = 4;

/** Looks for what people have to be told until the signal aborts. Beside the work, which it never waits for nor holds up. */
export function runAlerts(
  parts: {
    readonly config: Config;
    readonly alerts: AlertStore;
    readonly leases: Leases;
    readonly status: StatusSource;
    readonly metrics: Metrics;
    readonly clock: Clock;
    readonly log: Log;
  },
  signal: AbortSignal,
): Promise<void> {
  const { config, alerts, leases, status, metrics, clock, log } = parts;
  const { webhook, raiseAfterMs, clearAfterMs, ...bounds } = config.alerts;
  const alerter = new Alerter({
    ...{ status, bounds, clock, log },
    store: alerts,
    leases,
    damping: { raiseAfterMs, clearAfterMs },
    post: webhook === undefined ? undefined : postTo(webhook),
    installation: config.redis.prefix,
    meter: metrics.meter,
    show: metrics.showAlerts,
  });
  const paceMs = Math.min(raiseAfterMs, clearAfterMs) / LOOKS_BEFORE_RAISED;
  const everyMs = Math.min(LOOK_EVERY_MS_MAX, Math.max(LOOK_EVERY_MS_MIN, paceMs));
  return repeat({ name: 'alerts', everyMs, signal, log }, async () => {
    await alerter.look(signal);
    return undefined;
  });
}
