import { afterEach, beforeEach, expect, test } from 'vitest';
import { trouble } from '../../src/google/troubles.ts';
import { eventBody, type Rig, reason, room, startRig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.sandbox.close());

test('JSON is labelled as Google labels it', async () => {
  expect((await rig.call('GET', rig.events)).headers.get('content-type')).toBe(
    'application/json; charset=UTF-8',
  );
  expect((await rig.call('GET', '/v4/spreadsheets/none')).headers.get('content-type')).toBe(
    'application/json; charset=UTF-8',
  );
});

test('an unknown query parameter is refused by both APIs', async () => {
  const calendar = await rig.call('GET', `${rig.events}?colour=red`);
  expect(calendar.status).toBe(400);
  expect(calendar.body.error.message).toMatch(
    /^Invalid JSON payload received. Unknown name "colour": Cannot bind query parameter/,
  );
  const sheets = await rig.call('GET', `${rig.sheet}?sheet=1`);
  expect(sheets.status).toBe(400);
  expect(sheets.body.error.status).toBe('INVALID_ARGUMENT');
});

test('an unknown field of a body is refused and nothing is performed', async () => {
  const event = await rig.call('POST', rig.events, eventBody('2026-05-04T08:00:00Z', { title: 'x' }));
  expect(event.status).toBe(400);
  expect(event.body.error.message).toBe(
    'Invalid JSON payload received. Unknown name "title": Cannot find field.',
  );
  const nested = await rig.call(
    'POST',
    rig.events,
    eventBody('2026-05-04T08:00:00Z', { start: { datetime: 'x' } }),
  );
  expect(nested.body.error.message).toContain(`Unknown name "datetime" at 'start'`);
  expect(rig.sandbox.truth.events(room)).toEqual([]);
});

test('an unknown field of a sheet request is named with its place', async () => {
  const reply = await rig.call('POST', `${rig.sheet}:batchUpdate`, {
    requests: [{ updateCells: { rows: [{ cells: [] }] } }],
  });
  expect(reply.body.error.message).toBe(
    `Invalid JSON payload received. Unknown name "cells" at 'requests[0].update_cells.rows[0]': Cannot find field.`,
  );
  expect(reply.body.error.details[0].fieldViolations[0].field).toBe('requests[0].update_cells.rows[0]');
});

test('a value of the wrong type is refused', async () => {
  const reply = await rig.call('POST', `${rig.sheet}:batchUpdate`, {
    requests: [{ appendDimension: { sheetId: 'x', dimension: 'ROWS', length: 1 } }],
  });
  expect(reply.body.error.message).toBe(
    `Invalid value at 'requests[0].append_dimension.sheet_id' (TYPE_INT32), "x"`,
  );
  const summary = await rig.call('POST', rig.events, eventBody('2026-05-04T08:00:00Z', { summary: 5 }));
  expect(summary.status).toBe(400);
});

test('two kinds in one request are refused', async () => {
  const reply = await rig.call('POST', `${rig.sheet}:batchUpdate`, {
    requests: [{ addSheet: {}, deleteSheet: { sheetId: 0 } }],
  });
  expect(reply.body.error.message).toMatch(/oneof field 'kind' is already set. Cannot set 'deleteSheet'/);
});

test('a body that is not JSON is refused', async () => {
  expect((await rig.call('POST', rig.events, '{"summary":')).status).toBe(400);
  expect((await rig.call('POST', rig.events, '[]')).status).toBe(400);
  expect((await rig.callWith({ 'content-type': 'text/plain' })('POST', rig.events, eventBody())).status).toBe(
    400,
  );
});

test('a parameter with an impossible value is refused with its name', async () => {
  const reply = await rig.call('POST', `${rig.events}?sendUpdates=maybe`, eventBody());
  expect(reply.status).toBe(400);
  expect(reason(reply)).toMatchObject({ reason: 'invalidParameter', location: 'sendUpdates' });
  expect((await rig.call('GET', `${rig.events}?maxResults=0`)).status).toBe(400);
});

