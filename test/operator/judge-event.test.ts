import { expect, test } from 'vitest';
import { eventIdOf } from '../../src/domain/event-id.ts';
import type { CalendarEvent } from '../../src/google/calendar-event.ts';
import { judgeEvent } from '../../src/operator/forget/look.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const TEAM = 'team@group.calendar.google.com';
const TERMS = { ids: [ID], phones: [], emails: [], names: [], hashes: [] };

const busy = (id: string) => ({ id, etag: '"1"', status: 'confirmed', summary: 'Busy' }) as CalendarEvent;

test('an erasure finds the event of an appointment in every calendar by its id alone, also where it shows nothing', () => {
  const ids = [eventIdOf(ID), eventIdOf(ID, TEAM), `${eventIdOf(ID, TEAM)}g1`];
  expect(ids.map((id) => judgeEvent(busy(id), TERMS))).toEqual(['remove', 'remove', 'remove']);
  expect(judgeEvent(busy(eventIdOf(OTHER, TEAM)), TERMS)).toBeUndefined();
});
