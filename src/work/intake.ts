// Takes events and observations, stores a durable mark that an object may have changed, and adds its key to the queue. At least once, in
// any order: the store decides by freshness, and the handler looks at the object, not at the event.
import { isBounded, isEventType, isId } from '../domain/bounds.ts';
import { type EntityKind, formatKey } from '../domain/entity.ts';
import { ContentDefect, readingContent } from '../domain/errors.ts';
import type { Observation, ObservationOutcome } from '../domain/observation.ts';
import { cutText } from '../domain/plain-text.ts';
import type { EventOutcome, Intake, IntakeStore } from '../ports/intake.ts';
import type { PlatformEvent } from '../ports/platform.ts';
import type { Clock, Log, Meter, Runtime } from '../ports/runtime.ts';
import type { WorkQueue } from '../ports/work.ts';
import { classifyEvent, conversationHint, inboxIdsOf } from './classify.ts';

const QUARANTINED_BODY_CHARS_MAX = 8_192;

export interface EventIntakeParts extends Runtime {
  readonly store: IntakeStore;
  readonly queue: WorkQueue;
  /** Kinds that a mirror takes; nothing is stored of others. A mirror that is added later begins with a resync. */
  readonly kinds: readonly EntityKind[];
  /** Called for observations of erased objects, which get no turn. If it rejects, the event comes again. */
  readonly onForgotten?: (observation: Observation) => Promise<void>;
}

export class EventIntake implements Intake {
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

  async takeEvent(event: PlatformEvent, via: 'webhook' | 'feed'): Promise<EventOutcome> {
    return this.#report(event, via, await this.#takeOrKeep(event, via));
  }

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
    this.#meter.add('slotbridge_events_total', { via, outcome });
    const objectId = event.object?.['id'];
    const fields = {
      ...namesOf(event),
      ...(typeof objectId === 'string' && isId(objectId) && outcome !== 'forgotten' ? { objectId } : {}),
      ...{ via, outcome },
    };
    if (outcome === 'quarantined') this.#log.warn(fields, 'event quarantined');
    else this.#log.debug(fields, 'event taken');
    return outcome;
  }

  async observe(observation: Observation): Promise<ObservationOutcome> {
    const outcome = await this.#store.observe(observation);
    if (outcome === 'forgotten') await this.#letGo(observation);
    const makesWork = outcome === 'fresh' || outcome === 'verify' || outcome === 'deleted';
    if (makesWork || observation.force === true) this.#queue.add([formatKey(observation.key)]);
    return outcome;
  }

  /** Stores the event's id last: after a crash in between, the event comes again. */
  async #letGo(observation: Observation): Promise<void> {
    await this.#onForgotten?.(observation);
    if (observation.eventId !== undefined) await this.#store.letGo(observation.eventId);
  }

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
      return await this.#take(event, via);
    } catch (error) {
      if (!(error instanceof ContentDefect)) throw error;
      this.#log.error({ err: error.cause, ...namesOf(event), via }, 'event cannot be taken');
      return (await this.#quarantine('cannot-be-taken', bodyOf(event), event)) ? 'quarantined' : 'duplicate';
    }
  }

  async #take(event: PlatformEvent, via: 'webhook' | 'feed'): Promise<EventOutcome> {
    const nowMs = this.#clock.now();
    const classified = readingContent(() => classifyEvent(event, via, nowMs));
    if (classified.as === 'observation') return this.#takeMirrored(event, classified.observation);
    if (classified.as === 'test') return 'test';
    return (await this.#quarantine(classified.reason, bodyOf(event), event)) ? 'quarantined' : 'duplicate';
  }

  async #takeMirrored(event: PlatformEvent, observation: Observation): Promise<EventOutcome> {
    const isTold = this.#kinds.has('conversation');
    const hint = isTold ? readingContent(() => conversationHint(event, observation)) : undefined;
    const hinted = hint === undefined ? 'not-mirrored' : await this.observe(hint);
    return this.#kinds.has(observation.key.kind) ? this.observe(observation) : hinted;
  }
}

/** Only text with the form of a name is logged or becomes a key. */
function namesOf({ id, type }: PlatformEvent): { readonly eventId?: string; readonly eventType?: string } {
  return { ...(isId(id) ? { eventId: id } : {}), ...(isEventType(type) ? { eventType: type } : {}) };
}

/** Omits an object that is nested too deeply to be written as JSON. */
function bodyOf(event: PlatformEvent): string {
  const { object, ...rest } = event;
  return JSON.stringify(isBounded(object) ? event : rest);
}
