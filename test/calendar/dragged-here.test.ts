/** The mirror is about to make an event in a calendar into which people have dragged it, and no turn has noticed. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ANNA,
  APPOINTMENT_ID,
  appointment,
  BORIS,
  EVENT,
  mirror,
  openStand,
  type Stand,
  startMsOf,
} from './stand.ts';

const staffEdits = { ...mirror.staffEdits, moved: 'reschedule', deleted: 'cancel' } as const;
const NINE = '2026-11-03T09:00:00Z';
const NOON = '2026-11-03T12:00:00Z';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand({ mirror: { ...mirror, staffEdits } });
  await stand.mirror(appointment());
  stand.staff.moveToCalendar({ calendarId: ANNA, eventId: EVENT, to: BORIS });
});
afterEach(() => stand.close());

const ofBoris = appointment({ resource_id: 'r-boris', resource_ids: ['r-boris'] });
const dragOn = () => stand.staff.move({ calendarId: BORIS, eventId: EVENT, start: NOON });
const starts = () =>
  [ANNA, BORIS].map((id) =>
    stand.google.truth.events(id).map((event) => new Date(startMsOf(event)).toISOString()),
  );
const edits = () => stand.links.calendars(APPOINTMENT_ID, mirror.name).map(({ edit }) => edit.is);
const at = (iso: string) => [new Date(iso).toISOString()];

test('at its own hour it becomes the mirror at once, and nothing waits for a decision (P7)', async () => {
  expect(await stand.mirror(ofBoris)).toBe('moved');
  expect(starts()).toEqual([[], at(NINE)]);
  expect(edits()).toEqual(['settled']);
});

test('at another hour it is kept for staff edits (P1)', async () => {
  dragOn();
  await expect(stand.mirror(ofBoris)).rejects.toMatchObject({ code: 'edit-unseen' });
  expect(starts()).toEqual([[], at(NOON)]);
  expect(edits()).toEqual(['settled', 'open']);
});

test('at another hour, while it is back at home, it gets the hour of the appointment (P2)', async () => {
  stand.staff.restore({ calendarId: ANNA, eventId: EVENT });
  dragOn();
  expect(await stand.mirror(appointment({ resource_ids: ['r-anna', 'r-boris'] }))).toBe('created');
  expect(starts()).toEqual([at(NINE), at(NINE)]);
  expect(edits()).toEqual(['settled', 'settled']);
});
