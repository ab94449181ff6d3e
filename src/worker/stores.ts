import { LinkMoves } from '../calendar/link-moves.ts';
import { CalendarCursors, ChannelStore, FeedLinks, FeedStore, SightingStore } from '../calendar/stores.ts';
import { Changes } from '../engine/changes.ts';
import { CoverageStore } from '../engine/coverage-store.ts';
import { DeadLetters } from '../engine/dead-letters.ts';
import { ErasureStore } from '../engine/erasure.ts';
import type { WorkQueue } from '../engine/handler.ts';
import { History } from '../engine/history.ts';
import { IntakeStore, Journal, KeptDeliveries } from '../engine/intake-store.ts';
import { IntentStore } from '../engine/intent.ts';
import { KEEP, type Keep } from '../engine/keep.ts';
import { type KeySpace, keySpace, spellingOf } from '../engine/key-space.ts';
import type { QueueConnection } from '../engine/keyed-queue.ts';
import { Leases } from '../engine/leases.ts';
import { CustomerAppointments, KnownObjects, Ledger } from '../engine/ledger.ts';
import { LinkStore } from '../engine/link-store.ts';
import { RedisMemory, Tally } from '../engine/memory.ts';
import { type Mirror, ofKind } from '../engine/mirror.ts';
import { type LocateOptions, locatePrivateRedis } from '../engine/private-redis.ts';
import { RedisProblemBoard } from '../engine/problem-board.ts';
import { RedisProcesses } from '../engine/processes.ts';
import { openRedis, type RedisClient, untilConnected } from '../engine/redis-client.ts';
import { assertRedisIsFit, WriteProbe } from '../engine/redis-fitness.ts';
import { redisNowMs, redisRun } from '../engine/redis-script.ts';
import { RetentionStore } from '../engine/retention.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { RowMoves, SheetRows, UnkeptRows } from '../engine/sheet-rows.ts';
import { assertStateIsKnown, StateSearch } from '../engine/state-search.ts';
import { patiently } from '../engine/supervisor.ts';
import { DirtyMarks, LaterTurns, PutOffTurns } from '../engine/sweep.ts';
import { TraceStore } from '../engine/trace-store.ts';
import { WorkStore } from '../engine/work-store.ts';
import { RedisBudget } from '../google/budget.ts';
import { ConsentLinks, Consents, Seal } from '../google/consent-store.ts';
import type { Config } from '../mapping/config.ts';
import { maskRedisAddress } from '../mapping/kinds/web-address.ts';
import { blockCalendars, namedCalendars } from '../mapping/needs.ts';
import { AlertStore } from '../operate/alerts/alerter.ts';
import { ConsoleAccess, RedisActLog } from '../operate/console-access.ts';
import { PlaceStore } from '../operate/places.ts';
import { HostReports, RedisMirrorPace, RedisPaceStore } from '../operate/process-reports.ts';
import { RedisPauseStore } from '../platform/http-rate.ts';
import { DeliveryLogStore } from '../platform/webhook-delivery.ts';
import { RedisOutbox } from '../sheet/outbox.ts';
import { OverWrites, RowEdits, RowRegister, SentRows } from '../sheet/stores.ts';

/** How long a Redis that accepts connections may load its file when the worker starts. */
const READY_WITHIN_MS = 10_000;
/** The same for a command, because a person waits for it. */
const COMMAND_READY_WITHIN_MS = 5_000;
/** How long answers of Google may wait to be told together: a rate follows them in seconds. */
const ANSWERS_WITHIN_MS = 100;

interface StoreOptions extends LocateOptions {
  /** The version of slotbridge, for people who ask which workers run. */
  readonly version?: string;
  /** See `WorkerOptions`. */
  readonly takesReload?: boolean | undefined;
}

export type Store = Awaited<ReturnType<typeof openStore>>;

