// Takes events and observations, stores a durable mark that an object may have changed, and adds its key to the queue. At least once, in
// any order: the store decides by freshness, and the handler looks at the object, not at the event.

import { setImmediate as immediate } from 'node:timers/promises';
import type { WorkQueue } from './handler.ts';
import { ContentDefect, type IntakeStore, readingContent } from './intake-store.ts';
import {
  type EntityKind,
  EVENT_TYPE,
  formatKey,
  isBounded,
  isId,
  isMerged,
  isPlatformKind,
  MOMENT_CHARS_MAX,
  type Observation,
  type ObservationOutcome,
  type Snapshot,
} from './object.ts';
import { cutText } from './plain-text.ts';
import type { PlatformEvent } from './platform.ts';
import type { Clock, Log, Meter, Runtime } from './runtime.ts';

/**
 * `test` events and kinds that no mirror takes (`not-mirrored`) are dropped. What cannot be understood is `quarantined`. Everything else is
 * as the store says.
 */
export type EventOutcome = ObservationOutcome | 'test' | 'not-mirrored' | 'quarantined';

const QUARANTINED_BODY_CHARS_MAX = 8_192;

export interface EventIntakeParts extends Runtime {
  readonly store: IntakeStore;
  readonly queue: WorkQueue;
  /** Kinds that a mirror takes; nothing is stored of others. A mirror that is added later begins with a resync. */
  readonly kinds: readonly EntityKind[];
  /** Called for observations of erased objects, which get no turn. If it rejects, the event comes again. */
  readonly onForgotten?: (observation: Observation) => Promise<void>;
}

/** The one door for hints from any source. Once a call has returned, the hint is durable. */
export class Intake {
  readonly #kinds: ReadonlySet<EntityKind>;
  readonly #onForgotten: EventIntakeParts['onForgotten'];
  readonly #store: IntakeStore;
  readonly #queue: WorkQueue;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #meter: Meter;

  constructor(parts: EventIntakeParts) {
    this.#kinds = new Set(parts.kinds);
    this.#onForgotten = parts.onForgotten;
    this.#store = parts.store;
    this.#queue = parts.queue;
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#meter = parts.meter;
  }

  /** Takes an event of the platform. Rejects with `RetryableError` if it could not be made durable. */
  async takeEvent(event: PlatformEvent, via: 'webhook' | 'feed'): Promise<EventOutcome> {
    return this.#report(event, via, await this.#takeOrKeep(event, via));
  }

  /**
   * Takes a page of events like single ones, and answers in their order. Walks reread what was read before, so most of a page may be known
   * already: one query to the store finds these.
   */
  async takeEvents(
    events: readonly PlatformEvent[],
    via: 'webhook' | 'feed',
  ): Promise<readonly EventOutcome[]> {
    const rows = events.map((event) => inboxIdsOf(event, this.#kinds));
    const known = await this.#store.known(rows.flat());
    return Promise.all(
      events.map(async (event, nth) => {
        const isKnown = rows[nth]?.every((id) => known.has(id)) === true && rows[nth].length > 0;
        return isKnown ? this.#report(event, via, 'duplicate') : this.takeEvent(event, via);
      }),
    );
  }

  #report(event: PlatformEvent, via: 'webhook' | 'feed', outcome: EventOutcome): EventOutcome {
    const objectId = event.object?.['id'];
    const fields = {
      ...namesOf(event),
      ...(typeof objectId === 'string' && isId(objectId) && outcome !== 'forgotten' ? { objectId } : {}),
      ...{ via, outcome },
    };
    this.#meter.add('slotbridge_events_total', { via, outcome });
    if (outcome === 'quarantined') this.#log.warn(fields, 'event quarantined');
    else this.#log.debug(fields, 'event taken');
    return outcome;
  }

  /** Takes an observation that is no event. */
  async observe(observation: Observation): Promise<ObservationOutcome> {
    const { key, source } = observation;
    const name = formatKey(key);
    const observing = this.#store.observe(observation);
    // A webhook nearly always tells of a change. What is merged may be observed twice.
    const begun = source === 'webhook' && !isMerged(key.kind) && this.#beginBehind(name);
    const outcome = await observing;
    if (outcome === 'forgotten') await this.#letGo(observation);
    const makesWork = outcome === 'fresh' || outcome === 'verify' || outcome === 'deleted';
    if (makesWork || observation.force === true)
      // If Redis carried out the claim first, the turn found nothing, or an older change.
      void Promise.resolve(begun).then((hadWork) => hadWork || this.#queue.add([name]));
    return outcome;
  }

  /**
   * The claim of the turn leaves in one write with the observation, behind it: worker and Redis wake up once less. The store's batch
   * leaves in the same phase of the event loop, before this.
   */
  async #beginBehind(key: string): Promise<boolean> {
    await immediate();
    return this.#queue.begin?.(key) ?? false;
  }

  /** Stores the event's id last: after a crash in between, the event comes again. */
  async #letGo(observation: Observation): Promise<void> {
    await this.#onForgotten?.(observation);
    if (observation.eventId !== undefined) await this.#store.letGo(observation.eventId);
  }

