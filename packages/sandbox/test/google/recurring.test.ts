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
  expect(await ids(`?syncToken=${nextSyncToken}`)).toEqual(['series1', instances[1]]);
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

test('a change of one instance is a change of its whole series', async () => {
  await rig.call('PATCH', `${rig.events}/${instances[0]}`, { summary: 'First' });
  const { nextSyncToken } = await list();
  const { body } = await rig.call('PATCH', `${rig.events}/${instances[1]}`, { summary: 'Second' });
  const { items } = await list(`?syncToken=${nextSyncToken}`);
  expect(items.map(({ id, etag, updated }: Record<string, string>) => [id, etag, updated])).toEqual(
    ['series1', instances[0], instances[1]].map((id) => [id, body.etag, body.updated]),
  );
  expect((await rig.call('GET', `${rig.events}/${instances[2]}`)).body.etag).toBe(body.etag);
});

test('with the switch off, each exception has a version of its own', async () => {
  rig.sandbox.switches.seriesSharesVersion = false;
  const first = await rig.call('PATCH', `${rig.events}/${instances[0]}`, { summary: 'First' });
  const { nextSyncToken } = await list();
  await rig.call('PATCH', `${rig.events}/${instances[1]}`, { summary: 'Second' });
  expect(await ids(`?syncToken=${nextSyncToken}`)).toEqual([instances[1]]);
  expect((await rig.call('GET', `${rig.events}/${instances[0]}`)).body.etag).toBe(first.body.etag);
});

test('a deleted series shows its id alone, and its instances show their series and start besides', async () => {
  await rig.call('PATCH', `${rig.events}/${instances[0]}`, { summary: 'Other' });
  await rig.call('DELETE', `${rig.events}/series1`);
  const { items } = await list('?showDeleted=true');
  expect(items.map((item: object) => Object.keys(item))).toEqual([
    ['kind', 'etag', 'id', 'status'],
    ['kind', 'etag', 'id', 'status', 'recurringEventId', 'originalStartTime'],
  ]);
});

test('a stricter visibility of one instance is that of its series, and a less strict one is ignored', async () => {
  await rig.call('PATCH', `${rig.events}/${instances[0]}`, { summary: 'Other' });
  await rig.call('PATCH', `${rig.events}/${instances[1]}`, { visibility: 'private' });
  const seen = async () =>
    (await list('?singleEvents=true')).items.map((item: { visibility?: string }) => item.visibility);
  expect(await seen()).toEqual(['private', 'private', 'private']);
  for (const visibility of ['default', 'public', null])
    await rig.call('PATCH', `${rig.events}/${instances[2]}`, { visibility });
  expect(await seen()).toEqual(['private', 'private', 'private']);
});

const split = (about: Record<string, unknown> = {}) =>
  rig.sandbox.staff.calendar.splitSeries({
    calendarId: room,
    masterId: 'series1',
    at: '2026-03-30T07:00:00Z',
    ...about,
  });

test('"this and following" ends the series the day before, and a second master continues it under the same ids', async () => {
  await rig.call('PATCH', `${rig.events}/${instances[1]}`, {
    summary: 'Booked',
    extendedProperties: { private: { mark: 'x' } },
  });
  const { nextSyncToken } = await list();
  split({ patch: { description: 'bring it' } });
  const [first, second] = (await list(`?syncToken=${nextSyncToken}`)).items;
  expect([first.id, first.recurrence]).toEqual(['series1', ['RRULE:FREQ=WEEKLY;UNTIL=20260329T215959Z']]);
  expect(second).toMatchObject({
    ...{ id: 'series1_R20260330T070000', recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'] },
    ...{ iCalUID: first.iCalUID, created: first.created, etag: first.etag, updated: first.updated },
    ...{ summary: 'Booked', description: 'bring it', extendedProperties: { private: { mark: 'x' } } },
    start: { dateTime: '2026-03-30T09:00:00+02:00', timeZone: 'Europe/Zurich' },
  });
  const { items } = await list('?singleEvents=true');
  expect(items.map((item: Record<string, string>) => [item['id'], item['recurringEventId']])).toEqual([
    [instances[0], 'series1'],
    [instances[1], second.id],
    [instances[2], second.id],
  ]);
  expect((await rig.call('GET', `${rig.events}/${instances[2]}`)).body.description).toBe('bring it');
});

test('what people edit is what the event shows, or what the series says', async () => {
  await rig.call('PATCH', `${rig.events}/${instances[1]}`, { summary: 'Booked' });
  expect(split({ asShown: false })['summary']).toBe('Weekly');
});

test('a deleted instance stays deleted behind the new end, and shows its id alone; a changed one may stay', async () => {
  await rig.call('PATCH', `${rig.events}/${instances[1]}`, { summary: 'Kept' });
  await rig.call('DELETE', `${rig.events}/${instances[2]}`);
  split({ asShown: false, keepExceptions: true, patch: { description: 'new' } });
  const { items } = await list('?showDeleted=true');
  const kept = items.find(({ id }: { id: string }) => id === instances[1]);
  expect([kept.summary, kept.description, kept.recurringEventId]).toEqual([
    'Kept',
    undefined,
    'series1_R20260330T070000',
  ]);
  const gone = items.find(({ id }: { id: string }) => id === instances[2]);
  expect(Object.keys(gone)).toEqual(['kind', 'etag', 'id', 'status']);
});

test('with another start, "this and following" makes a series of its own', async () => {
  const start = { dateTime: '2026-03-30T15:00:00+02:00', timeZone: 'Europe/Zurich' };
  const end = { dateTime: '2026-03-30T16:00:00+02:00', timeZone: 'Europe/Zurich' };
  const { id, iCalUID } = split({ patch: { start, end } });
  expect([String(id).includes('_R'), iCalUID]).toEqual([false, `${id}@google.com`]);
  expect(await ids('?singleEvents=true&orderBy=startTime')).toEqual([
    instances[0],
    `${id}_20260330T130000Z`,
    `${id}_20260406T130000Z`,
  ]);
});

test('a series is split twice, and its parts have one base', async () => {
  split();
  split({ masterId: 'series1_R20260330T070000', at: '2026-04-06T07:00:00Z' });
  const { items } = await list('?singleEvents=true');
  expect(items.map((item: Record<string, string>) => [item['id'], item['recurringEventId']])).toEqual([
    [instances[0], 'series1'],
    [instances[1], 'series1_R20260330T070000'],
    [instances[2], 'series1_R20260406T070000'],
  ]);
});

test('an all-day series is split by its days', async () => {
  rig.sandbox.staff.calendar.add({
    ...{ calendarId: room, id: 'dag01' },
    event: {
      summary: 'Daily',
      start: { date: '2026-05-04' },
      end: { date: '2026-05-05' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;VALUE=DATE:20260506'],
    },
  });
  const at = '2026-05-05T00:00:00+02:00';
  expect(split({ masterId: 'dag01', at, patch: { summary: 'New' } })).toMatchObject({
    id: 'dag01_R20260505',
    recurrence: ['RRULE:FREQ=DAILY;COUNT=2', 'EXDATE;VALUE=DATE:20260506'],
  });
  const { items } = await list('?singleEvents=true&timeMin=2026-05-01T00:00:00Z');
  expect(items.map((item: Record<string, string>) => [item['id'], item['summary']])).toEqual([
    ['dag01_20260504', 'Daily'],
    ['dag01_20260505', 'New'],
  ]);
});
