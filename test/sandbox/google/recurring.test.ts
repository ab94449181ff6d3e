import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventBody, type Rig, reason, room, startRig, worker } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
  const zoned = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Zurich' });
  await rig.call('POST', rig.events, {
    id: 'series1',
    summary: 'Weekly',
    start: zoned('2026-03-23T09:00:00'),
    end: zoned('2026-03-23T10:00:00'),
    recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'],
  });
});
afterEach(() => rig.sandbox.close());

const list = async (query = '') => (await rig.call('GET', `${rig.events}${query}`)).body;
const ids = async (query = ''): Promise<string[]> =>
  (await list(query)).items.map((event: { id: string }) => event.id);
const instances = ['series1_20260323T080000Z', 'series1_20260330T070000Z', 'series1_20260406T070000Z'];

test('unexpanded, the master is listed once', async () => {
  expect(await ids()).toEqual(['series1']);
  expect((await list()).items[0].recurrence).toEqual(['RRULE:FREQ=WEEKLY;COUNT=3']);
});

test('expanded, the instances keep the local time over the change of the clocks', async () => {
  const { items } = await list('?singleEvents=true');
  expect(items.map((event: { id: string }) => event.id)).toEqual(instances);
  expect(items.map((event: { start: { dateTime: string } }) => event.start.dateTime)).toEqual([
    '2026-03-23T09:00:00+01:00',
    '2026-03-30T09:00:00+02:00',
    '2026-04-06T09:00:00+02:00',
  ]);
  expect(items[1]).toMatchObject({
    recurringEventId: 'series1',
    originalStartTime: { dateTime: '2026-03-30T09:00:00+02:00' },
    iCalUID: 'series1@google.com',
  });
});

test('expanded lists page through a series', async () => {
  const first = await list('?singleEvents=true&maxResults=2');
  expect(first.items).toHaveLength(2);
  expect(await ids(`?singleEvents=true&maxResults=2&pageToken=${first.nextPageToken}`)).toEqual([
    instances[2],
  ]);
});

test('an instance can be fetched by its id', async () => {
  expect((await rig.call('GET', `${rig.events}/${instances[1]}`)).body.start.dateTime).toBe(
    '2026-03-30T09:00:00+02:00',
  );
  expect((await rig.call('GET', `${rig.events}/series1_20260331T070000Z`)).status).toBe(404);
});

test('a changed instance becomes an exception of its own', async () => {
  await rig.call('PATCH', `${rig.events}/${instances[1]}`, { summary: 'Other' });
  expect(await ids()).toEqual(['series1', instances[1]]);
  const { items } = await list('?singleEvents=true&orderBy=startTime');
  expect(items.map((event: { summary: string }) => event.summary)).toEqual(['Weekly', 'Other', 'Weekly']);
});

test('a deleted instance shows as cancelled while the series is not expanded', async () => {
  const { nextSyncToken } = await list();
  expect((await rig.call('DELETE', `${rig.events}/${instances[1]}`)).status).toBe(204);
  const [, exception] = (await list()).items;
  expect(exception).toMatchObject({ id: instances[1], status: 'cancelled', recurringEventId: 'series1' });
  expect(await ids('?singleEvents=true')).toEqual([instances[0], instances[2]]);
  expect(await ids(`?syncToken=${nextSyncToken}`)).toEqual([instances[1]]);
  expect((await rig.call('DELETE', `${rig.events}/${instances[1]}`)).status).toBe(410);
});

test('a changed master brings all its instances in an expanded increment', async () => {
  const { nextSyncToken } = await list('?singleEvents=true');
  await rig.call('PATCH', `${rig.events}/series1`, { summary: 'New' });
  expect(await ids(`?singleEvents=true&syncToken=${nextSyncToken}`)).toEqual(instances);
});

test('a window shows the series that reaches into it', async () => {
  expect(await ids('?timeMin=2026-04-01T00:00:00Z')).toEqual(['series1']);
  expect(await ids('?timeMin=2026-05-01T00:00:00Z')).toEqual([]);
});

test('a timed series needs a zone', async () => {
  const reply = await rig.call(
    'POST',
    rig.events,
    eventBody('2026-05-04T08:00:00Z', { recurrence: ['RRULE:FREQ=DAILY'] }),
  );
  expect([reply.status, reason(reply).message]).toEqual([
    400,
    'Missing time zone definition for start time.',
  ]);
});

test('a series without an end is bounded', async () => {
  rig.sandbox.staff.calendar.add({
    calendarId: room,
    event: {
      summary: 'Daily',
      start: { date: '2026-05-04' },
      end: { date: '2026-05-05' },
      recurrence: ['RRULE:FREQ=DAILY', 'EXDATE;VALUE=DATE:20260505'],
    },
    id: 'dagli1',
  });
  const all = await ids('?singleEvents=true&maxResults=2500');
  expect(all.filter((id) => id.startsWith('dagli1')).slice(0, 2)).toEqual([
    'dagli1_20260504',
    'dagli1_20260506',
  ]);
  expect(all.length).toBeLessThan(800);
});

test('with a deleted series its cancelled instances are gone from the list, too', async () => {
  await rig.call('DELETE', `${rig.events}/${instances[1]}`);
  expect(await ids()).toHaveLength(2);
  await rig.call('DELETE', `${rig.events}/series1`);
  expect(await ids()).toEqual([]);
  expect(await ids('?showDeleted=true')).toEqual(['series1', instances[1]]);
});

test('a series that is moved takes its changed and deleted instances along', async () => {
  await rig.call('PATCH', `${rig.events}/${instances[0]}`, { summary: 'Other' });
  await rig.call('DELETE', `${rig.events}/${instances[1]}`);
  rig.sandbox.addCalendar('room2', { shareWith: [worker] });
  await rig.call('POST', `${rig.events}/series1/move?destination=room2`);
  const there = '/calendar/v3/calendars/room2/events?singleEvents=true&orderBy=startTime';
  expect(
    (await rig.call('GET', there)).body.items.map((event: { summary: string }) => event.summary),
  ).toEqual(['Other', 'Weekly']);
  expect(await ids('?singleEvents=true')).toEqual([]);
});
