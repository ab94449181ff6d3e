import { MARK } from '../../domain/event-marks.ts';
import { linkTo } from '../../domain/link.ts';
import type { CalendarApi } from '../../google/calendar-api.ts';
import { otherOrganizer } from '../../google/calendar-event.ts';
import type { MarkedEvents } from '../../ports/calendars.ts';
import { readMarks, readSlot } from './marks.ts';

/** Finds the worker's events in the calendars themselves. Skips copies that people made, and events that someone outside organises. */
export function markedEvents(api: CalendarApi, isNamed: (calendarId: string) => boolean): MarkedEvents {
  return {
    async *in(calendarId) {
      for await (const event of api.marked(calendarId, MARK)) {
        const marks = event.status === 'cancelled' ? undefined : readMarks(event);
        const organizer = otherOrganizer(event, calendarId);
        if (marks === undefined || (organizer !== undefined && !isNamed(organizer))) continue;
        const { id: eventId, etag, colorId } = event;
        const link = linkTo({ calendarId, eventId }, { etag, coloured: colorId !== undefined });
        const slot = readSlot(event);
        yield { ...marks, link, ...(slot && { slot }) };
      }
    },
  };
}
