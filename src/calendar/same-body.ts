import { seriesOfInstance } from '../engine/domain/ids.ts';
import type { CalendarEvent, EventPatch } from '../google/calendar-event.ts';

/** True when a patch with this body would change nothing that matters. Fields that the body leaves out belong to people. */
export function isSameBody(event: CalendarEvent, body: EventPatch): boolean {
  const marks = event.extendedProperties?.private ?? {};
  return (
    isSameText(event.summary, body.summary) &&
    (body.description === undefined || isSameText(event.description, body.description)) &&
    (body.location === undefined || isSameText(event.location, body.location)) &&
    (body.colorId === undefined || (event.colorId ?? null) === body.colorId) &&
    (!ownsVisibility(event.id) ||
      body.visibility === undefined ||
      (event.visibility ?? 'default') === body.visibility) &&
    (body.transparency === undefined || (event.transparency ?? 'opaque') === body.transparency) &&
    event.status === body.status &&
    isSameInstant(event.start, body.start.dateTime) &&
    isSameInstant(event.end, body.end.dateTime) &&
    Object.entries(body.extendedProperties.private).every(([key, value]) => (marks[key] ?? null) === value)
  );
}

/** Google applies a stricter visibility of one event to its whole series, so the mirror writes none there. */
export function ownsVisibility(eventId: string): boolean {
  return seriesOfInstance(eventId) === undefined;
}

/** Google omits empty texts from its answers. */
function isSameText(shown: string | undefined, wanted: string): boolean {
  return (shown ?? '') === wanted;
}

/** Google shows times in the calendar's zone, so only the instants can be compared. An all-day event has none. */
function isSameInstant(shown: CalendarEvent['start'], wanted: string): boolean {
  return shown?.dateTime !== undefined && Date.parse(shown.dateTime) === Date.parse(wanted);
}
