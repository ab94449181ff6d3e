// People act from another process: the control API.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { book, eventBody, type Rig, room, startRig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
  await rig.call('PUT', `${rig.sheet}/values/A1?valueInputOption=RAW`, {
    values: [
      ['ID', 'Name', 'Notes'],
      ['2', 'Boris', ''],
      ['1', 'Anna', ''],
    ],
  });
});
afterEach(() => rig.sandbox.close());

const act = (action: string, body: object) => rig.call('POST', `/_sandbox/staff/${action}`, body);
const truth = () => rig.sandbox.truth.values(book, 'Sheet1');
const at = { spreadsheetId: book, tab: 'Sheet1' };

test('a control path that does not exist is Google’s 404', async () => {
  for (const [method, path] of [
    ['GET', 'nothing'],
    ['POST', 'stats'],
    ['PATCH', 'stats'],
    ['GET', 'truth/calendars/x'],
  ] as const)
    expect([path, (await rig.call(method, `/_sandbox/${path}`)).status]).toEqual([path, 404]);
});

test('an event is moved, resized, retitled, recoloured, answered to, deleted and restored', async () => {
  const attendees = [{ email: 'guest@x.example' }];
  const { body: made } = await act('calendar/add', {
    calendarId: room,
    event: eventBody(undefined, { attendees }),
  });
  const which = { calendarId: room, eventId: made.id };
  await act('calendar/move', { ...which, start: '2026-05-05T08:00:00Z' });
  await act('calendar/resize', { ...which, end: '2026-05-05T10:00:00Z' });
  await act('calendar/retitle', { ...which, summary: 'Moved' });
  await act('calendar/recolour', { ...which, colorId: '5' });
  await act('calendar/respond', { ...which, email: 'guest@x.example', status: 'declined' });
  await act('calendar/showAs', { ...which, transparency: 'transparent' });
  expect(rig.sandbox.truth.event(room, made.id)).toMatchObject({
    start: { dateTime: '2026-05-05T10:00:00+02:00' },
    end: { dateTime: '2026-05-05T12:00:00+02:00' },
    summary: 'Moved',
    colorId: '5',
    transparency: 'transparent',
    attendees: [{ email: 'guest@x.example', responseStatus: 'declined' }],
  });
  await act('calendar/remove', which);
  expect(rig.sandbox.truth.events(room)).toEqual([]);
  await act('calendar/restore', which);
  await act('calendar/makeAllDay', { ...which, date: '2026-05-06' });
  expect(rig.sandbox.truth.event(room, made.id)).toMatchObject({
    status: 'confirmed',
    start: { date: '2026-05-06' },
    end: { date: '2026-05-07' },
  });
});

test('a sheet is sorted, typed into, cut, blanked in part, its columns moved, its tab renamed', async () => {
  await act('sheets/sortTab', { ...at, column: 'Name' });
  await act('sheets/typeInto', { ...at, row: 2, column: 'Notes', value: 'late' });
  expect(truth()[1]).toEqual(['1', 'Anna', 'late']);
  await act('sheets/sortRange', { ...at, range: 'A2:A3', column: 'ID', descending: true });
  expect(truth().slice(1)).toEqual([
    ['2', 'Anna', 'late'],
    ['1', 'Boris'],
  ]);
  await act('sheets/moveColumn', { ...at, column: 'Notes', before: 'ID' });
  await act('sheets/clearRange', { ...at, range: 'B2:B3' });
  await act('sheets/renameTab', { ...at, to: 'Clients' });
  expect(rig.sandbox.truth.values(book, 'Clients')).toEqual([
    ['Notes', 'ID', 'Name'],
    ['late', '', 'Anna'],
    ['', '', 'Boris'],
  ]);
});

test('the control tells what people can do, and refuses what they cannot', async () => {
  const { body } = await rig.call('GET', '/_sandbox/staff');
  expect(body.calendar).toEqual(expect.arrayContaining(['move', 'duplicate', 'respond', 'makeAllDay']));
  expect(body.sheets).toEqual(expect.arrayContaining(['sortTab', 'cutRow', 'renameHeader', 'typeInto']));
  expect((await act('calendar/constructor', {})).status).toBe(400);
  expect((await act('calendar/toString', {})).status).toBe(400);
  expect((await act('calendar/respond', { calendarId: room, eventId: 'none1', email: 'x' })).status).toBe(
    400,
  );
});