/** Opens everything that is kept in Redis. It starts the private Redis when the YAML gives no address. */
export async function openStore(config: Config, clock: Clock, options: StoreOptions = {}) {
  const { sharing = false, signal } = options;
  const { url, address, own } = await locate(config, options);
  const redis = openRedis(url, 'commands');
  const parts = { redis, keys: keySpace(config.redis.prefix), clock };
  const { version, takesReload } = options;
  const processes = new RedisProcesses({ ...parts, version, takesReload });
  const { quotas } = config.google;
  const named = new Set([...namedCalendars(config), ...blockCalendars(config)]);
  const close = async (): Promise<void> => {
    redis.disconnect();
    await own?.stop();
  };
  try {
    const withinMs = sharing ? COMMAND_READY_WITHIN_MS : READY_WITHIN_MS;
    await untilConnected(redis, { address, withinMs, signal });
    const stores = openStores(redis, parts, {
      ...config.worker,
      ...config.privacy,
      processId: processes.id,
      log: options.log,
      answersWithinMs: ANSWERS_WITHIN_MS,
      perMinute: {
        'google-calendar:': quotas.calendarPerMinute,
        'google-sheets-read:': quotas.sheetsReadsPerMinute,
        'google-sheets-write:': quotas.sheetsWritesPerMinute,
      },
      ...(config.google.consent && { consentKeys: config.google.consent.keys }),
      calendarIds: named,
      concerns: (target) => isStillMapped(target, { calendars: named, mirrors: config.mirrors }),
    });
    const followClock = async () => clock.follow?.(() => redisNowMs(redis, parts.keys));
    const look = async () => {
      await assertStateIsKnown(stores.memory);
      const found = await assertRedisIsFit(redis);
      await followClock();
      return found;
    };
    const warnings = await (sharing ? look() : patiently(look, options));
    return {
      ...stores,
      warnings,
      processes,
      /** A new connection for BullMQ; the caller closes it. */
      openQueueConnection: () =>
        openRedis(url, 'queue') as QueueConnection & { quit(): Promise<unknown>; disconnect(): void },
      /** The Redis process that serves this store now; see redisRun. */
      redisRun: () => redisRun(redis, parts.keys),
      /** Measures the clock of this host against that of Redis. */
      followClock,
      writeProbe: new WriteProbe(parts),
      answers: async () => (await redis.ping()) === 'PONG',
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function locate(
  { redis: { url, dataDir } }: Config,
  options: StoreOptions,
): Promise<Awaited<ReturnType<typeof locatePrivateRedis>> & { readonly address: string }> {
  if (url !== undefined) return { url, address: maskRedisAddress(url) };
  const found = await locatePrivateRedis(dataDir, options);
  return { ...found, address: found.url };
}

// Everything that is kept in Redis, over one connection. The product and the tests open the same stores.

interface StoreSettings {
  /** How long events stay in the journal. */
  readonly journalMs?: number;
  /** How long each kind of data is kept; default: as the YAML's defaults. */
  readonly keep?: Keep;
  /** The process whose death frees its leases. Absent: they expire. */
  readonly processId?: string;
  /** How long answers of Google wait to be told together; default 0. */
  readonly answersWithinMs?: number;
  /** Requests per minute, by prefix of the budget's name. */
  readonly perMinute?: Readonly<Record<string, number>>;
  /** Keys of 32 bytes in base64 for people's consents; absent: none. */
  readonly consentKeys?: readonly string[];
  /** Calendar ids as the YAML spells them. */
  readonly calendarIds?: Iterable<string>;
  /** Tells each act in the console. */
  readonly log?: Log | undefined;
  /** False: problems of this target are no longer shown. */
  readonly concerns?: (target: string) => boolean;
}

export type Stores = ReturnType<typeof openStores>;

/** False for a calendar that the YAML no longer names, and for a class of a mirror that shows none. */
export function isStillMapped(
  target: string,
  { calendars, mirrors }: { readonly calendars: ReadonlySet<string>; readonly mirrors: readonly Mirror[] },
): boolean {
  const [kind, name = ''] = [target.slice(0, target.indexOf(':')), target.slice(target.indexOf(':') + 1)];
  if (kind === 'calendar') return calendars.has(name);
  if (kind !== 'class') return true;
  return ofKind(mirrors, 'calendar').some(
    (mirror) => mirror.classes !== undefined && name.startsWith(`${mirror.name}/`),
  );
}

/** Hosts compare this clock with that of Redis, whatever clock a worker is given. */
const MACHINE_CLOCK: Clock = { now: () => Date.now() };

/** Makes no call yet. */
export function openStores(
  redis: RedisClient,
  about: { readonly keys: KeySpace; readonly clock: Clock },
  settings: StoreSettings = {},
) {
  const { journalMs, processId, perMinute = {}, consentKeys = [], concerns, keep = KEEP } = settings;
  const parts = { redis, ...about, keep, spelling: spellingOf(settings.calendarIds ?? []) };
  const seal = new Seal(consentKeys);
  const letters = new DeadLetters(parts);
  return {
    keys: about.keys,
    /** For the stores of a kind of calendar. */
    parts,
    intake: new IntakeStore({ ...parts, ...(journalMs !== undefined && { journalMs }) }),
    deliveries: new KeptDeliveries(parts),
    traces: new TraceStore(parts),
    work: new WorkStore({ ...parts, ...(processId !== undefined && { processId }) }),
    links: new LinkStore(parts),
    linkMoves: new LinkMoves(parts),
    sightings: new SightingStore(parts),
    calendars: new CalendarCursors(parts),
    channels: new ChannelStore(parts),
    outbox: new RedisOutbox(parts),
    sheetRows: new SheetRows(parts),
    rowMoves: new RowMoves(parts),
    rowEdits: new RowEdits(parts),
    overWrites: new OverWrites(parts),
    /** The same, for a process that has a queue: they add what they mark dirty to it. */
    rowsWith(queue: WorkQueue) {
      const dirtied = (names: readonly string[]) => queue.add(names);
      return {
        outbox: new RedisOutbox({ ...parts, dirtied }),
        sheetRows: new SheetRows({ ...parts, dirtied }),
        rowMoves: new RowMoves({ ...parts, dirtied }),
        rowEdits: new RowEdits({ ...parts, dirtied }),
      };
    },
    coverage: new CoverageStore(parts),
    intents: new IntentStore(parts),
    leases: new Leases({ ...parts, ...(processId !== undefined && { processId }) }),
    problems: new RedisProblemBoard({ ...parts, ...(concerns !== undefined && { concerns }) }),
    ledger: new Ledger({ ...parts, letters }),
    deadLetters: letters,
    unkept: new UnkeptRows(parts),
    sentRows: new SentRows(parts),
    rowRegister: new RowRegister(parts),
    dirtyMarks: new DirtyMarks(parts),
    hosts: new HostReports({ ...parts, clock: MACHINE_CLOCK, processId: processId ?? 'command' }),
    feeds: new FeedStore(parts),
    feedLinks: new FeedLinks(parts),
    customerAppointments: new CustomerAppointments(parts),
    later: new LaterTurns(parts),
    putOff: new PutOffTurns(parts),
    known: new KnownObjects(parts),
    memory: new RedisMemory(parts),
    alerts: new AlertStore(parts),
    consoleAccess: new ConsoleAccess(parts),
    acts: new RedisActLog({ ...parts, log: settings.log }),
    tally: new Tally(parts),
    pace: new RedisPaceStore(parts),
    mirrorPace: new RedisMirrorPace(parts),
    places: new PlaceStore(parts),
    received: new DeliveryLogStore(parts),
    history: new History(parts),
    changes: new Changes(parts),
    journal: new Journal(parts),
    search: new StateSearch(parts),
    retention: new RetentionStore(parts),
    erasures: new ErasureStore(parts),
    platformPause: new RedisPauseStore({ ...parts, name: 'platform' }),
    budget: new RedisBudget({ ...parts, perMinute, answersWithinMs: settings.answersWithinMs ?? 0 }),
    consents: new Consents({ ...parts, seal }),
    consentLinks: new ConsentLinks({ ...parts, seal }),
  };
}
