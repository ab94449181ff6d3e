import type { Config } from '../../config/config.ts';
import type { Leases } from '../../ports/leases.ts';
import type { AlertStore } from '../../ports/operator.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import { repeat } from '../../work/loops.ts';
import type { Metrics } from '../metrics.ts';
import type { StatusSource } from '../status.ts';
import { Alerter } from './alerter.ts';
import { postTo } from './post.ts';

/** Bounds of the time between two checks of the status for alerts. */
const LOOK_EVERY_MS_MIN = 1_000;
const LOOK_EVERY_MS_MAX = 10_000;
/** Number of checks within the time that a condition must last. */
const LOOKS_BEFORE_RAISED = 4;

/** Checks for alerts until the signal aborts. Runs beside the work: neither waits for the other. */
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
