import { expect, test } from 'vitest';
import { ConfigError, formatPath } from '../../src/mapping/problem.ts';
import { errorOf, file, MIRRORS } from './fixture.ts';

test('a report has one entry per problem: place, path, what is wrong; below it what to do', () => {
  const error = errorOf(file({ mirrors: MIRRORS.replace('"{{ name }}"', '""') }));
  expect(error).toBeInstanceOf(ConfigError);
  expect(error.format()).toBe(
    'slotbridge.yaml:10:13  mirrors.contacts.columns.Name  is empty\n' +
      '    write a template such as "{{ name }}", or remove the line',
  );
  expect(error.message).toBe(`one problem in slotbridge.yaml\n${error.format()}`);
});

test('a problem of the whole file has no path', () => {
  expect(errorOf('').format()).toBe(
    'slotbridge.yaml:1:1  is empty\n    start from config/slotbridge.example.yaml',
  );
});

test('all kinds of problems are reported at once, in the order of the file', () => {
  const error = errorOf(`platform:
  base_url: api.example.com
  api_key: \${NOPE}
  timeot: 3s
http: { port: high }
mirrors:
  staff:
    from: appointments
    calendars: { map: { A: a@x.example, B: { id: a@x.example, show: busy } } }
    event: { title: "{% x %}" }
  idle:
    from: contacts
  contacts:
    from: contacts
    sheet: { spreadsheet: S, tab: T, timezone: Mars/Olympus }
    columns: { Name: "{{ name }}", Name: "{{ name }}" }
`);
  expect(error.problems.map((problem) => `${problem.line} ${problem.path}`)).toEqual([
    '2 platform.base_url',
    '3 platform.api_key',
    '4 platform.timeot',
    '5 http.port',
    '9 mirrors.staff.calendars.map.B',
    '10 mirrors.staff.event.title',
    '11 mirrors.idle',
    '15 mirrors.contacts.sheet.timezone',
    '16 mirrors.contacts.columns',
    '16 mirrors.contacts.columns.Name',
  ]);
  expect(error.message).toContain('10 problems in slotbridge.yaml');
});

test('every problem says what to do', () => {
  const error = errorOf('a: 1\nplatform: 3\nmirrors: []\nlog: { level: x, format: 3 }\nhttp: { port: [] }\n');
  expect(error.problems.length).toBeGreaterThanOrEqual(6);
  for (const problem of error.problems) {
    expect(problem.fix).not.toBe('');
    expect(problem.fix).not.toBe('correct the value');
    expect(problem.what).not.toMatch(/Invalid|expected|received/);
  }
});

test('a long value is cut in a message', () => {
  const [problem] = errorOf(file({ more: `log: { level: ${'x'.repeat(500)} }\n` })).problems;
  expect(problem?.what.length).toBeLessThan(120);
});

test('hundreds of problems are all kept, and printed up to a bound', () => {
  const columns = Array.from({ length: 300 }, (_, index) => `      C${index}: 1\n`).join('');
  const error = errorOf(`${file({})}${columns}`);
  expect(error.problems).toHaveLength(300);
  expect(error.format().split('\n').at(-1)).toBe('and 100 more');
});

test('a path reads one way only', () => {
  expect(formatPath(['mirrors', 'staff', 'calendars', 'map', 'A. Petrova'])).toBe(
    'mirrors.staff.calendars.map."A. Petrova"',
  );
  expect(formatPath(['platform', 'webhook', 'secrets', 0])).toBe('platform.webhook.secrets[0]');
  expect(formatPath(['mirrors', 'c', 'columns', 'Имя'])).toBe('mirrors.c.columns.Имя');
});
