import { repeat } from '../../engine/loops.ts';
import type { Leases } from '../../engine/ports/leases.ts';
import type { AlertStore } from '../../engine/ports/operator.ts';
import type { Clock, Log } from '../../engine/ports/runtime.ts';
import type { Config } from '../../mapping/config.ts';
import type { Metrics } from '../metrics.ts';
import type { StatusSource } from '../status.ts';
import { Alerter } from './alerter.ts';
import { placeWords } from './place-words.ts';
import { postTo } from './post.ts';
import { ALERT_WORDS } from './words.ts';

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
    ...{ status, clock, log },
    bounds: { ...bounds, placeOf: placeWords(config) },
    store: alerts,
    leases,
    damping: { raiseAfterMs, clearAfterMs },
    post: webhook === undefined ? undefined : postTo(webhook),
    ...installationOf(config),
    language: config.worker.language,
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

/** The prefix tells installations of one machine apart; the address is what their owner knows. */
function installationOf({ redis, console, platform, worker }: Config): {
  installation: string;
  consoleUrl?: string;
} {
  const known = console.address ?? platform.webhook.publicUrl;
  const host = known === undefined ? undefined : new URL(known).host;
  const { message } = ALERT_WORDS[worker.language];
  return {
    installation: host === undefined ? redis.prefix : message.installation(redis.prefix, host),
    ...(console.isEnabled && console.address !== undefined && { consoleUrl: `${console.address}/console` }),
  };
}
