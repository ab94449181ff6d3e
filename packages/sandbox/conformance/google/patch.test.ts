import { expect } from 'vitest';
import { verdict } from '../office/api.ts';
import { needing, writing } from '../office/fact.ts';

const GUESTS = [{ email: 'a@guest.example' }, { email: 'b@guest.example' }];

writing('[patch.1] a patch leaves alone what it does not name', async (desk) => {
  const event = await desk.made({ description: 'kept', location: 'Room 1' });
  const { body } = await desk.patch(event, { summary: 'Other' });
  expect([body.summary, body.description, body.location, body.start]).toEqual([
    'Other',
    'kept',
    'Room 1',
    event.start,
  ]);
});

writing('[patch.2] a patch merges objects at every depth', async (desk) => {
  const event = await desk.made({ extendedProperties: { private: { a: '1' }, shared: { s: '1' } } });
  const { body } = await desk.patch(event, { extendedProperties: { private: { b: '2' } } });
  expect(body.extendedProperties).toEqual({ private: { a: '1', b: '2' }, shared: { s: '1' } });
});

writing('[patch.3] a patch replaces a list as a whole', async (desk) => {
  const reminders = (...minutes: number[]) => ({
    useDefault: false,
    overrides: minutes.map((one) => ({ method: 'popup', minutes: one })),
  });
  const event = await desk.made({ reminders: reminders(5, 10) });
  expect((await desk.patch(event, { reminders: reminders(7) })).body.reminders).toEqual(reminders(7));
});

writing('[patch.4] null takes a field away', async (desk) => {
  const event = await desk.made({ description: 'gone soon', colorId: '3' });
  const { body } = await desk.patch(event, { description: null, colorId: null });
  expect([body.description, body.colorId, body.summary]).toEqual([undefined, undefined, event.summary]);
});

writing('[patch.5] an update takes away what it does not name', async (desk) => {
  const event = await desk.made({ description: 'gone soon', colorId: '3' });
  const { body } = await desk.put(event, desk.eventBody({ summary: 'Other' }));
  expect([body.summary, body.description, body.colorId]).toEqual(['Other', undefined, undefined]);
});

writing('[patch.6] a date beside the old dateTime is refused', async (desk) => {
  const event = await desk.made();
  const answer = await desk.patch(event, { start: { date: desk.date() }, end: { date: desk.date(1) } });
  expect(answer.status).toBe(400);
});

writing('[patch.7] with nulls a timed event becomes an all-day one, and back', async (desk) => {
  const event = await desk.made();
  const day = (days: number) => ({ date: desk.date(days), dateTime: null, timeZone: null });
  const whole = await desk.patch(event, { start: day(0), end: day(1) });
  expect([whole.body.start, whole.body.end]).toEqual([{ date: desk.date() }, { date: desk.date(1) }]);
  const hour = (at: number) => ({ date: null, dateTime: desk.at(at) });
  const timed = await desk.patch(event, { start: hour(9), end: hour(10) });
  expect(Date.parse(timed.body.start.dateTime)).toBe(Date.parse(desk.at(9)));
  expect(timed.body.start.date).toBeUndefined();
});

writing('[patch.8] what Google owns cannot be written', async (desk) => {
  const event = await desk.made({ htmlLink: 'https://elsewhere.example/', created: '2001-01-01T00:00:00Z' });
  expect(event.htmlLink).not.toContain('elsewhere');
  expect(event.created.startsWith('2001')).toBe(false);
});

writing('[patch.9] an update needs start and end', async (desk) => {
  const event = await desk.made();
  expect(verdict(await desk.put(event, { summary: 'No times' }))).toBe('400 required');
});

needing('people', '[patch.10] an invitation is changed by its organizer alone', async (stage) => {
  const organizer = { email: 'boss@elsewhere.example' };
  const event = await stage.people('calendar/add', { event: stage.eventBody(), organizer });
  expect(verdict(await stage.patch(event, { summary: 'Mine now' }))).toBe('403 forbiddenForNonOrganizer');
  expect(verdict(await stage.put(event, stage.eventBody({ summary: 'Mine now' })))).toBe(
    '403 forbiddenForNonOrganizer',
  );
});

needing('people', '[patch.11] of an invitation one’s own colour and reminders change', async (stage) => {
  const organizer = { email: 'boss@elsewhere.example' };
  const event = await stage.people('calendar/add', { event: stage.eventBody(), organizer });
  const reminders = { useDefault: false, overrides: [{ method: 'popup', minutes: 3 }] };
  const { status, body } = await stage.patch(event, { colorId: '4', reminders });
  expect([status, body.colorId, body.reminders]).toEqual([200, '4', reminders]);
});

needing('people', '[patch.12] a patch without attendees leaves the guests alone', async (stage) => {
  const event = await stage.people('calendar/add', { event: stage.eventBody({ attendees: GUESTS }) });
  expect((await stage.patch(event, { summary: 'Other' })).body.attendees).toHaveLength(2);
});

needing('accounts', '[patch.13] attendeesOmitted changes one answer', async (stage) => {
  const event = await stage.people('calendar/add', { event: stage.eventBody({ attendees: GUESTS }) });
  await stage.share('person@clinic.example', 'owner');
  const person = await stage.as({ email: 'person@clinic.example', isServiceAccount: false });
  const answer = [{ email: 'b@guest.example', responseStatus: 'declined' }];
  const { body } = await person.patch(event, { attendeesOmitted: true, attendees: answer });
  expect(body.attendees.map((one: { responseStatus: string }) => one.responseStatus)).toEqual([
    'needsAction',
    'declined',
  ]);
});
