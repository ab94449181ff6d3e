import { expect, test } from 'vitest';
import { file, load, MIRRORS, problemOf, problemsOf } from './fixture.ts';

const SHEET = '    sheet: { spreadsheet: 1AbC, tab: Contacts }\n';
const withSheet = (sheet: string) => file({ mirrors: MIRRORS.replace(SHEET, `    sheet: { ${sheet} }\n`) });
const withColumns = (lines: string) => file({ mirrors: `${MIRRORS.split('      ID:')[0]}${lines}` });

test('contacts go into a tab, with defaults for the rest', () => {
  expect(load(file({})).mirrors).toEqual([
    {
      kind: 'sheet',
      name: 'contacts',
      from: 'contact',
      where: {},
      spreadsheetId: '1AbC',
      tab: 'Contacts',
      timezone: undefined,
      columns: [
        { header: 'ID', template: '{{ id }}' },
        { header: 'Name', template: '{{ name }}' },
      ],
      keyHeader: 'ID',
      unmatched: 'clear',
      deleted: 'keep',
      check: { everyMs: 600_000, removed: 'restore', edited: 'restore' },
    },
  ]);
});

test('appointments go into a tab, too', () => {
  const mirrors = MIRRORS.replace('from: contacts', 'from: appointments');
  expect(load(file({ mirrors })).mirrors[0]).toMatchObject({
    kind: 'sheet',
    from: 'appointment',
    where: { sinceMs: 86_400_000 },
  });
});

test('every setting of a sheet reaches the mirror', () => {
  const sheet =
    'spreadsheet: 1AbC, tab: " People ", key: ID, timezone: Europe/Moscow, unmatched: keep, deleted: clear, check_every: 1h, removed: leave, edited: leave';
  expect(load(withSheet(sheet)).mirrors[0]).toMatchObject({
    tab: 'People',
    keyHeader: 'ID',
    timezone: 'Europe/Moscow',
    unmatched: 'keep',
    deleted: 'clear',
    check: { everyMs: 3_600_000, removed: 'leave', edited: 'leave' },
  });
});

test('a spreadsheet may be given by the address in the browser', () => {
  const address = 'https://docs.google.com/spreadsheets/d/1AbC-x_9/edit#gid=0';
  expect(load(withSheet(`spreadsheet: "${address}", tab: T`)).mirrors[0]).toMatchObject({
    spreadsheetId: '1AbC-x_9',
  });
});

test.each(['"Our contacts"', 'https://example.com/d/1', '"1AbC/edit"'])('%s is no spreadsheet', (written) => {
  expect(problemOf(withSheet(`spreadsheet: ${written}, tab: T`)).path).toBe(
    'mirrors.contacts.sheet.spreadsheet',
  );
});

test('spreadsheet and tab are required', () => {
  expect(problemsOf(withSheet('unmatched: keep')).map((problem) => problem.path)).toEqual([
    'mirrors.contacts.sheet.spreadsheet',
    'mirrors.contacts.sheet.tab',
  ]);
});

test.each(['Europe/Moskow', '"+03:00"', 'MSK'])('%s is no time zone', (zone) => {
  const problem = problemOf(withSheet(`spreadsheet: S, tab: T, timezone: ${zone}`));
  expect(problem).toMatchObject({ path: 'mirrors.contacts.sheet.timezone', line: 7 });
  expect(problem.what).toContain('not a known time zone');
});

test('a misspelt time zone gets the one that was meant', () => {
  const problem = problemOf(withSheet('spreadsheet: S, tab: T, timezone: Europe/Moskow'));
  expect(problem.fix).toContain('did you mean Europe/Moscow?');
});

test('a rule for rows that does not exist is refused', () => {
  expect(problemOf(withSheet('spreadsheet: S, tab: T, unmatched: delete')).fix).toBe(
    'write one of: clear, keep',
  );
});

test('columns keep the order of the file, also when their headers look like numbers', () => {
  const lines =
    '      Year: "x"\n      2025: "{{ name }}"\n      ID: "{{ id }}"\n      2024: "{{ phone }}"\n';
  const [mirror] = load(withColumns(lines)).mirrors;
  expect(mirror?.kind === 'sheet' && mirror.columns.map((column) => column.header)).toEqual([
    'Year',
    '2025',
    'ID',
    '2024',
  ]);
});

test('headers may be in any language and hold dots and blanks', () => {
  const lines =
    '      "№": "{{ id }}"\n      "Имя и т.д.": "{{ name }}"\n      "tel. (home)": "{% phone %}"\n';
  expect(problemOf(withColumns(lines)).path).toBe('mirrors.contacts.columns."tel. (home)"');
  expect(load(withColumns(lines.replace('{% phone %}', '{{ phone }}'))).mirrors[0]).toMatchObject({
    keyHeader: '№',
  });
});

test.each(['"name"', '"ID "', '"Name"'])('the header %s beside its twin is refused', (header) => {
  const text = `${file({})}      ${header}: "x"\n`;
  const problem = problemOf(text);
  expect(problem).toMatchObject({ line: 11, column: 7 });
  expect(problem.what).toMatch(/same header|twice/);
});

test('an empty header is refused', () => {
  expect(problemOf(`${file({})}      "": "x"\n`).what).toBe('the header is empty');
});

