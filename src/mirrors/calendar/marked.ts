import { MARK } from '../../domain/event-marks.ts';
import type { CalendarApi } from '../../google/calendar-api.ts';
import type { MarkedEvents } from '../../ports/marked-events.ts';
import { readMarks } from './marks.ts';

/** The worker's events as the calendars themselves know them. Copies that people made are left out. */
export function markedEvents(api: CalendarApi): MarkedEvents {
  return {
    async *in(calendarId) {
      for await (const event of api.marked(calendarId, MARK)) {
        const marks = event.status === 'cancelled' ? undefined : readMarks(event);
        if (marks === undefined) continue;
        const { id: eventId, etag, colorId } = event;
        yield { ...marks, link: { calendarId, eventId, etag, hash: '', coloured: colorId !== undefined } };
      }
    },
  };
}
