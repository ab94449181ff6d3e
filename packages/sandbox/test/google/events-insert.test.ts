import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventBody, type Rig, reason, room, startRig, worker } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.sandbox.close());

const insert = (more: Record<string, unknown> = {}) =>
  rig.call('POST', rig.events, eventBody('2026-05-04T08:00:00Z', more));

test('an event comes back with Google’s fields, its times in the calendar’s zone', async () => {
  const { status, body } = await insert({ id: 'abcde12345' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    kind: 'calendar#event',
    id: 'abcde12345',
    status: 'confirmed',
    iCalUID: 'abcde12345@google.com',
    sequence: 0,
    eventType: 'default',
    reminders: { useDefault: true },
    creator: { email: worker },
    organizer: { email: room, self: true },
    start: { dateTime: '2026-05-04T10:00:00+02:00', timeZone: 'Europe/Zurich' },
    end: { dateTime: '2026-05-04T11:00:00+02:00', timeZone: 'Europe/Zurich' },
  });
  expect(body.etag).toMatch(/^"\d+"$/);
});

test('an id is 5 to 1024 characters of base32hex', async () => {
  for (const id of ['abcd', 'wxyz12345', 'ABCDE', 'a-b-c-d-e', 'a'.repeat(1025)]) {
    const reply = await insert({ id });
    expect(reply.status).toBe(400);
    expect(reason(reply)).toEqual({
      domain: 'global',
      reason: 'invalid',
      message: 'Invalid resource id value.',
    });
  }
  expect((await insert({ id: '0123456789abcdef0123456789abcdef' })).status).toBe(200);
});

test('without an id Google makes one', async () => {
  expect((await insert()).body.id).toMatch(/^[a-v0-9]{26}$/);
});

test('an id that exists answers 409 and changes nothing', async () => {
  await insert({ id: 'aaaaa' });
  const reply = await insert({ id: 'aaaaa', summary: 'Other' });
  expect(reply.status).toBe(409);
  expect(reason(reply)).toEqual({
    domain: 'global',
    reason: 'duplicate',
    message: 'The requested identifier already exists.',
  });
  expect(rig.sandbox.truth.events(room).map((event) => event['summary'])).toEqual(['Haircut']);
});

test('the id of a deleted event answers the same 409', async () => {
  await insert({ id: 'aaaaa' });
  await rig.call('DELETE', `${rig.events}/aaaaa`);
  expect((await insert({ id: 'aaaaa' })).status).toBe(409);
  rig.sandbox.staff.calendar.purgeTombstones({ calendarId: room });
  expect((await rig.call('GET', `${rig.events}/aaaaa`)).status).toBe(404);
  expect((await insert({ id: 'aaaaa' })).status).toBe(200);
});

test('the same id may exist in two calendars', async () => {
  rig.sandbox.addCalendar('room2', { shareWith: [worker] });
  await insert({ id: 'aaaaa' });
  expect(
    (
      await rig.call(
        'POST',
        '/calendar/v3/calendars/room2/events',
        eventBody('2026-05-04T08:00:00Z', { id: 'aaaaa' }),
      )
    ).status,
  ).toBe(200);
});

test('start and end are required', async () => {
  expect(
    reason(await rig.call('POST', rig.events, { start: { dateTime: '2026-05-04T08:00:00Z' } })),
  ).toMatchObject({ reason: 'required', message: 'Missing end time.' });
  expect(
    reason(await rig.call('POST', rig.events, { end: { dateTime: '2026-05-04T08:00:00Z' } })).message,
  ).toBe('Missing start time.');
  expect((await insert({ start: {} })).status).toBe(400);
});

test('a time needs an offset or a zone', async () => {
  const local = { start: { dateTime: '2026-05-04T08:00:00' }, end: { dateTime: '2026-05-04T09:00:00' } };
  expect(reason(await insert(local))).toMatchObject({
    reason: 'required',
    message: 'Missing time zone definition for start time.',
  });
  const zoned = {
    start: { ...local.start, timeZone: 'America/New_York' },
    end: { ...local.end, timeZone: 'America/New_York' },
  };
  const { body } = await insert(zoned);
  expect(body.start).toEqual({ dateTime: '2026-05-04T14:00:00+02:00', timeZone: 'America/New_York' });
});

test('times that do not exist are refused', async () => {
  for (const dateTime of ['2026-02-30T08:00:00Z', '2026-05-04 08:00', '2026-05-04T08:00Z', 'tomorrow']) {
    expect((await insert({ start: { dateTime } })).status).toBe(400);
  }
  expect((await insert({ start: { dateTime: '2026-05-04T08:00:00Z', timeZone: 'Mars/Base' } })).status).toBe(
    400,
  );
  expect((await insert({ start: { date: '2026-13-01' }, end: { date: '2026-13-02' } })).status).toBe(400);
});

