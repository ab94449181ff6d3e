import { describe, expect, test } from 'vitest';
import { PLATFORM_KINDS } from '../../../src/engine/object.ts';
import { maskPeople } from '../../../src/mapping/template-names.ts';

const id = '00000000-0000-4000-8000-000000000001';

describe('personal values are replaced by the names of their fields', () => {
  test.each([
    [
      'appointment',
      { customer_name: 'Emma', service_name: 'Cut' },
      { customer_name: '‹customer_name›', service_name: 'Cut' },
    ],
    ['appointment', { comment: '', customer_phone: null }, { comment: '', customer_phone: null }],
    [
      'appointment',
      { metadata: { vip: 'Emma', age: 40 } },
      { metadata: { vip: '‹metadata.vip›', age: '‹metadata.age›' } },
    ],
    ['contact', { email: 'a@b.c', lifecycle: 'lead' }, { email: '‹email›', lifecycle: 'lead' }],
    ['message', { text: 'hello', direction: 'inbound' }, { text: '‹text›', direction: 'inbound' }],
    [
      'lead',
      { phone: '+15550100', call: { duration_sec: 5 } },
      { phone: '‹phone›', call: { duration_sec: 5 } },
    ],
    [
      'conversation',
      { customer_name: 'Emma', channel: 'web' },
      { customer_name: '‹customer_name›', channel: 'web' },
    ],
  ] as const)('%s %j', (kind, fields, masked) => {
    expect(maskPeople(kind, { id, ...fields })).toEqual({ id, ...masked });
  });

  test.each(PLATFORM_KINDS)('a field of a %s that is new is masked until it is known', (kind) => {
    expect(maskPeople(kind, { id, passport: ['A1', 'B2'] })).toEqual({
      id,
      passport: ['‹passport›', '‹passport›'],
    });
  });
});
