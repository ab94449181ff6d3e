import { expect, test } from 'vitest';
import { warnOfCarry } from '../../src/config/mirrors/carry.ts';
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
  const [people] = load(mirror(`${CARRIED}, conflict: latest, region: de`)).mirrors;
  expect(people).toMatchObject({ carry: { conflict: 'latest', region: 'DE' } });
});

test('without it nothing is carried', () => {
  for (const more of ['', ', edited: restore, answers: Answer', ', edited: leave'])
    expect(load(mirror(more)).mirrors[0]).not.toHaveProperty('carry');
});

test.each([
  ['answers', ', edited: carry', undefined, /^is missing/],
  ['answers', ', edited: carry, answers: PHONE', undefined, /^is the header of a column/],
  ['edited', CARRIED, 'Name: "{{ name | upcase }}"', /^there is nothing to carry/],
  ['archive', `${CARRIED}, archive: { after: 30d, tab: Old }`, undefined, /^does not go with edited: carry/],
  ['region', `${CARRIED}, region: ZZ`, undefined, /^is no country/],
  ['conflict', `${CARRIED}, conflict: mine`, undefined, /./],
])('%s is told: %s', (setting, sheet, columns, what) => {
  const problem = problemOf(mirror(sheet, columns));
  expect(problem.path).toBe(`mirrors.people.sheet.${setting}`);
  expect(problem.what).toMatch(what);
});

test.each(['appointments', 'leads', 'conversations', 'messages'])('%s are not changed in a tab', (from) => {
  const [problem] = problemsOf(mirror(CARRIED, 'Name: "{{ id }}x"', from));
  expect([problem?.path, problem?.what]).toEqual([
    'mirrors.people.sheet.edited',
    expect.stringMatching(/only contacts$/),
  ]);
});

test('check warns of columns that look as if they could be changed, and of a column that never can', () => {
  const warnings = (columns: string) => warnOfCarry(load(mirror(CARRIED, columns)).mirrors);
  expect(warnings('Name: "{{ name }}", Phone: "{{ phone }}", Since: "{{ created_at }}"')).toEqual([]);
  expect(warnings('Name: "{{ name }}", Phone: "{{ phone }}", Mail: "{{ email | downcase }}"')).toEqual([
    expect.stringMatching(/^mirrors\.people\.columns\.Mail: .*put back/),
  ]);
  expect(warnings('Name: "{{ name }}", Stage: "{{ lifecycle }}"')).toEqual([
    expect.stringMatching(/that column can never be changed/),
  ]);
});
