import { afterEach, beforeEach, expect, test } from 'vitest';
import { book, eventBody, type Rig, room, startRig, worker } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
  await rig.call('PUT', `${rig.sheet}/values/A1?valueInputOption=RAW`, {
    values: [
      ['ID', 'Name', 'Phone'],
      ['2', 'Boris', '+2'],
      ['1', 'Anna', '+1'],
    ],
  });
});
afterEach(() => rig.sandbox.close());

const at = { spreadsheetId: book, tab: 'Sheet1' };
const sheets = () => rig.sandbox.staff.sheets;
const truth = () => rig.sandbox.truth.values(book, 'Sheet1');

test('people sort the tab below its header', () => {
  sheets().sortTab({ ...at, column: 'Name' });
  expect(truth()).toEqual([
    ['ID', 'Name', 'Phone'],
    ['1', 'Anna', '+1'],
    ['2', 'Boris', '+2'],
  ]);
});

test('people insert, add, delete and duplicate rows', () => {
  sheets().insertRow({ ...at, row: 2, values: ['new'] });
  expect(sheets().addRow({ ...at, values: ['end'] })).toEqual({ row: 5 });
  sheets().deleteRow({ ...at, row: 3 });
  sheets().duplicateRow({ ...at, row: 3 });
  expect(truth()).toEqual([
    ['ID', 'Name', 'Phone'],
    ['new'],
    ['1', 'Anna', '+1'],
    ['1', 'Anna', '+1'],
    ['end'],
  ]);
});

test('people move, insert and delete columns and rename headers', () => {
  sheets().moveColumn({ ...at, column: 'Phone', before: 'ID' });
  sheets().renameHeader({ ...at, from: 'Name', to: 'Client' });
  sheets().insertColumn({ ...at, before: 'Client', header: 'Notes' });
  expect(truth()[0]).toEqual(['Phone', 'ID', 'Notes', 'Client']);
  sheets().deleteColumn({ ...at, column: 'Phone' });
  expect(truth()[1]).toEqual(['2', '', 'Boris']);
});

test('people rename a tab and the old name is gone', async () => {
  sheets().renameTab({ ...at, to: 'Clients' });
  expect((await rig.call('GET', `${rig.sheet}/values/Sheet1!A1`)).status).toBe(400);
  expect((await rig.call('GET', `${rig.sheet}/values/Clients!A1`)).body.values).toEqual([['ID']]);
});

test('people type into cells and blank a tab', () => {
  sheets().setCell({ ...at, cell: 'C2', value: '+7 900 000 00 00' });
  expect(truth()[1]).toEqual(['2', 'Boris', 79000000000]);
  sheets().blankTab(at);
  expect(truth()).toEqual([]);
});

test('people cut a row and paste it over another', () => {
  sheets().cutRow({ ...at, row: 2, to: 3 });
  expect(truth()).toEqual([['ID', 'Name', 'Phone'], [], ['2', 'Boris', '+2']]);
});

test('people move, resize and drag events into the all-day row', () => {
  const { calendar } = rig.sandbox.staff;
  const eventId = String(calendar.add({ calendarId: room, event: eventBody() as never })['id']);
  const mine = { calendarId: room, eventId };
  expect(calendar.move({ ...mine, start: '2026-05-06T12:00:00Z' })).toMatchObject({
    end: { dateTime: '2026-05-06T15:00:00+02:00' },
  });
  expect(calendar.resize({ ...mine, end: '2026-05-06T14:00:00Z' })).toMatchObject({
    start: { dateTime: '2026-05-06T14:00:00+02:00' },
    end: { dateTime: '2026-05-06T16:00:00+02:00' },
  });
  expect(calendar.makeAllDay({ ...mine, date: '2026-05-07' })).toMatchObject({
    start: { date: '2026-05-07' },
    end: { date: '2026-05-08' },
  });
  calendar.remove(mine);
  expect(rig.sandbox.truth.deletedIds(room)).toEqual([eventId]);
  expect(calendar.restore(mine)).toMatchObject({ status: 'confirmed' });
  expect(calendar.clear({ calendarId: room })).toEqual({ removed: 1 });
});

test('another process has the same powers over HTTP', async () => {
  const control = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${rig.sandbox.url}/_sandbox/${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
    return { status: answer.status, body: (await answer.json()) as any };
  };
  await control('POST', 'calendars', {
    id: 'anna@clinic.example',
    shareWith: [worker],
    timeZone: 'Asia/Tokyo',
  });
  await control('POST', 'spreadsheets', {
    id: 'two',
    shareWith: [worker],
    tabs: [{ title: 'T', values: [['a', 1]] }],
  });
  await control('POST', 'staff/calendar/add', {
    calendarId: 'anna@clinic.example',
    event: eventBody(),
    id: 'bbbbb',
  });
  expect((await control('GET', 'truth/calendars/anna%40clinic.example/events')).body).toMatchObject([
    { id: 'bbbbb', start: { dateTime: '2026-05-04T17:00:00+09:00' } },
  ]);
  expect((await control('GET', 'truth/spreadsheets/two/values?tab=T')).body).toEqual([['a', 1]]);
  await control('POST', 'staff/sheets/setCell', { spreadsheetId: 'two', tab: 'T', cell: 'B1', value: 'x' });
  expect((await rig.call('GET', '/v4/spreadsheets/two/values/T')).body.values).toEqual([['a', 'x']]);
  const { body: rule } = await control('POST', 'faults', {
    path: '/events',
    fault: { kind: 'status', status: 503 },
  });
  expect((await rig.call('GET', rig.events)).status).toBe(503);
  await control('DELETE', `faults/${rule.id}`);
  expect((await rig.call('GET', rig.events)).status).toBe(200);
  await control('DELETE', 'access', { id: room });
  expect((await rig.call('GET', rig.events)).status).toBe(404);
  expect((await control('GET', 'stats')).body.callsByMethod['events.list']).toBe(2);
  expect((await control('POST', 'switches', { tombstoneMinimal: true })).status).toBe(400);
  expect((await control('POST', 'staff/calendar/dance', {})).status).toBe(400);
  expect((await control('GET', `service-account?email=${worker}`)).body.client_email).toBe(worker);
});
