import type { MarkedEvents } from '../engine/calendar-events.ts';
import { calendarIdsOf, ofKind } from '../engine/mirror.ts';
import { createAdoption, noticeLostRedis, wipeWatch } from '../engine/redis-lost.ts';
import { RETENTION_EVERY_MS, retain } from '../engine/retention.ts';
import { stampState } from '../engine/state-search.ts';
import { every, type Part, zoneOrUtc } from '../engine/supervisor.ts';
import { reportFilterNames } from '../mapping/filter-lines.ts';
import { filtersOf, mirroredKinds, neededProjects, scheduleZone } from '../mapping/needs.ts';
import { ErasureResumer } from '../operate/forget/resume.ts';
import { inheritLinks, type LinkedMirror } from '../operate/mapping-change/inherit-links.ts';
import { type EndpointCareParts, endpointCare } from '../platform/endpoint-care.ts';
import { replayRuns } from '../platform/replay-runs.ts';
import { resyncs, scheduledResyncs } from '../platform/resync.ts';
import { WEBHOOK_PATH } from '../platform/webhook-route.ts';
import { placesOf, spotOf } from '../sheet/tab-survey.ts';
import { type Core, openReplays } from './core.ts';
import { forgetParts } from './forgetting.ts';
import { consentUpkeep } from './google-consent.ts';

/** How often the worker reads resources, branches and services. */
const DIRECTORY_EVERY_MS = 5 * 60_000;
/** How often the worker looks for erasures that were begun but not finished. */
const ERASURES_EVERY_MS = 15_000;
/** How often the worker looks for acts of commands, which it logs. */
const ACTS_EVERY_MS = 5_000;

/** What a start does before it writes, and the upkeep that runs beside the work. */
export function openUpkeep(core: Core, marked: MarkedEvents) {
  const { config, store, remotes, intake, queues, directory, calendars, mark, clock, log } = core;
  const stamp = () => stampState(store.memory);
  const noticeLost = async () => {
    await noticeLostRedis({ coverage: store.coverage, clock, log });
    await stamp();
  };
  const takeLinksOver = () =>
    inheritLinks({ mirrors: linkedMirrors(core), moves: store.linkMoves, memory: store.memory, log });
  const readLists = async (signal: AbortSignal) => {
    const lists = await directory.refresh(signal);
    await calendars.resolve(config.mirrors, lists);
    await reportFilterNames(filtersOf(config), lists, store.problems);
  };
  const adopt = createAdoption({
    ...{ mirrors: ofKind(config.mirrors, 'calendar'), marked, links: store.links, memory: store.memory, log },
    ...{ intake, clock },
    redisRun: () => store.redisRun(),
    isKnown: () => mark.isKnown(),
    onWiped: noticeLost,
  });
  const resyncParts = {
    ...{ reader: remotes.platform.reader, intake, coverage: store.coverage, memory: store.memory },
    ...{ problems: store.problems, known: store.known, dirtyMarks: store.dirtyMarks, queue: queues.objects },
    mirrors: [...config.mirrors, ...config.feeds],
    ...{ leases: store.leases, isCurrent: () => mark.isCurrent(), clock, log },
  };
  const forgetting = forgetParts({ ...core, queue: queues.objects });
  const erasures = new ErasureResumer({ forgetting, problems: store.problems, memory: store.memory, log });
  return {
    noticeLost,
    readLists,
    adopt,
    stampState: stamp,
    inheritLinks: takeLinksOver,
    /** `lookAtAll`: reads every source immediately. */
    parts: (lookAtAll: () => void): readonly Part[] => [
      resyncs(resyncParts),
      // Runs even if the console has been switched off: a replay that was begun goes on.
      replayRuns(openReplays(core), { leases: store.leases, log }),
      ...scheduledResyncs(
        { ...resyncParts, zone: () => zoneOrUtc(scheduleZone(config, directory.current())) },
        config.platform.resync,
      ),
      every({ name: 'acts of commands', everyMs: ACTS_EVERY_MS, log }, () => store.acts.logCommands()),
      every({ name: 'directory', everyMs: DIRECTORY_EVERY_MS, log }, readLists),
      endpointCare(endpointParts(core), config.platform.webhook.checkEveryMs),
      every({ name: 'erasures', everyMs: ERASURES_EVERY_MS, log }, (signal) => erasures.resume(signal)),
      every({ name: 'retention', everyMs: RETENTION_EVERY_MS, log }, () =>
        retain({ ...store, endConsents: consentUpkeep(core), log }),
      ),
      wipeWatch({
        ...{ mark, leases: store.leases, noticeLost, readLists, inheritLinks: takeLinksOver, adopt },
        ...{ lookAtAll, log },
      }),
    ],
  };
}

export function endpointParts(core: Core): EndpointCareParts {
  const { config, store, remotes, directory, clock, log } = core;
  const { publicUrl } = config.platform.webhook;
  return {
    ...config.platform.webhook,
    endpoints: remotes.platform.endpoints,
    ...{ coverage: store.coverage, problems: store.problems, memory: store.memory },
    url: publicUrl === undefined ? undefined : `${publicUrl}${WEBHOOK_PATH}`,
    kinds: mirroredKinds(config),
    projects: () => neededProjects(config, directory.current()),
    ...{ clock, log },
  };
}

/** The mirrors of the YAML as links know them. The names of the mapping must already be resolved. */
export function linkedMirrors({
  config,
  calendars,
}: Pick<Core, 'config' | 'calendars'>): readonly LinkedMirror[] {
  const entries = config.bookings.map((entry): LinkedMirror => {
    const sources =
      entry.kind === 'sheet'
        ? [`${entry.spreadsheetId}/${entry.tab}`]
        : entry.calendars.map(({ calendarId }) => calendarId);
    return { kind: 'booking', name: entry.name, from: 'booking', sources };
  });
  const mirrors = config.mirrors.flatMap((mirror): readonly LinkedMirror[] => {
    const { name, from } = mirror;
    if (mirror.kind === 'sheet') return [{ kind: 'sheet', name, from, places: placesOf(mirror).map(spotOf) }];
    if (mirror.kind !== 'calendar') return [];
    const calendarIds = [...calendarIdsOf(mirror)].sort();
    const resourceIds = [...calendars.calendarsOf(mirror).keys()].sort();
    return [{ kind: 'calendar', name, from, calendarIds, resourceIds }];
  });
  return [...mirrors, ...entries];
}
