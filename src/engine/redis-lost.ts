import type { MarkedEvent, MarkedEvents } from './calendar-events.ts';
import { type ClassSlot, classIdOf, storedClass } from './class-slot.ts';
import type { Hole, HoleCause } from './coverage.ts';
import type { CoverageStore } from './coverage-store.ts';
import { markedObject } from './ids.ts';
import type { Intake } from './intake.ts';
import type { Leases } from './leases.ts';
import { linkAsWritten, writtenPlace } from './link.ts';
import type { LinkStore } from './link-store.ts';
import type { MappingMark } from './mapping-mark.ts';
import type { Memory } from './memory.ts';
import { type CalendarMirror, calendarIdsOf } from './mirror.ts';
import type { ForgottenTime } from './moments.ts';
import { formatKey, readFact } from './object.ts';
import type { Clock, Log } from './runtime.ts';
import { every, type Part, repeat, untilDone } from './supervisor.ts';

export interface AdoptionParts extends Omit<AdoptParts, 'redisRun' | 'isInPart'> {
  /** False before the first start, and after Redis was wiped. */
  readonly isKnown: () => Promise<boolean>;
  readonly redisRun: () => Promise<string>;
  /** Called when Redis knew nothing but the calendars have events of the worker: Redis was wiped. */
  readonly onWiped: () => Promise<void>;
}

/**
 * Looks once into every calendar for events of an earlier installation. Never rejects: `rest` retries the calendars that could not be read.
 */
export type Adoption = (signal: AbortSignal, wasBlank?: boolean) => Promise<{ readonly rest: Promise<void> }>;

export function createAdoption(parts: AdoptionParts): Adoption {
  return async (signal, wasBlank = false) => {
    let isInPart: boolean | undefined;
    const adopt = async () => {
      const redisRun = await parts.redisRun();
      isInPart ??= await parts.isKnown();
      const { events, failure } = await adoptMarkedEvents({ ...parts, redisRun, isInPart });
      if (wasBlank && events > 0) await parts.onWiped();
      if (failure !== undefined) throw failure;
    };
    try {
      await adopt();
      return { rest: Promise.resolve() };
    } catch {
      // The retry logs the failure. A calendar that is not shared must not hold up the others.
      return { rest: untilDone({ name: 'adoption', signal, log: parts.log, isPatient: true }, adopt) };
    }
  };
}

// After Redis was lost, the calendars still show which events are the worker's. They are linked again before any other write. Otherwise an
// appointment that was cancelled or moved meanwhile would leave its old event behind. A Redis that only restarted may lack links, too: it
// may have lost its last second, or what its replica had not received.

interface AdoptParts {
  readonly mirrors: readonly CalendarMirror[];
  readonly marked: MarkedEvents;
  readonly links: LinkStore;
  readonly intake: Pick<Intake, 'observe'>;
  readonly clock: Clock;
  readonly memory: Memory;
  /** Identifies the process that serves the memory. Another process may know less than the last one did. */
  readonly redisRun: string;
  /**
   * Redis knows the rest, and lost only its latest writes. A moved event was then moved just now. After a wipe, people's change may be one
   * that was let be or refused long ago.
   */
  readonly isInPart?: boolean;
  readonly log: Log;
}

interface Adopted {
  readonly events: number;
  /** Error of the first calendar that could not be read. */
  readonly failure?: unknown;
}

/**
 * Looks once per Redis run into each calendar of each mirror. A calendar that cannot be read does not hold up the others. Another call
 * continues with what is left.
 */
export async function adoptMarkedEvents(parts: AdoptParts): Promise<Adopted> {
  let events = 0;
  const failures: unknown[] = [];
  for (const mirror of parts.mirrors) {
    for (const calendarId of calendarIdsOf(mirror)) {
      const done = `${ADOPTED}${mirror.name}/${calendarId}`;
      if ((await parts.memory.get(done)) === parts.redisRun) continue;
      try {
        for await (const event of parts.marked.in(calendarId)) {
          // No other source may ever report this class, because all of its appointments may have been cancelled meanwhile.
          if (event.slot !== undefined) await introduceClass(parts, event.slot);
          if (await adopt(parts, mirror, event)) events += 1;
        }
        await parts.memory.set(done, parts.redisRun);
      } catch (error) {
        failures.push(error);
      }
    }
  }
  if (events > 0) parts.log.warn({ events }, 'events of an earlier installation taken up again');
  return { events, ...(failures.length > 0 && { failure: failures[0] }) };
}