test('a column without a template is refused, because it would empty what people wrote there', () => {
  expect(problemOf(`${file({})}      Notes:\n`)).toMatchObject({
    path: 'mirrors.contacts.columns.Notes',
    line: 11,
    column: 7,
    what: 'has no template',
  });
  expect(problemOf(`${file({})}      Notes: ""\n`).what).toBe('is empty');
});

test('a number in the place of a template says that it needs quotes', () => {
  expect(problemOf(`${file({})}      Year: 2024\n`).fix).toContain('in quotes');
});

test('the key column is the one that is exactly the id, however it is spaced', () => {
  const lines = '      Name: "{{ name }}"\n      Ref: "#{{ id }}"\n      Key: "{{id}}"\n';
  expect(load(withColumns(lines)).mirrors[0]).toMatchObject({ keyHeader: 'Key' });
});

test('columns without the id are refused: rows could not be found again', () => {
  expect(problemOf(withColumns('      Name: "{{ name }}"\n'))).toMatchObject({
    path: 'mirrors.contacts.columns',
    line: 8,
    fix: 'add one: ID: "{{ id }}"',
  });
});

test('two columns with the id need a word about which of them is the key', () => {
  const lines = '      ID: "{{ id }}"\n      Ref: "{{ id }}"\n';
  const problem = problemOf(withColumns(lines));
  expect(problem.what).toContain('ID, Ref');
  const decided = withColumns(lines).replace('tab: Contacts', 'tab: Contacts, key: Ref');
  expect(load(decided).mirrors[0]).toMatchObject({ keyHeader: 'Ref' });
});

test('a key that is no column, or a column without the id, is refused', () => {
  const missing = problemOf(withSheet('spreadsheet: S, tab: T, key: Idd'));
  expect(missing).toMatchObject({
    path: 'mirrors.contacts.sheet.key',
    what: 'names a column that does not exist',
  });
  expect(missing.fix).toContain('did you mean ID?');
  expect(problemOf(withSheet('spreadsheet: S, tab: T, key: Name')).what).toContain('does not show the id');
});

test('a sheet without columns is refused', () => {
  for (const rest of ['', '    columns:\n', '    columns: {}\n']) {
    const mirrors = `${MIRRORS.split('    columns:')[0]}${rest}`;
    expect(problemOf(file({ mirrors })).path).toBe('mirrors.contacts.columns');
  }
});

test('an event in a mirror with a sheet is refused', () => {
  const mirrors = MIRRORS.replace('from: contacts', 'from: appointments').replace(
    '    sheet:',
    '    event: { title: "x" }\n    sheet:',
  );
  expect(problemOf(file({ mirrors }))).toMatchObject({
    path: 'mirrors.contacts.event',
    what: 'belongs to a mirror with calendars',
  });
});

test('two mirrors on one tab of one spreadsheet are refused, also when one names it by address and in other case', () => {
  const second = MIRRORS.replace('mirrors:\n  contacts:', '  leads:').replace(
    'spreadsheet: 1AbC, tab: Contacts',
    'spreadsheet: "https://docs.google.com/spreadsheets/d/1AbC/edit", tab: contacts',
  );
  const problem = problemOf(file({ mirrors: MIRRORS + second }));
  expect(problem).toMatchObject({ path: 'mirrors.leads.sheet.tab', line: 13 });
  expect(problem.what).toContain('mirrors.contacts.sheet.tab in line 7');
});

test('two tabs of one spreadsheet, and one name of a tab in two spreadsheets, are fine', () => {
  const second = MIRRORS.replace('mirrors:\n  contacts:', '  leads:').replace('tab: Contacts', 'tab: Leads');
  const third = MIRRORS.replace('mirrors:\n  contacts:', '  other:').replace('1AbC', '2DeF');
  expect(load(file({ mirrors: MIRRORS + second + third })).mirrors).toHaveLength(3);
});

const withArchive = (archive: string) => withSheet(`spreadsheet: S, tab: T, archive: { ${archive} }`);

test('an archive is a tab of the same spreadsheet unless another is named, and counts from the usual time', () => {
  expect(load(withArchive('after: 400d, tab: Old')).mirrors[0]).toMatchObject({
    archive: {
      spreadsheetId: 'S',
      tab: 'Old',
      by: 'created_at',
      afterMs: 400 * 86_400_000,
      blankRows: 'delete',
    },
  });
  const other =
    'after: 1d, tab: Old, by: updated_at, spreadsheet: "https://docs.google.com/spreadsheets/d/Cellar/edit"';
  expect(load(withArchive(other)).mirrors[0]).toMatchObject({
    archive: { spreadsheetId: 'Cellar', by: 'updated_at' },
  });
});

test('an archive needs its age and its tab', () => {
  expect(problemsOf(withArchive('by: created_at')).map((problem) => problem.path)).toEqual([
    'mirrors.contacts.sheet.archive.after',
    'mirrors.contacts.sheet.archive.tab',
  ]);
});

test('the tab of an archive belongs to it alone', () => {
  expect(problemOf(withArchive('after: 1d, tab: t'))).toMatchObject({
    path: 'mirrors.contacts.sheet.archive.tab',
    what: expect.stringContaining('already written to'),
  });
});

test('the age of an archive is counted from a time that the object has', () => {
  expect(problemOf(withArchive('after: 1d, tab: Old, by: starts_at'))).toMatchObject({
    path: 'mirrors.contacts.sheet.archive.by',
    fix: 'write one of: created_at, updated_at',
  });
});