  /** Keeps a body that cannot be understood. */
  async quarantine(reason: string, body: string): Promise<void> {
    await this.#quarantine(reason, body);
  }

  async #quarantine(reason: string, body: string, event?: PlatformEvent): Promise<boolean> {
    const isNew = await this.#store.quarantine({
      atMs: this.#clock.now(),
      reason,
      ...(event === undefined ? {} : namesOf(event)),
      body: cutText(body, QUARANTINED_BODY_CHARS_MAX),
    });
    if (isNew) this.#meter.add('slotbridge_quarantined_total', { reason });
    return isNew;
  }

  /**
   * An event whose content this program cannot process would fail at every repetition. Answered with 503 it returns for hours; in the feed
   * it stops every walk. So the intake keeps it for people. Any other defect leaves the event to come again.
   */
  async #takeOrKeep(event: PlatformEvent, via: 'webhook' | 'feed'): Promise<EventOutcome> {
    try {
      const nowMs = this.#clock.now();
      const classified = readingContent(() => classifyEvent(event, via, nowMs));
      if (classified.as === 'test') return 'test';
      if (classified.as === 'quarantine')
        return (await this.#quarantine(classified.reason, bodyOf(event), event))
          ? 'quarantined'
          : 'duplicate';
      const { observation } = classified;
      const isTold = this.#kinds.has('conversation');
      const hint = isTold ? readingContent(() => conversationHint(event, observation)) : undefined;
      const hinted = hint === undefined ? 'not-mirrored' : await this.observe(hint);
      return this.#kinds.has(observation.key.kind) ? await this.observe(observation) : hinted;
    } catch (error) {
      if (!(error instanceof ContentDefect)) throw error;
      this.#log.error({ err: error.cause, ...namesOf(event), via }, 'event cannot be taken');
      return (await this.#quarantine('cannot-be-taken', bodyOf(event), event)) ? 'quarantined' : 'duplicate';
    }
  }
}

/** Only text with the form of a name is logged or becomes a key. */
function namesOf({ id, type }: PlatformEvent): { readonly eventId?: string; readonly eventType?: string } {
  return { ...(isId(id) ? { eventId: id } : {}), ...(EVENT_TYPE.test(type) ? { eventType: type } : {}) };
}

/** Omits an object that is nested too deeply to be written as JSON. */
function bodyOf(event: PlatformEvent): string {
  const { object, ...rest } = event;
  return JSON.stringify(isBounded(object) ? event : rest);
}

type Classified =
  | { readonly as: 'observation'; readonly observation: Observation }
  | { readonly as: 'test' }
  | { readonly as: 'quarantine'; readonly reason: string };

