// Wires the whole worker. The supervisor owns everything that is opened or started here, and ends it in reverse order.

import { hostname } from 'node:os';
import { openConsole } from '../console/plugin.ts';
import type { EntityKey, Snapshot } from '../engine/object.ts';
import { isHiddenBy } from '../engine/origin.ts';
import type { DatedOutcome } from '../engine/reload.ts';
import { type Clock, type Log, steadyClock } from '../engine/runtime.ts';
import { every, type Part, Supervisor } from '../engine/supervisor.ts';
import type { Config } from '../mapping/config.ts';
import { neededZones, zonesInUse } from '../mapping/needs.ts';
import { branchZone } from '../mapping/template.ts';
import { runAlerts } from '../operate/alerts/alerter.ts';
import { cursorsOf } from '../operate/cursors.ts';
import { createHttpServer, Readiness } from '../operate/http-server.ts';
import { createMetrics, type Metrics } from '../operate/metrics.ts';
import { MirroredRows } from '../operate/mirrored-rows.ts';
import { PeopleIndex } from '../operate/people-index.ts';
import { mappedPlaces, pendingIn } from '../operate/places.ts';
import type { Usage } from '../operate/process-reports.ts';
import { ReloadNotice } from '../operate/reload-status.ts';
import type { StatusSource } from '../operate/status.ts';
import { lookBeforeWalk } from '../platform/endpoint-care.ts';
import { FeedWatch } from '../platform/feed-watch.ts';
import { requestResyncOnce } from '../platform/resync-walk.ts';
import { assertSecretsAreStrong, noticeNoSecret } from '../platform/secret-file.ts';
import type { DeliveryLog } from '../platform/webhook-delivery.ts';
import { RememberedTabs } from '../sheet/tab-survey.ts';
import { type Core, openCore, openReplays } from './core.ts';
import { explainParts, finderIn } from './explain-session.ts';
import { consentPlugins } from './google-consent.ts';
import { openSession } from './operator-session.ts';
import { statusParts } from './stored-status.ts';
import { endpointParts } from './upkeep.ts';
import { openWebhooks } from './webhooks.ts';
import { openCalendarWatch } from './wishes.ts';
import { feedRoutes, workPart } from './work.ts';

export interface WorkerOptions {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** When the process began, if it is older than this worker: a reload starts another worker in it. Asked once the clock follows Redis. */
  readonly processStartedAtMs?: () => number;
  /** Aborts a start that still waits for Redis. */
  readonly signal?: AbortSignal;
  /** The process reads its YAML again when `slotbridge reload` signals it. Another process would end by that signal. */
  readonly takesReload?: boolean;
  /** The longest time the platform takes to form an event after a change; default `FORMATION_MS`. */
  readonly formationMs?: number;
}

