import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  contentHash,
  type EntityKind,
  parseKey,
  readSnapshot,
  type Snapshot,
  snapshotText,
} from '../../../src/engine/object.ts';

const FIELDS = {
  appointment: {
    ...{ project_id: 'p', branch_id: 'b', service_id: 's', service_name: 'Haircut', resource_id: 'r' },
    ...{ resource_ids: ['r'], status: 'confirmed', source: 'lk', starts_at: '2026-11-30T16:10:00.000Z' },
    ...{ ends_at: '2026-11-30T16:40:00.000Z', timezone: 'Europe/Moscow', guests_count: 1, contact_id: null },
    ...{ customer_name: 'Vera Orlova', customer_phone: '+74950001101', customer_email: null },
    ...{
      conversation_id: null,
      price_amount: null,
      price_currency: null,
      comment: null,
      cancel_reason: null,
    },
    ...{ cancelled_by: null, metadata: null, created_at: '2026-11-29T11:45:48.001Z' },
    updated_at: '2026-11-29T11:45:58.461Z',
  },
  contact: {
    ...{ project_id: 'p', type: 'person', name: 'Vera Orlova', first_name: null, last_name: null },
    ...{ email: null, phone: '+74950001101', position: null, lifecycle: 'lead', status: 'active' },
    ...{ source: 'manual', metadata: { a: 1 }, created_at: null, updated_at: '2026-11-29T11:45:58Z' },
  },
};

function whole(kind: 'appointment' | 'contact', more: object = {}, id = 'id-1'): Snapshot {
  return { object: kind, id, ...FIELDS[kind], ...more };
}

test.each(['appointment', 'contact'] as const)(
  'a whole %s is stored without names and in half the space',
  (kind) => {
    const snapshot = whole(kind);
    const text = snapshotText({ kind, id: 'id-1' }, snapshot, 'p');
    expect(text.length).toBeLessThan(JSON.stringify(snapshot).length / 2);
    expect(text).not.toContain('project_id');
    // People and erasures search the stored text.
    expect(text).toContain('Vera Orlova');
    expect(text).toContain('+74950001101');
    expect(readSnapshot({ kind, id: 'id-1' }, text, 'p')).toEqual(snapshot);
  },
);

test('an older version cannot misread it: it is no JSON', () => {
  const text = snapshotText({ kind: 'appointment', id: 'id-1' }, whole('appointment'), 'p');
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
});

test.each([
  ['another kind', { kind: 'booking', id: 'id-1' }, whole('appointment')],
  ['another id', { kind: 'appointment', id: 'id-2' }, whole('appointment')],
  ['a reduced body', { kind: 'contact', id: 'id-1' }, { object: 'contact', id: 'id-1', deleted: true }],
  ['a number for an instant', { kind: 'contact', id: 'id-1' }, whole('contact', { created_at: 5 })],
  ['no project', { kind: 'contact', id: 'id-1' }, whole('contact', { project_id: null })],
  ['no list of resources', { kind: 'appointment', id: 'id-1' }, whole('appointment', { resource_ids: null })],
] as const)('%s is stored as JSON', (_, key, snapshot) => {
  const text = snapshotText(key as { kind: EntityKind; id: string }, snapshot as Snapshot, 'p');
  expect(JSON.parse(text)).toEqual(snapshot);
  expect(readSnapshot(key as { kind: EntityKind; id: string }, text, 'p')).toEqual(snapshot);
});

test('whatever the platform says is read again as it was', () => {
  const instants = fc.oneof(
    fc.date({ noInvalidDate: true }).map((at) => at.toISOString()),
    fc.constantFrom(
      '2026-11-30T16:10:00Z',
      '2026-11-30T16:10:00.123456Z',
      '2026-11-30T19:10:00+03:00',
      '',
      null,
      7,
    ),
  );
  const values = fc.oneof(instants, fc.jsonValue(), fc.constantFrom([], ['r'], ['r', 'q'], false, 0));
  const fieldNames = (kind: 'appointment' | 'contact') => fc.constantFrom(...Object.keys(FIELDS[kind]));
  const given = fc.constantFrom('appointment' as const, 'contact' as const).chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      changed: fc.dictionary(fc.oneof(fieldNames(kind), fc.string()), values, { maxKeys: 6 }),
      missing: fc.array(fieldNames(kind), { maxLength: 1 }),
      project: fc.constantFrom('p', 'another', undefined),
    }),
  );
  fc.assert(
    fc.property(given, ({ kind, changed, missing, project }) => {
      const { id: _, object: __, ...others } = changed;
      const snapshot = JSON.parse(JSON.stringify(whole(kind, others))) as Record<string, unknown> & Snapshot;
      for (const name of missing) delete snapshot[name];
      const key = { kind, id: 'id-1' };
      const read = readSnapshot(key, snapshotText(key, snapshot, project), project);
      expect(read).toEqual(snapshot);
      expect(contentHash(read)).toBe(contentHash(snapshot));
    }),
    { numRuns: 2_000 },
  );
});

test('what 0.2.0 has stored is read as it stood, and stays the same in the compact form', () => {
  const state = JSON.parse(
    readFileSync(new URL('fixtures/redis-0.2.0.json', import.meta.url), 'utf8'),
  ) as Record<string, { readonly value: { readonly s?: Snapshot; readonly p?: string } }>;
  let count = 0;
  for (const [name, { value }] of Object.entries(state)) {
    const key = parseKey(name.split('object:')[1] ?? '');
    const { s: stood, p } = value;
    if (key === undefined || stood === undefined) continue;
    expect(readSnapshot(key, JSON.stringify(stood), p)).toEqual(stood);
    const text = snapshotText(key, stood, p);
    expect(readSnapshot(key, text, p)).toEqual(stood);
    if (key.kind === 'appointment') count += text.startsWith('2') ? 1 : 0;
  }
  expect(count).toBeGreaterThan(5);
});
