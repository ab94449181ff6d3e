import type { Clinic } from './clinic.ts';
import type { Stage } from './stage.ts';

/** Counts events without an appointment and appointments without an event. An event at a wrong place or time counts as both. */
export function wrongEvents(stage: Stage, { platform, people }: Clinic): number {
  const surplus = new Map<string, number>();
  const count = (calendarId: string | undefined, startsAt: unknown, by: number): void => {
    const place = `${calendarId} ${Date.parse(String(startsAt))}`;
    surplus.set(place, (surplus.get(place) ?? 0) + by);
  };
  const calendars = new Map(people.map(({ id, calendarId }) => [id, calendarId]));
  for (const appointment of platform.truth.appointments())
    if (appointment['status'] !== 'cancelled')
      count(calendars.get(String(appointment['resource_id'])), appointment['starts_at'], -1);
  for (const { calendarId } of people)
    for (const event of stage.google.truth.events(calendarId))
      count(calendarId, (event['start'] as { dateTime?: string }).dateTime, 1);
  return [...surplus.values()].reduce((sum, each) => sum + Math.abs(each), 0);
}
