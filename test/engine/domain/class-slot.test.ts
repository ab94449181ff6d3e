import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  asAppointment,
  type ClassSlot,
  classIdOf,
  classNow,
  classSlotText,
  slotIn,
  slotOf,
} from '../../../src/engine/class-slot.ts';
import { appointmentOfEvent, eventIdOf, isClassId, isEventIdOf, objectOf } from '../../../src/engine/ids.ts';
import { type Snapshot, visibleState } from '../../../src/engine/object.ts';

const YOGA = 'aaaaaaaa-0000-4000-8000-000000000001';
const HAIRCUT = 'aaaaaaaa-0000-4000-8000-000000000002';
const ANNA = 'bbbbbbbb-0000-4000-8000-000000000001';
const HALL = 'bbbbbbbb-0000-4000-8000-000000000002';
const TEN = '2026-03-03T07:00:00.000Z';
const SLOT: ClassSlot = { serviceId: YOGA, resourceId: ANNA, startMs: Date.parse(TEN) };

function appointment(id: string, changes: Record<string, unknown> = {}): Snapshot {
  return {
    ...{ object: 'appointment', id, status: 'confirmed', service_id: YOGA, service_name: 'Yoga' },
    ...{ starts_at: TEN, ends_at: '2026-03-03T08:00:00.000Z', timezone: 'Europe/Moscow' },
    ...{ resource_id: ANNA, resource_ids: [ANNA, HALL], guests_count: 1 },
    ...changes,
  } as Snapshot;
}

describe('the slot of an appointment', () => {
  test('is its service, its main resource and its start, however the start is written', () => {
    expect(slotOf(appointment('1'))).toEqual(SLOT);
    expect(slotOf(appointment('1', { starts_at: '2026-03-03T10:00:00+03:00' }))).toEqual(SLOT);
    expect(slotOf(appointment('1', { resource_id: null, resource_ids: [ANNA] }))).toEqual(SLOT);
  });

  test.each([
    ['that is cancelled', { status: 'cancelled', resource_ids: [] }],
    ['without a resource', { resource_id: null, resource_ids: [] }],
    ['without a start', { starts_at: null }],
    ['without a service', { service_id: '' }],
  ])('is none for one %s', (_, changes) => {
    expect(slotOf(appointment('1', changes))).toBeUndefined();
  });

  test('has an id that only the very slot has, and a text that is read back', () => {
    const others: ClassSlot[] = [
      { ...SLOT, serviceId: HAIRCUT },
      { ...SLOT, resourceId: HALL },
      { ...SLOT, startMs: SLOT.startMs + 60_000 },
    ];
    expect(new Set([SLOT, ...others].map(classIdOf)).size).toBe(4);
    expect(classIdOf({ ...SLOT })).toBe(classIdOf(SLOT));
    expect([classIdOf(SLOT), YOGA].map(isClassId)).toEqual([true, false]);
    for (const slot of [SLOT, ...others]) expect(slotIn(classSlotText(slot))).toEqual(slot);
  });

  test.each(['', 'a b', 'a b c', `${classSlotText(SLOT)} more`, undefined, 7])(
    'is not read from another text: %s',
    (text) => {
      expect(slotIn(text)).toBeUndefined();
    },
  );

  test('gives its event an id by which it is told from every appointment', () => {
    const id = classIdOf(SLOT);
    const calendarId = 'team@group.calendar.google.com';
    for (const eventId of [eventIdOf(id), eventIdOf(id, calendarId), `${eventIdOf(id)}g2`]) {
      expect(eventId).toMatch(/^sc[0-9a-v]{3,1022}$/);
      expect(objectOf(eventId)).toEqual({ kind: 'class', id });
      expect([isEventIdOf(eventId, id), appointmentOfEvent(eventId)]).toEqual([true, undefined]);
    }
    expect(objectOf(eventIdOf(YOGA))).toEqual({ kind: 'appointment', id: YOGA });
  });
});

describe('a class', () => {
  const seen = (listed: readonly Snapshot[], places?: number) => {
    const now = classNow(SLOT, listed);
    return asAppointment(now, now.members, places);
  };

  test('has the live appointments of its slot; some are for several people', () => {
    const listed = [
      appointment('1'),
      appointment('2', { guests_count: 3 }),
      appointment('3', { status: 'cancelled', resource_ids: [] }),
      appointment('4', { service_id: HAIRCUT }),
      appointment('5', { starts_at: '2026-03-03T08:00:00.000Z' }),
      appointment('6', { resource_id: HALL, resource_ids: [HALL] }),
      appointment('7', { guests_count: null }),
    ];
    expect(classNow(SLOT, listed).members.map(({ id }) => id)).toEqual(['1', '2', '7']);
    expect(seen(listed, 4)).toMatchObject({ bookings: 3, taken: 5, places: 4, free: 0, over: 1 });
    expect(seen(listed, 9)).toMatchObject({ taken: 5, free: 4, over: 0 });
  });

  test('has nobody too many where nobody knows how many places there are', () => {
    expect(seen([appointment('1')])).toMatchObject({ taken: 1, places: null, free: null, over: 0 });
  });

  test('stands for the resources of all, until the last one ends, with the status that all have', () => {
    const room = 'bbbbbbbb-0000-4000-8000-000000000003';
    const longer = appointment('2', { ends_at: '2026-03-03T08:30:00.000Z', resource_ids: [ANNA, room] });
    const both = seen([appointment('1'), longer]);
    expect(both).toMatchObject({
      ...{ resource_id: ANNA, resource_ids: [ANNA, HALL, room], status: 'confirmed' },
      ...{ starts_at: TEN, ends_at: '2026-03-03T08:30:00.000Z', service_name: 'Yoga' },
    });
    const waiting = appointment('3', { status: 'pending' });
    expect([seen([waiting])['status'], seen([waiting, longer])['status']]).toEqual(['pending', 'confirmed']);
  });

  test('without anybody is like a cancelled appointment: it names no resource', () => {
    expect(seen([])).toMatchObject({ status: 'cancelled', resource_id: null, resource_ids: [], taken: 0 });
  });

  test('names none of the people in it', () => {
    const shown = JSON.stringify(seen([appointment('1', { customer_name: 'Vera', contact_id: 'x' })]));
    expect(shown).not.toMatch(/Vera|contact/);
  });

  test('takes the newer of two states of one appointment: between two pages it may have been moved', () => {
    const before = appointment('1', { updated_at: '2026-03-01T00:00:00.000Z' });
    const after = appointment('1', { updated_at: '2026-03-02T00:00:00.000Z', status: 'cancelled' });
    for (const listed of [
      [before, after],
      [after, before],
    ])
      expect(seen(listed, 4)).toMatchObject({ taken: 0 });
  });

  test('does not depend on the order of the list, and stands otherwise when somebody comes or goes', () => {
    const listed = ['1', '2', '3', '4'].map((id) => appointment(id));
    const expected = seen(listed, 3);
    fc.assert(
      fc.property(fc.shuffledSubarray(listed, { minLength: 4 }), (shuffled) => {
        expect(seen(shuffled, 3)).toEqual(expected);
      }),
    );
    expect(visibleState(seen(listed.slice(1), 3))).not.toBe(visibleState(expected));
    // A mirror that does not take all of them remembers the same.
    const now = classNow(SLOT, listed);
    expect(visibleState(asAppointment(now, now.members.slice(2), 3))).toBe(visibleState(expected));
  });
});
