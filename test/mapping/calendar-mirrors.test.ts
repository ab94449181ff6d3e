import { expect, test } from 'vitest';
import { file, load, problemOf, problemsOf, STAFF } from './fixture.ts';

const staff = (lines = '') => file({ mirrors: `mirrors:\n${STAFF}${lines}` });
const withEvent = (lines: string) => staff(lines);

test('appointments go into calendars by resource, with defaults for the rest', () => {
  expect(load(staff()).mirrors).toEqual([
    {
      kind: 'calendar',
      name: 'staff',
      from: 'appointment',
      where: { sinceMs: 86_400_000 },
      calendars: [{ resource: 'Anna Petrova', calendarId: 'anna@clinic.example' }],
      event: {
        title: '{{ service_name }}',
        description: undefined,
        location: undefined,
        colorIds: {},
        cancelled: 'remove',
      },
      staffEdits: {
        moved: 'revert',
        deleted: 'restore',
        conflict: 'platform',
        graceMs: 120_000,
        notifyCustomer: false,
      },
    },
  ]);
});

test('case 59: no setting makes a mirror write to customers', () => {
  expect(problemOf(withEvent('      send_updates: all\n'))).toMatchObject({
    path: 'mirrors.staff.event.send_updates',
    what: 'is not a setting',
  });
  expect(problemOf(staff('    notify_customer: true\n')).path).toBe('mirrors.staff.notify_customer');
});

test('an event has description, place, colours and a rule for cancelled appointments', () => {
  const lines = `      description: "{{ customer_phone }}\\n{{ comment }}"
      location: "{{ branch_name }}"
      color: { no_show: tomato, pending: lavender, completed: graphite }
      cancelled: keep
`;
  expect(load(withEvent(lines)).mirrors[0]).toMatchObject({
    event: {
      description: '{{ customer_phone }}\n{{ comment }}',
      location: '{{ branch_name }}',
      colorIds: { no_show: '11', pending: '1', completed: '8' },
      cancelled: 'keep',
    },
  });
});

test.each([
  ['lavender', '1'],
  ['sage', '2'],
  ['grape', '3'],
  ['flamingo', '4'],
  ['banana', '5'],
  ['tangerine', '6'],
  ['peacock', '7'],
  ['graphite', '8'],
  ['blueberry', '9'],
  ['basil', '10'],
  ['tomato', '11'],
])('the colour %s is colorId %s of Google', (name, id) => {
  expect(load(withEvent(`      color: { arrived: ${name} }\n`)).mirrors[0]).toMatchObject({
    event: { colorIds: { arrived: id } },
  });
});

test('an unknown colour is refused with the nearest', () => {
  const problem = problemOf(withEvent('      color: { no_show: tomatoe }\n'));
  expect(problem).toMatchObject({ path: 'mirrors.staff.event.color.no_show', line: 12, column: 25 });
  expect(problem.what).toContain('"tomatoe"');
  expect(problem.fix).toContain('did you mean tomato?');
});

test('a colour for a status that does not exist is refused', () => {
  expect(problemOf(withEvent('      color: { noshow: tomato }\n')).fix).toContain('did you mean no_show?');
});

test('a calendar that is mapped twice in one mirror is refused, whatever its case, and both places are named', () => {
  const map = '        "Anna Petrova": anna@clinic.example\n';
  const problem = problemOf(staff().replace(map, `${map}        "Room 1": Anna@clinic.example\n`));
  expect(problem).toMatchObject({ path: 'mirrors.staff.calendars.map."Room 1"', line: 10, column: 19 });
  expect(problem.what).toContain('mirrors.staff.calendars.map."Anna Petrova" in line 9');
});

test('a calendar that is mapped in two mirrors is refused', () => {
  const mirrors = `mirrors:\n${STAFF}${STAFF.replace('  staff:', '  rooms:').replace('Anna Petrova', 'Room 1')}`;
  const problem = problemOf(file({ mirrors }));
  expect(problem.path).toBe('mirrors.rooms.calendars.map."Room 1"');
  expect(problem.what).toContain('mirrors.staff');
});

test('one resource may stand in calendars of two mirrors', () => {
  const mirrors = `mirrors:\n${STAFF}${STAFF.replace('  staff:', '  second:').replace('anna@', 'anna2@')}`;
  expect(load(file({ mirrors })).mirrors).toHaveLength(2);
});

test('a resource that stands twice but for blanks is refused', () => {
  const problem = problemOf(
    staff().replace('map:\n', 'map:\n        "Anna Petrova ": other@clinic.example\n'),
  );
  expect(problem.what).toContain('same resource');
});

