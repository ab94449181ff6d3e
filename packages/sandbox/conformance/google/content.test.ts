import { expect } from 'vitest';
import { verdict } from '../office/api.ts';
import { needing, writing } from '../office/fact.ts';

const GUESTS = [{ email: 'a@guest.example' }];

writing('[content.1] an event may be tentative, not something else', async (desk) => {
  expect((await desk.made({ status: 'tentative' })).status).toBe('tentative');
  expect((await desk.made()).status).toBe('confirmed');
  expect((await desk.insert({ status: 'maybe' })).status).toBe(400);
});

writing('[content.2] an event is free or busy', async (desk) => {
  expect((await desk.made({ transparency: 'transparent' })).transparency).toBe('transparent');
  expect((await desk.made()).transparency).toBeUndefined();
  expect((await desk.made({ transparency: 'opaque' })).transparency).toBeUndefined();
  expect((await desk.insert({ transparency: 'foggy' })).status).toBe(400);
});

writing('[content.3] an event is public, private or as the calendar is', async (desk) => {
  for (const visibility of ['public', 'private', 'confidential'])
    expect((await desk.made({ visibility })).visibility).toBe(visibility);
  expect((await desk.insert({ visibility: 'secret' })).status).toBe(400);
});

writing('[content.4] there are eleven colours', async (desk) => {
  for (const colorId of ['1', '11']) expect((await desk.made({ colorId })).colorId).toBe(colorId);
  for (const colorId of ['0', '12', 'red']) expect((await desk.insert({ colorId })).status).toBe(400);
});

writing('[content.5] six reminders, or the defaults and one’s own, are too many', async (desk) => {
  const overrides = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ method: 'popup', minutes: i }));
  expect((await desk.insert({ reminders: { useDefault: false, overrides: overrides(5) } })).status).toBe(200);
  expect((await desk.insert({ reminders: { useDefault: false, overrides: overrides(6) } })).status).toBe(400);
  expect((await desk.insert({ reminders: { useDefault: true, overrides: overrides(1) } })).status).toBe(400);
});

writing('[content.6] a reminder comes four weeks ahead at most', async (desk) => {
  const reminding = (minutes: number) => ({
    reminders: { useDefault: false, overrides: [{ method: 'popup', minutes }] },
  });
  expect((await desk.insert(reminding(40_320))).status).toBe(200);
  expect((await desk.insert(reminding(40_321))).status).toBe(400);
  expect((await desk.insert(reminding(-1))).status).toBe(400);
});

writing('[content.7] nobody is reminded by pigeon', async (desk) => {
  const overrides = [{ method: 'pigeon', minutes: 5 }];
  expect((await desk.insert({ reminders: { useDefault: false, overrides } })).status).toBe(400);
});

writing('[content.8] an event reminds as the calendar does unless it says otherwise', async (desk) => {
  expect((await desk.made()).reminders).toEqual({ useDefault: true });
  expect((await desk.made({ reminders: { useDefault: false } })).reminders).toEqual({ useDefault: false });
});

needing('people', '[content.10] an event cannot become another kind of event', async (stage) => {
  const event = await stage.made();
  expect(verdict(await stage.patch(event, { eventType: 'outOfOffice' }))).toBe('400 eventTypeRestriction');
  const away = await stage.people('calendar/add', { event: stage.eventBody({ eventType: 'outOfOffice' }) });
  expect(verdict(await stage.patch(away, { eventType: 'default' }))).toBe('400 eventTypeRestriction');
});

writing('[content.11] nobody but Gmail makes events from Gmail', async (desk) => {
  expect((await desk.insert({ eventType: 'fromGmail' })).status).toBe(400);
});

needing('people', '[content.12] a birthday takes another summary and nothing else', async (stage) => {
  const day = { start: { date: stage.date() }, end: { date: stage.date(1) } };
  const birthday = await stage.people('calendar/add', {
    event: { ...day, eventType: 'birthday', summary: 'Ann' },
  });
  expect((await stage.patch(birthday, { summary: 'Anna' })).body.summary).toBe('Anna');
  expect(verdict(await stage.patch(birthday, { description: 'cake' }))).toBe('400 eventTypeRestriction');
});

writing('[content.13] a type that nobody knows is refused', async (desk) => {
  expect((await desk.insert({ eventType: 'holiday' })).status).toBe(400);
});

needing(
  'guess',
  '[content.14] the version of the labels says whether the colour or the label counts',
  async (stage) => {
    const both = { colorId: '5', eventLabelId: 'label1' };
    const old = await stage.made(both);
    expect([old.colorId, old.eventLabelId]).toEqual(['5', undefined]);
    const labelled = await stage.made(both, { eventLabelVersion: 1 });
    expect([labelled.colorId, labelled.eventLabelId]).toEqual([undefined, 'label1']);
  },
);

