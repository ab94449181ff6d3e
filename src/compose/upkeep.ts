import type { Config } from '../config/config.ts';
import { mirroredKinds, neededProjects } from '../config/needs.ts';
import { FORMATION_MS } from '../domain/coverage.ts';
import type { CalendarMirror } from '../domain/mirror.ts';
import { placesOf, spotOf } from '../mirrors/sheet/tab/places.ts';
import type { Clock } from '../ports/clock.ts';
import type { Intake } from '../ports/intake.ts';
import type { Log } from '../ports/log.ts';
import type { MarkedEvents } from '../ports/marked-events.ts';
import type { WorkQueue } from '../ports/work-queue.ts';
import { WEBHOOK_PATH } from '../sources/webhook/route.ts';
import type { DirectoryKeeper } from '../upkeep/directory-keeper.ts';
import {
  careForEndpoint,
  type EndpointCareParts,
  endpointUnseen,
  isProvedSince,
} from '../upkeep/endpoint/endpoint-care.ts';
import { inheritLinks, type LinkedMirror } from '../upkeep/mapping-change/inherit-links.ts';
import { adoptMarkedEvents } from '../upkeep/redis-lost/adopt.ts';
import { noticeLostRedis } from '../upkeep/redis-lost/lost-redis.ts';
import { resyncHoles } from '../upkeep/resync/resync.ts';
import { requestResync } from '../upkeep/resync/resync-request.ts';
import { ringAt } from '../upkeep/schedule.ts';
import { repeat, untilDone } from '../work/loops.ts';
import { isMappingCurrent, type Mapping, markedMapping, noticeChangedMapping } from './mapping.ts';
import type { Outside } from './remotes.ts';
import type { Store } from './stores.ts';

export interface UpkeepParts {
  readonly config: Config;
  readonly store: Store;
  readonly outside: Outside;
  readonly intake: Intake;
  readonly directory: DirectoryKeeper;
  readonly mapping: Mapping;
  readonly marked: MarkedEvents;
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly log: Log;
}

const DIRECTORY_EVERY_MS = 5 * 60_000;
const RESYNC_LOOK_EVERY_MS = 1_000;
const REDIS_LOOK_EVERY_MS = 5_000;
/** What is wrong with the endpoint is usually being mended at this moment. */
const UNHEALTHY_CHECK_EVERY_MS = 15_000;

/** Reads the platform's lists and gives the names of the mapping their meaning. Waits for the platform; rejects for a wrong name. */
export function resolveMapping(parts: UpkeepParts, signal: AbortSignal): Promise<void> {
  return untilDone({ name: 'platform lists', signal, log: parts.log }, () => readLists(parts, signal));
}

/** After an edit of the YAML: every link under the mirror that goes on with it. The names of the mapping have to be resolved. */
export function inheritFormerLinks({ config, store, mapping, log }: UpkeepParts): Promise<void> {
  const mirrors = config.mirrors.map((mirror): LinkedMirror => {
    const { name, from } = mirror;
    if (mirror.kind === 'sheet') {
      const places = placesOf(mirror).map(spotOf);
      return { kind: 'sheet', name, from, places };
    }
    const calendarIds = mirror.calendars.map(({ calendarId }) => calendarId).sort();
    const resourceIds = [...mapping.calendarsOf(mirror).keys()].sort();
    return { kind: 'calendar', name, from, calendarIds, resourceIds };
  });
  return inheritLinks({ mirrors, moves: store.linkMoves, memory: store.memory, log });
}

/** Takes up the events of an earlier installation; a calendar that cannot be read now is looked into again until it can. */
export async function adoptEvents(
  parts: UpkeepParts,
  signal: AbortSignal,
  wasBlank = false,
): Promise<{ readonly rest: Promise<void> }> {
  const { config, store, marked, log } = parts;
  const mirrors = config.mirrors.filter((mirror): mirror is CalendarMirror => mirror.kind === 'calendar');
  const { links, memory } = store;
  const adopt = async () => {
    const redisRun = await store.redisRun();
    const { events, failure } = await adoptMarkedEvents({ mirrors, marked, links, memory, redisRun, log });
    // Events of the worker, and nothing is known of them.
    if (wasBlank && events > 0) await noticeLostRedis(parts);
    if (failure !== undefined) throw failure;
  };
  try {
    await adopt();
    return { rest: Promise.resolve() };
  } catch {
    // Said by the repetition; a calendar that is not shared must not hold the others up.
    return { rest: untilDone({ name: 'adoption', signal, log, isPatient: true }, adopt) };
  }
}

/** Everything that goes on beside the work until the signal aborts. `lookAtAll`: reads every source at once. */
export async function runUpkeep(
  parts: UpkeepParts,
  lookAtAll: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { log } = parts;
  await Promise.all([
    repeat({ name: 'resync', everyMs: RESYNC_LOOK_EVERY_MS, signal, log }, () => resync(parts, signal)),
    repeat({ name: 'directory', everyMs: DIRECTORY_EVERY_MS, signal, log }, async () => {
      await readLists(parts, signal);
      return undefined;
    }),
    careForOwnEndpoint(parts, signal),
    readListsOnSchedule(parts, signal),
    watchForLoss(parts, lookAtAll, signal),
  ]);
}

