// The whole worker, wired: what is acquired pushes its release, and everything is released in reverse order.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { WorkerError } from '../domain/errors.ts';
import type { CalendarMirror } from '../domain/mirror.ts';
import type { Attempt, Disposition } from '../domain/work.ts';
import { EventIntake } from '../intake/event-intake.ts';
import { reconcile } from '../mirrors/reconcile.ts';
import { createHttpServer } from '../ops/http-server.ts';
import { createMetrics } from '../ops/metrics.ts';
import { createStatusSource } from '../ops/status.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { KeyedQueue, KeyedWorker } from '../queue/keyed-queue.ts';
import { runSweep } from '../queue/sweep.ts';
import { FeedWatch } from '../sources/feed/feed-watch.ts';
import { WEBHOOK_PATH, webhookRoute } from '../sources/webhook/route.ts';
import { adoptMarkedEvents } from '../upkeep/adopt.ts';
import { DirectoryKeeper } from '../upkeep/directory-keeper.ts';
import { careForEndpoint } from '../upkeep/endpoint-care.ts';
import { resyncHoles } from '../upkeep/resync.ts';
import { ringEvery } from '../upkeep/schedule.ts';
import { flushHandler } from './flush.ts';
import { Mapping, noticeChangedMapping } from './mapping.ts';
import { openOutside } from './outside.ts';
import { webhookSecrets } from './secrets.ts';
import { openStore } from './store.ts';
import { createTargets } from './targets.ts';

export interface RunningWorker {
  /** Where it listens. */
  readonly url: string;
  /** Resolves when a part of it cannot go on; the error is for the operator. */
  readonly failed: Promise<unknown>;
  stop(): Promise<void>;
}

const RETRY_START_MS = 2_000;
const DIRECTORY_EVERY_MS = 5 * 60_000;
const RESYNC_LOOK_EVERY_MS = 1_000;
const UNHEALTHY_CHECK_EVERY_MS = 15_000;

