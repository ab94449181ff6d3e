import type { DirectoryKeeper } from '../engine/directory-keeper.ts';
import { Intake } from '../engine/intake.ts';
import { openQueues, type Queues } from '../engine/keyed-queue.ts';
import { MappingMark } from '../engine/mapping-mark.ts';
import { ofKind } from '../engine/mirror.ts';
import { tokenOf } from '../engine/processes.ts';
import { type Log, type Runtime, watchedClock } from '../engine/runtime.ts';
import { patiently, type Supervisor } from '../engine/supervisor.ts';
import type { TraceStore } from '../engine/trace-store.ts';
import { rememberAccounts } from '../google/auth.ts';
import { calendarAccounts } from '../mapping/accounts.ts';
import type { Config } from '../mapping/config.ts';
import { mirroredKinds } from '../mapping/needs.ts';
import { SubjectCalendars } from '../mapping/route.ts';
import type { Tracing } from '../operate/tracing.ts';
import { KeptReplayRuns } from '../platform/replay-runs.ts';
import { DeliveryBacklog, DeliveryBackpressure } from '../platform/webhook-delivery.ts';
import { placesOf } from '../sheet/tab-survey.ts';
import { openErasedWaker } from './class-rules.ts';
import { openRemotes, type Remotes } from './remotes.ts';
import { openStore, type Store } from './stores.ts';

/** Time to release the stores. The private Redis stops within it, or is killed. */
const STORE_RELEASE_MS = 12_000;

/** What every part of a worker builds on. */
export interface Core extends Runtime {
  /** Whether the clock was set back since the last call. */
  readonly wasSetBack: () => boolean;
  readonly config: Config;
  readonly store: Store;
  readonly remotes: Remotes;
  readonly backpressure: DeliveryBackpressure;
  readonly queues: Queues;
  readonly intake: Intake;
  readonly backlog: DeliveryBacklog;
  readonly directory: DirectoryKeeper;
  readonly calendars: SubjectCalendars;
  readonly mark: MappingMark;
  /** Absent unless traces are exported. */
  readonly tracing?: Tracing;
}

/** Opens Redis and the queues. It calls neither the platform nor Google yet. */
export async function openCore(
  config: Config,
  given: Runtime,
  {
    supervisor,
    signal,
    version,
    takesReload,
  }: {
    readonly supervisor: Supervisor;
    readonly signal?: AbortSignal;
    readonly version: string;
    readonly takesReload?: boolean;
  },
): Promise<Core> {
  const clock = watchedClock(given.clock);
  const runtime = { ...given, clock };
  const { log } = given;
  const store = await openStore(config, clock, { log, signal, version, takesReload });
  supervisor.own('store', () => store.close(), STORE_RELEASE_MS);
  supervisor.own('presence', () => Promise.all([store.processes.end(), store.hosts.end()]));
  for (const warning of store.warnings) log.warn({ advice: warning }, 'redis is risky');
  const remembered = await patiently(
    async () => {
      await store.problems.clearAll();
      return rememberAccounts(calendarAccounts(config), store.memory);
    },
    { signal, log },
  );
  const remotes = await openRemotes({ config, store, remembered, ...runtime });
  const backpressure = new DeliveryBackpressure();
  const connection = store.openQueueConnection();
  const queues = openQueues({
    ...{ connection, backpressure, clock, log, meter: runtime.meter, quotas: store.budget },
    openConnection: () => store.openQueueConnection(),
    ...{ prefix: store.keys.queues, holder: tokenOf(store.processes.id, '') },
    ...config.worker,
    spreadsheets: spreadsheetsOf(config).length,
    takeOver: (jobs, onLocks) =>
      store.processes.takeOver(jobs, async (processId) => {
        const keys = await store.work.freeLocks(processId);
        onLocks(keys);
        return keys.length;
      }),
    renewLocks: () => store.work.renewLocks(),
  });
  supervisor.own('queues', async () => {
    await queues.close();
    connection.disconnect();
  });
  const { directory } = remotes;
  const tracing = await openTracing({ version, store: store.traces, log });
  if (tracing !== undefined) supervisor.own('tracing', () => tracing.close());
  const intakeParts: ConstructorParameters<typeof Intake>[0] = {
    ...{ store: store.intake, queue: queues.objects, kinds: mirroredKinds(config) },
    onForgotten: (seen) => erasedWaker(seen),
    ...runtime,
  };
  const intake: Intake = tracing?.intake(intakeParts) ?? new Intake(intakeParts);
  const erasedWaker = openErasedWaker({ config, store, directory, intake, clock });
  const backlog = new DeliveryBacklog({ ...store, intake, backpressure, log });
  const calendars = new SubjectCalendars(store);
  const { mirrors, bookings, feeds, blocks } = config;
  const mark = new MappingMark({ ...store, mirrors, bookings, feeds, blocks, clock });
  return {
    config,
    store,
    remotes,
    backpressure,
    queues,
    intake,
    backlog,
    directory,
    calendars,
    mark,
    wasSetBack: clock.wasSetBack,
    ...(tracing && { tracing }),
    ...runtime,
  };
}

/** Every spreadsheet that a mirror or an answer is written to. */
export function spreadsheetsOf(config: Config): readonly string[] {
  const mirrors = ofKind(config.mirrors, 'sheet').flatMap((mirror) => placesOf(mirror));
  const all = [...mirrors, ...ofKind(config.bookings, 'sheet')].map(({ spreadsheetId }) => spreadsheetId);
  return [...new Set(all)];
}

/** Undefined unless OpenTelemetry's standard variables name where traces go. Nothing is loaded then. */
async function openTracing(parts: {
  readonly version: string;
  readonly store: TraceStore;
  readonly log: Log;
}): Promise<Tracing | undefined> {
  const { env } = process;
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = env;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = env;
  const isNamed = Boolean(all) || Boolean(own) || exporter === 'otlp';
  if (!isNamed || exporter === 'none' || disabled?.toLowerCase() === 'true') return undefined;
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol === 'grpc') {
    parts.log.warn({ protocol }, 'traces are exported over http only: not exported');
    return undefined;
  }
  const { Tracing } = await import('../operate/tracing.ts');
  return new Tracing({ ...parts, env });
}

/** The replay that somebody started in the console, for its pages and for the worker that continues it. */
export function openReplays({ store, queues, clock }: Pick<Core, 'store' | 'queues' | 'clock'>) {
  return new KeptReplayRuns({ ...store, queue: queues.objects, clock });
}
