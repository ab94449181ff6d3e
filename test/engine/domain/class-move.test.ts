import { describe, expect, test } from 'vitest';
import {
  type ClassMember,
  type ClassMove,
  membersWho,
  nextMember,
  stepAfterRefusal,
  stepOf,
  withMember,
} from '../../../src/engine/class-move.ts';
import { appointmentState, type Snapshot } from '../../../src/engine/object.ts';

const [TEN, NOON, LATER] = [
  '2026-03-03T10:00:00.000Z',
  '2026-03-03T12:00:00.000Z',
  '2026-03-03T15:00:00.000Z',
];

const appointment = (startsAt: string, changes: Partial<Snapshot> = {}): Snapshot => ({
  ...{ id: 'a', status: 'confirmed', service_id: 'yoga', resource_id: 'coach', resource_ids: ['coach'] },
  ...{ starts_at: startsAt, ends_at: startsAt, updated_at: '2026-03-01T00:00:00.000Z' },
  ...changes,
});
const TOUCHED = { updated_at: '2026-03-02T00:00:00.000Z' };
const CANCELLED = { status: 'cancelled', resource_ids: [] };

const moveOf = (...members: readonly ClassMember[]): ClassMove => ({
  ...{ from: TEN, to: NOON, resourceId: 'coach', notifyCustomer: false, members },
});
const member = (is: ClassMember['is'], seen: Snapshot): ClassMember => ({
  id: 'a',
  is,
  state: appointmentState(seen),
});

describe('what is next for one of a class', () => {
  const [ten, noon] = [appointment(TEN), appointment(NOON)];
  test.each<[ClassMember['is'], string, { seen?: Snapshot; now: Snapshot; step: object }]>([
    // On the way there.
    ['waiting', 'stands where it was', { now: ten, step: { type: 'send', to: NOON, is: 'leaving' } }],
    [
      'waiting',
      'was touched and stands where it was',
      { seen: ten, now: appointment(TEN, TOUCHED), step: { type: 'send', to: NOON, is: 'leaving' } },
    ],
    [
      'waiting',
      'is here already',
      {
        now: appointment(TEN, { status: 'arrived' }),
        step: { type: 'refused', code: 'appointment-not-reschedulable' },
      },
    ],
    ['waiting', 'was moved there by somebody', { now: noon, step: { type: 'record', is: 'left' } }],
    ['waiting', 'was moved elsewhere', { now: appointment(LATER), step: { type: 'record', is: 'left' } }],
    ['waiting', 'was cancelled', { now: appointment(TEN, CANCELLED), step: { type: 'record', is: 'left' } }],
    [
      'waiting',
      'was given to a colleague',
      { now: appointment(TEN, { resource_id: 'anna' }), step: { type: 'record', is: 'left' } },
    ],
    ['leaving', 'stands where it was', { now: ten, step: { type: 'send', to: NOON, is: 'leaving' } }],
    ['leaving', 'stands there', { seen: ten, now: noon, step: { type: 'record', is: 'moved' } }],
    [
      'leaving',
      'was perhaps moved back by somebody',
      { seen: ten, now: appointment(TEN, TOUCHED), step: { type: 'refused', code: 'moved-meanwhile' } },
    ],
    [
      'leaving',
      'was moved elsewhere',
      { seen: ten, now: appointment(LATER), step: { type: 'record', is: 'left' } },
    ],
    // On the way back.
    ['moved', 'stands there untouched', { now: noon, step: { type: 'send', to: TEN, is: 'returning' } }],
    [
      'moved',
      'stands there, and somebody touched it',
      { seen: noon, now: appointment(NOON, TOUCHED), step: { type: 'record', is: 'stuck' } },
    ],
    ['moved', 'was moved back by somebody', { seen: noon, now: ten, step: { type: 'record', is: 'left' } }],
    [
      'moved',
      'was cancelled',
      { seen: noon, now: appointment(NOON, CANCELLED), step: { type: 'record', is: 'left' } },
    ],
    ['returning', 'stands there untouched', { now: noon, step: { type: 'send', to: TEN, is: 'returning' } }],
    ['returning', 'stands back', { seen: noon, now: ten, step: { type: 'record', is: 'back' } }],
    [
      'returning',
      'stands there, and somebody touched it',
      { seen: noon, now: appointment(NOON, TOUCHED), step: { type: 'record', is: 'stuck' } },
    ],
    ['returning', 'was moved elsewhere', { now: appointment(LATER), step: { type: 'record', is: 'left' } }],
  ])('that is %s and %s', (is, _, { seen, now, step }) => {
    const one = member(is, seen ?? now);
    expect(stepOf(moveOf(one), one, now)).toEqual(step);
  });

  test.each<[ClassMember['is'], Snapshot, object]>([
    ['leaving', ten, { type: 'refused', code: 'slot-unavailable' }],
    ['leaving', appointment(TEN, CANCELLED), { type: 'record', is: 'left' }],
    ['returning', noon, { type: 'record', is: 'stuck' }],
    ['returning', ten, { type: 'record', is: 'left' }],
  ])('that is %s and refused', (is, now, step) => {
    const one = member(is, now);
    expect(stepAfterRefusal(moveOf(one), one, { now, code: 'slot-unavailable' })).toEqual(step);
  });
});

describe('whose turn it is', () => {
  const named = (id: string, is: ClassMember['is']): ClassMember => ({ id, is, state: '' });
  const refused = { code: 'c', text: 't' };

  test('whoever may be on its way goes first, then who waits', () => {
    const move = moveOf(named('1', 'moved'), named('2', 'waiting'), named('3', 'leaving'));
    expect(nextMember(move)?.id).toBe('3');
    expect(nextMember(withMember(move, named('3', 'moved')))?.id).toBe('2');
  });

  test('after a refusal only those that were moved go on, and back', () => {
    const move = moveOf(named('1', 'moved'), named('2', 'stays'), named('3', 'waiting'), named('4', 'left'));
    expect(nextMember({ ...move, refused })?.id).toBe('1');
    expect(nextMember({ ...withMember(move, named('1', 'back')), refused })).toBeUndefined();
    expect(membersWho(move, 'moved')).toEqual(['1']);
  });

  test('nobody’s, where all have come to their end', () => {
    expect(nextMember(moveOf(named('1', 'moved'), named('2', 'left')))).toBeUndefined();
  });
});
