// Wires the whole worker. The supervisor owns everything that is opened or started here, and ends it in reverse order.
import type { Config } from '../config/config.ts';
import { runAlerts } from '../ops/alerts/alert-loop.ts';
import { createHttpServer } from '../ops/http-server.ts';
import { createMetrics } from '../ops/metrics.ts';
import { Readiness } from '../ops/readiness.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import { FeedWatch } from '../sources/feed/feed-watch.ts';
import { webhookRoute } from '../sources/webhook/route.ts';
import { assertSecretsAreStrong, noticeNoSecret } from '../sources/webhook/secret-file.ts';
import { lookBeforeWalk } from '../upkeep/endpoint/care-loop.ts';
import { Supervisor } from '../work/supervisor.ts';
import { openConsoles } from './console.ts';
import { openCore } from './core.ts';
import { feedRoutes } from './feeds.ts';
import { consentPlugins } from './google-consent.ts';
import { openCalendarWatch, openWebhookWatches, webhookParts } from './sources.ts';
import { statusParts } from './stored-status.ts';
import { endpointParts } from './upkeep.ts';
import { workPart } from './work.ts';

export interface WorkerOptions {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts a start that still waits for Redis. */
  readonly signal?: AbortSignal;
  /** The longest time the platform takes to form an event after a change; default `FORMATION_MS`. */
  readonly formationMs?: number;
}

export interface RunningWorker {
  /** The address it listens on. */
  readonly url: string;
  /** Resolves with the error for the operator when the worker cannot go on. */
  readonly failed: Promise<unknown>;
  /**
   * Lets running handlers finish within `worker.shutdown`, then releases the rest. It ends in bounded time even if something does not
   * answer.
   */
  stop(): Promise<void>;
}

/**
 * Starts the worker. Rejects with `TerminalError` when Redis or a credential cannot be used. The platform and Google may be unavailable.
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const supervisor = new Supervisor(options.log);
  try {
    const url = await start(options, supervisor);
    return { url, failed: supervisor.failed, stop: () => supervisor.stop() };
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

async function start(options: WorkerOptions, supervisor: Supervisor) {
  const { config, version, clock, log, signal, formationMs } = options;
  assertSecretsAreStrong(config.platform.webhook);
  const metrics = createMetrics();
  const core = await openCore(config, { clock, log, meter: metrics.meter }, { supervisor, signal, version });
  const { store, remotes, queues } = core;
  noticeNoSecret(config.platform.webhook, log);
  const watch = new FeedWatch({
    ...config.platform.feed,
    ...{ reader: remotes.platform.reader, intake: core.intake, coverage: store.coverage },
    ...{ leases: store.leases, clock, log, meter: metrics.meter },
    formationMs,
    lookAtEndpoint: () => lookBeforeWalk({ ...endpointParts(core), formationMs }, remotes.platform.reader),
  });
  supervisor.start(watch);
  supervisor.start(core.backlog);
  const calendarWatch = openCalendarWatch(core);
  const webhooks = openWebhookWatches(core);
  const status = statusParts(config, {
    ...{ store, version, clock, inFlight: queues.inFlight, worker: 'running' },
    ...{ lag: metrics.lag, startedAtMs: clock.now() },
  });
  const readiness = new Readiness(store.writeProbe);
  const consoles = openConsoles(core, { status, version, pace: metrics.pace, usage: metrics.usage });
  const server = createHttpServer({
    ...{ status, metrics, hosts: config.http.hosts, log },
    isReady: () => readiness.read(),
    plugins: [
      ...[webhookRoute(webhookParts(core, { watch, ...webhooks })), calendarWatch.plugin],
      ...feedRoutes(core),
      ...consentPlugins(core),
      ...consoles.map(({ plugin }) => plugin),
    ],
  });
  const { url } = await server.listen(config.http);
  supervisor.own('http', () => server.close());
  log.info({ url }, 'listening');
  for (const part of consoles.flatMap(({ parts }) => parts)) supervisor.start(part);
  const { alerts, leases } = store;
  // Start alerts before the work: people must learn of a worker that cannot begin because its key is refused.
  supervisor.start({
    name: 'alerts',
    run: (signal) => runAlerts({ config, alerts, leases, status, metrics, clock, log }, signal),
  });
  const onNamesResolved = () => readiness.namesResolved();
  supervisor.start(workPart(core, { supervisor, watch, calendarWatch, webhooks, onNamesResolved, status }));
  return url;
}
