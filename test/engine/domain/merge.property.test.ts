import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asKept, contentHash, type MergedKind, merge, type Snapshot } from '../../../src/engine/object.ts';
import { runsOf } from '../../stand/runs.ts';

const INSTANTS = ['2026-11-20T10:00:00Z', '2026-11-20T10:00:01Z', '2026-11-20T10:00:02Z'];

const lead = fc.record(
  {
    id: fc.constant('lead-1'),
    name: fc.constantFrom('Vera', 'Emma'),
    status: fc.constantFrom(
      'queued',
      'in_progress',
      'missed',
      'scheduled',
      'completed',
      'cancelled',
      'new_word',
    ),
    call: fc.option(
      fc.record(
        {
          started_at: fc.constantFrom(null, ...INSTANTS),
          duration_sec: fc.constantFrom(null, 0, 30),
          ai_outcome: fc.constantFrom(null, '', 'booked', 'refused'),
        },
        { requiredKeys: [] },
      ),
    ),
    rating: fc.constantFrom(null, 4, 5),
    handled_at: fc.constantFrom(null, ...INSTANTS),
    updated_at: fc.constantFrom(null, ...INSTANTS),
  },
  { requiredKeys: ['id', 'status'] },
);
const message = fc.record(
  {
    id: fc.constant('message-1'),
    text: fc.constantFrom(null, '', 'hello', 'hello there'),
    source: fc.constantFrom(null, 'api'),
    status: fc.constantFrom(null, 'pending', 'delivered', 'failed', 'read', 'new_word'),
    failure: fc.constantFrom(null, { code: 'provider_error' }, { code: 'recipient_unavailable' }),
    attachments: fc.array(fc.record({ url: fc.constantFrom(null, 'link') }), { maxLength: 3 }),
  },
  { requiredKeys: ['id', 'status'] },
);

function fold(kind: MergedKind, snapshots: readonly Snapshot[]): string {
  return contentHash(snapshots.reduce((known, next) => merge(kind, next, known)));
}

describe.each([
  ['lead', lead as fc.Arbitrary<Snapshot>],
  ['message', message as fc.Arbitrary<Snapshot>],
] as const)('snapshots of one %s', (kind, snapshot) => {
  test('end the same in every order, however often each comes, and merged in whatever groups', () => {
    fc.assert(
      fc.property(
        fc.array(snapshot, { minLength: 2, maxLength: 6 }).chain((list) =>
          fc.record({
            list: fc.constant(list),
            shuffled: fc.shuffledSubarray([...list, ...list], { minLength: list.length * 2 }),
            split: fc.integer({ min: 1, max: list.length - 1 }),
          }),
        ),
        ({ list, shuffled, split }) => {
          const wanted = fold(kind, list);
          expect(fold(kind, shuffled)).toBe(wanted);
          const groups = [list.slice(0, split), list.slice(split)].map((group) =>
            group.reduce((known, next) => merge(kind, known, next)),
          );
          expect(fold(kind, groups)).toBe(wanted);
        },
      ),
      { numRuns: runsOf(2_000) },
    );
  });
});

describe('a lead', () => {
  const at = (updated_at: string | null, fields: object): Snapshot => ({ id: '1', updated_at, ...fields });
  const [first = '', later = ''] = INSTANTS;

  test('keeps its filled outcome, rating and mark beside nulls of the same moment', () => {
    const filled = at(first, {
      status: 'in_progress',
      call: { ended_at: null, ai_outcome: 'booked' },
      rating: 5,
      handled_at: first,
    });
    const ended = at(first, {
      status: 'completed',
      call: { ended_at: first, ai_outcome: null },
      rating: null,
      handled_at: null,
    });
    expect(merge('lead', filled, ended)).toEqual({
      id: '1',
      updated_at: first,
      status: 'completed',
      call: { ended_at: first, ai_outcome: 'booked' },
      rating: 5,
      handled_at: first,
    });
  });

  test('keeps its filled outcome when an older snapshot with null comes late', () => {
    const newer = at(later, { status: 'completed', call: { ai_outcome: 'booked' } });
    expect(merge('lead', at(first, { status: 'completed', call: { ai_outcome: null } }), newer)).toBe(newer);
  });

  test('that is called again has no outcome yet: the newer null stands', () => {
    const called = at(first, { status: 'missed', call: { started_at: first, ai_outcome: 'no answer' } });
    const again = at(later, { status: 'in_progress', call: { started_at: later, ai_outcome: null } });
    expect(merge('lead', called, again)).toBe(again);
    expect(merge('lead', again, called)).toBe(again);
  });

  test('whose snapshot names no moment is older than any that names one', () => {
    const dated = at(first, { status: 'queued' });
    expect(merge('lead', at(null, { status: 'completed' }), dated)).toBe(dated);
  });
});

describe('a message', () => {
  const of = (fields: object): Snapshot => ({ id: '1', text: 'hello', ...fields });

  test.each(['pending', 'delivered', null])('that was read stays read when %s comes late', (status) => {
    expect(merge('message', of({ status }), of({ status: 'read' }))).toMatchObject({ status: 'read' });
  });

  test.each([{ text: null }, { text: '' }, {}])(
    'that was read keeps its text when only %j came with that',
    ({ ...said }) => {
      const { text: _, ...read } = of({ status: 'read' });
      const delivered = of({ status: 'delivered', author_type: 'operator' });
      for (const merged of [
        merge('message', { ...read, ...said }, delivered),
        merge('message', delivered, { ...read, ...said }),
      ])
        expect(merged).toEqual({ ...delivered, status: 'read' });
    },
  );

  test('that failed says so, with its reason', () => {
    const failed = of({ status: 'failed', failure: { code: 'provider_error' } });
    expect(merge('message', failed, of({ status: 'delivered' }))).toEqual(failed);
    expect(merge('message', of({ status: 'failed' }), failed)).toEqual(failed);
  });

  test('has its files once they were loaded, whatever comes late', () => {
    const loaded = asKept('message', of({ status: null, attachments: [{ url: 'https://a.example/1' }] }));
    const loading = asKept('message', of({ status: null, attachments: [{ url: null }] }));
    expect(merge('message', loading, loaded)).toEqual(loaded);
  });

  test('is kept without the links of its files, which live ten minutes', () => {
    const once = asKept('message', of({ attachments: [{ url: 'https://a.example/1', size: 3 }] }));
    const again = asKept('message', of({ attachments: [{ url: 'https://a.example/2', size: 3 }] }));
    expect(once).toEqual(again);
    expect(JSON.stringify(once)).not.toContain('https');
  });
});