export interface RunningWorker {
  /** The address it listens on. */
  readonly url: string;
  /** Resolves with the error for the operator when the worker cannot go on. */
  readonly failed: Promise<unknown>;
  /** Resolves once the names of the mapping are resolved: from then on the YAML is at work. */
  readonly ready: Promise<void>;
  /** Tells people what became of the newest YAML. Never rejects. */
  reloaded(outcome: DatedOutcome): Promise<void>;
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
    const { url, ready, reloads } = await start(options, supervisor);
    const reloaded = (outcome: DatedOutcome) => reloads.tell(outcome);
    return { url, ready, reloaded, failed: supervisor.failed, stop: () => supervisor.stop() };
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

async function start(options: WorkerOptions, supervisor: Supervisor) {
  const { config, version, clock, log, formationMs } = options;
  assertSecretsAreStrong(config.platform.webhook);
  const metrics = createMetrics(clock);
  const core = await openCore(config, { clock, log, meter: metrics.meter }, { ...options, supervisor });
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
  const webhooks = openWebhooks(core, watch);
  const status = statusParts(config, {
    ...{ store, version, clock, inFlight: queues.inFlight, worker: 'running' },
    ...{ startedAtMs: clock.now(), processStartedAtMs: options.processStartedAtMs?.() },
    zones: () => zonesInUse(config, core.directory.current()),
  });
  const readiness = new Readiness(store.writeProbe);
  const consoles = openConsoles(core, { status, version, usage: metrics.usage });
  keepPace(core, supervisor, { ...metrics, received: webhooks.received });
  const server = createHttpServer({
    ...{ status, metrics, hosts: config.http.hosts, log, onUnknown: webhooks.onUnknown },
    isReady: () => readiness.read(),
    plugins: [
      ...[webhooks.plugin, calendarWatch.plugin],
      ...feedRoutes(core),
      ...consentPlugins(core),
      ...consoles.map(({ plugin }) => plugin),
    ],
  });
  const { url } = await server.listen(config.http);
  supervisor.own('http', () => server.close());
  log.info({ url }, 'listening');
  for (const part of consoles.flatMap(({ parts }) => parts)) supervisor.start(part);
  supervisor.start(hostReports(core));
  // Start alerts before the work: people must learn of a worker that cannot begin because its key is refused.
  supervisor.start({
    name: 'alerts',
    run: (signal) => runAlerts({ ...store, config, status, metrics, clock, log }, signal),
  });
  const ready = new Promise<void>((done) => {
    const onNamesResolved = () => {
      readiness.namesResolved();
      done();
    };
    supervisor.start(workPart(core, { supervisor, watch, calendarWatch, webhooks, onNamesResolved, status }));
  });
  return { url, ready, reloads: new ReloadNotice({ ...store, metrics, log }) };
}

/** The web console over a worker's stores; empty when the console is switched off. */
function openConsoles(
  core: Core,
  about: {
    readonly status: StatusSource;
    readonly version: string;
    readonly usage: Pick<Usage, 'read'>;
  },
) {
  const { config, store, queues, directory, clock, log } = core;
  if (!config.console.isEnabled) return [];
  // Live pages never call the platform. They show what the worker last knew.
  const known = {
    directory: async () => directory.current(),
    reader: { get: async (key: EntityKey) => (await store.ledger.peek(key))?.snapshot },
  };
  const zoneOf = (snapshot: Snapshot): string =>
    branchZone(snapshot, directory.current()) ?? neededZones(config, directory.current())[0] ?? 'UTC';
  return [
    openConsole({
      ...{ directory: () => directory.current(), zoneOf },
      ...{ settings: config.console, hosts: config.http.hosts, language: config.worker.language },
      ...{ access: store.consoleAccess, acts: store.acts, clock, log },
      ...{ deadLetters: store.deadLetters, queue: queues.objects, memory: store.memory },
      find: finderIn({ config, store }),
      platformBudget: () => core.remotes.platform.budget(),
      ...{ pace: store.pace, mirrorPace: store.mirrorPace },
      places: {
        all: mappedPlaces(config),
        store: store.places,
        pendingIn: (place) => pendingIn({ ...store, directory: () => directory.current() }, place),
        tabId: (spreadsheetId, tab) => new RememberedTabs(store.memory).get(spreadsheetId, tab),
      },
      workersSince: (sinceMs) => store.processes.seenSince(sinceMs),
      received: store.received,
      ...{ changes: store.changes, mirrors: config.mirrors.map(({ name }) => name) },
      ...{ journal: store.journal, known: store.known, leases: store.leases },
      replays: openReplays(core),
      resyncs: {
        request: (request) => requestResyncOnce({ ...store, clock }, request),
        progress: cursorsOf({ config, store, clock }).resyncProgress,
        asked: async () =>
          (await store.coverage.holes()).filter(
            ({ request, cause }) => request !== undefined && cause === 'operator',
          ),
      },
      openAudit: (waiting) => openSession(config, clock, waiting),
      rows: new MirroredRows({
        ...{ api: core.remotes.sheetsFor('catch-up'), mirrors: config.mirrors, bookings: config.bookings },
      }),
      people: new PeopleIndex({
        ...{ ...store, view: store.ledger, isHidden: isHiddenBy(config), clock, steady: steadyClock },
        zoneOf,
      }),
      story: explainParts({ config, store, clock, ...known }),
      hasGoogle: config.google.calendarRootUrl.startsWith('https://www.googleapis.com/'),
      ...about,
    }),
  ];
}

/** How often a worker says how its host is. */
const REPORT_EVERY_MS = 20_000;

/** Tells the other workers what only this host can measure: its clock, and whether the remote sides answer it. */
function hostReports({ store, remotes, log }: Core): Part {
  return every({ name: 'host report', everyMs: REPORT_EVERY_MS, log }, async () => {
    await store.followClock();
    await store.hosts.report({ host: hostname(), unreachedMs: remotes.reach.unreachedMs() });
  });
}

/** How often a worker adds what it wrote to the counts of all, if it wrote anything. */
const TELL_EVERY_MS = 2_000;

/** Also adds what was written last, after the handlers have ended. */
function keepPace(
  { store, remotes, log }: Core,
  supervisor: Supervisor,
  { pace, mirrorPace, received }: Pick<Metrics, 'pace' | 'mirrorPace'> & { readonly received: DeliveryLog },
): void {
  const tell = async () => {
    await pace.flush((written) => store.pace.add(written));
    await mirrorPace.flush((counted) => store.mirrorPace.add(counted));
    await remotes.reached.flush((fields) => store.places.add(fields));
    await received.flush((verified, refused) => store.received.add(verified, refused));
  };
  supervisor.own('pace', tell);
  supervisor.start(every({ name: 'pace', everyMs: TELL_EVERY_MS, log }, tell));
}
