import { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, expect, test } from 'vitest';
import { notBooked } from '../../demo/outside/not-booked.ts';

const [ANNA, BORIS] = ['anna@clinic.example', 'boris@clinic.example'];
const BOOKED = 'Booking 89f85460-814b-44cc-a159-439120a2e8bc';

let google: GoogleSandbox | undefined;
afterEach(() => google?.close());

test('an event is people’s own while no event of its id says that it is booked, also where it was dragged to', async () => {
  google = await GoogleSandbox.start();
  for (const id of [ANNA, BORIS]) google.addCalendar(id, { shareWith: [] });
  const { calendar } = google.staff;
  const at = { start: { dateTime: '2026-03-03T07:00:00Z' }, end: { dateTime: '2026-03-03T08:00:00Z' } };
  const drop = (description: string) =>
    String(calendar.add({ calendarId: ANNA, event: { summary: '#book', description, ...at } })['id']);
  const [asked, booked, moved, deleted] = [drop(''), drop(BOOKED), drop(BOOKED), drop('')];
  const refused = drop('');
  for (const eventId of [moved, refused]) calendar.moveToCalendar({ calendarId: ANNA, eventId, to: BORIS });
  calendar.remove({ calendarId: ANNA, eventId: deleted });
  const bookings = [asked, booked, moved, deleted, refused].map(
    (eventId) => ({ where: 'calendar', phone: '', calendarId: ANNA, eventId, fate: 'wanted' }) as const,
  );
  expect(notBooked(google.truth, [ANNA, BORIS], bookings)).toEqual([asked, refused]);
});