/** Starts the worker. Rejects with `TerminalError` when Redis or a credential cannot be used; the platform and Google may be away. */
export async function startWorker(parts: {
  config: Config;
  version: string;
  clock: Clock;
  log: Log;
}): Promise<RunningWorker> {
  const { config, clock, log } = parts;
  const releases: (() => Promise<unknown> | unknown)[] = [];
  const stopping = new AbortController();
  const stop = async (): Promise<void> => {
    stopping.abort();
    for (const release of releases.splice(0).reverse()) {
      await Promise.resolve()
        .then(release)
        .catch((error: unknown) =>
          log.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'release failed'),
        );
    }
  };
  try {
    const store = await openStore(config, clock);
    releases.push(() => store.close());
    for (const warning of store.warnings) log.warn({ advice: warning }, 'redis is risky');

    const metrics = createMetrics();
    const meter = metrics.meter;
    const outside = openOutside({ config, store, clock, log, meter });
    const directory = new DirectoryKeeper(outside.platform.reader);
    const mapping = new Mapping(store);

    const queueConnection = store.openQueueConnection();
    releases.push(() => queueConnection.disconnect());
    const queueOptions = {
      prefix: store.keys.queues,
      connection: queueConnection,
      attempts: config.worker.attempts,
      log,
    };
    const queue = new KeyedQueue({ ...queueOptions, name: 'objects' });
    const flushes = new KeyedQueue({ ...queueOptions, name: 'flushes' });
    releases.push(
      () => queue.close(),
      () => flushes.close(),
    );
    const bell = { ring: (spreadsheetId: string) => flushes.add([spreadsheetId]) };

    const intake = new EventIntake({ store: store.intake, queue, clock, log, meter });
    const watch = new FeedWatch({
      reader: outside.platform.reader,
      intake,
      coverage: store.coverage,
      leases: store.leases,
      clock,
      log,
      meter,
      overlapMs: config.platform.feed.overlapMs,
    });
    releases.push(() => watch.stop());

    const targets = createTargets({ config, store, outside, directory, mapping, bell, clock, log, meter });
    let inFlight = 0;
    const counted =
      (handle: (key: string, attempt: Attempt) => Promise<Disposition>) =>
      async (key: string, attempt: Attempt): Promise<Disposition> => {
        inFlight += 1;
        try {
          return await handle(key, attempt);
        } finally {
          inFlight -= 1;
        }
      };
    const reconcileParts = {
      work: store.work,
      reader: outside.platform.reader,
      targets: targets.mirrors,
      clock,
      log,
      meter,
    };
    const objects = new KeyedWorker({
      ...queueOptions,
      name: 'objects',
      concurrency: config.worker.concurrency,
      handle: counted((key, attempt) => reconcile(reconcileParts, key, attempt)),
    });
    const flushing = new KeyedWorker({
      ...queueOptions,
      name: 'flushes',
      concurrency: FLUSHES_AT_ONCE,
      handle: counted(
        flushHandler({
          config,
          store,
          flusher: targets.flusher,
          bell,
          clock,
          log,
          stopping: stopping.signal,
        }),
      ),
    });
    const half = config.worker.shutdownMs / 2;
    releases.push(async () => {
      await objects.close(half);
      await flushing.close(half);
    });

    const status = createStatusSource({
      version: parts.version,
      ledger: store.ledger,
      coverage: store.coverage,
      outbox: store.outbox,
      problems: store.problems,
      inFlight: () => inFlight,
      lag: metrics.lag,
      feedEveryMs: config.platform.feed.everyMs,
      clock,
      worker: 'running',
      startedAtMs: clock.now(),
    });
    let isMapped = false;
    const webhook = config.platform.webhook;
    const server = createHttpServer({
      status,
      metrics,
      isReady: async () => {
        const reasons = [
          ...((await store.answers().catch(() => false)) ? [] : ['Redis does not answer']),
          ...(isMapped ? [] : ['the names of the mapping are not resolved yet']),
        ];
        return { ready: reasons.length === 0, reasons };
      },
      plugins: [
        webhookRoute({
          intake,
          scheme: webhook.signature,
          header: webhook.header.toLowerCase(),
          secrets: webhookSecrets(webhook),
          toleranceMs: webhook.toleranceMs,
          maxBodyBytes: webhook.maxBodyBytes,
          ringDoorbell: () => watch.ring(),
          clock,
          log,
          meter,
        }),
      ],
      log,
    });
    const { url } = await server.listen(config.http);
    releases.push(() => server.close());
    log.info({ url }, 'listening');

    const begin = async (): Promise<void> => {
      await untilDone(stopping.signal, log, 'platform lists', async () => {
        await mapping.resolve(config.mirrors, await directory.refresh(stopping.signal));
      });
      isMapped = true;
      await noticeChangedMapping({
        mirrors: config.mirrors,
        memory: store.memory,
        coverage: store.coverage,
        clock,
      });
      const calendarMirrors = config.mirrors.filter(
        (mirror): mirror is CalendarMirror => mirror.kind === 'calendar',
      );
      const adopt = () =>
        adoptMarkedEvents({
          mirrors: calendarMirrors,
          marked: targets.marked,
          links: store.links,
          memory: store.memory,
          log,
        });
      // A calendar that cannot be read now must not hold the others up: it is looked into again behind the work.
      const adopted = adopt().catch(() => untilDone(stopping.signal, log, 'adoption', adopt));
      if (stopping.signal.aborted) return;
      objects.start();
      flushing.start();
      watch.ring();
      releases.push(ringEvery(config.platform.feed.everyMs, () => watch.ring()));
      const background = [
        adopted,
        runSweep({ work: store.work, outbox: store.outbox, queue, bell, clock, log }, stopping.signal),
        repeat(stopping.signal, log, { name: 'resync', everyMs: RESYNC_LOOK_EVERY_MS }, async () => {
          await store.leases.hold('resync', (lease) =>
            resyncHoles(
              {
                reader: outside.platform.reader,
                intake,
                coverage: store.coverage,
                memory: store.memory,
                mirrors: config.mirrors,
                clock,
                log,
              },
              AbortSignal.any([lease.signal, stopping.signal]),
            ),
          );
          return undefined;
        }),
        repeat(stopping.signal, log, { name: 'directory', everyMs: DIRECTORY_EVERY_MS }, async () => {
          await mapping.resolve(config.mirrors, await directory.refresh(stopping.signal));
          return undefined;
        }),
      ];
      const publicUrl = webhook.publicUrl;
      if (publicUrl === undefined) {
        log.warn(
          { advice: 'Set platform.webhook.public_url, so that the endpoint can be looked after.' },
          'webhook endpoint not looked after',
        );
      } else {
        const care = {
          endpoints: outside.platform.endpoints,
          coverage: store.coverage,
          problems: store.problems,
          memory: store.memory,
          url: `${publicUrl}${WEBHOOK_PATH}`,
          kinds: [...new Set(config.mirrors.map((mirror) => mirror.from))],
          reenable: webhook.reenable,
          clock,
          log,
        };
        background.push(
          repeat(stopping.signal, log, { name: 'endpoint care', everyMs: webhook.checkEveryMs }, async () => {
            const found = await careForEndpoint(care);
            // What is wrong is usually being mended at this moment: it is looked at again soon.
            return found === 'healthy' ? undefined : Math.min(UNHEALTHY_CHECK_EVERY_MS, webhook.checkEveryMs);
          }),
        );
      }
      await Promise.all(background);
    };
    const failed = new Promise<unknown>((fail) => {
      const running = begin().catch((error: unknown) => {
        if (!stopping.signal.aborted) fail(error);
      });
      releases.push(() => running);
    });
    return { url, failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const FLUSHES_AT_ONCE = 4;

/** Tries until it works; what can never work (`TerminalError`) rejects. */
async function untilDone(
  signal: AbortSignal,
  log: Log,
  name: string,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof WorkerError) || error.family === 'terminal') throw error;
      const { code, message, advice, requestId } = error;
      log.warn({ name, code, reason: message, advice, requestId }, 'waiting to begin');
      await sleep(RETRY_START_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Does the work now and again and again; what fails is told and tried next time. The work may say how soon that is. */
async function repeat(
  signal: AbortSignal,
  log: Log,
  turn: { readonly name: string; readonly everyMs: number },
  work: () => Promise<number | undefined>,
): Promise<void> {
  while (!signal.aborted) {
    let waitMs = turn.everyMs;
    try {
      waitMs = (await work()) ?? turn.everyMs;
    } catch (error) {
      if (signal.aborted) return;
      const known = error instanceof WorkerError ? error : undefined;
      const fields = {
        name: turn.name,
        code: known?.code ?? 'unexpected',
        reason: known?.message,
        advice: known?.advice,
        requestId: known?.requestId,
      };
      log.warn(fields, 'upkeep failed');
    }
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}
