// What an event says, field by field, under the field names that people know. Pure.
import type { EventField } from '../engine/domain/planned.ts';
import type { CalendarEvent, EventBody } from '../google/calendar-event.ts';

export type EventFields = Readonly<Partial<Record<EventField, string>>>;

/** Leaves out fields that the body leaves unchanged. */
export function fieldsOfBody(body: EventBody): EventFields {
  const { start, end, summary, description, location, colorId, visibility, transparency } = body;
  return {
    ...{ start: start.dateTime, end: end.dateTime, title: summary },
    ...(description !== undefined && { description }),
    ...(location !== undefined && { location }),
    ...(colorId !== undefined && { color: colorId ?? DEFAULT }),
    ...(visibility !== undefined && { visibility }),
    ...(transparency !== undefined && { busy: busyBy(transparency) }),
  };
}

/** Every field, because Google leaves out empty and default values. */
export function fieldsOfEvent(event: CalendarEvent): Required<EventFields> {
  const { start, end, summary = '', description = '', location = '' } = event;
  return {
    ...{ start: momentOf(start), end: momentOf(end), title: summary, description, location },
    color: event.colorId ?? DEFAULT,
    visibility: event.visibility ?? DEFAULT,
    busy: busyBy(event.transparency),
  };
}

const DEFAULT = 'default';

function busyBy(transparency: string | undefined): string {
  return transparency === 'transparent' ? 'no' : 'yes';
}

/** An all-day event has a date instead of a time. */
function momentOf(moment: CalendarEvent['start']): string {
  return moment?.dateTime ?? moment?.date ?? '';
}
