// Series of events by which people book. Google shows a series only as its master and its exceptions (Events: list without singleEvents),
// so the worker requests its instances. It notes each one like an event of its own.

import type { GoneInstance, SeriesInstances, SeriesPlace } from '../engine/calendar-events.ts';
import { bookingIdOf, calendarOrigin } from '../engine/ids.ts';
import { parseKey } from '../engine/object.ts';
import type { CalendarEvent } from '../google/calendar-event.ts';
import { noteOutsideEvent, type OutsideEventsParts } from './outside-events.ts';
import { noteEvents, type SightParts } from './sighted.ts';

/** Instances of one series within its horizon. A series with more is refused: it would fill the platform before anybody notices. */
export const SERIES_INSTANCES_MAX = 200;

export interface SeriesInstancesParts extends OutsideEventsParts {
  readonly api: {
    instances(
      calendarId: string,
      masterId: string,
      window: { readonly fromMs: number; readonly untilMs: number; readonly limit: number },
    ): Promise<readonly CalendarEvent[] | 'absent' | 'too-many'>;
    get(calendarId: string, eventId: string): Promise<CalendarEvent | 'absent'>;
    readWithin(calendarId: string, eventId: string, withinMs: number): Promise<CalendarEvent | 'absent'>;
  };
  readonly sight: SightParts;
}

export function createSeriesInstances(parts: SeriesInstancesParts): SeriesInstances {
  return {
    async list({ calendarId, masterId }, untilMs) {
      // What the sync sees while the list is on its way is newer than the list.
      const seenAtMs = parts.clock.now();
      const found = await instancesUntil(parts, { calendarId, masterId }, untilMs);
      if (found === 'too-many') return found;
      return found
        .map((event) => ({
          eventId: event.id,
          startMs: startMsOf(event),
          take: () => takeInstance(parts, { calendarId, event, seenAtMs }),
        }))
        .sort((one, other) => (one.startMs ?? 0) - (other.startMs ?? 0));
    },
    async gone(calendarId, eventIds, { withinMs, onOther } = {}) {
      const gone: GoneInstance[] = [];
      const others = new Map<string, string>();
      for (const eventId of eventIds) {
        const seenAtMs = parts.clock.now();
        // A list proves no absence: an instance may have been moved out of it.
        const event = others.has(eventId)
          ? undefined
          : withinMs === undefined
            ? await parts.api.get(calendarId, eventId)
            : await parts.api.readWithin(calendarId, eventId, withinMs);
        if (event === undefined || (event !== 'absent' && event.status !== 'cancelled')) {
          if (onOther !== undefined && event?.recurringEventId !== undefined)
            await listOthers(parts, { calendarId, masterId: event.recurringEventId }, others);
          const other = others.get(eventId) ?? event?.recurringEventId;
          if (other !== undefined) onOther?.(eventId, other);
          continue;
        }
        const tombstone: CalendarEvent = { id: eventId, etag: '', status: 'cancelled' };
        const linked = (await parts.sight.sightings.linked(calendarId, [eventId])).get(eventId);
        const appointment = linked === undefined ? undefined : parseKey(linked);
        await noteOutsideEvent(parts, { calendarId, event: tombstone, seenAtMs });
        await noteEvents(parts.sight, calendarId, [tombstone]);
        const bookingId = bookingIdOf(calendarOrigin(calendarId, eventId));
        gone.push({ eventId, bookingId, ...(appointment && { appointmentId: appointment.id }) });
      }
      return gone;
    },
    async takeMaster({ calendarId, masterId }) {
      const seenAtMs = parts.clock.now();
      const event = await parts.api.get(calendarId, masterId);
      if (event !== 'absent') await noteOutsideEvent(parts, { calendarId, event, seenAtMs });
    },
  };
}

/** How far ahead the other part of a split series is listed at once. */
const OTHER_PART_MS = 400 * 86_400_000;

/** One list tells of all events that belong to the other part of a split series. */
async function listOthers(
  parts: SeriesInstancesParts,
  place: SeriesPlace,
  others: Map<string, string>,
): Promise<void> {
  const found = await instancesUntil(parts, place, parts.clock.now() + OTHER_PART_MS);
  if (found !== 'too-many') for (const { id } of found) others.set(id, place.masterId);
}

async function instancesUntil(
  { api, clock }: SeriesInstancesParts,
  { calendarId, masterId }: SeriesPlace,
  untilMs: number,
): Promise<readonly CalendarEvent[] | 'too-many'> {
  const window = { fromMs: clock.now(), untilMs, limit: SERIES_INSTANCES_MAX };
  const found = await api.instances(calendarId, masterId, window);
  if (found === 'too-many') return found;
  return found === 'absent' ? [] : found.filter(({ status }) => status !== 'cancelled');
}

/** An edit of the series changes what its booked events show, and no sync shows that. */
async function takeInstance(
  parts: SeriesInstancesParts,
  seen: { readonly calendarId: string; readonly event: CalendarEvent; readonly seenAtMs: number },
): Promise<void> {
  const { calendarId, event } = seen;
  await noteOutsideEvent(parts, seen);
  const linked = await parts.sight.sightings.linked(calendarId, [event.id]);
  if (linked.has(event.id)) await noteEvents(parts.sight, calendarId, [event]);
}

function startMsOf(event: CalendarEvent): number | undefined {
  const atMs = Date.parse(event.start?.dateTime ?? '');
  return Number.isNaN(atMs) ? undefined : atMs;
}
