import { expect, test } from 'vitest';
import { unsearched } from '../../../src/calendar/edit-handling.ts';
import { DeferredError, RetryableError } from '../../../src/engine/errors.ts';

const target = 'calendar:https://cloud.clinic.example/anna/work/';

test('a deleted event is looked for again in a minute where a calendar does not answer', () => {
  const failure = new RetryableError('caldav-unavailable', 'the server answered 503', { target });
  expect(unsearched(failure)).toMatchObject({ code: 'edit-unsearched', target, retryAfterMs: 60_000 });
});

test('and in a moment where the worker itself keeps the calendar busy: its own share of calls says nothing about it', () => {
  const failure = new DeferredError('calendar-crowded', 'waiting', { target, retryAfterMs: 250 });
  expect(unsearched(failure)).toBe(failure);
});