test('a field mask trims the answer', async () => {
  await rig.call('POST', rig.events, eventBody());
  const { body } = await rig.call('GET', `${rig.events}?fields=items(summary,start/dateTime),nextSyncToken`);
  expect(Object.keys(body)).toEqual(['items', 'nextSyncToken']);
  expect(body.items).toEqual([{ summary: 'Haircut', start: { dateTime: '2026-05-04T10:00:00+02:00' } }]);
  expect((await rig.call('GET', `${rig.events}?fields=items(`)).status).toBe(400);
});

test('a field mask that names what the answer never has is refused before anything is done', async () => {
  const insert = await rig.call('POST', `${rig.events}?fields=id,title`, eventBody());
  expect([insert.status, insert.body.error.message]).toEqual([
    400,
    expect.stringContaining('Invalid field selection title'),
  ]);
  expect(rig.sandbox.truth.events(room)).toEqual([]);
  expect((await rig.call('GET', `${rig.sheet}?fields=sheets.properties.sheetID`)).status).toBe(400);
  expect(
    (
      await rig.call(
        'GET',
        `${rig.sheet}?fields=sheets(properties(sheetId,title),data.rowData.values.formattedValue)`,
      )
    ).status,
  ).toBe(200);
});

test('an id of 1024 characters is found again', async () => {
  const id = 'a'.repeat(1024);
  await rig.call('POST', rig.events, eventBody('2026-05-04T08:00:00Z', { id }));
  expect((await rig.call('GET', `${rig.events}/${id}`)).body.id).toBe(id);
});

test('a trouble has the body that Google gives it', async () => {
  rig.sandbox.faults.add({ times: 1, fault: trouble('calendarUsageLimits') });
  const reply = await rig.call('POST', rig.events, eventBody());
  expect([reply.status, reason(reply)]).toEqual([
    403,
    { domain: 'usageLimits', reason: 'quotaExceeded', message: 'Calendar usage limits exceeded.' },
  ]);
});

test('what the sandbox cannot do is refused loudly', async () => {
  expect((await rig.call('POST', `${rig.events}/quickAdd?text=Lunch`)).status).toBe(501);
  expect(
    (await rig.call('POST', `${rig.sheet}:batchUpdate`, { requests: [{ deleteTable: {} }] })).status,
  ).toBe(501);
  expect((await rig.call('GET', '/calendar/v3/nowhere')).status).toBe(404);
});

test('faults strike the APIs and the token endpoint', async () => {
  rig.sandbox.faults.add({
    method: 'POST',
    path: /\/events$/,
    times: 1,
    fault: { kind: 'commit-then-status', status: 503 },
  });
  expect((await rig.call('POST', rig.events, eventBody())).status).toBe(503);
  expect(rig.sandbox.truth.events(room)).toHaveLength(1);
  rig.sandbox.faults.add({ path: /^\/token/, times: 1, fault: { kind: 'status', status: 500 } });
  expect((await fetch(rig.sandbox.tokenUrl, { method: 'POST' })).status).toBe(500);
});

test('answers come as late as asked', async () => {
  rig.sandbox.latencyMs = 3_600_000;
  let isAnswered = false;
  const tell = () => {
    isAnswered = true;
  };
  void rig.call('GET', rig.events).then(tell, () => undefined);
  while (rig.sandbox.stats().calls === 0) await new Promise((resolve) => setImmediate(resolve));
  rig.sandbox.latencyMs = 1;
  expect((await rig.call('GET', rig.events)).status).toBe(200);
  expect(isAnswered).toBe(false);
});

test('calls are counted by method', async () => {
  await rig.call('POST', rig.events, eventBody());
  await rig.call('GET', rig.events);
  await rig.call('GET', `${rig.sheet}/values/A1`);
  expect(rig.sandbox.stats()).toMatchObject({
    calls: 3,
    callsByMethod: { 'events.insert': 1, 'events.list': 1, 'spreadsheets.values.get': 1 },
  });
});