const ADOPTED = 'adopted:';

/** The calendars of all calendar mirrors that this installation has ever had. */
export async function everyCalendar(memory: Pick<Memory, 'all'>): Promise<readonly string[]> {
  const places = [...(await memory.all(ADOPTED)).keys()];
  return places.map((place) => place.slice(place.indexOf('/') + 1));
}

/** The event is linked where it was written first. Seen elsewhere, it is then one that people moved. */
async function adopt(parts: AdoptParts, mirror: CalendarMirror, event: MarkedEvent): Promise<boolean> {
  const { mirrors, links, clock } = parts;
  const { appointmentId, link, startMs, marks } = event;
  const key = formatKey(markedObject(appointmentId));
  const calendarIds = mirrors.flatMap(calendarIdsOf);
  const written = parts.isInPart === true ? writtenPlace(marks, calendarIds) : undefined;
  const shown = { ...link, etag: link.event.etag, startMs };
  const lost = written && linkAsWritten(shown, written, clock.now());
  // A mirror that was renamed in the YAML continues with the events that it wrote under its old name.
  if (lost === undefined || lost.calendarId === link.calendarId)
    return links.adopt(key, mirror.name, lost ?? link);
  const home = mirrors.find((each) => calendarIdsOf(each).includes(lost.calendarId)) ?? mirror;
  const isLost = await links.adopt(key, home.name, lost);
  return (await links.adopt(key, mirror.name, link)) || isLost;
}

async function introduceClass({ intake, clock }: AdoptParts, slot: ClassSlot): Promise<void> {
  const nowMs = clock.now();
  await intake.observe({
    ...{ key: { kind: 'class', id: classIdOf(slot) }, source: 'calendar', occurredAtMs: nowMs, force: true },
    seen: { as: 'snapshot', snapshot: storedClass(slot, nowMs) },
  });
}

const KNOWN = 'whole-until';
/** A blank Redis knows nothing of the time before. */
const UNKNOWN_MS = 24 * 3_600_000;
/** Redis processes that follow each other so soon count as one loss: what the first one forgot may not be decided yet. */
const ONE_LOSS_MS = 3_600_000;

/** Stored in Redis, so a replica that is promoted, or a backup, holds the last moment that reached it. */
interface WholeUntil {
  readonly run: string;
  /** Up to here nothing is lost; epoch milliseconds. */
  readonly atMs: number;
  /** The same when this run began: a worker that comes later from another primary searches from here on. */
  readonly sinceMs: number;
  /** When this run was first seen. Absent if it is the first one, or an earlier version saw it. */
  readonly begunMs?: number;
}

export function wholeUntil(memory: Pick<Memory, 'get'>): Promise<WholeUntil | undefined> {
  return readFact(memory, KNOWN);
}

export function storeWholeUntil(memory: Pick<Memory, 'set'>, known: WholeUntil): Promise<void> {
  return memory.set(KNOWN, JSON.stringify(known));
}

/** What is known once this run of Redis was recognized. */
export function nextRun(known: WholeUntil | undefined, run: string, nowMs: number): WholeUntil {
  if (known === undefined) return { run, atMs: nowMs, sinceMs: nowMs - UNKNOWN_MS };
  if (known.run === run) return { ...known, atMs: nowMs };
  const isSameLoss = known.begunMs !== undefined && nowMs < known.begunMs + ONE_LOSS_MS;
  return { run, atMs: nowMs, sinceMs: isSameLoss ? known.sinceMs : known.atMs, begunMs: nowMs };
}

/** Undefined if this Redis has lost nothing, as far as is known. */
export async function forgottenTime(parts: {
  readonly memory: Pick<Memory, 'get'>;
  readonly redisRun: () => Promise<string>;
  readonly clock: Clock;
}): Promise<ForgottenTime | undefined> {
  const [known, run] = await Promise.all([wholeUntil(parts.memory), parts.redisRun()]);
  if (known === undefined) return undefined;
  if (known.run !== run) return { fromMs: known.atMs, untilMs: parts.clock.now() };
  return known.begunMs === undefined ? undefined : { fromMs: known.sinceMs, untilMs: known.begunMs };
}

