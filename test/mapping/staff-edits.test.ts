import { expect, test } from 'vitest';
import { file, load, problemOf, STAFF } from './fixture.ts';

const staff = (lines: string) => file({ mirrors: `mirrors:\n${STAFF}${lines}` });
const edits = (text: string) => {
  const [mirror] = load(text).mirrors;
  return mirror?.kind === 'calendar' ? mirror.staffEdits : undefined;
};

test('staff_edits says what becomes of moved and deleted events, and who wins', () => {
  const written =
    '    staff_edits: { moved: reschedule, deleted: cancel, conflict: latest, grace: 90s, notify_customer: true }\n';
  expect(edits(staff(written))).toEqual({
    moved: 'reschedule',
    deleted: 'cancel',
    conflict: 'latest',
    graceMs: 90_000,
    notifyCustomer: true,
  });
});

test('case 38: without a word about it nothing is carried back and no customer is told', () => {
  const careful = {
    moved: 'revert',
    deleted: 'restore',
    conflict: 'platform',
    graceMs: 120_000,
    notifyCustomer: false,
  };
  for (const lines of ['', '    staff_edits:\n', '    staff_edits: {}\n']) {
    expect(edits(staff(lines))).toEqual(careful);
  }
});

test('one setting of it leaves the others at their defaults', () => {
  expect(edits(staff('    staff_edits: { moved: ignore }\n'))).toMatchObject({
    moved: 'ignore',
    deleted: 'restore',
    graceMs: 120_000,
  });
});

test.each([
  ['moved: rescedule', 'moved', 'did you mean reschedule?'],
  ['deleted: remove', 'deleted', 'cancel, restore, ignore'],
  ['conflict: calendar', 'conflict', 'platform, staff, latest'],
  ['grace: 2h', 'grace', '0s to 1h'],
  ['notify_customer: maybe', 'notify_customer', 'true or false'],
])('%s is refused, and what would do is named', (written, setting, advice) => {
  const problem = problemOf(staff(`    staff_edits: { ${written} }\n`));
  expect(problem).toMatchObject({ path: `mirrors.staff.staff_edits.${setting}`, line: 12 });
  expect(problem.fix).toContain(advice);
});

test('staff_edits beside a sheet is refused: nobody moves events there', () => {
  const mirrors = `mirrors:
  visits:
    from: appointments
    sheet: { spreadsheet: 1AbC, tab: T }
    columns: { ID: "{{ id }}" }
    staff_edits: { moved: reschedule }
`;
  expect(problemOf(file({ mirrors }))).toMatchObject({
    path: 'mirrors.visits.staff_edits',
    what: 'belongs to a mirror with calendars',
  });
  const contacts = mirrors.replace('appointments', 'contacts');
  expect(problemOf(file({ mirrors: contacts })).fix).toContain('only appointments');
});
