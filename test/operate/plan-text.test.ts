import { expect, test } from 'vitest';
import { formatPlan, type Plan, type PlanChange } from '../../src/operate/audit-text.ts';

const ANNA = 'calendar:anna@clinic.example';
const APPOINTMENT_ID = '0a7c1b52-9d0f-4a34-8f6e-0d9e5c1f7a11';

function change(about: Partial<PlanChange>): PlanChange {
  return {
    action: 'created',
    key: `appointment/${APPOINTMENT_ID}`,
    mirror: 'staff',
    place: ANNA,
    object: {
      at: '2030-05-06T08:00:00Z',
      zone: 'Europe/Berlin',
      service: 'Haircut',
      resources: ['Anna Petrova', 'Room 1'],
      status: 'confirmed',
      name: 'Emma Stone',
    },
    hash: 'h',
    ...about,
  };
}

function plan(about: Partial<Plan>): Plan {
  return { objects: 3, changes: [], stays: [], leftovers: [], guarded: [], ...about };
}

const format = (about: Partial<Plan>, options: { detail?: boolean; showPeople?: boolean } = {}) =>
  formatPlan(plan(about), { detail: options.detail ?? false, showPeople: options.showPeople ?? false });

const FIELDS = [
  { field: 'start', old: '2030-05-06T07:00:00Z', new: '2030-05-06T08:00:00Z' },
  { field: 'title', new: 'Haircut, Emma Stone', personal: true },
  { field: 'cells' },
] as const;

test('nothing to do is said in one look', () => {
  expect(format({ stays: [{ mirror: 'staff', place: ANNA, count: 2 }] })).toBe(
    `3 objects checked; nothing was written.
Nothing would change.
  create 0, change 0, move 0, remove 0, keep 2

${ANNA}  (staff): 2 keep`,
  );
});

test.each([
  ['created', {}, '    + Mon 6 May 2030, 10:00 Europe/Berlin, Haircut, Anna Petrova and Room 1'],
  [
    'updated',
    { fields: FIELDS },
    '    ~ Mon 6 May 2030, 10:00 Europe/Berlin, Haircut, Anna Petrova and Room 1: start, title, cells',
  ],
  [
    'moved',
    { from: 'calendar:boris@clinic.example' },
    '    > Mon 6 May 2030, 10:00 Europe/Berlin, Haircut, Anna Petrova and Room 1, from calendar:boris@clinic.example',
  ],
  ['removed', {}, '    - Mon 6 May 2030, 10:00 Europe/Berlin, Haircut, Anna Petrova and Room 1'],
  [
    'removed',
    { pruned: true },
    '    - Mon 6 May 2030, 10:00 Europe/Berlin, Haircut, Anna Petrova and Room 1, no longer taken',
  ],
  ['kept', {}, '    = Mon 6 May 2030, 10:00 Europe/Berlin, Haircut, Anna Petrova and Room 1'],
  [
    'created',
    {
      key: 'contact/9e1d0c77-7d8e-43a9-b2a1-0fd1f6a3c955',
      object: { at: '2030-05-06T08:00:00Z', status: 'active', name: 'Emma' },
    },
    '    + contact 9e1d0c77, made Mon 6 May 2030, 08:00 UTC, active',
  ],
  ['created', { object: {} }, `    + appointment/${APPOINTMENT_ID}`],
  [
    'template-failed',
    { place: '' },
    '    ! Mon 6 May 2030, 10:00 Europe/Berlin, Haircut, Anna Petrova and Room 1',
  ],
] as const)('one that is %s is told by what people know it by: %j', (action, about, line) => {
  const text = format({ changes: [change({ action, ...about })] });
  expect(text.split('\n')).toContain(line);
  expect(text).not.toContain('Emma');
});

test('--detail tells the id and each field, personal ones without their values', () => {
  const changes = [change({ action: 'updated', fields: FIELDS })];
  expect(format({ changes }, { detail: true })).toContain(`
        appointment/${APPOINTMENT_ID}
        start: Mon 6 May 2030, 09:00 → Mon 6 May 2030, 10:00
        title: text differs (--show-people shows it)
        cells: differs`);
  const shown = format({ changes }, { detail: true, showPeople: true });
  expect(shown).toContain('Anna Petrova and Room 1, Emma Stone');
  expect(shown).toContain('title: (former value unknown) → Haircut, Emma Stone');
});

test('of many the first are shown, all with --detail; the earliest first', () => {
  const changes = Array.from({ length: 12 }, (_, n) =>
    change({
      key: `appointment/${n}`,
      object: { at: `2030-05-${String(20 - n).padStart(2, '0')}T08:00:00Z` },
    }),
  );
  const lines = format({ changes }).split('\n');
  expect(lines.filter((line) => line.startsWith('    +'))).toHaveLength(10);
  expect(lines.find((line) => line.startsWith('    +'))).toContain(' 9 May 2030');
  expect(lines).toContain('    … and 2 more; --detail has all');
  const all = format({ changes }, { detail: true }).split('\n');
  expect(all.filter((line) => line.startsWith('    +'))).toHaveLength(12);
});

test('what people did before is not carried by an edit: only what still waits for a decision is named', () => {
  expect(format({ undecided: 0 })).toContain('\nOn the platform nothing changes.');
  expect(format({ undecided: 2 })).toContain(
    '\nOn the platform nothing changes by itself: 2 objects have a change by people that waits',
  );
});

test('what cannot be told is counted by its code, what would be much at once names the way through', () => {
  const text = format({
    changes: [change({ action: 'sheet-zone-unknown', place: '' })],
    guarded: [ANNA],
    leftovers: [{ mirror: 'gone', place: ANNA, count: 2 }],
  });
  expect(text).toContain('cannot be predicted 1 (sheet-zone-unknown)');
  expect(text).toContain('everywhere  (staff): 1 cannot be predicted (sheet-zone-unknown)');
  expect(text).toContain(
    `= gone in ${ANNA}: 2 events and rows of mirrors or places that the YAML no longer names; they stay`,
  );
  expect(text).toContain(`slotbridge approve orphans '${ANNA}'`);
});