writing('[content.15] a source is an address of the web', async (desk) => {
  const source = { title: 'Booking', url: 'https://crm.example/1' };
  expect((await desk.made({ source })).source).toEqual(source);
  expect((await desk.insert({ source: { title: 'x', url: 'ftp://crm.example/1' } })).status).toBe(400);
});

needing('accounts', '[content.16] others do not see where an event comes from', async (stage) => {
  const event = await stage.made({ source: { title: 'Booking', url: 'https://crm.example/1' } });
  await stage.share('colleague@clinic.example', 'owner');
  const colleague = await stage.as({ email: 'colleague@clinic.example' });
  expect((await colleague.get(event)).body.source).toBeUndefined();
  expect((await colleague.list()).body.items[0].source).toBeUndefined();
});

needing('people', '[content.17] too many guests are left out, and the answer says so', async (stage) => {
  const attendees = [...GUESTS, { email: stage.calendarId }];
  const event = await stage.people('calendar/add', { event: stage.eventBody({ attendees }) });
  const { body } = await stage.get(event, { maxAttendees: 1 });
  expect(body.attendeesOmitted).toBe(true);
  expect(body.attendees.map((one: { email: string }) => one.email)).toEqual([stage.calendarId]);
  expect((await stage.get(event, { maxAttendees: 2 })).body.attendees).toHaveLength(2);
});

writing('[content.18] an empty description is none', async (desk) => {
  expect((await desk.made({ description: '' })).description).toBeUndefined();
});

writing('[content.19] an event tells who made it and whose it is', async (desk) => {
  const event = await desk.made();
  expect(event.creator.email).toContain('@');
  expect(event.organizer).toMatchObject({ email: desk.calendarId, self: true });
});

writing('[content.20] an event has its kind, its link and its type', async (desk) => {
  const event = await desk.made();
  expect([event.kind, event.eventType]).toEqual(['calendar#event', 'default']);
  expect(event.htmlLink).toMatch(/^https:\/\/www\.google\.com\/calendar\/event/);
});

writing('[content.22] a description keeps its markup', async (desk) => {
  const description = '<b>Bold</b> & <a href="https://crm.example/">a link</a>';
  expect((await desk.made({ description })).description).toBe(description);
});

needing('keys', '[content.23] a service account cannot invite', async (stage) => {
  const refused = await stage.insert({ attendees: GUESTS });
  expect(verdict(refused)).toBe('403 forbiddenForServiceAccounts');
  expect((await stage.list()).body.items).toEqual([]);
  const event = await stage.made();
  expect(verdict(await stage.patch(event, { attendees: GUESTS }))).toBe('403 forbiddenForServiceAccounts');
});

needing('keys', '[content.24] a service account cannot invite silently either', async (stage) => {
  expect(verdict(await stage.insert({ attendees: GUESTS }, { sendUpdates: 'none' }))).toBe(
    '403 forbiddenForServiceAccounts',
  );
});

needing('keys', '[content.25] a person invites, and the guests have not answered yet', async (stage) => {
  await stage.share('person@clinic.example', 'writer');
  const person = await stage.as({ email: 'person@clinic.example', isServiceAccount: false });
  expect((await person.made({ attendees: GUESTS })).attendees).toEqual([
    { email: 'a@guest.example', responseStatus: 'needsAction' },
  ]);
});

needing('keys', '[content.26] a guest without an address is refused', async (stage) => {
  await stage.share('person@clinic.example', 'writer');
  const person = await stage.as({ email: 'person@clinic.example', isServiceAccount: false });
  for (const guest of [{ displayName: 'Ann' }, { email: 'nobody' }])
    expect((await person.insert({ attendees: [guest] })).status).toBe(400);
});

writing('[content.27] what guests may not do is not shown', async (desk) => {
  const { guestsCanModify, anyoneCanAddSelf } = await desk.made({
    guestsCanModify: false,
    anyoneCanAddSelf: false,
  });
  expect([guestsCanModify, anyoneCanAddSelf]).toEqual([undefined, undefined]);
  expect((await desk.made({ guestsCanModify: true })).guestsCanModify).toBe(true);
});

needing(
  'people',
  '[content.28] [content.29] the room comes first, and the calendar is a guest',
  async (stage) => {
    const event = await stage.people('calendar/add', { event: stage.eventBody({ attendees: GUESTS }) });
    await stage.people('calendar/addRoom', { eventId: event.id, email: 'room@rooms.example' });
    expect((await stage.get(event)).body.attendees).toEqual([
      { email: 'room@rooms.example', resource: true, responseStatus: 'accepted' },
      { email: stage.calendarId, self: true, responseStatus: 'accepted' },
      { ...GUESTS[0], responseStatus: 'needsAction' },
    ]);
  },
);
