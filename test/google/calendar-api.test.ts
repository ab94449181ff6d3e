import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventBody } from '../../src/google/calendar-event.ts';
import { listCalendars } from '../../src/google/calendar-watch-api.ts';
import { ANNA, NOW_MS, openStand, type Stand } from '../calendar/stand.ts';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.close());

const body: EventBody = {
  summary: 'Haircut',
  start: { dateTime: '2026-11-03T09:00:00Z', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-11-03T10:00:00Z', timeZone: 'Europe/Berlin' },
  status: 'confirmed',
  extendedProperties: { private: { slotbridge: '1' } },
};
const at = { calendarId: ANNA, eventId: 'sb12345' };

describe('an id', () => {
  test('that is in use is taken, by an event and by its tombstone alike', async () => {
    expect(await stand.api.insert(ANNA, 'sb12345', body)).toMatchObject({
      id: 'sb12345',
      status: 'confirmed',
    });
    expect(await stand.api.insert(ANNA, 'sb12345', body)).toBe('taken');
    stand.staff.remove(at);
    expect(await stand.api.insert(ANNA, 'sb12345', body)).toBe('taken');
    expect(await stand.api.get(ANNA, 'sb12345')).toMatchObject({ status: 'cancelled' });
  });
});

test('P7: one calendar under two ids shows one event; an event of that id in another calendar is another one', async () => {
  const account = defaultAccount;
  for (const calendarId of ['primary', ANNA]) await stand.api.insert(calendarId, 'sb12345', body);
  expect(await stand.api.isSameObject('sb12345', 'primary', account)).toBe(true);
  expect(await stand.api.isSameObject('sb12345', 'primary', ANNA)).toBe(false);
  expect(await stand.api.isSameObject('sb99999', 'primary', account)).toBe(false);
});

describe('absence', () => {
  test('of an event is said only after the calendar itself has answered (case 35)', async () => {
    expect(await stand.api.get(ANNA, 'sb99999')).toBe('absent');
    expect(await stand.api.patch(ANNA, { id: 'sb99999' }, body)).toBe('absent');
    expect(await stand.api.remove(ANNA, { id: 'sb99999', etag: '"1"' })).toBe('absent');
    expect(stand.calls()).toMatchObject({ 'events.list': 3 });
    expect(stand.problems.codes()).toEqual({});
  });

  test.each(['get', 'patch', 'remove'] as const)(
    'is not concluded by %s from a calendar that is not there',
    async (name) => {
      const calls = {
        get: () => stand.api.get('nobody@clinic.example', 'sb12345'),
        patch: () => stand.api.patch('nobody@clinic.example', { id: 'sb12345' }, body),
        remove: () => stand.api.remove('nobody@clinic.example', { id: 'sb12345', etag: '"1"' }),
      };
      await expect(calls[name]()).rejects.toMatchObject({ family: 'deferred', code: 'calendar-not-shared' });
    },
  );

  test.each(['get', 'getWhole', 'instances', 'patch', 'remove'] as const)(
    'is not concluded by %s from a calendar that is shared again in that moment',
    async (name) => {
      const event = await stand.api.insert(ANNA, 'sb12345', body);
      if (event === 'taken') throw new Error('the calendar was empty');
      const calls = {
        get: () => stand.api.get(ANNA, 'sb12345'),
        getWhole: () => stand.api.getWhole(ANNA, 'sb12345'),
        instances: () => stand.api.instances(ANNA, 'sb12345', { fromMs: 0, untilMs: NOW_MS, limit: 9 }),
        patch: () => stand.api.patch(ANNA, event, body),
        remove: () => stand.api.remove(ANNA, event),
      };
      stand.google.revokeAccess(ANNA);
      stand.google.faults.add({
        ...{ method: 'GET', path: /fields=kind/, fault: { kind: 'delay', ms: 0 } },
        onStrike: () => stand.google.grantAccess(ANNA),
      });
      expect(await calls[name]()).not.toBe('absent');
      expect(stand.titles(ANNA)).toEqual(name === 'remove' ? [] : ['Haircut']);
    },
  );

  test('is not concluded while the calendar cannot say how it is', async () => {
    stand.google.faults.add({ method: 'GET', path: /events\?/, fault: { kind: 'status', status: 503 } });
    await expect(stand.api.get(ANNA, 'sb99999')).rejects.toMatchObject({ family: 'retryable' });
  });

  test('after a delete is the same as the delete', async () => {
    await stand.api.insert(ANNA, 'sb12345', body);
    const event = await stand.api.get(ANNA, 'sb12345');
    if (event === 'absent') throw new Error('not inserted');
    expect(await stand.api.remove(ANNA, { ...event, etag: '"1"' })).toBe('changed');
    expect(await stand.api.remove(ANNA, event)).toBe('removed');
    expect(await stand.api.remove(ANNA, event)).toBe('absent');
  });
});

describe('a patch', () => {
  test('with an etag that is no longer the one changes nothing and says so', async () => {
    const made = await stand.api.insert(ANNA, 'sb12345', body);
    if (made === 'taken') throw new Error('the calendar was empty');
    stand.staff.retitle({ ...at, summary: 'By people' });
    expect(await stand.api.patch(ANNA, made, { ...body, summary: 'By the worker' })).toBe('changed');
    expect(stand.titles(ANNA)).toEqual(['By people']);
  });

  test('and every other call repeats nothing by itself, whatever the status', async () => {
    await stand.api.insert(ANNA, 'sb12345', body);
    for (const status of [429, 500, 503]) {
      const before = stand.google.faults.hits();
      const remove = stand.google.faults.add({ fault: { kind: 'status', status } });
      await expect(stand.api.get(ANNA, 'sb12345')).rejects.toThrow();
      remove();
      expect(stand.google.faults.hits() - before).toBe(1);
    }
  });
});

test('an answer that is no event is no success', async () => {
  const page = {
    kind: 'status' as const,
    status: 200,
    body: '{"hello": 1}',
    contentType: 'application/json',
  };
  stand.google.faults.add({ fault: page, path: /events/ });
  await expect(stand.api.insert(ANNA, 'sb12345', body)).rejects.toMatchObject({
    family: 'retryable',
    code: 'google-unreadable',
  });
});

test('a calendar whose writing was taken away is found read-only after the clock was set back', async () => {
  await stand.api.assertWritable(ANNA);
  stand.google.grantAccess(ANNA, undefined, 'reader');
  await stand.api.assertWritable(ANNA);
  stand.clock.advance(-3_600_000);
  await expect(stand.api.assertWritable(ANNA)).rejects.toMatchObject({ code: 'calendar-read-only' });
});

test("a proxy's page in place of the list of calendars is retried, as any answer that cannot be read", async () => {
  stand.google.faults.add({ path: /calendarList/, fault: { kind: 'status', status: 200, body: '<html>' } });
  const { google, credentialsPath } = stand;
  const asked = { credentialsPath, tokenUrl: google.tokenUrl, rootUrl: google.url, timeoutMs: 5_000 };
  await expect(listCalendars(asked)).rejects.toMatchObject({
    family: 'retryable',
    code: 'google-unreadable',
  });
});
