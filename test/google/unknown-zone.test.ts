// P1: a time zone that Google does not know only affects how a time is shown.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANNA, appointment, openStand, type Stand, startMsOf } from '../calendar/stand.ts';

const ZONE = 'Pacific/Newland';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.close());

const eventNow = () => stand.google.truth.events(ANNA)[0];
const inserts = () => stand.calls()['events.insert'] ?? 0;

test('its events are written in UTC, and a problem names the zone', async () => {
  await stand.mirror(appointment({ timezone: ZONE }));
  expect(eventNow()).toMatchObject({ status: 'confirmed' });
  expect(startMsOf(eventNow())).toBe(Date.parse('2026-11-03T09:00:00Z'));
  const [problem, ...others] = await stand.problems.list();
  expect(problem).toMatchObject({ target: `zone:${ZONE}`, code: 'zone-unknown-to-google' });
  expect(problem?.message).toContain(ZONE);
  expect(others).toEqual([]);
  expect(inserts()).toBe(2);
});

test('a changed event too, and once known the zone costs no further calls', async () => {
  await stand.mirror(appointment({}));
  await stand.mirror(
    appointment({ timezone: ZONE, starts_at: '2026-11-03T11:00:00Z', ends_at: '2026-11-03T12:00:00Z' }),
  );
  expect(startMsOf(eventNow())).toBe(Date.parse('2026-11-03T11:00:00Z'));
  const before = stand.calls()['events.patch'] ?? 0;
  await stand.mirror(appointment({ timezone: ZONE, comment: 'x' }));
  expect((stand.calls()['events.patch'] ?? 0) - before).toBe(1);
  expect(stand.problems.codes()).toEqual({ [`zone:${ZONE}`]: 'zone-unknown-to-google' });
});

test('the problem ends when Google knows the zone', async () => {
  const error = {
    code: 400,
    message: 'Invalid time zone definition for start time.',
    errors: [{ reason: 'invalid' }],
  };
  stand.google.faults.add({
    method: 'POST',
    times: 1,
    fault: { kind: 'status', status: 400, body: JSON.stringify({ error }), contentType: 'application/json' },
  });
  await stand.mirror(appointment({}));
  expect(stand.problems.codes()).toEqual({ 'zone:Europe/Berlin': 'zone-unknown-to-google' });
  stand.clock.advance(3_600_000);
  await stand.mirror(appointment({ comment: 'x' }));
  expect(stand.problems.codes()).toEqual({});
  expect(eventNow()).toMatchObject({ start: { timeZone: 'Europe/Berlin' } });
});

test('also when a process raised it that is gone (P8)', async () => {
  await stand.problems.raise({
    ...{ target: 'zone:Europe/Berlin', code: 'zone-unknown-to-google' },
    ...{ message: 'Google does not know it', advice: 'Nothing.' },
  });
  await stand.mirror(appointment({}));
  expect(eventNow()).toMatchObject({ start: { timeZone: 'Europe/Berlin' } });
  expect(stand.problems.codes()).toEqual({});
});

test('any other refusal of the content stays one', async () => {
  const error = { code: 400, message: 'Invalid start time.', errors: [{ reason: 'invalid' }] };
  stand.google.faults.add({
    method: 'POST',
    fault: { kind: 'status', status: 400, body: JSON.stringify({ error }), contentType: 'application/json' },
  });
  await expect(stand.mirror(appointment({ timezone: ZONE }))).rejects.toMatchObject({
    code: 'google-refused',
  });
  expect(inserts()).toBeLessThanOrEqual(1);
});
