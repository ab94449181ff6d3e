// Series of events by which people book. Google shows a series only as its master and its exceptions (Events: list without singleEvents),
// so the worker requests its instances. It notes each one like an event of its own.
import { parseKey } from '../../domain/entity.ts';
import { bookingIdOf, calendarOrigin } from '../../domain/origin.ts';
import type { CalendarEvent } from '../../google/calendar-event.ts';
import type { GoneInstance, SeriesInstances } from '../../ports/calendars.ts';
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
  };
  readonly sight: SightParts;
}

export function createSeriesInstances(parts: SeriesInstancesParts): SeriesInstances {
  return {
    async list({ calendarId, masterId }, untilMs) {
      // What the sync sees while the list is on its way is newer than the list.
      const seenAtMs = parts.clock.now();
      const window = { fromMs: seenAtMs, untilMs, limit: SERIES_INSTANCES_MAX };
      const found = await parts.api.instances(calendarId, masterId, window);
      if (found === 'too-many') return found;
      const live = found === 'absent' ? [] : found.filter(({ status }) => status !== 'cancelled');
      return live
        .map((event) => ({
          eventId: event.id,
          startMs: startMsOf(event),
          take: () => noteOutsideEvent(parts, { calendarId, event, seenAtMs }),
        }))
        .sort((one, other) => (one.startMs ?? 0) - (other.startMs ?? 0));
    },
    async gone(calendarId, eventIds) {
      const gone: GoneInstance[] = [];
      for (const eventId of eventIds) {
        const seenAtMs = parts.clock.now();
        // A list proves no absence: an instance may have been moved out of it.
        const event = await parts.api.get(calendarId, eventId);
        if (event !== 'absent' && event.status !== 'cancelled') continue;
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
  };
}

function startMsOf(event: CalendarEvent): number | undefined {
  const atMs = Date.parse(event.start?.dateTime ?? '');
  return Number.isNaN(atMs) ? undefined : atMs;
}
