import { expect, test } from 'vitest';
import { warnOfCarry } from '../../src/mapping/mirror-sketch.ts';
import { typedBounds } from '../../src/mapping/needs.ts';
import { file, load, problemOf, problemsOf } from './fixture.ts';

const mirror = (sheet: string, columns = 'Name: "{{ name }}", Phone: "{{phone}}"', from = 'contacts') =>
  file({
    mirrors: `mirrors:
  people:
    from: ${from}
    sheet: { spreadsheet: 1AbC, tab: People${sheet} }
    columns: { ID: "{{ id }}", ${columns} }
`,
  });
const CARRIED = ', edited: carry, answers: " Answer "';

test('a tab of contacts carries the columns that show a field as it is', () => {
  const columns =
    'Name: "{{- name -}}", Phone: { value: "{{ phone }}", as: text }, Upper: "{{ email | upcase }}", Stage: { value: "{{ lifecycle }}", as: number }, Since: "{{ created_at }}"';
  expect(load(mirror(CARRIED, columns)).mirrors[0]).toMatchObject({
    columns: expect.arrayContaining([{ header: 'Answer', template: '' }]),
    check: { everyMs: 600_000, removed: 'restore', edited: 'restore' },
    carry: {
      ...{ answerHeader: 'Answer', conflict: 'platform', language: 'en' },
      columns: [
        { header: 'Name', field: 'name' },
        { header: 'Phone', field: 'phone' },
      ],
    },
  });
});

test('every setting reaches the mirror', () => {
  const [people] = load(mirror(`${CARRIED}, conflict: latest, region: de, edits_per_hour: 7`)).mirrors;
  expect(people).toMatchObject({ carry: { conflict: 'latest', region: 'DE', editsPerHour: 7 } });
});

test('the standard bound on edits is told, and no edit of the YAML to an earlier mapping', () => {
  const config = load(mirror(CARRIED));
  expect(config.mirrors[0]).not.toHaveProperty('carry.editsPerHour');
  expect(typedBounds(config)).toEqual([{ name: 'people', rows: 'edited', perHour: 30 }]);
});

test('without it nothing is carried', () => {
  for (const more of ['', ', edited: restore, answers: Answer', ', edited: leave'])
    expect(load(mirror(more)).mirrors[0]).not.toHaveProperty('carry');
});

test.each([
  ['answers', ', edited: carry', { columns: undefined, what: /^is missing/ }],
  ['answers', ', edited: carry, answers: PHONE', { columns: undefined, what: /^is the header of a column/ }],
  ['edited', CARRIED, { columns: 'Name: "{{ name | upcase }}"', what: /^nothing can be carried/ }],
  [
    'archive',
    `${CARRIED}, archive: { after: 30d, tab: Old }`,
    { columns: undefined, what: /^cannot be combined with edited: carry/ },
  ],
  ['region', `${CARRIED}, region: ZZ`, { columns: undefined, what: /^is not a country/ }],
  ['edits_per_hour', `${CARRIED}, edits_per_hour: 0`, { columns: undefined, what: /whole number/ }],
  ['conflict', `${CARRIED}, conflict: mine`, { columns: undefined, what: /./ }],
])('%s is told: %s', (setting, sheet, { columns, what }) => {
  const problem = problemOf(mirror(sheet, columns));
  expect(problem.path).toBe(`mirrors.people.sheet.${setting}`);
  expect(problem.what).toMatch(what);
});

test.each(['leads', 'conversations', 'messages'])('%s are not changed in a tab', (from) => {
  const [problem] = problemsOf(mirror(CARRIED, 'Name: "{{ id }}x"', from));
  expect([problem?.path, problem?.what]).toEqual([
    'mirrors.people.sheet.edited',
    expect.stringMatching(/only contacts and appointments$/),
  ]);
});

const START = 'Start: { value: "{{ starts_at }}", as: datetime }';
const appointments = (sheet = CARRIED, columns = `${START}, Name: "{{ customer_name }}"`) =>
  mirror(sheet, columns, 'appointments');

