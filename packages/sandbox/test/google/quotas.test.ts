import { afterEach, expect, test } from 'vitest';
import { eventBody, type Rig, reason, startRig } from './rig.ts';

let rig: Rig;
afterEach(() => rig.sandbox.close());

test('Calendar refuses the call above the limit with 403 and without Retry-After', async () => {
  rig = await startRig({ quotas: { calendarPerMinutePerUser: 2 } });
  await rig.call('GET', rig.events);
  await rig.call('GET', rig.events);
  const reply = await rig.call('POST', rig.events, eventBody());
  expect(reply.status).toBe(403);
  const message =
    "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user' of service 'calendar-json.googleapis.com' for consumer 'project_number:100000000000'.";
  expect(reply.body.error).toEqual({
    code: 403,
    message,
    errors: [{ message, domain: 'usageLimits', reason: 'rateLimitExceeded' }],
    status: 'PERMISSION_DENIED',
  });
  expect(reply.headers.get('retry-after')).toBeNull();
  expect(rig.sandbox.stats().quotaRefusals).toBe(1);
});

test('the limit of one calendar has the same reason, and neither `status` nor the quota’s name', async () => {
  rig = await startRig({ quotas: { calendarWritesPerMinutePerCalendar: 0 } });
  const reply = await rig.call('POST', rig.events, eventBody());
  expect([reply.status, reply.body.error.status]).toEqual([403, undefined]);
  expect(reason(reply)).toEqual({
    domain: 'usageLimits',
    reason: 'rateLimitExceeded',
    message: 'Rate Limit Exceeded',
  });
});

test('Calendar may say the same with 429', async () => {
  rig = await startRig({ quotas: { calendarPerMinutePerUser: 0 }, switches: { quotaForm: '429' } });
  const reply = await rig.call('GET', rig.events);
  expect(reply.status).toBe(429);
  expect(reason(reply)).toMatchObject({ domain: 'usageLimits', reason: 'rateLimitExceeded' });
});

test('Calendar’s minute slides: a call is free again a minute after it', async () => {
  rig = await startRig({ quotas: { calendarPerMinutePerUser: 2 } });
  await rig.call('GET', rig.events);
  rig.clock.advance(40_000);
  await rig.call('GET', rig.events);
  expect((await rig.call('GET', rig.events)).status).toBe(403);
  rig.clock.advance(21_000);
  expect((await rig.call('GET', rig.events)).status).toBe(200);
  expect((await rig.call('GET', rig.events)).status).toBe(403);
});

test('Calendar’s quota belongs to a user, or to the quotaUser that is named', async () => {
  rig = await startRig({ quotas: { calendarPerMinutePerUser: 1 } });
  expect((await rig.call('GET', rig.events)).status).toBe(200);
  expect((await rig.call('GET', rig.events)).status).toBe(403);
  expect((await rig.call('GET', `${rig.events}?quotaUser=anna`)).status).toBe(200);
});

test('Sheets refuses the 61st write of a minute with its 429', async () => {
  rig = await startRig();
  // The buckets refill at the full minute: do not start at its end.
  rig.clock.advance(60_000 - (rig.clock.now() % 60_000));
  const write = () => rig.call('PUT', `${rig.sheet}/values/A1?valueInputOption=RAW`, { values: [['x']] });
  for (let i = 0; i < 60; i += 1) expect((await write()).status).toBe(200);
  const reply = await write();
  expect(reply.status).toBe(429);
  expect(reply.body.error).toMatchObject({
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    details: [
      {
        reason: 'RATE_LIMIT_EXCEEDED',
        metadata: { quota_limit: 'WriteRequestsPerMinutePerUser', quota_limit_value: '60' },
      },
      {},
    ],
  });
  expect(reply.body.error.message).toBe(
    "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute per user' of service 'sheets.googleapis.com' for consumer 'project_number:100000000000'.",
  );
  expect(reply.body.error.errors).toBeUndefined();
  expect((await rig.call('GET', `${rig.sheet}/values/A1`)).status).toBe(200);
  rig.clock.advance(60_000);
  expect((await write()).status).toBe(200);
});

test('a write that fails has counted, and a read by POST counts as a read', async () => {
  rig = await startRig({ quotas: { sheetsWritesPerMinutePerUser: 1, sheetsReadsPerMinutePerUser: 1 } });
  expect(
    (await rig.call('PUT', `${rig.sheet}/values/Nope!A1?valueInputOption=RAW`, { values: [] })).status,
  ).toBe(400);
  expect((await rig.call('PUT', `${rig.sheet}/values/A1?valueInputOption=RAW`, { values: [] })).status).toBe(
    429,
  );
  const read = () =>
    rig.call('POST', `${rig.sheet}/values:batchGetByDataFilter`, { dataFilters: [{ a1Range: 'A1' }] });
  expect((await read()).status).toBe(200);
  expect((await read()).status).toBe(429);
});
