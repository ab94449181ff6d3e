import { expect, test } from 'vitest';
import { file, load, MIRRORS, PLATFORM, problemOf, problemsOf } from './fixture.ts';

test('a quote that is never closed is reported where it was opened', () => {
  const problem = problemOf('platform:\n  base_url: "https://x\n  api_key: k\n');
  expect(problem).toMatchObject({ path: 'platform.base_url', line: 2, column: 13 });
  expect(problem.fix).toContain('close the quote');
});

test('a value below its name, which the parser takes for a name, is not printed: it may be a key', () => {
  const problems = problemsOf(file({ platform: PLATFORM.replace(' key-1', '\n  sk_live_1') }));
  expect(problems[0]).toMatchObject({ path: 'platform', line: 4 });
  expect(JSON.stringify(problems)).not.toContain('sk_live_1');
});

test('past such a slip nothing is said about the rest of the file', () => {
  expect(problemsOf('platform:\n  base_url: "https://x\nlogg: {}\n')).toHaveLength(1);
});

test('a template without quotes is named as what it is, and the rest of the file is still checked', () => {
  const mirrors = `${MIRRORS.replace('"{{ name }}"', '{{ name }}')}logg: {}\n`;
  const [template, unknown] = problemsOf(file({ mirrors }));
  expect(template).toMatchObject({ path: 'mirrors.contacts.columns.Name', line: 10 });
  expect(template?.fix).toContain('quotes around the whole of it');
  expect(unknown).toMatchObject({ path: 'logg', line: 11 });
});

test('several tags without quotes in one line are one problem', () => {
  const mirrors = MIRRORS.replace('"{{ name }}"', '{{ first_name }}, {{ last_name }}');
  expect(problemOf(file({ mirrors })).path).toBe('mirrors.contacts.columns.Name');
});

test('a variable without quotes inside braces is named as what it is', () => {
  const problem = problemOf(`platform: { base_url: \${URL}, api_key: k }\n${MIRRORS}`);
  expect(problem).toMatchObject({ line: 1 });
  expect(problem.fix).toContain(`"\${NAME}"`);
});

test('a setting that is written twice is reported at the second', () => {
  const platform = `${PLATFORM}  api_key: key-2\n`;
  expect(problemOf(file({ platform }))).toMatchObject({
    path: 'platform.api_key',
    line: 4,
    column: 3,
    what: expect.stringContaining('twice'),
  });
});

test('a resource that is mapped twice in one line is reported beside the other problems', () => {
  const mirrors = `mirrors:
  staff:
    from: appointments
    calendars: { map: { Anna: a@x.example, Anna: b@x.example, Boris: primary } }
    event: { title: "{{ service_name }}" }
`;
  expect(problemsOf(file({ mirrors })).map((problem) => problem.path)).toEqual([
    'mirrors.staff.calendars.map.Anna',
    'mirrors.staff.calendars.map.Boris',
  ]);
});

test('a tab as indentation is called one', () => {
  expect(problemsOf('platform:\n\tapi_key: k\n')[0]).toMatchObject({
    line: 2,
    what: expect.stringContaining('tab'),
  });
});

test('an empty file says where to begin', () => {
  for (const text of ['', '# nothing\n', '---\n']) {
    expect(problemOf(text)).toMatchObject({ path: '', line: 1, column: 1, what: 'is empty' });
    expect(problemOf(text).fix).toContain('slotbridge.example.yaml');
  }
});

test('a file that is a list or a word is no configuration', () => {
  for (const text of ['- a\n', 'hello\n']) expect(problemOf(text).what).toContain('not a group of settings');
});

test('a second document is not silently left out', () => {
  expect(problemOf(`${file({})}---\nlog: { level: debug }\n`).what).toContain('second document');
});

test('an unknown tag is refused', () => {
  const platform = PLATFORM.replace('key-1', '!ENV KEY');
  expect(problemOf(file({ platform }))).toMatchObject({ path: 'platform.api_key', line: 3 });
});

test('an alias of nothing is refused in its place', () => {
  const platform = PLATFORM.replace('key-1', '*key');
  expect(problemOf(file({ platform }))).toMatchObject({ path: 'platform.api_key', line: 3, column: 12 });
});

test('a file that unfolds without bounds is refused', () => {
  const rows = ['a: &a [x, x, x, x, x, x, x, x, x]'];
  for (const [of, name] of ['ab', 'bc', 'cd', 'de']) rows.push(`${name}: &${name} [${`*${of}, `.repeat(9)}]`);
  expect(problemOf(`${rows.join('\n')}\n`).what).toContain('aliases');
});

test('a merge of something that is no group is refused', () => {
  expect(problemOf(`${file({})}log: { <<: info }\n`).fix).toContain('<<: *name');
});

test('anchors, aliases and merge keys save repetition, and problems in them have a place', () => {
  const mirrors = `mirrors:
  contacts:
    from: contacts
    sheet: { spreadsheet: 1AbC, tab: Contacts }
    columns: &columns
      ID: "{{ id }}"
      Name: "{{ name }}"
  leads:
    from: contacts
    where: { lifecycle: lead }
    sheet: { spreadsheet: 1AbC, tab: Leads }
    columns: { <<: *columns, Phone: "{{ phone }}" }
`;
  const leads = load(file({ mirrors })).mirrors[1];
  expect(leads).toMatchObject({ columns: [{ header: 'ID' }, { header: 'Name' }, { header: 'Phone' }] });
  const broken = mirrors.replace('"{{ name }}"', '"{% name %}"');
  expect(problemsOf(file({ mirrors: broken })).map(({ path, line }) => ({ path, line }))).toEqual([
    { path: 'mirrors.contacts.columns.Name', line: 10 },
    { path: 'mirrors.leads.columns.Name', line: 10 },
  ]);
});

test('the one name that JavaScript keeps for itself is refused, not lost', () => {
  const mirrors = `${MIRRORS}      __proto__: "{{ id }}"\n`;
  expect(problemOf(file({ mirrors }))).toMatchObject({
    path: 'mirrors.contacts.columns.__proto__',
    line: 11,
  });
});

test('Windows line ends and a byte order mark change nothing', () => {
  expect(load(`\uFEFF${file({}).replaceAll('\n', '\r\n')}`)).toEqual(load(file({})));
});
