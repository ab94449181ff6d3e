import { MARK } from '../engine/domain/event-texts.ts';
import type { SeenEvent } from '../engine/domain/outside-booking.ts';
import type { CalendarEvents } from '../engine/ports/calendars.ts';
import type { CalendarApi } from './calendar-api.ts';
import { type CalendarEvent, contentInSeries, otherOrganizer } from './calendar-event.ts';

/** Converts Google's events to the domain's types. */
export function createCalendarEvents(api: CalendarApi): CalendarEvents {
  return {
    async read(calendarId, eventId) {
      const event = await api.get(calendarId, eventId);
      return event === 'absent' ? 'absent' : toSeen(event, calendarId);
    },
    upcoming: (calendarId, fromMs) => api.countUpcoming(calendarId, { property: MARK, fromMs }),
  };
}

function toSeen(event: CalendarEvent, calendarId: string): SeenEvent {
  const organizer = otherOrganizer(event, calendarId);
  const content = contentInSeries(event);
  return {
    etag: event.etag,
    isLive: event.status !== 'cancelled',
    ...(content !== undefined && { content }),
    startMs: instantMs(event.start?.dateTime),
    endMs: instantMs(event.end?.dateTime),
    isAllDay: event.start?.date !== undefined,
    isRecurring: (event.recurrence ?? []).length > 0,
    updatedMs: instantMs(event.updated),
    isColoured: event.colorId !== undefined,
    isGuestCopy: organizer !== undefined,
    ...(organizer !== undefined && { organizer }),
    texts: {
      summary: event.summary ?? '',
      description: event.description ?? '',
      location: event.location ?? '',
    },
    marks: event.extendedProperties?.private ?? {},
  };
}

/** Google returns times in the calendar's zone; only the instant matters. */
function instantMs(iso: string | undefined): number | undefined {
  const atMs = Date.parse(iso ?? '');
  return Number.isNaN(atMs) ? undefined : atMs;
}
