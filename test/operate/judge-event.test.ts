import { describe, expect, test } from 'vitest';
import { eventIdOf } from '../../src/engine/ids.ts';
import type { CalendarEvent } from '../../src/google/calendar-event.ts';
import { isClassEvent, judgeEvent, rewritten } from '../../src/operate/forget/look.ts';

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

describe('the event of a class', () => {
  const CLASS = `c${'0'.repeat(32)}`;
  const named = (id: string, ids: string) => {
    const marks = { slotbridge_appointment: CLASS, slotbridge_mirror: 'staff', slotbridge_guests_0: ids };
    const texts = { description: 'Bring a mat.\n\nVera Orlova, nuts\nOleg', summary: 'Yoga (2)' };
    return { ...busy(id), ...texts, extendedProperties: { private: marks } } as CalendarEvent;
  };
  const terms = { ...TERMS, names: ['Vera Orlova'] };

  test('that names the person loses all names: which words of it are whose, nobody can tell', () => {
    const event = named(eventIdOf(CLASS), `${OTHER} ${ID}`);
    expect(judgeEvent(event, terms)).toBe('rewrite');
    expect(rewritten(event, terms)).toEqual({
      description: '',
      extendedProperties: { private: { slotbridge_guests_0: null } },
    });
  });

  test('that names somebody of the same name is left', () => {
    expect(judgeEvent(named(eventIdOf(CLASS), OTHER), terms)).toBe('leave');
    expect(judgeEvent(named(eventIdOf(CLASS), OTHER), TERMS)).toBeUndefined();
  });

  test('that people copied is their own: only the person goes', () => {
    const copy = named('copy', `${OTHER} ${ID}`);
    expect([isClassEvent(copy), judgeEvent(copy, terms)]).toEqual([false, 'rewrite']);
    expect(rewritten(copy, terms)).toEqual({
      description: 'Bring a mat.\n\n…, nuts\nOleg',
      extendedProperties: {
        private: expect.objectContaining({ slotbridge_guests_0: `${OTHER} …` }),
      },
    });
  });
});
