// What an event says, field by field, as people know the fields. Pure.
import type { EventField } from '../../domain/planned.ts';
import type { CalendarEvent, EventBody } from '../../google/calendar-event.ts';

export type Said = Readonly<Partial<Record<EventField, string>>>;

/** Fields that the body leaves as they are do not stand in it. */
export function saidBy(body: EventBody): Said {
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

/** Every field: Google leaves out what is empty or as usual. */
export function saidIn(event: CalendarEvent): Required<Said> {
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

/** An all-day event has a day instead. */
function momentOf(moment: CalendarEvent['start']): string {
  return moment?.dateTime ?? moment?.date ?? '';
}
