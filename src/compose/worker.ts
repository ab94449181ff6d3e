// The whole worker, wired: what is acquired pushes its release, and everything is released in reverse order.

import { setMaxListeners } from 'node:events';
import type { Config } from '../config/config.ts';
import { EventIntake } from '../intake/event-intake.ts';
import { reconcile } from '../mirrors/reconcile.ts';
import { createRowAnswers } from '../mirrors/sheet/answers.ts';
import { createHttpServer } from '../ops/http-server.ts';
import { createMetrics } from '../ops/metrics.ts';
import { createStatusSource } from '../ops/status.ts';
import type { Clock } from '../ports/clock.ts';
import type { Intake } from '../ports/intake.ts';
import type { Log } from '../ports/log.ts';
import type { Memory } from '../ports/memory.ts';
import type { Meter } from '../ports/meter.ts';
import { runSweep } from '../queue/sweep.ts';
import { FeedWatch } from '../sources/feed/feed-watch.ts';
import { webhookRoute } from '../sources/webhook/route.ts';
import { DirectoryKeeper } from '../upkeep/directory-keeper.ts';
import { ringEvery } from '../upkeep/schedule.ts';
import { runAlerts } from './alerts.ts';
import { openBookingDesk } from './bookings.ts';
import { openCalendarWatch, watchedCalendars } from './calendar-watch.ts';
import { openEditGuard, openWayBack } from './edits.ts';
import { flushHandler } from './flush.ts';
import { pollIntakeSheets } from './intake-sheets.ts';
import { mirroredKinds } from './kinds.ts';
import { isRedisBlank } from './lost-redis.ts';
import { isMappingCurrent, Mapping, noticeChangedMapping } from './mapping.ts';
import { openOutside } from './outside.ts';
import { openBookingTargets, outsideEvents } from './outside-bookings.ts';
import { openQueues } from './queues.ts';
import { watchRedis } from './redis-watch.ts';
import { Releases } from './releases.ts';
import { webhookSecrets } from './secrets.ts';
import { watchSheets } from './sheet-watch.ts';
import { openStore, type Store } from './store.ts';
import { createTargets } from './targets.ts';
import { testedKeeper } from './tested-delivery.ts';
import { adoptEvents, resolveMapping, runUpkeep, type UpkeepParts } from './upkeep.ts';

/** Loops, waits and calendars that end when the worker stops. */
const LOOPS_MAX = 10_000;