test('a calendar is named by its id; primary would be a second name for one', () => {
  const problem = problemOf(staff().replace('anna@clinic.example', 'primary'));
  expect(problem.what).toBe('"primary" is not the id of a calendar');
  expect(problem.fix).toContain('Calendar ID');
});

test('a resource without a calendar is refused', () => {
  expect(problemOf(staff().replace(' anna@clinic.example', '')).path).toBe(
    'mirrors.staff.calendars.map."Anna Petrova"',
  );
});

test('a map without entries is refused', () => {
  const text = staff().replace(/map:\n.*\n/, 'map: {}\n');
  expect(problemOf(text)).toMatchObject({ path: 'mirrors.staff.calendars.map', what: 'has no calendar' });
});

test('calendars without a map, or by anything unknown, are refused', () => {
  const by = (way: string) => problemOf(staff().replace(/ {6}map:\n.*\n/, `      by: ${way}\n`));
  expect(by('branch')).toMatchObject({ path: 'mirrors.staff.calendars.map', line: 7 });
  expect(by('customer')).toMatchObject({ path: 'mirrors.staff.calendars.by', line: 8 });
});

test('calendars without event are refused, and an event without a title', () => {
  expect(problemOf(staff().replace(/ {4}event:\n.*\n/, ''))).toMatchObject({
    path: 'mirrors.staff.event',
    what: 'is missing',
  });
  expect(problemOf(staff().replace('"{{ service_name }}"', '""'))).toMatchObject({
    path: 'mirrors.staff.event.title',
    what: 'is missing or empty',
  });
});

test('contacts cannot stand in calendars: they have no time', () => {
  const problem = problemsOf(staff().replace('appointments', 'contacts'))[0];
  expect(problem).toMatchObject({ path: 'mirrors.staff.calendars', line: 7, column: 5 });
  expect(problem?.fix).toContain('only appointments can be shown');
});

test('a mirror with both calendars and sheet is refused', () => {
  const lines = '    sheet: { spreadsheet: S, tab: T }\n    columns: { ID: "{{ id }}" }\n';
  expect(problemOf(staff(lines))).toMatchObject({
    path: 'mirrors.staff.sheet',
    fix: 'make two mirrors of it, one for each',
  });
});

test('a mirror with neither calendars nor sheet is refused', () => {
  expect(problemOf(file({ mirrors: 'mirrors:\n  idle: { from: appointments }\n' }))).toMatchObject({
    path: 'mirrors.idle',
    line: 5,
    column: 3,
    what: expect.stringMatching(/neither calendars( nor \w+)* nor sheet/),
  });
});

test('columns in a mirror with calendars are refused', () => {
  expect(problemOf(staff('    columns: { ID: "{{ id }}" }\n')).path).toBe('mirrors.staff.columns');
});

test('no mirror at all is refused', () => {
  for (const mirrors of ['', 'mirrors:\n', 'mirrors: {}\n']) {
    expect(problemOf(file({ mirrors }))).toMatchObject({ path: 'mirrors', what: 'has no mirror' });
  }
});

test('a mirror from nothing that exists is refused, and its other problems show in the same run', () => {
  const text = staff('      color: { no_show: red }\n').replace('appointments', 'appointment');
  const [from, colour] = problemsOf(text);
  expect(from).toMatchObject({ path: 'mirrors.staff.from', line: 6 });
  expect(from?.fix).toContain('did you mean appointments?');
  expect(colour?.path).toBe('mirrors.staff.event.color.no_show');
});

test('a name that cannot be part of the state is refused, and its mirror is checked nevertheless', () => {
  const text = staff('      color: { no_show: red }\n').replace('  staff:', '  "staff 1":');
  expect(problemsOf(text).map((problem) => problem.path)).toEqual([
    'mirrors."staff 1"',
    'mirrors."staff 1".event.color.no_show',
  ]);
});

test('colours by service and resource', () => {
  const lines =
    '      color: { no_show: tomato, service: { Massage: grape }, resource: { " Anna": sage } }\n';
  expect(load(withEvent(lines)).mirrors[0]).toMatchObject({
    event: {
      colorIds: { no_show: '11' },
      serviceColours: [{ name: 'Massage', colorId: '3' }],
      resourceColours: [{ name: 'Anna', colorId: '2' }],
    },
  });
  expect(problemOf(withEvent('      color: { service: { Massage: purple } }\n'))).toMatchObject({
    path: 'mirrors.staff.event.color.service.Massage',
    what: expect.stringContaining('"purple"'),
  });
  expect(problemOf(withEvent('      color: { service: {} }\n')).what).toContain('has no colour');
});
