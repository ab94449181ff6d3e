// The whole worker, wired: what is acquired pushes its release, and everything is released in reverse order.

import { setMaxListeners } from 'node:events';
import type { Config } from '../config/config.ts';
import { mirroredKinds } from '../config/needs.ts';
import { watchSheets } from '../mirrors/sheet/check/check-loop.ts';
import { flushHandler } from '../mirrors/sheet/flush/flush-handler.ts';
import { createRowAnswers } from '../mirrors/sheet/target/answers.ts';
import { runAlerts } from '../ops/alerts/alert-loop.ts';
import { createHttpServer } from '../ops/http-server.ts';
import { createMetrics } from '../ops/metrics.ts';
import { createStatusSource } from '../ops/status.ts';
import type { Clock } from '../ports/clock.ts';
import type { Intake } from '../ports/intake.ts';
import type { Log } from '../ports/log.ts';
import type { Meter } from '../ports/meter.ts';
import { intakeCoverage, pollIntakeSheets } from '../sources/booking-sheet/poll-loop.ts';
import { calendarCoverage, openCalendarWatch } from '../sources/calendar/watch-loops.ts';
import { FeedWatch } from '../sources/feed/feed-watch.ts';
import { DeliveryRush } from '../sources/webhook/delivery-rush.ts';
import { RefusedWatch } from '../sources/webhook/refused-watch.ts';
import { webhookRoute } from '../sources/webhook/route.ts';
import { assertSecretsAreStrong, webhookSecrets } from '../sources/webhook/secret-file.ts';
import { testedKeeper } from '../sources/webhook/tested-keeper.ts';
import { DirectoryKeeper } from '../upkeep/directory-keeper.ts';
import { isRedisBlank } from '../upkeep/redis-lost/lost-redis.ts';
import { watchRedis } from '../upkeep/redis-lost/restart-watch.ts';
import { ringEvery } from '../upkeep/schedule.ts';
import { EventIntake } from '../work/intake.ts';
import { Reveille, repeat, untilDone } from '../work/loops.ts';
import { reconcile } from '../work/reconcile.ts';
import { Releases } from '../work/supervisor.ts';
import { runSweep } from '../work/sweep.ts';
import { inheritTurns } from '../work/takeover.ts';
import { openBookingTargets, outsideEvents } from './booking-handlers.ts';
import { isMappingCurrent, Mapping, noticeChangedMapping } from './mapping.ts';
import { openQueues } from './queues.ts';
import { openOutside } from './remotes.ts';
import { openEditGuard, openWayBack } from './staff-edits.ts';
import { openStore, type Store } from './stores.ts';
import { openBookingDesk } from './submitter.ts';
import { createTargets } from './targets.ts';
import {
  adoptEvents,
  inheritFormerLinks,
  lookBeforeWalk,
  resolveMapping,
  runUpkeep,
  type UpkeepParts,
} from './upkeep.ts';

/** The private Redis ends in less, or is ended. */
const STORE_RELEASE_MS = 12_000;
/** The queues leave their handlers when their time is over; loops may be at a call to Google that takes minutes. */
const HANDLERS_LEFT_MS = 500;
/** Between two looks whether webhooks are still refused. */
const REFUSED_LOOK_EVERY_MS = 60_000;
/** Loops, waits and calendars that end when the worker stops. */
const LOOPS_MAX = 10_000;

export interface WorkerOptions {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends a start that still waits for Redis. */
  readonly signal?: AbortSignal;
}

export interface RunningWorker {
  /** Where it listens. */
  readonly url: string;
  /** Resolves, with the error for the operator, when it cannot go on. */
  readonly failed: Promise<unknown>;
  /** Lets the handlers come to their end for `worker.shutdown`, and releases the rest; ends in bounded time whatever does not answer. */
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
  assertSecretsAreStrong(config.platform.webhook);
  const store = await openStore(config, clock, { log, signal: options.signal });
  releases.push('store', () => store.close(), STORE_RELEASE_MS);
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
  const rush = new DeliveryRush();
  const queues = openQueues({ config, store, clock, log, rush });
  releases.push('queues', () => queues.close());
  const kinds = mirroredKinds(config);
  const intake = new EventIntake({ store: store.intake, queue: queues.objects, kinds, clock, log, meter });
  const { coverage, leases } = store;
  const { overlapMs } = config.platform.feed;
  const directory = new DirectoryKeeper(reader, clock);
  const lookAtEndpoint = () => lookBeforeWalk({ config, store, outside, directory, clock, log });
  const watch = new FeedWatch({
    ...{ reader, intake, coverage, leases, clock, log, meter, overlapMs },
    lookAtEndpoint,
  });
  releases.push('feed walk', () => watch.stop());

  const stopping = new AbortController();
  // Every loop of the worker listens to it: they are many, and none is a leak.
  setMaxListeners(LOOPS_MAX, stopping.signal);
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