/**
 * A worker that had left the work to a newer mapping before Redis was wiped leaves the rebuilding to it as well: with its own mark it would
 * take the work back, and nobody would have it once it is stopped.
 */
async function watchForLoss(parts: UpkeepParts, lookAtAll: () => void, signal: AbortSignal): Promise<void> {
  const { config, store, log } = parts;
  let hasLeft = false;
  await repeat({ name: 'lost redis', everyMs: REDIS_LOOK_EVERY_MS, signal, log }, async () => {
    const marked = await markedMapping({ ...config, memory: store.memory });
    if (marked === 'none' && !hasLeft) return rebuildLostRedis(parts, lookAtAll, signal);
    if (marked !== 'none') hasLeft = marked === 'another';
    return undefined;
  });
}

/**
 * Redis was wiped under a worker at work: what a start does is done once more. The mapping's mark comes last: until then it is begun again,
 * and nothing is written or watched. Under a lease, which a second wipe on the way takes away: what was done before that is gone, and the
 * mark would deny it.
 */
async function rebuildLostRedis(
  parts: UpkeepParts,
  lookAtAll: () => void,
  signal: AbortSignal,
): Promise<undefined> {
  const { config, store, clock } = parts;
  const { memory, coverage, outbox } = store;
  await store.leases.hold('rebuild', async (lease) => {
    await noticeLostRedis(parts);
    await readLists(parts, signal);
    await adoptEvents(parts, signal);
    await noticeChangedMapping({ ...config, memory, coverage, outbox, clock, lease });
    lookAtAll();
  });
}

/** What no event tells of is found by reading: imported contacts, deletions of which the webhook was lost (platform API, Event types). */
async function readListsOnSchedule(parts: UpkeepParts, signal: AbortSignal): Promise<void> {
  const { config, store, clock, log } = parts;
  const { schedule, kinds } = config.platform.resync;
  const wanted = kinds.filter((kind) => config.mirrors.some((mirror) => mirror.from === kind));
  if (schedule === undefined || wanted.length === 0) return;
  const stop = ringAt(schedule, () => {
    const asked = requestResync({ ...store, clock }, { cause: 'scheduled', request: { kinds: wanted } });
    asked.catch((err: unknown) => log.warn({ err }, 'scheduled resync could not be asked for'));
  });
  if (!signal.aborted) await new Promise((done) => signal.addEventListener('abort', done, { once: true }));
  stop();
}

async function readLists(parts: UpkeepParts, signal: AbortSignal): Promise<void> {
  await parts.mapping.resolve(parts.config.mirrors, await parts.directory.refresh(signal));
}

async function resync(parts: UpkeepParts, signal: AbortSignal): Promise<undefined> {
  const isCurrent = await isMappingCurrent({ ...parts.config, memory: parts.store.memory });
  if (!isCurrent) return;
  const { config, store, outside, intake, clock, log } = parts;
  const { mirrors } = config;
  const { coverage, memory, problems, known, nudges } = store;
  const { reader } = outside.platform;
  const { queue } = parts;
  await store.leases.hold(
    'resync',
    (lease) =>
      resyncHoles(
        { reader, intake, coverage, memory, problems, known, nudges, queue, mirrors, clock, log },
        lease,
      ),
    { until: signal },
  );
}

async function careForOwnEndpoint(parts: UpkeepParts, signal: AbortSignal): Promise<void> {
  const { config, log } = parts;
  const { checkEveryMs } = config.platform.webhook;
  await repeat({ name: 'endpoint care', everyMs: checkEveryMs, signal, log }, async () => {
    const found = await careForEndpoint(careParts(parts));
    return found === 'healthy' ? undefined : Math.min(UNHEALTHY_CHECK_EVERY_MS, checkEveryMs);
  });
}

/**
 * Before a walk through the feed: it can only vouch for the time in which the endpoint was heard, so a look that is younger than what the
 * walk will cover has to come first.
 */
export async function lookBeforeWalk(parts: CareParts): Promise<void> {
  const care = careParts(parts);
  if (await isProvedSince(care, parts.clock.now() - FORMATION_MS)) return;
  const { reader } = parts.outside.platform;
  await careForEndpoint(care).catch((error: unknown) =>
    endpointUnseen(care, error, () => reader.eventPage({ limit: 1 })),
  );
}

type CareParts = Pick<UpkeepParts, 'config' | 'store' | 'outside' | 'directory' | 'clock' | 'log'>;

function careParts({ config, store, outside, directory, clock, log }: CareParts): EndpointCareParts {
  const { publicUrl, reenable } = config.platform.webhook;
  return {
    endpoints: outside.platform.endpoints,
    coverage: store.coverage,
    problems: store.problems,
    memory: store.memory,
    url: publicUrl === undefined ? undefined : `${publicUrl}${WEBHOOK_PATH}`,
    kinds: mirroredKinds(config),
    projects: () => neededProjects(config, directory.current()),
    reenable,
    clock,
    log,
  };
}
