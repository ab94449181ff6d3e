// What an answer shows depends on who asks: source, private events, guests, rights on protected ranges.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { book, eventBody, type Rig, room, startRig } from './rig.ts';

const colleague = 'colleague@clinic.example';
let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.sandbox.close());

const as = (email: string) => ({ authorization: `Bearer ${rig.sandbox.accessToken(email)}` });

test('the source of an event is seen and changed by its creator alone', async () => {
  const source = { title: 'Booking', url: 'https://crm.example/a/1' };
  const { body: made } = await rig.call('POST', rig.events, eventBody(undefined, { source }));
  rig.sandbox.grantAccess(room, colleague, 'owner');
  const path = `${rig.events}/${made.id}`;
  expect(made.source).toEqual(source);
  expect((await rig.callWith(as(colleague))('GET', path)).body.source).toBeUndefined();
  await rig.callWith(as(colleague))('PATCH', path, { source: { url: 'https://other.example/' } });
  await rig.callWith(as(colleague))('PUT', path, eventBody());
  expect((await rig.call('GET', path)).body.source).toEqual(source);
});

test('a source that is no web address is refused', async () => {
  const refused = await rig.call('POST', rig.events, eventBody(undefined, { source: { url: 'file:///x' } }));
  expect(refused.status).toBe(400);
});

test('a reader sees of a private event that the time is taken', async () => {
  const secret = { visibility: 'private', description: 'secret', transparency: 'transparent' };
  const { body: made } = await rig.call('POST', rig.events, eventBody(undefined, secret));
  rig.sandbox.grantAccess(room, colleague, 'reader');
  const { body: seen } = await rig.callWith(as(colleague))('GET', `${rig.events}/${made.id}`);
  expect([seen.visibility, seen.transparency, seen.start]).toEqual(['private', 'transparent', made.start]);
  expect([seen.summary, seen.description]).toEqual([undefined, undefined]);
  const list = await rig.callWith(as(colleague))('GET', rig.events);
  expect([list.body.accessRole, list.body.items[0].summary]).toEqual(['reader', undefined]);
});

test('a list tells the caller’s access', async () => {
  expect((await rig.call('GET', rig.events)).body.accessRole).toBe('writer');
  rig.sandbox.grantAccess(room, undefined, 'owner');
  expect((await rig.call('GET', rig.events)).body.accessRole).toBe('owner');
});

test('more guests than maxAttendees leave only the participant', async () => {
  const attendees = [{ email: 'a@x.example' }, { email: room }, { email: 'b@x.example' }];
  const { id } = rig.sandbox.staff.calendar.add({
    calendarId: room,
    event: eventBody(undefined, { attendees }) as never,
  });
  const path = `${rig.events}/${id}`;
  expect((await rig.call('GET', path)).body.attendees).toHaveLength(3);
  const { body } = await rig.call('GET', `${path}?maxAttendees=2`);
  expect(body.attendeesOmitted).toBe(true);
  expect(body.attendees).toEqual([{ email: room, responseStatus: 'needsAction', self: true }]);
  expect((await rig.call('GET', `${path}?maxAttendees=3`)).body.attendeesOmitted).toBeUndefined();
});

test('a booked room stands first among the guests, and the calendar itself is one of them', async () => {
  const attendees = [{ email: 'vera@guest.example' }];
  const { id } = rig.sandbox.staff.calendar.add({
    calendarId: room,
    event: eventBody(undefined, { attendees }) as never,
  });
  rig.sandbox.staff.calendar.addRoom({ calendarId: room, eventId: String(id), email: 'r@rooms.example' });
  expect((await rig.call('GET', `${rig.events}/${id}`)).body.attendees).toEqual([
    { email: 'r@rooms.example', resource: true, responseStatus: 'accepted' },
    { email: room, self: true, responseStatus: 'accepted' },
    { email: 'vera@guest.example', responseStatus: 'needsAction' },
  ]);
});

test('a body with attendeesOmitted changes one answer and no guest list', async () => {
  const attendees = [{ email: 'a@x.example' }, { email: room }];
  const { id } = rig.sandbox.staff.calendar.add({
    calendarId: room,
    event: eventBody(undefined, { attendees }) as never,
  });
  const person = { authorization: `Bearer ${rig.sandbox.accessToken(room, undefined, false)}` };
  const answer = { attendeesOmitted: true, attendees: [{ email: room, responseStatus: 'accepted' }] };
  const { body } = await rig.callWith(person)('PATCH', `${rig.events}/${id}`, answer);
  expect(body.attendees.map((guest: { responseStatus: string }) => guest.responseStatus)).toEqual([
    'needsAction',
    'accepted',
  ]);
});

test('a protected range says who may edit it, and its editors only to them', async () => {
  const at = { spreadsheetId: book, tab: 'Sheet1' };
  rig.sandbox.staff.sheets.protectRange({ ...at, range: 'A:A' });
  rig.sandbox.staff.sheets.protectRange({
    ...at,
    range: 'B:B',
    editors: ['worker@slotbridge-sandbox.iam.gserviceaccount.com'],
  });
  rig.sandbox.staff.sheets.protectRange({ ...at, range: 'C:C', warningOnly: true });
  const { body } = await rig.call('GET', `${rig.sheet}?fields=sheets.protectedRanges`);
  const ranges = body.sheets[0].protectedRanges;
  expect(ranges.map((one: { requestingUserCanEdit?: boolean }) => one.requestingUserCanEdit)).toEqual([
    undefined,
    true,
    true,
  ]);
  expect(ranges.map((one: { editors?: unknown }) => one.editors !== undefined)).toEqual([false, true, false]);
});
