import { APPOINTMENT_MARK, MARK } from '../engine/event-texts.ts';
import type { WorkQueue } from '../engine/handler.ts';
import { markedObject, objectOf } from '../engine/ids.ts';
import type { Intake } from '../engine/intake.ts';
import type { ObjectLinks } from '../engine/link.ts';
import { type EntityKey, type EntityKind, formatKey, isReadable, parseKey } from '../engine/object.ts';
import type { Sighting } from '../engine/outside-booking.ts';
import type { Clock, Meter } from '../engine/runtime.ts';
import { type CalendarEvent, contentInSeries } from '../google/calendar-event.ts';
import type { CalendarCursors, ListOf, SightingStore, SightOutcome } from './stores.ts';

/** What is known of an object without reading it. */
export interface LinkedObject {
  readonly kind: EntityKind;
  readonly links: ObjectLinks;
  readonly isDeleted: boolean;
  /** False when a turn would have to ask the platform for the object. */
  readonly hasContent: boolean;
}

export interface SightParts {
  readonly sightings: SightingStore;
  readonly cursors: Pick<CalendarCursors, 'shown'>;
  readonly intake: Pick<Intake, 'observe'>;
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly meter: Meter;
}

/**
 * Notes those events that belong to an appointment or a class, and returns the ids by which that is certain. Events are matched by id
 * before anything else: a tombstone may hold no more than that (Calendar API, Event.status).
 */
export async function noteEvents(
  parts: SightParts,
  calendarId: string,
  events: readonly CalendarEvent[],
): Promise<readonly string[]> {
  const linked = await parts.sightings.linked(
    calendarId,
    events.map((event) => event.id),
  );
  const known: string[] = [];
  const notes: Promise<void>[] = [];
  for (const event of events) {
    const certain = sightedKey(event.id, linked.get(event.id));
    const key = certain ?? markedKey(event);
    if (key === undefined) continue;
    const sighting = { calendarId, eventId: event.id, etag: event.etag, seenAtMs: parts.clock.now() };
    const isAlive = event.status !== 'cancelled';
    if (certain !== undefined) known.push(event.id);
    const content = contentInSeries(event);
    notes.push(note(parts, key, { sighting, isAlive, content, isCertain: certain !== undefined }));
  }
  await Promise.all(notes);
  return known;
}

/**
 * Notes every linked event that a full list did not show. This is no proof that it is gone: the list may have been cut short, or the event
 * may be younger than the list. The handler of the sighting reads the event.
 */
export async function noteMissing(parts: SightParts, list: ListOf, signal: AbortSignal): Promise<void> {
  for await (const linked of parts.sightings.allLinked(list.calendarId)) {
    if (signal.aborted) return;
    const shown = await parts.cursors.shown(list, [...linked.keys()]);
    for (const [eventId, name] of linked) {
      const key = shown.has(eventId) ? undefined : parseKey(name);
      if (key === undefined) continue;
      const sighting = { calendarId: list.calendarId, eventId, etag: '', seenAtMs: parts.clock.now() };
      await note(parts, key, { sighting, isAlive: false, isCertain: true });
    }
  }
}

/** Our own event that was dragged here keeps its id (Events: move), and is linked in another calendar. */
function sightedKey(eventId: string, linked: string | undefined): EntityKey | undefined {
  if (linked !== undefined) return parseKey(linked);
  return objectOf(eventId);
}

/**
 * The event by which people booked also keeps its id when it is dragged to another calendar, where its mark identifies it. A copy has the
 * mark as well, and the handler of the sighting recognizes it by its id.
 */
function markedKey({ status, extendedProperties }: CalendarEvent): EntityKey | undefined {
  const marks = extendedProperties?.private;
  const id = marks?.[MARK.key] === MARK.value ? marks[APPOINTMENT_MARK] : undefined;
  return status === 'cancelled' || id === undefined ? undefined : markedObject(id);
}

interface Seen {
  readonly sighting: Sighting;
  readonly isAlive: boolean;
  /** Hash of what an event of a series says. */
  readonly content?: string | undefined;
  /** Anybody may write a mark, so a mark alone causes no look-up on the platform. */
  readonly isCertain: boolean;
}

async function note(parts: SightParts, key: EntityKey, seen: Seen): Promise<void> {
  const outcome = await sight(parts, key, seen);
  parts.meter.add('slotbridge_calendar_sightings_total', { outcome });
  if (outcome === 'noticed') parts.queue.add([formatKey(key)]);
}

/**
 * An unknown appointment, as after a loss of Redis, is read from the platform before its event is judged. A class is restored with its
 * event, by its mark.
 */
async function sight(parts: SightParts, key: EntityKey, seen: Seen): Promise<SightOutcome> {
  const { sighting, isAlive, isCertain } = seen;
  const outcome = await parts.sightings.sight(key, sighting, seen);
  if (outcome !== 'unknown' || !isAlive || !isCertain || !isReadable(key.kind)) return outcome;
  const occurredAtMs = sighting.seenAtMs;
  await parts.intake.observe({ key, source: 'calendar', occurredAtMs, seen: { as: 'reduced' } });
  return parts.sightings.sight(key, sighting, seen);
}
