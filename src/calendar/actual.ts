// Reads the worker's events in the calendars of one mirror, cut down so that tens of thousands fit into memory.

import { calendarPlace, type Expectation } from '../engine/domain/actual.ts';
import { APPOINTMENT_MARK, MARK } from '../engine/domain/event-texts.ts';
import { isEventIdOf } from '../engine/domain/ids.ts';
import { type CalendarMirror, calendarIdsOf } from '../engine/domain/mirror.ts';
import { contentHash } from '../engine/domain/object.ts';
import type { MirrorPlaces } from '../engine/ports/operator.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import type { CalendarEvent, EventBody } from '../google/calendar-event.ts';
import { isCalendarDenied } from '../google/denials.ts';
import type { CalendarAction } from './plan.ts';
import { isSameBody } from './same-body.ts';
import type { WantedEvent } from './wanted.ts';

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

/** What an audit expects of one event after these actions. */
export function expectation(action: CalendarAction, wanted: WantedEvent | undefined): Expectation {
  const place = calendarPlace(action.calendarId);
  const linked = action.type === 'create' ? {} : { linked: action.link.eventId };
  const isRight = (content: unknown) => wanted !== undefined && isEventRight(content, wanted.body);
  const because = action.type === 'nothing' ? REASONS[action.why] : undefined;
  if (because !== undefined) return { place, rule: 'may', because, isRight, isConfirmed: false, ...linked };
  const rule = action.type === 'remove' ? 'must-not' : 'must';
  return { place, rule, isRight, isConfirmed: action.type === 'nothing', ...linked };
}

/** Why an event is left alone although it may differ. There is no such reason for `same`: that event must exist. */
const REASONS: Readonly<Record<'same' | 'history' | 'open' | 'left' | 'unmapped', Expectation['because']>> = {
  same: undefined,
  history: 'history',
  open: 'open',
  left: 'left',
  unmapped: 'changed-mapping',
};
