import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ANNA,
  APPOINTMENT_ID,
  appointment,
  BORIS,
  EVENT,
  mirror,
  openStand,
  ROOM,
  type Stand,
} from './stand.ts';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.close());

const insertInto = (calendarId: string) => new RegExp(`^/calendar/v3/calendars/${calendarId}/events`);

test('an appointment of two resources is one event in each calendar, with the same id (case 51)', async () => {
  expect(await stand.mirror(appointment({ resource_ids: ['r-anna', 'r-room'] }))).toBe('created');
  expect(stand.google.truth.events(ANNA).map((event) => event['id'])).toEqual([EVENT]);
  expect(stand.google.truth.events(ROOM).map((event) => event['id'])).toEqual([EVENT]);
});

test('an appointment that moves to a colleague moves to the calendar of the colleague', async () => {
  await stand.mirror(appointment());
  expect(await stand.mirror(appointment({ resource_ids: ['r-boris'] }))).toBe('moved');
  expect(stand.titles(ANNA)).toEqual([]);
  expect(stand.titles(BORIS)).toEqual(['Haircut, Nina Weber']);
  expect(stand.links.calendars(APPOINTMENT_ID, mirror.name).map((link) => link.calendarId)).toEqual([BORIS]);
});

test('it can move there and back: the tombstone it left is revived', async () => {
  await stand.mirror(appointment());
  await stand.mirror(appointment({ resource_ids: ['r-boris'] }));
  expect(await stand.mirror(appointment({ comment: 'back' }))).toBe('moved');
  expect(stand.google.truth.events(ANNA)).toMatchObject([{ id: EVENT, description: '+4915112345678\nback' }]);
  expect(stand.titles(BORIS)).toEqual([]);
});

test('the appointment is in some calendar at every moment of a move', async () => {
  await stand.mirror(appointment());
  stand.google.faults.add({
    method: 'POST',
    path: insertInto(BORIS),
    times: 1,
    fault: { kind: 'status', status: 503 },
  });
  await expect(stand.mirror(appointment({ resource_ids: ['r-boris'] }))).rejects.toMatchObject({
    family: 'retryable',
  });
  expect(stand.titles(ANNA)).toHaveLength(1);
  expect(await stand.mirror(appointment({ resource_ids: ['r-boris'] }))).toBe('moved');
  expect(stand.titles(ANNA)).toEqual([]);
  expect(stand.titles(BORIS)).toHaveLength(1);
});

test('killed between the two halves of a move, the next handler finishes it', async () => {
  await stand.mirror(appointment());
  stand.google.faults.add({ method: 'DELETE', times: 1, fault: { kind: 'reset' } });
  await expect(stand.mirror(appointment({ resource_ids: ['r-boris'] }))).rejects.toMatchObject({
    family: 'retryable',
  });
  expect(await stand.mirror(appointment({ resource_ids: ['r-boris'] }))).toBe('removed');
  expect([...stand.titles(ANNA), ...stand.titles(BORIS)]).toHaveLength(1);
});

test('a resource that joins later gets its own event, the other stays untouched', async () => {
  await stand.mirror(appointment());
  const before = stand.google.truth.event(ANNA, EVENT)?.['etag'];
  expect(await stand.mirror(appointment({ resource_ids: ['r-anna', 'r-room'] }))).toBe('created');
  expect(stand.titles(ROOM)).toHaveLength(1);
  expect(stand.google.truth.event(ANNA, EVENT)?.['etag']).toBe(before);
});

test('one calendar that fails does not keep the other from its event, and what was written is not written again (case 70)', async () => {
  stand.google.revokeAccess(ANNA);
  const both = appointment({ resource_ids: ['r-anna', 'r-room'] });
  await expect(stand.mirror(both)).rejects.toMatchObject({ family: 'deferred', code: 'calendar-not-shared' });
  expect(stand.titles(ROOM)).toHaveLength(1);
  expect(stand.links.calendars(APPOINTMENT_ID, mirror.name).map((link) => link.calendarId)).toEqual([ROOM]);
  stand.google.grantAccess(ANNA);
  expect(await stand.mirror(both)).toBe('created');
  expect(stand.titles(ANNA)).toHaveLength(1);
  expect(stand.titles(ROOM)).toHaveLength(1);
});