/** The observation in an event; undefined if it has none. */
export function observationIn(...asked: Parameters<typeof classifyEvent>): Observation | undefined {
  const classified = classifyEvent(...asked);
  return classified.as === 'observation' ? classified.observation : undefined;
}

/**
 * Reads an event as a hint about one object. The type of the event does not matter: types are added without notice (platform API,
 * Versioning), and only the object counts.
 */
function classifyEvent(event: PlatformEvent, via: 'webhook' | 'feed', nowMs: number): Classified {
  if (event.test) return { as: 'test' };
  if (!isWithinBounds(event)) return { as: 'quarantine', reason: 'out-of-bounds' };
  const object = event.object;
  if (object === undefined) return { as: 'quarantine', reason: 'no-object' };
  const kind = object['object'];
  const id = object['id'];
  if (typeof kind !== 'string' || typeof id !== 'string' || id === '') {
    return { as: 'quarantine', reason: 'object-without-id' };
  }
  if (!isId(id)) return { as: 'quarantine', reason: 'out-of-bounds' };
  if (!isPlatformKind(kind)) return { as: 'quarantine', reason: 'unknown-kind' };
  // An unreadable date must not look like a delay of decades.
  const occurredAtMs = Date.parse(event.createdAt) || nowMs;
  return {
    as: 'observation',
    observation: {
      key: { kind, id },
      source: via,
      eventId: event.id,
      eventType: event.type,
      ...(event.projectId === undefined ? {} : { projectId: event.projectId }),
      occurredAtMs,
      seen: whatIsSeen(object, id),
    },
  };
}

/**
 * A message changes its conversation's count and last moment, and no event of the conversation says so (platform API, Event types). So it
 * hints that the conversation must be read. The hint has its own inbox row, so that neither it nor the message can be lost because of the
 * other. Undefined if the event hints at none.
 */
function conversationHint(event: PlatformEvent, observation: Observation): Observation | undefined {
  if (observation.key.kind !== 'message' || !isHint(event)) return undefined;
  const id = String(event.object?.['conversation_id']);
  return {
    ...observation,
    key: { kind: 'conversation', id },
    eventId: hintId(event.id),
    seen: { as: 'reduced' },
  };
}

function isHint({ type, object }: PlatformEvent): boolean {
  const id = object?.['conversation_id'];
  // An update of a message changes nothing in the conversation (platform API, Message status).
  return type !== 'message.updated' && typeof id === 'string' && isId(id);
}

function hintId(eventId: string): string {
  return `${eventId}/conversation`;
}

/**
 * The inbox rows that exist once an event of these kinds was taken. Empty for an event that leaves no row, or whose rows do not follow from
 * its ids alone. Cheap: does not traverse the object.
 */
function inboxIdsOf(event: PlatformEvent, kinds: ReadonlySet<EntityKind>): readonly string[] {
  const { id, test, object } = event;
  const kind = object?.['object'];
  if (test || !isId(id) || typeof kind !== 'string' || !isPlatformKind(kind)) return [];
  const own = kinds.has(kind) ? [id] : [];
  return kind === 'message' && kinds.has('conversation') && isHint(event) ? [...own, hintId(id)] : own;
}

/** Ids become keys and lines on a terminal, and objects are traversed by recursion: both are bounded. */
function isWithinBounds({ id, type, createdAt, projectId, object }: PlatformEvent): boolean {
  const isNamed = isId(id) && EVENT_TYPE.test(type) && createdAt.length <= MOMENT_CHARS_MAX;
  return isNamed && (projectId === undefined || isId(projectId)) && isBounded(object);
}

function whatIsSeen(object: Readonly<Record<string, unknown>>, id: string): Observation['seen'] {
  if (object['deleted'] === true) return { as: 'deleted' };
  // The platform delivers a body over 256 KB with `object` and `id` only (platform API, Event).
  const isReduced = Object.keys(object).every((field) => field === 'object' || field === 'id');
  return isReduced ? { as: 'reduced' } : { as: 'snapshot', snapshot: { ...object, id } satisfies Snapshot };
}
