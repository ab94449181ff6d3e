import { expect, test } from 'vitest';
import { standingAmong } from '../../../src/calendar/block-target.ts';
import type { Person } from '../../../src/calendar/block-wanted.ts';
import type { Appointment } from '../../../src/engine/object.ts';

const person = { rule: { contactId: 'house' }, serviceId: 'busy', resourceId: 'anna' } as Person;
const shown = (fields: Partial<Appointment>) =>
  ({
    ...{ id: 'a', status: 'confirmed', service_id: 'haircut', resource_id: 'anna', resource_ids: ['anna'] },
    ...{ starts_at: '2026-03-03T10:00:00Z', ends_at: '2026-03-03T11:00:00Z' },
    ...fields,
  }) as Appointment;

test.each([
  ['of the person', {}, 1],
  ['that names them as its main resource only', { resource_ids: [] }, 1],
  ['of somebody else', { resource_id: 'boris', resource_ids: ['boris'] }, 0],
  ['that was cancelled', { status: 'cancelled', resource_ids: [] }, 0],
])('an appointment %s: %o takes the time of %i', (_, fields, count) => {
  expect(standingAmong([shown(fields)], person).taken).toHaveLength(count);
});