test('a tab of appointments carries its start, and a column of ticks that the worker adds', () => {
  const more = ', cancel: " Cancel ", conflict: staff, notify_customer: true';
  const day = 'Day: { value: "{{ starts_at }}", as: date }';
  const [read] = load(
    appointments(`${CARRIED}${more}`, `${START}, Name: "{{ customer_name }}", ${day}`),
  ).mirrors;
  expect(read).toMatchObject({
    columns: expect.arrayContaining([
      { header: 'Cancel', template: 'false', as: 'boolean' },
      { header: 'Answer', template: '' },
    ]),
    check: { edited: 'restore' },
    carry: {
      ...{ answerHeader: 'Answer', conflict: 'staff', notifyCustomer: true },
      columns: [
        { header: 'Start', field: 'start' },
        { header: 'Name', field: 'shown' },
        { header: 'Day', field: 'shown' },
        { header: 'Cancel', field: 'cancel' },
      ],
    },
  });
});

test('without `cancel` nothing is cancelled from the tab, and nobody is mailed unless it is said', () => {
  const [read] = load(appointments()).mirrors;
  expect(read).toMatchObject({
    carry: { notifyCustomer: false, columns: [{ field: 'start' }, { field: 'shown' }] },
  });
  expect(JSON.stringify(read)).not.toContain('"cancel"');
});

test.each([
  [
    'edited',
    appointments(CARRIED, 'Start: "{{ starts_at }}", Name: "{{ customer_name }}"'),
    /^nothing can be carried: no column shows the start/,
  ],
  [
    'edited',
    appointments(CARRIED, 'Day: { value: "{{ starts_at }}", as: date }, Name: "{{ customer_name }}"'),
    /^nothing can be carried/,
  ],
  ['edited', appointments(CARRIED, START), /^no column besides the id and the start shows whose row it is$/],
  [
    'edited',
    appointments(CARRIED, `${START}, Again: "{{ id }}"`).replace('tab: People', 'tab: People, key: ID'),
    /^no column besides the id/,
  ],
  ['cancel', appointments(`${CARRIED}, cancel: NAME`), /^is the header of a column/],
  ['cancel', appointments(`${CARRIED}, cancel: answer`), /^is the column of the answers$/],
  ['cancel', mirror(`${CARRIED}, cancel: Cancel`), /^is for appointments/],
  ['answers', appointments(', edited: carry'), /^is missing/],
  [
    'archive',
    appointments(`${CARRIED}, archive: { after: 30d, tab: Old }`),
    /^cannot be combined with edited: carry/,
  ],
])('appointments: %s is told', (setting, text, what) => {
  const problem = problemOf(text);
  expect(problem.path).toBe(`mirrors.people.sheet.${setting}`);
  expect(problem.what).toMatch(what);
});

test('a second start is told where it stands', () => {
  const twice = `${START}, Then: { value: "{{starts_at}}", as: datetime }, Name: "{{ customer_name }}"`;
  expect(problemOf(appointments(CARRIED, twice))).toMatchObject({
    path: 'mirrors.people.columns.Then',
    what: expect.stringMatching(/^shows the start a second time/),
  });
});

test('check warns of columns that look as if they could be changed, and of a column that never can', () => {
  const warnings = (columns: string) => warnOfCarry(load(mirror(CARRIED, columns)).mirrors);
  expect(warnings('Name: "{{ name }}", Phone: "{{ phone }}", Since: "{{ created_at }}"')).toEqual([]);
  expect(warnings('Name: "{{ name }}", Phone: "{{ phone }}", Mail: "{{ email | downcase }}"')).toEqual([
    expect.stringMatching(/^mirrors\.people\.columns\.Mail: .*put back/),
  ]);
  expect(warnings('Name: "{{ name }}", Stage: "{{ lifecycle }}"')).toEqual([
    expect.stringMatching(/it can never be changed/),
  ]);
});
