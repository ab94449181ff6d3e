import { describe, expect, test } from 'vitest';
import { eventChanges } from '../../src/calendar/event-writer.ts';
import { type CalendarAction, plannedSteps } from '../../src/calendar/route.ts';
import { hashTexts } from '../../src/engine/event-texts.ts';
import { type CalendarLink, type StoredLink, toLink } from '../../src/engine/link.ts';
import type { EventBody } from '../../src/google/calendar-event.ts';

const link = (calendarId: string, about: Partial<StoredLink> = {}): CalendarLink =>
  toLink({ ...{ calendarId, eventId: 'e', etag: '"1"', hash: 'old', coloured: false }, ...about });
const A = link('a');
const B = link('b');
const FIELDS = [{ field: 'start', old: '1', new: '2' }];

describe('the actions of an appointment are told as steps', () => {
  test.each<[string, readonly CalendarAction[], unknown]>([
    ['new', [{ type: 'create', calendarId: 'a' }], [{ action: 'created', place: 'calendar:a' }]],
    [
      'changed',
      [{ type: 'update', calendarId: 'a', link: A }],
      [{ action: 'updated', place: 'calendar:a', fields: FIELDS }],
    ],
    [
      'begun, and perhaps not there',
      [{ type: 'update', calendarId: 'a', link: link('a', { etag: '', hash: '' }) }],
      [{ action: 'created', place: 'calendar:a' }],
    ],
    ['gone', [{ type: 'remove', calendarId: 'a', link: A }], [{ action: 'removed', place: 'calendar:a' }]],
    [
      'gone here and new there',
      [
        { type: 'create', calendarId: 'b' },
        { type: 'remove', calendarId: 'a', link: A },
      ],
      [{ action: 'moved', place: 'calendar:b', from: 'calendar:a', fields: FIELDS }],
    ],
    [
      'gone in two and new in one',
      [
        { type: 'create', calendarId: 'c' },
        { type: 'remove', calendarId: 'a', link: A },
        { type: 'remove', calendarId: 'b', link: B },
      ],
      [
        { action: 'moved', place: 'calendar:c', from: 'calendar:a', fields: FIELDS },
        { action: 'removed', place: 'calendar:b' },
      ],
    ],
    [
      'right',
      [{ type: 'nothing', calendarId: 'a', link: A, why: 'same' }],
      [{ action: 'same', place: 'calendar:a' }],
    ],
    [
      'left by people',
      [{ type: 'nothing', calendarId: 'a', link: A, why: 'left' }],
      [{ action: 'same', place: 'calendar:a' }],
    ],
    [
      'out of the mapping',
      [{ type: 'nothing', calendarId: 'a', link: A, why: 'unmapped' }],
      [{ action: 'kept', place: 'calendar:a' }],
    ],
  ])('%s', (_, actions, steps) => {
    expect(plannedSteps(actions, () => ({ fields: FIELDS }))).toEqual(steps);
  });
});

describe('the fields of an event that would change are told by what its link remembers', () => {
  const body: EventBody = {
    summary: 'Haircut',
    description: 'Call first',
    start: { dateTime: '2030-05-06T08:00:00Z', timeZone: 'UTC' },
    end: { dateTime: '2030-05-06T09:00:00Z', timeZone: 'UTC' },
    status: 'confirmed',
    extendedProperties: { private: {} },
  };
  const right = {
    startsAt: '2030-05-06T08:00:00.250Z',
    endsAt: '2030-05-06T09:00:00Z',
    status: 'confirmed',
    isOwn: true as const,
    shown: hashTexts({ summary: 'Haircut', description: 'Call first' }, undefined),
  };
  const changes = (about: Partial<StoredLink>, note?: string) =>
    eventChanges(link('a', { ...right, ...about }), { body, hash: 'new', note }, 'confirmed');

  test.each<[string, Partial<StoredLink>, unknown]>([
    [
      'an earlier start',
      { startsAt: '2030-05-06T07:00:00Z' },
      [{ field: 'start', old: '2030-05-06T07:00:00Z', new: '2030-05-06T08:00:00Z' }],
    ],
    [
      'another end',
      { endsAt: '2030-05-06T08:30:00Z' },
      [{ field: 'end', old: '2030-05-06T08:30:00Z', new: '2030-05-06T09:00:00Z' }],
    ],
    ['another status', { status: 'pending' }, [{ field: 'status', old: 'pending', new: 'confirmed' }]],
    [
      'another title',
      { shown: hashTexts({ summary: 'Cut', description: 'Call first' }, undefined) },
      [{ field: 'title', new: 'Haircut', personal: true }],
    ],
    [
      'a description that is new',
      { shown: hashTexts({ summary: 'Haircut' }, undefined) },
      [{ field: 'description', new: 'Call first', personal: true }],
    ],
    ['nothing that is remembered', {}, [{ field: 'color, visibility, busy or a note' }]],
    ['what it says is in doubt', { hash: '' }, []],
    ['it is right', { hash: 'new' }, []],
  ])('%s', (_, about, fields) => {
    expect(changes(about)).toEqual(fields);
  });

  test('a note in the title is not another title', () => {
    const noted = { body: { ...body, summary: 'Haircut — Call' }, hash: 'new', note: 'Call' };
    const { description: _, ...bare } = noted.body;
    const shown = hashTexts({ summary: 'Haircut' }, undefined);
    const found = eventChanges(link('a', { ...right, shown }), { ...noted, body: bare }, 'confirmed');
    expect(found).toEqual([{ field: 'color, visibility, busy or a note' }]);
  });
});
