// Reads the worker's events in the calendars of one mirror, cut down so that tens of thousands fit into memory.

import { calendarPlace } from '../../domain/actual.ts';
import { isEventIdOf } from '../../domain/event-id.ts';
import { APPOINTMENT_MARK, MARK } from '../../domain/event-marks.ts';
import { type CalendarMirror, calendarIdsOf } from '../../domain/mirror.ts';
import { contentHash } from '../../domain/snapshot.ts';
import type { CalendarApi } from '../../google/calendar-api.ts';
import type { CalendarEvent, EventBody } from '../../google/calendar-event.ts';
import { isCalendarDenied } from '../../google/denials.ts';
import type { MirrorPlaces } from '../../ports/operator.ts';
import { isSameBody } from './same-body.ts';

/** Longest text that is kept; longer texts are compared by their hash. */
const TEXT_CHARS_MAX = 48;

/** `former`: calendars that the YAML no longer names, but in which events of the mirror are linked. */
export function calendarPlaces(
  mirror: CalendarMirror,
  api: CalendarApi,
  former: readonly string[] = [],
): MirrorPlaces {
  const ids = [...calendarIdsOf(mirror), ...former];
  const byPlace = new Map(ids.map((calendarId) => [calendarPlace(calendarId), calendarId]));
  return {
    mirror: mirror.name,
    places: [...byPlace.keys()],
    former: new Set(former.map(calendarPlace)),
    isClosed: isCalendarDenied,
    async *standing(place) {
      const calendarId = byPlace.get(place);
      if (calendarId === undefined) return;
      for await (const event of api.marked(calendarId, MARK)) {
        const id = event.extendedProperties?.private?.[APPOINTMENT_MARK];
        if (id === undefined || event.status === 'cancelled') continue;
        // An event by which people booked keeps its own id, and so does a copy that people made of one of ours.
        const isOurs = isEventIdOf(event.id, id);
        yield { place, id, name: event.id, content: cut(event), isOurs };
      }
    },
  };
}

/** Whether an event read by `calendarPlaces` says what it should. */
export function isEventRight(content: unknown, body: EventBody): boolean {
  const wanted: EventBody = {
    ...body,
    summary: short(body.summary),
    ...(body.description !== undefined && { description: short(body.description) }),
    ...(body.location !== undefined && { location: short(body.location) }),
  };
  return isSameBody(content as CalendarEvent, wanted);
}

function cut(event: CalendarEvent): CalendarEvent {
  const { id, etag, status, colorId, start, end, transparency, visibility, extendedProperties } = event;
  const texts = {
    summary: shortOf(event.summary),
    description: shortOf(event.description),
    location: shortOf(event.location),
  };
  return {
    id,
    etag,
    status,
    colorId,
    start,
    end,
    transparency,
    visibility,
    extendedProperties,
    ...texts,
  } as CalendarEvent;
}

function shortOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : short(text);
}

function short(text: string): string {
  return text.length <= TEXT_CHARS_MAX ? text : `#${contentHash(text)}`;
}
