import { afterEach, beforeEach, expect, test } from 'vitest';
import { book, eventBody, type Rig, reason, room, startRig, worker } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.sandbox.close());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test('Calendar’s 401 of the front end has both errors and a status', async () => {
  const reply = await rig.callWith(bearer('nonsense'))('GET', rig.events);
  expect(reply.status).toBe(401);
  expect(reply.body.error).toMatchObject({
    code: 401,
    status: 'UNAUTHENTICATED',
    errors: [
      {
        message: 'Invalid Credentials',
        domain: 'global',
        reason: 'authError',
        location: 'Authorization',
        locationType: 'header',
      },
    ],
  });
});

test('Calendar’s 401 of the backend has no status', async () => {
  rig.sandbox.switches.hasBackend401 = true;
  const reply = await rig.callWith(bearer('nonsense'))('GET', rig.events);
  expect(reply.body).toEqual({
    error: {
      errors: [
        {
          domain: 'global',
          reason: 'authError',
          message: 'Invalid Credentials',
          locationType: 'header',
          location: 'Authorization',
        },
      ],
      code: 401,
      message: 'Invalid Credentials',
    },
  });
});

test('Sheets’ 401 has a status and no errors', async () => {
  const reply = await rig.callWith(bearer('nonsense'))('GET', rig.sheet);
  expect(reply.status).toBe(401);
  expect(Object.keys(reply.body.error)).toEqual(['code', 'message', 'status']);
});

test('a call without a token is told that one is required', async () => {
  const reply = await rig.callWith({ authorization: '' })('GET', rig.events);
  expect(reply.status).toBe(401);
  expect(reason(reply).reason).toBe('required');
});

test('reading scopes do not write', async () => {
  const token = rig.sandbox.accessToken(worker, ['calendar.readonly', 'spreadsheets.readonly']);
  expect((await rig.callWith(bearer(token))('GET', rig.events)).status).toBe(200);
  const insert = await rig.callWith(bearer(token))('POST', rig.events, eventBody());
  expect(insert.status).toBe(403);
  expect(insert.body.error.status).toBe('PERMISSION_DENIED');
  expect(insert.body.error.details[0].reason).toBe('ACCESS_TOKEN_SCOPE_INSUFFICIENT');
  expect(reason(insert).reason).toBe('insufficientPermissions');
  expect((await rig.callWith(bearer(token))('GET', `${rig.sheet}/values/Sheet1`)).status).toBe(200);
  expect(
    (
      await rig.callWith(bearer(token))('PUT', `${rig.sheet}/values/A1?valueInputOption=RAW`, {
        values: [['x']],
      })
    ).status,
  ).toBe(403);
  expect(rig.sandbox.truth.events(room)).toEqual([]);
});

test('a calendar that is not shared does not exist', async () => {
  rig.sandbox.addCalendar('boss@clinic.example', { shareWith: [] });
  const [known, unknown] = await Promise.all([
    rig.call('GET', '/calendar/v3/calendars/boss%40clinic.example/events'),
    rig.call('GET', '/calendar/v3/calendars/nobody%40clinic.example/events'),
  ]);
  expect(known.status).toBe(404);
  expect(known.body).toEqual({
    error: {
      errors: [{ domain: 'global', reason: 'notFound', message: 'Not Found' }],
      code: 404,
      message: 'Not Found',
    },
  });
  expect(unknown.body).toEqual(known.body);
});

test('a reader of a calendar cannot write it', async () => {
  rig.sandbox.grantAccess(room, worker, 'reader');
  expect((await rig.call('GET', rig.events)).status).toBe(200);
  const reply = await rig.call('POST', rig.events, eventBody());
  expect(reply.status).toBe(403);
  expect(reason(reply)).toMatchObject({ domain: 'calendar', reason: 'requiredAccessLevel' });
});

test('access that is lost answers 404 and comes back', async () => {
  await rig.call('POST', rig.events, eventBody('2026-05-04T08:00:00Z', { id: 'aaaaa' }));
  rig.sandbox.revokeAccess(room);
  expect((await rig.call('GET', `${rig.events}/aaaaa`)).status).toBe(404);
  rig.sandbox.grantAccess(room);
  expect((await rig.call('GET', `${rig.events}/aaaaa`)).status).toBe(200);
});

test('a private event shows a reader only that the time is taken', async () => {
  const { id } = rig.sandbox.staff.calendar.add({
    calendarId: room,
    event: eventBody('2026-05-04T08:00:00Z', { visibility: 'private' }) as never,
  });
  rig.sandbox.grantAccess(room, worker, 'reader');
  const { body } = await rig.call('GET', `${rig.events}/${id}`);
  expect(body.summary).toBeUndefined();
  expect(body.start.dateTime).toBe('2026-05-04T10:00:00+02:00');
});

test('a service account’s primary calendar is its own empty one', async () => {
  rig.sandbox.staff.calendar.add({ calendarId: room, event: eventBody() as never });
  const reply = await rig.call('GET', '/calendar/v3/calendars/primary/events');
  expect(reply.body.items).toEqual([]);
  expect(reply.body.accessRole).toBe('owner');
});

test('a shared calendar is in the caller’s list only after it was inserted', async () => {
  const entry = `/calendar/v3/users/me/calendarList/${encodeURIComponent(room)}`;
  expect((await rig.call('GET', entry)).status).toBe(404);
  expect((await rig.call('POST', '/calendar/v3/users/me/calendarList', { id: room })).body.accessRole).toBe(
    'writer',
  );
  expect((await rig.call('GET', entry)).status).toBe(200);
  expect((await rig.call('GET', `/calendar/v3/calendars/${encodeURIComponent(room)}`)).body).toMatchObject({
    id: room,
    timeZone: 'Europe/Zurich',
  });
});

test('an unknown spreadsheet is 404 and one that is not shared is 403', async () => {
  const unknown = await rig.call('GET', '/v4/spreadsheets/nothere');
  expect(unknown.body).toEqual({
    error: { code: 404, message: 'Requested entity was not found.', status: 'NOT_FOUND' },
  });
  rig.sandbox.revokeAccess(book);
  const closed = await rig.call('GET', rig.sheet);
  expect(closed.body).toEqual({
    error: { code: 403, message: 'The caller does not have permission', status: 'PERMISSION_DENIED' },
  });
});

test('a reader of a spreadsheet cannot write it', async () => {
  rig.sandbox.grantAccess(book, worker, 'reader');
  expect((await rig.call('GET', `${rig.sheet}/values/A1`)).status).toBe(200);
  expect(
    (await rig.call('PUT', `${rig.sheet}/values/A1?valueInputOption=RAW`, { values: [['x']] })).status,
  ).toBe(403);
  expect(rig.sandbox.truth.values(book, 'Sheet1')).toEqual([]);
});

test('with drive.file alone a spreadsheet that the app did not open is not found', async () => {
  const token = rig.sandbox.accessToken(worker, ['drive.file']);
  expect((await rig.callWith(bearer(token))('GET', rig.sheet)).status).toBe(404);
});