export interface WorkerOptions {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RunningWorker {
  /** Where it listens. */
  readonly url: string;
  /** Resolves, with the error for the operator, when it cannot go on. */
  readonly failed: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts the worker. Rejects with `TerminalError` when Redis or a credential cannot be used; the platform and Google may be away. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const releases = new Releases(options.log);
  try {
    return await start(options, releases);
  } catch (error) {
    await releases.all();
    throw error;
  }
}

async function start(options: WorkerOptions, releases: Releases): Promise<RunningWorker> {
  const { config, clock, log } = options;
  const store = await openStore(config, clock);
  releases.push(() => store.close());
  for (const warning of store.warnings) log.warn({ advice: warning }, 'redis is risky');
  await store.problems.clearAll();
  const { signature } = config.platform.webhook;
  if (signature !== 'doorbell' && webhookSecrets(config.platform.webhook)().length === 0) {
    const advice =
      'Run `slotbridge webhook register`, or set platform.webhook.secrets; until then webhooks only ring for a feed walk.';
    log.warn({ advice }, 'no webhook secret is known');
  }

  const metrics = createMetrics();
  const meter = metrics.meter;
  const outside = openOutside({ config, store, clock, log, meter });
  const reader = outside.platform.reader;
  const queues = openQueues({ config, store, clock, log });
  releases.push(() => queues.close());
  const kinds = mirroredKinds(config);
  const intake = new EventIntake({ store: store.intake, queue: queues.objects, kinds, clock, log, meter });
  const { coverage, leases } = store;
  const { overlapMs } = config.platform.feed;
  const watch = new FeedWatch({ reader, intake, coverage, leases, clock, log, meter, overlapMs });
  releases.push(() => watch.stop());

  const stopping = new AbortController();
  // Every loop of the worker listens to it: they are many, and none is a leak.
  setMaxListeners(LOOPS_MAX, stopping.signal);
  const directory = new DirectoryKeeper(reader);
  const mapping = new Mapping(store);
  const guard = openEditGuard({ store, outside, clock });
  const desk = openBookingDesk({ store, outside, directory, clock, log });
  const edits = { config, store, outside, directory, mapping, desk, guard, clock, log, meter };
  const wayBack = openWayBack(edits);
  const targets = createTargets({
    guard,
    config,
    store,
    outside,
    directory,
    mapping,
    bell: queues.bell,
    queue: queues.objects,
    clock,
    log,
    meter,
  });
  const bookings = openBookingTargets({
    ...{ ...edits, intake, queue: queues.objects },
    rowAnswers: (mapping) =>
      createRowAnswers({ mapping, outbox: targets.outbox, bell: queues.bell, zones: targets.zones }),
  });
  releases.push(() => queues.stopWork());

  const calendarWatch = openCalendarWatch({
    listeners: outsideEvents(config, { intake, view: store.ledger, clock }),
    ...{ config, store, outside, intake, clock, log, meter },
    queue: queues.objects,
    isCurrent: () => isMappingCurrent({ ...config, memory: store.memory }),
  });

  let isMapped = false;
  const status = createStatusSource({
    version: options.version,
    ...{
      ledger: store.ledger,
      coverage,
      outbox: store.outbox,
      problems: store.problems,
      quotas: store.budget,
    },
    inFlight: queues.inFlight,
    lag: metrics.lag,
    feedEveryMs: config.platform.feed.everyMs,
    calendars: {
      cursors: store.calendars,
      ids: watchedCalendars(config),
      everyMs: config.google.watch.everyMs,
    },
    clock,
    worker: 'running',
    startedAtMs: clock.now(),
  });
  const server = createHttpServer({
    status,
    metrics,
    isReady: () => readiness(store, isMapped),
    plugins: [
      webhookRoute(webhookParts({ config, memory: store.memory, intake, watch, clock, log, meter })),
      calendarWatch.plugin,
    ],
    log,
  });
  const { url } = await server.listen(config.http);
  releases.push(() => server.close());
  log.info({ url }, 'listening');
  // From here on: a worker that cannot begin, because its key is refused, is what people have to be told of.
  const alerting = runAlerts({ config, store, status, metrics, clock, log }, stopping.signal);
  releases.push(() => {
    stopping.abort();
    return alerting;
  });

  const upkeep: UpkeepParts = {
    config,
    store,
    outside,
    intake,
    directory,
    mapping,
    marked: targets.marked,
    queue: queues.objects,
    clock,
    log,
  };
  const begin = async (): Promise<void> => {
    await resolveMapping(upkeep, stopping.signal);
    if (stopping.signal.aborted) return;
    isMapped = true;
    const { memory, outbox } = store;
    const wasBlank = await isRedisBlank({ store });
    await noticeChangedMapping({ ...config, memory, coverage, outbox, clock });
    const redisRun = await store.redisRun();
    // Before anything is written: what stands in the calendars already must not be made again elsewhere.
    const adoption = await adoptEvents(upkeep, stopping.signal, wasBlank);
    if (stopping.signal.aborted) return;
    const { work, history } = store;
    const all = [...bookings, ...targets.mirrors];
    const reconcileParts = { work, history, reader, wayBack, targets: all, clock, log, meter };
    queues.work({
      reconcile: (key, attempt) => reconcile(reconcileParts, key, attempt),
      isCurrent: () => isMappingCurrent({ ...config, memory }),
      flush: flushHandler({ config, store, flusher: targets.flusher, clock, log, stopping: stopping.signal }),
    });
    watch.ring();
    releases.push(ringEvery(config.platform.feed.everyMs, () => watch.ring()));
    const sweep = {
      work: store.work,
      later: store.later,
      outbox: store.outbox,
      queue: queues.objects,
      bell: queues.bell,
      clock,
      log,
    };
    const sheets = {
      mirrors: config.mirrors,
      check: async (spreadsheetId: string) => {
        await targets.checker.check(spreadsheetId);
        await targets.blankRows.remove(spreadsheetId);
      },
      isCurrent: () => isMappingCurrent({ ...config, memory }),
      ...{ leases, log },
    };
    const intakeSheets = {
      ...{ config, store, outside, intake, queue: queues.objects, clock, log },
      isCurrent: () => isMappingCurrent({ ...config, memory }),
    };
    await Promise.all([
      adoption.rest,
      watchRedis(upkeep, redisRun, stopping.signal),
      runSweep(sweep, stopping.signal),
      runUpkeep(upkeep, stopping.signal),
      watchSheets(sheets, stopping.signal),
      pollIntakeSheets(intakeSheets, stopping.signal),
      calendarWatch.run(stopping.signal),
    ]);
  };
  const beginning = begin();
  releases.push(() => {
    stopping.abort();
    return beginning.catch(() => undefined);
  });
  const failed = new Promise<unknown>((fail) => {
    beginning.catch((error: unknown) => fail(error));
  });
  return { url, failed, stop: () => releases.all() };
}

async function readiness(store: Store, isMapped: boolean): Promise<{ ready: boolean; reasons: string[] }> {
  const answers = await store.answers().catch(() => false);
  const reasons = [
    ...(answers ? [] : ['Redis does not answer']),
    ...(isMapped ? [] : ['the names of the mapping are not resolved yet']),
  ];
  return { ready: reasons.length === 0, reasons };
}

function webhookParts(parts: {
  readonly config: Config;
  readonly memory: Memory;
  readonly intake: Intake;
  readonly watch: FeedWatch;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}) {
  const { config, memory, intake, watch, clock, log, meter } = parts;
  const { signature, header, toleranceMs, maxBodyBytes } = config.platform.webhook;
  return {
    intake,
    scheme: signature,
    header: header.toLowerCase(),
    secrets: webhookSecrets(config.platform.webhook),
    toleranceMs,
    maxBodyBytes,
    ringDoorbell: () => watch.ring(),
    onTest: testedKeeper(memory),
    clock,
    log,
    meter,
  };
}