test('an end before the start is an empty range', async () => {
  const reply = await insert({ end: { dateTime: '2026-05-04T07:00:00Z' } });
  expect(reply.status).toBe(400);
  expect(reason(reply)).toMatchObject({ domain: 'calendar', reason: 'timeRangeEmpty' });
  expect((await insert({ end: { dateTime: '2026-05-04T08:00:00Z' } })).status).toBe(200);
});

test('an all-day event has dates with an exclusive end', async () => {
  const { body } = await insert({ start: { date: '2026-05-04' }, end: { date: '2026-05-05' } });
  expect([body.start, body.end]).toEqual([{ date: '2026-05-04' }, { date: '2026-05-05' }]);
  expect((await insert({ start: { date: '2026-05-04' }, end: { date: '2026-05-04' } })).status).toBe(400);
});

test('timed and all-day do not mix', async () => {
  expect((await insert({ end: { date: '2026-05-05' } })).status).toBe(400);
  expect((await insert({ start: { dateTime: '2026-05-04T08:00:00Z', date: '2026-05-04' } })).status).toBe(
    400,
  );
});

test('two events may take the same time', async () => {
  await insert();
  expect((await insert()).status).toBe(200);
  expect(rig.sandbox.truth.events(room)).toHaveLength(2);
});

test('closed lists are closed', async () => {
  for (const wrong of [
    { colorId: '12' },
    { status: 'maybe' },
    { transparency: 'busy' },
    { visibility: 'secret' },
    { eventType: 'party' },
  ]) {
    expect((await insert(wrong)).status).toBe(400);
  }
  expect((await insert({ colorId: '11', status: 'tentative', transparency: 'transparent' })).status).toBe(
    200,
  );
});

test('reminders are at most five, within four weeks, and not beside the default', async () => {
  const popup = (minutes: number) => ({ method: 'popup', minutes });
  expect(
    (await insert({ reminders: { useDefault: false, overrides: [1, 2, 3, 4, 5, 6].map(popup) } })).status,
  ).toBe(400);
  expect((await insert({ reminders: { useDefault: false, overrides: [popup(40_321)] } })).status).toBe(400);
  const both = await insert({ reminders: { useDefault: true, overrides: [popup(10)] } });
  expect(reason(both).reason).toBe('cannotUseDefaultRemindersAndSpecifyOverride');
  expect(
    (await insert({ reminders: { useDefault: false, overrides: [popup(10)] } })).body.reminders.overrides,
  ).toEqual([popup(10)]);
});

test('a service account cannot invite, also without mails', async () => {
  const reply = await rig.call(
    'POST',
    `${rig.events}?sendUpdates=none`,
    eventBody('2026-05-04T08:00:00Z', { attendees: [{ email: 'a@b.example' }] }),
  );
  expect(reply.status).toBe(403);
  expect(reason(reply)).toMatchObject({ domain: 'calendar', reason: 'forbiddenForServiceAccounts' });
  expect(rig.sandbox.truth.events(room)).toEqual([]);
});

test('a person may invite, and only sendUpdates mails', async () => {
  const token = rig.sandbox.accessToken(room, ['calendar'], false);
  const invite = (query: string) =>
    rig.callWith({ authorization: `Bearer ${token}` })(
      'POST',
      `${rig.events}${query}`,
      eventBody('2026-05-04T08:00:00Z', { attendees: [{ email: 'a@b.example' }, { email: 'c@b.example' }] }),
    );
  expect((await invite('')).body.attendees[0]).toEqual({
    email: 'a@b.example',
    responseStatus: 'needsAction',
  });
  await invite('?sendUpdates=none');
  expect(rig.sandbox.stats().mailsSent).toBe(0);
  await invite('?sendUpdates=all');
  expect(rig.sandbox.stats().mailsSent).toBe(2);
});

test('private properties over 44 characters of key vanish and values are cut at 1024', async () => {
  const { body } = await insert({
    extendedProperties: { private: { [`k${'x'.repeat(44)}`]: 'gone', ['k'.repeat(44)]: 'v'.repeat(2000) } },
  });
  expect(body.extendedProperties).toEqual({ private: { ['k'.repeat(44)]: 'v'.repeat(1024) } });
});

test('what is Google’s own in a body is ignored', async () => {
  const { body } = await insert({
    creator: { email: 'x@y.example' },
    created: '2020-01-01T00:00:00Z',
    htmlLink: 'x',
    hangoutLink: 'y',
  });
  expect(body.creator.email).toBe(worker);
  expect(body.created).not.toMatch(/^2020/);
});

test('events from Gmail cannot be made', async () => {
  expect(reason(await insert({ eventType: 'fromGmail' })).reason).toBe('eventTypeRestriction');
});
