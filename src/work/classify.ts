import { isBounded, isEventType, isId, isMomentSized } from '../domain/bounds.ts';
import { type EntityKind, isPlatformKind } from '../domain/entity.ts';
import type { Observation } from '../domain/observation.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { PlatformEvent } from '../ports/platform.ts';

export type Classified =
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
export function classifyEvent(event: PlatformEvent, via: 'webhook' | 'feed', nowMs: number): Classified {
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
export function conversationHint(event: PlatformEvent, observation: Observation): Observation | undefined {
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
export function inboxIdsOf(event: PlatformEvent, kinds: ReadonlySet<EntityKind>): readonly string[] {
  const { id, test, object } = event;
  const kind = object?.['object'];
  if (test || !isId(id) || typeof kind !== 'string' || !isPlatformKind(kind)) return [];
  const own = kinds.has(kind) ? [id] : [];
  return kind === 'message' && kinds.has('conversation') && isHint(event) ? [...own, hintId(id)] : own;
}

/** Ids become keys and lines on a terminal, and objects are traversed by recursion: both are bounded. */
function isWithinBounds({ id, type, createdAt, projectId, object }: PlatformEvent): boolean {
  const isNamed = isId(id) && isEventType(type) && isMomentSized(createdAt);
  return isNamed && (projectId === undefined || isId(projectId)) && isBounded(object);
}

function whatIsSeen(object: Readonly<Record<string, unknown>>, id: string): Observation['seen'] {
  if (object['deleted'] === true) return { as: 'deleted' };
  // The platform delivers a body over 256 KB with `object` and `id` only (platform API, Event).
  const isReduced = Object.keys(object).every((field) => field === 'object' || field === 'id');
  return isReduced ? { as: 'reduced' } : { as: 'snapshot', snapshot: { ...object, id } satisfies Snapshot };
}
