import { describe, expect, test } from 'vitest';
import { file, load, problemOf, problemsOf, STAFF } from './fixture.ts';

const OWN = '      map:\n        "Anna Petrova": anna@clinic.example\n';
const withRules = (rules: string, more = '') =>
  file({ mirrors: `mirrors:\n${STAFF.replace(OWN, rules)}${more}` });
const calendars = (rules: string) => {
  const [mirror] = load(withRules(rules)).mirrors;
  return mirror?.kind === 'calendar' ? mirror.calendars : undefined;
};

test.each([
  ['branch', 'Centre', { branch: 'Centre' }],
  ['service', 'Massage', { service: 'Massage' }],
  ['resource', 'Room 1', { resource: 'Room 1' }],
])('calendars by %s', (by, name, line) => {
  expect(calendars(`      by: ${by}\n      map: { ${name}: { id: a@x.example, show: busy } }\n`)).toEqual([
    { ...line, calendarId: 'a@x.example', busyTitle: 'Busy' },
  ]);
});

test('one calendar for everything', () => {
  expect(calendars('      by: all\n      calendar: team@x.example\n')).toEqual([
    { all: true, calendarId: 'team@x.example' },
  ]);
  expect(calendars('      by: all\n      calendar: { id: team@x.example, show: busy }\n')).toEqual([
    { all: true, calendarId: 'team@x.example', busyTitle: 'Busy' },
  ]);
});

test('several rules, and several lines for one calendar', () => {
  const rules = `      - map: { Anna: anna@x.example, Boris: desk@x.example, Clara: desk@x.example }
      - { by: service, map: { Massage: desk@x.example } }
      - { by: all, calendar: { id: team@x.example, show: busy, title: Taken } }
`;
  expect(calendars(rules)).toEqual([
    { resource: 'Anna', calendarId: 'anna@x.example' },
    { resource: 'Boris', calendarId: 'desk@x.example' },
    { resource: 'Clara', calendarId: 'desk@x.example' },
    { service: 'Massage', calendarId: 'desk@x.example' },
    { all: true, calendarId: 'team@x.example', busyTitle: 'Taken' },
  ]);
});

describe('rules that cannot be', () => {
  test.each([
    [
      'an unknown way',
      { rules: '      by: customer\n      map: { A: a@x.example }\n', path: 'by' },
      'not a valid way to divide',
    ],
    ['no map', { rules: '      by: branch\n', path: 'map' }, 'is missing'],
    ['no calendar', { rules: '      by: all\n', path: 'calendar' }, 'is missing'],
    [
      'a map of everything',
      { rules: '      by: all\n      map: { A: a@x.example }\n', path: 'map' },
      'no effect with by: all',
    ],
    [
      'a calendar beside a map',
      { rules: '      calendar: a@x.example\n      map: { A: b@x.example }\n', path: 'calendar' },
      'belongs to by: all',
    ],
    [
      'no name',
      { rules: '      by: branch\n      map: { " ": a@x.example }\n', path: 'map." "' },
      'names no branch',
    ],
    [
      'no id',
      { rules: '      by: all\n      calendar: team\n', path: 'calendar' },
      'is not the id of a calendar',
    ],
  ])('%s', (_, { rules, path }, what) => {
    expect(problemOf(withRules(rules))).toMatchObject({
      path: `mirrors.staff.calendars.${path}`,
      what: expect.stringContaining(what),
    });
  });

  test('are told in their place in the list', () => {
    const rules = `      - map: { Anna: anna@x.example }
      - { by: all, calendar: { id: team@x.example, title: Taken } }
      - { by: al, calendar: b@x.example }
      - { by: all, calendar: anna }
      - { map: { Anna: c@x.example } }
`;
    expect(problemsOf(withRules(rules)).map(({ path, line }) => [path, line])).toEqual([
      ['mirrors.staff.calendars[1].calendar.title', 9],
      ['mirrors.staff.calendars[2].by', 10],
      ['mirrors.staff.calendars[3].calendar', 11],
      ['mirrors.staff.calendars[4].map.Anna', 12],
    ]);
  });

  test('an empty list, a text, and a list of texts', () => {
    const problem = (rules: string) =>
      problemOf(withRules(` ${rules}\n`).replace('calendars:\n', 'calendars:'));
    const path = 'mirrors.staff.calendars';
    expect(problem('[]')).toMatchObject({ path, what: 'is an empty list' });
    expect(problem('anna@x.example')).toMatchObject({ path, what: 'must be a group of settings' });
    expect(problem('[ anna@x.example ]')).toMatchObject({
      path: `${path}[0]`,
      what: 'must be a group of settings',
    });
  });
});

test('a deletion cancels only where a mirror has calendars of resources', () => {
  const edits = '    staff_edits: { moved: reschedule, deleted: cancel }\n';
  expect(problemOf(withRules('      by: all\n      calendar: t@x.example\n', edits))).toMatchObject({
    path: 'mirrors.staff.staff_edits.deleted',
    fix: expect.stringContaining('deleted: restore'),
  });
  const both =
    '      - map: { Anna: anna@x.example }\n      - { by: branch, map: { Centre: c@x.example } }\n';
  expect(load(withRules(both, edits)).mirrors).toHaveLength(1);
});