  const calendarWatch = openCalendarWatch({
    listeners: outsideEvents(config, { intake, view: store.ledger, cursors: store.calendars, clock }),
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
      writeProbe: store.writeProbe,
    },
    inFlight: queues.inFlight,
    lag: metrics.lag,
    feedEveryMs: config.platform.feed.everyMs,
    calendars: calendarCoverage(config, store),
    intakeSheets: intakeCoverage(config, store),
    clock,
    worker: 'running',
    startedAtMs: clock.now(),
  });
  const refused = new RefusedWatch({ problems: store.problems, clock });
  const server = createHttpServer({
    status,
    metrics,
    isReady: () => readiness(store, isMapped),
    plugins: [
      webhookRoute(webhookParts({ config, store, intake, watch, refused, rush, clock, log, meter })),
      calendarWatch.plugin,
    ],
    hosts: config.http.hosts,
    log,
  });
  const { url } = await server.listen(config.http);
  releases.push('http', () => server.close());
  log.info({ url }, 'listening');
  // From here on: a worker that cannot begin, because its key is refused, is what people have to be told of.
  const alerting = runAlerts({ config, store, status, metrics, clock, log }, stopping.signal);
  releases.push('alerts', () => {
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
    // Before anything asks for a turn that a dead process holds.
    const heirs = await inheritTurns({ queues, store, log }, stopping.signal);
    await resolveMapping(upkeep, stopping.signal);
    if (stopping.signal.aborted) return;
    isMapped = true;
    const { memory, outbox } = store;
    let [wasBlank, redisRun]: [boolean | undefined, string] = [undefined, ''];
    const patiently = (step: () => Promise<unknown>) =>
      untilDone({ name: 'state in Redis', signal: stopping.signal, log }, step);
    const keepMark = () => noticeChangedMapping({ ...config, memory, coverage, outbox, clock });
    // Redis may stand still just now: a worker that takes deliveries already must not end for that, nor go on without its other half.
    await patiently(async () => {
      wasBlank ??= await isRedisBlank({ store });
      if (!wasBlank) await keepMark();
      redisRun = await store.redisRun();
    });
    await patiently(() => inheritFormerLinks(upkeep));
    // Before anything is written: what stands in the calendars already must not be made again elsewhere.
    const adoption = await adoptEvents(upkeep, stopping.signal, wasBlank);
    // Only then, on a blank Redis: another worker, under which it was wiped, writes as soon as the mark is there.
    if (wasBlank === true) await patiently(keepMark);
    if (stopping.signal.aborted) return;
    const { work, history } = store;
    const all = [...bookings, ...targets.mirrors];
    const { attempts } = config.worker;
    const reconcileParts = { work, history, reader, wayBack, targets: all, attempts, clock, log, meter };
    queues.work({
      reconcile: (key) => reconcile(reconcileParts, key),
      isCurrent: () => isMappingCurrent({ ...config, memory }),
      flush: flushHandler({ config, store, flusher: targets.flusher, clock, log, stopping: stopping.signal }),
    });
    watch.ring();
    releases.push(
      'feed bell',
      ringEvery(config.platform.feed.everyMs, () => watch.ring()),
    );
    const sweep = {
      work: store.work,
      later: store.later,
      putOff: store.putOff,
      outbox: store.outbox,
      queue: queues.objects,
      hasten: () => queues.hasten(),
      bell: queues.bell,
      clock,
      log,
    };
    const reveille = new Reveille();
    const sheets = {
      mirrors: config.mirrors,
      check: async (spreadsheetId: string) => {
        await targets.lateDoubles.takeBack(spreadsheetId);
        await targets.checker.check(spreadsheetId);
        await targets.blankRows.remove(spreadsheetId);
      },
      isCurrent: () => isMappingCurrent({ ...config, memory }),
      ...{ leases, log, reveille },
    };
    const intakeSheets = {
      ...{ config, store, outside, intake, queue: queues.objects, clock, log },
      isCurrent: () => isMappingCurrent({ ...config, memory }),
      reveille,
    };
    const lookAtAll = (): void => {
      watch.ring({ insisting: true });
      calendarWatch.lookAtAll();
      reveille.call();
    };
    await Promise.all([
      heirs.rest,
      adoption.rest,
      watchRedis(upkeep, { run: redisRun, lookAtAll }, stopping.signal),
      runSweep(sweep, stopping.signal),
      runUpkeep(upkeep, lookAtAll, stopping.signal),
      watchSheets(sheets, stopping.signal),
      repeat({ name: 'refused webhooks', everyMs: REFUSED_LOOK_EVERY_MS, signal: stopping.signal, log }, () =>
        refused.look().then(() => undefined),
      ),
      pollIntakeSheets(intakeSheets, stopping.signal),
      calendarWatch.run(stopping.signal),
    ]);
  };
  const beginning = begin();
  const { shutdownMs } = config.worker;
  releases.push(
    'work',
    () => {
      stopping.abort();
      return Promise.all([queues.stopWork(), beginning.catch(() => undefined)]);
    },
    shutdownMs + HANDLERS_LEFT_MS,
  );
  const failed = new Promise<unknown>((fail) => {
    beginning.catch((error: unknown) => fail(error));
  });
  return { url, failed, stop: () => releases.all() };
}

async function readiness(store: Store, isMapped: boolean): Promise<{ ready: boolean; reasons: string[] }> {
  const redis = await store.writeProbe.problem().then(
    (problem) => problem?.message,
    () => 'Redis does not answer',
  );
  const reasons = [
    ...(redis === undefined ? [] : [redis]),
    ...(isMapped ? [] : ['the names of the mapping are not resolved yet']),
  ];
  return { ready: reasons.length === 0, reasons };
}

function webhookParts(parts: {
  readonly config: Config;
  readonly store: Pick<Store, 'memory'>;
  readonly intake: Intake;
  readonly watch: FeedWatch;
  readonly refused: RefusedWatch;
  readonly rush: DeliveryRush;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}) {
  const { config, store, intake, watch, refused, rush, clock, log, meter } = parts;
  const { signature, header, toleranceMs, maxBodyBytes } = config.platform.webhook;
  return {
    intake,
    scheme: signature,
    header: header.toLowerCase(),
    secrets: webhookSecrets(config.platform.webhook),
    toleranceMs,
    maxBodyBytes,
    ringDoorbell: () => watch.ring(),
    onTest: testedKeeper(store.memory),
    onVerdict: (verdict: string) => refused.saw(verdict),
    rush,
    clock,
    log,
    meter,
  };
}