test('of two failures the more hopeful one is told, so that the object is tried again', async () => {
  stand.google.faults.add({ method: 'POST', path: insertInto(ANNA), fault: { kind: 'status', status: 400 } });
  stand.google.faults.add({
    method: 'POST',
    path: insertInto(ROOM),
    times: 1,
    fault: { kind: 'status', status: 500 },
  });
  const both = appointment({ resource_ids: ['r-anna', 'r-room'] });
  await expect(stand.mirror(both)).rejects.toMatchObject({ family: 'retryable' });
  await expect(stand.mirror(both)).rejects.toMatchObject({ family: 'terminal', code: 'google-refused' });
  expect(stand.titles(ROOM)).toHaveLength(1);
});

test('a calendar that left the mapping keeps its event (case 73)', async () => {
  await stand.mirror(appointment());
  const without = stand.targetOf({
    ...mirror,
    calendars: mirror.calendars.filter((each) => each.calendarId !== ANNA),
  });
  expect(await stand.mirror(appointment({ comment: 'x' }), without)).toBe('nothing');
  expect(await stand.mirror(appointment({ status: 'cancelled', resource_ids: [] }), without)).toBe('nothing');
  expect(stand.titles(ANNA)).toHaveLength(1);
  expect(stand.links.calendars(APPOINTMENT_ID, mirror.name)).toHaveLength(1);
});

test('the kept event of a cancelled appointment is left alone in a calendar that left the mapping (case 73)', async () => {
  const event = { ...mirror.event, title: '{{ status }}', cancelled: 'keep' as const };
  await stand.mirror(appointment(), stand.targetOf({ ...mirror, event }));
  const calendars = mirror.calendars.filter((each) => each.calendarId !== ANNA);
  const without = stand.targetOf({ ...mirror, event, calendars });
  expect(await stand.mirror(appointment({ status: 'cancelled', resource_ids: [] }), without)).toBe('nothing');
  expect(stand.titles(ANNA)).toEqual(['confirmed']);
});

test('a resource that cannot be found right now empties no calendar (case 50)', async () => {
  await stand.mirror(appointment());
  const calendars = mirror.calendars.map((each) =>
    each.calendarId === ANNA ? { ...each, resource: 'Renamed' } : each,
  );
  const renamed = stand.targetOf({ ...mirror, calendars });
  expect(await stand.mirror(appointment({ comment: 'x' }), renamed)).toBe('nothing');
  expect(stand.titles(ANNA)).toHaveLength(1);
});

test('an event that was dragged onto its deleted twin at its own hour is kept for staff edits, not overwritten (P7)', async () => {
  const edits = { ...mirror.staffEdits, moved: 'reschedule', deleted: 'cancel' } as const;
  const carrying = stand.targetOf({ ...mirror, staffEdits: edits });
  const ofBoth = { resource_ids: ['r-anna', 'r-room'] };
  await stand.mirror(appointment(ofBoth), carrying);
  stand.staff.remove({ calendarId: ROOM, eventId: EVENT });
  stand.staff.moveToCalendar({ calendarId: ANNA, eventId: EVENT, to: ROOM });
  const dragged = stand.google.truth.event(ROOM, EVENT);
  await expect(stand.mirror(appointment({ ...ofBoth, comment: 'newer' }), carrying)).rejects.toMatchObject({
    code: 'edit-unseen',
  });
  expect(stand.google.truth.event(ROOM, EVENT)).toEqual(dragged);
  expect(stand.links.calendars(APPOINTMENT_ID, mirror.name).map(({ edit }) => edit.is)).toEqual([
    'open',
    'open',
  ]);
});