const CAUSE: HoleCause = 'redis-lost';

/** Opens a hole that has everything read again. Events and rows are found under their derived ids and keys, so nothing is created twice. */
export async function noticeLostRedis(parts: {
  readonly coverage: Pick<CoverageStore, 'putHole'>;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<void> {
  const now = parts.clock.now();
  // The same id at every attempt, because a later step may fail, and everything is then repeated.
  const about = { id: CAUSE, source: 'feed', cause: CAUSE } as const;
  const hole: Hole = { ...about, fromMs: undefined, toMs: now, foundAtMs: now };
  await parts.coverage.putHole(hole);
  const advice =
    'Make sure that Redis keeps its data. The worker reads its state again from the platform and from Google.';
  parts.log.warn({ advice }, 'redis was wiped');
}

const LOOK_EVERY_MS = 2_000;

/**
 * Notices that Redis was restarted under the worker. Its file may be a second old, and a promoted replica may lag. So every source is read
 * immediately. The calendars are searched too, because an event whose link was lost must not stay at its former place.
 */
export function restartWatch(parts: {
  readonly redisRun: () => Promise<string>;
  /** The Redis run on which everything was last done. */
  readonly knownRun: string;
  readonly adopt: Adoption;
  readonly lookAtAll: () => void;
  readonly log: Log;
}): Part {
  const { log } = parts;
  const name = 'redis watch';
  return {
    name,
    async run(signal) {
      let known = parts.knownRun;
      let rest: Promise<void> = Promise.resolve();
      await repeat({ name, everyMs: LOOK_EVERY_MS, signal, log }, async () => {
        const run = await parts.redisRun();
        if (run === known) return undefined;
        known = run;
        log.warn({}, 'redis was started again');
        parts.lookAtAll();
        const before = rest;
        const adoption = await parts.adopt(signal);
        rest = before.then(() => adoption.rest);
        return undefined;
      });
      await rest;
    },
  };
}

/** How often the worker checks whether Redis was wiped. */
const WIPE_LOOK_EVERY_MS = 5_000;

interface WipeParts {
  readonly mark: MappingMark;
  readonly leases: Leases;
  /** Opens a hole that has everything read again. */
  readonly noticeLost: () => Promise<void>;
  readonly readLists: (signal: AbortSignal) => Promise<void>;
  /** Stores which mirrors the links will belong to. Without that, a later edit of the YAML would create events twice. */
  readonly inheritLinks: () => Promise<void>;
  readonly adopt: Adoption;
  readonly lookAtAll: () => void;
  readonly log: Log;
}

/**
 * Rebuilds a Redis that was wiped under the worker. A worker that left the work to a newer mapping leaves the rebuild to it as well. Its
 * own mark would take the work back, and no worker would have it once this one stops.
 */
export function wipeWatch(parts: WipeParts): Part {
  let hasLeft = false;
  return every({ name: 'wiped redis', everyMs: WIPE_LOOK_EVERY_MS, log: parts.log }, async (signal) => {
    const whose = await parts.mark.whose();
    if (whose === 'none' && !hasLeft) await rebuild(parts, signal);
    if (whose === 'another' && !hasLeft)
      parts.log.info({}, 'another worker has another mapping: the work is left to it');
    if (whose !== 'none') hasLeft = whose === 'another';
  });
}

/**
 * Does what a start does. The mark comes last: until then the rebuild restarts, and nothing is written. The mark is set under a lease that
 * a second wipe invalidates, because that wipe undoes the earlier steps.
 */
async function rebuild(parts: WipeParts, signal: AbortSignal): Promise<void> {
  await parts.leases.hold('rebuild', async (lease) => {
    await parts.noticeLost();
    await parts.readLists(signal);
    await parts.inheritLinks();
    await parts.adopt(signal);
    await parts.mark.take(lease);
    parts.lookAtAll();
  });
}
