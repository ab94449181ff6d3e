/**
 * Turns changes into events. A desk announces a changed object. A moment later one event is formed, with a snapshot of the object at that
 * time (platform API, Delivery rule 1). It goes to the feed and to every endpoint that subscribes.
 */
import { createHash } from 'node:crypto';
import type { SandboxClock } from '../../clock.ts';
import type { Courier } from '../delivery/courier.ts';
import type { EventType } from '../event-types.ts';
import { utc } from '../instant.ts';
import { LIMITS, type SilentSwitches } from '../options.ts';
import type { Random } from '../random.ts';
import type { EndpointRecord, ObjectKind, Stamped } from '../records.ts';
import type { Renderer, Wire } from '../render.ts';
import type { World } from '../world.ts';
import type { Feed } from './feed.ts';

/** What changed, and when. */
export interface AnnouncedChange {
  readonly type: EventType;
  readonly kind: ObjectKind;
  readonly id: string;
  readonly at: number;
}

interface Change extends AnnouncedChange {
  readonly projectId: string;
  /** Send only to endpoints whose last snapshot of the object differs. */
  readonly unlessSent: boolean;
}

export interface PressParts {
  readonly clock: SandboxClock;
  readonly random: Random;
  readonly world: World;
  readonly feed: Feed;
  readonly courier: Courier;
  readonly renderer: Renderer;
  readonly switches: () => SilentSwitches;
  readonly delayMs: [number, number];
}

export class EventPublisher {
  /** Number of announced changes since the start, with or without subscribers. */
  changes = 0;
  /** Events that entered the feed: sent to at least one endpoint, unless a switch records more. */
  formed = 0;
  onIdle: () => void = () => {};
  /** Called for every change at its moment, before its event is formed. */
  onChange: (change: AnnouncedChange) => void = () => {};
  readonly #parts: PressParts;
  readonly #waiting = new Set<() => void>();
  /** Digest of the last snapshot sent, by endpoint and object. */
  readonly #lastSent = new Map<string, string>();
  #isMuted = false;

  constructor(parts: PressParts) {
    this.#parts = parts;
  }

  /** Number of changes whose event is not formed yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** `record`: the object after the change. */
  announce(type: EventType, record: Stamped, { unlessSent = false } = {}): void {
    if (this.#isMuted) return;
    this.changes += 1;
    const { clock, random, delayMs } = this.#parts;
    const { id, projectId } = record;
    const [kind] = type.split('.') as [ObjectKind];
    const change = { type, kind, id, projectId, at: clock.now(), unlessSent };
    this.onChange(change);
    const waitMs = random.between(delayMs);
    if (waitMs <= 0) {
      this.#form(change);
      return;
    }
    const cancel = clock.after(waitMs, () => {
      this.#waiting.delete(cancel);
      this.#form(change);
      if (this.#waiting.size === 0) this.onIdle();
    });
    this.#waiting.add(cancel);
  }

  /** Changes made by `work` send no events (CSV import, seeding). `work` must be synchronous. */
  silently<T>(work: () => T): T {
    const wasMuted = this.#isMuted;
    this.#isMuted = true;
    try {
      return work();
    } finally {
      this.#isMuted = wasMuted;
    }
  }

  close(): void {
    for (const cancel of this.#waiting) cancel();
    this.#waiting.clear();
  }

  #form(change: Change): void {
    const { world, feed, courier, random, switches } = this.#parts;
    const object = this.#snapshot(change);
    // The object was deleted before its snapshot was taken: only the deletion sends an event.
    if (!object) return;
    const subscribed = [...world.endpoints.all()].filter((endpoint) => subscribes(endpoint, change));
    const receiving = subscribed.filter(
      (endpoint) => endpoint.status === 'enabled' && this.#isNewsFor(endpoint, change, object),
    );
    const isRecorded =
      receiving.length > 0 || (switches().feedWhileDisabled === 'recorded' && subscribed.length > 0);
    // No endpoint subscribes now, and the feed will not show it later (only with today's subscription as filter).
    if (!isRecorded && switches().feedFilter === 'when-sent') return;
    const id = random.uuid();
    const body = bodyOf({ id, change, object });
    feed.record({
      id,
      type: change.type,
      projectId: change.projectId,
      createdAt: change.at,
      body,
      isRecorded,
    });
    if (isRecorded) this.formed += 1;
    for (const endpoint of receiving) courier.send({ eventId: id, body }, endpoint);
  }

  #snapshot(change: Change): Wire | undefined {
    const { world, renderer } = this.#parts;
    if (change.type === 'contact.deleted') return { object: 'contact', id: change.id, deleted: true };
    const record = world.find(change.kind, change.id);
    return record && renderer.object(change.kind, record);
  }

  #isNewsFor(endpoint: EndpointRecord, change: Change, object: Wire): boolean {
    const key = `${endpoint.id} ${change.id}`;
    const digest = createHash('sha1').update(JSON.stringify(object)).digest('base64');
    if (change.unlessSent && this.#lastSent.get(key) === digest) return false;
    this.#lastSent.set(key, digest);
    return true;
  }
}

export function subscribes(endpoint: EndpointRecord, event: { type: EventType; projectId: string }): boolean {
  if (endpoint.projectIds !== null && !endpoint.projectIds.includes(event.projectId)) return false;
  return endpoint.enabledEvents.includes('*') || endpoint.enabledEvents.includes(event.type);
}

function bodyOf(parts: { id: string; change: Change; object: Wire }): string {
  const { id, change, object } = parts;
  const envelope = (data: Wire): string =>
    JSON.stringify({
      id,
      object: 'event',
      type: change.type,
      created_at: utc(change.at),
      project_id: change.projectId,
      test: false,
      data: { object: data },
    });
  const whole = envelope(object);
  if (Buffer.byteLength(whole) <= LIMITS.eventBodyBytes) return whole;
  return envelope({ object: object['object'], id: object['id'] });
}
