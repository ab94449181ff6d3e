import { expect, test } from 'vitest';
import { compileCondition } from '../../src/mapping/filter-condition.ts';
import { loadConfig } from '../../src/mapping/load.ts';
import type { ConfigError } from '../../src/mapping/problem.ts';
import { checkTemplate } from '../../src/mapping/render-check.ts';
import { checks, file, load, problemOf, problemsOf, STAFF } from './fixture.ts';

const event = (lines: string) => file({ mirrors: `mirrors:\n${STAFF}${lines}` });

test('a template that does not parse is refused in its place, with the reason', () => {
  const problem = problemOf(`${file({})}      Since: "{{ created_at | date: '%Y' "\n`);
  expect(problem).toMatchObject({ path: 'mirrors.contacts.columns.Since', line: 11, column: 15 });
  expect(problem.what).toMatch(
    /^the template cannot be used: .*not closed.*\(line 1 of the template, column 1\)$/,
  );
});

test.each([
  ['in double quotes', '      title: "{{ name }} {% nope %}"\n', { line: 9, column: 26 }],
  ['in single quotes', "      title: '{{ name }} {% nope %}'\n", { line: 9, column: 26 }],
  ['behind blanks of its own', '      title: "  {% nope %}"\n', { line: 9, column: 17 }],
  ['without quotes', '      title: Check {% nope %}\n', { line: 9, column: 20 }],
  ['in a block of lines', '      title: |\n        One\n          {% nope %}\n', { line: 11, column: 11 }],
  [
    'behind an escape, where the setting has to do',
    '      title: "\\u0041 {% if %}"\n',
    { line: 9, column: 14 },
  ],
  [
    'in folded lines, where the setting has to do',
    '      title: >\n        One\n        {% if %}\n',
    { line: 9, column: 14 },
  ],
])('what is wrong within a template is told at its own place: %s', (_, title, place) => {
  const text = `mirrors:\n${STAFF.replace('      title: "{{ service_name }}"\n', title)}`;
  const config = `platform: { base_url: "https://api.example.com/v1", api_key: key-1 }\n${text}`;
  try {
    loadConfig({ text: config, path: 'f.yaml' }, {}, { checkTemplate, compileCondition });
    expect.unreachable();
  } catch (error) {
    expect((error as ConfigError).problems[0]).toMatchObject({ path: 'mirrors.staff.event.title', ...place });
  }
});

test('every template of an event is checked', () => {
  const text = event('      description: "{% if %}"\n      location: "{% nope %}"\n').replace(
    '{{ service_name }}',
    '{{ service_name',
  );
  expect(problemsOf(text).map((problem) => problem.path)).toEqual([
    'mirrors.staff.event.title',
    'mirrors.staff.event.description',
    'mirrors.staff.event.location',
  ]);
});

test('a template may span lines and hold Liquid of any kind', () => {
  const lines = `      description: |
        {% if comment %}{{ comment | upcase }}{% endif %}
        {{ customer_phone }}
`;
  expect(load(event(lines)).mirrors[0]).toMatchObject({
    event: { description: '{% if comment %}{{ comment | upcase }}{% endif %}\n{{ customer_phone }}\n' },
  });
});

test('templates are checked although other things are wrong', () => {
  const text = file({ platform: '' }).replace('{{ name }}', '{% name %}');
  expect(problemsOf(text).map((problem) => problem.path)).toContain('mirrors.contacts.columns.Name');
});

test('a template that came from a variable is not quoted in the message', () => {
  const text = file({}).replace('"{{ name }}"', `"\${TEMPLATE}"`);
  const problem = problemOf(text, { TEMPLATE: '{% hunter2 %}' });
  expect(problem.path).toBe('mirrors.contacts.columns.Name');
  expect(JSON.stringify(problem)).not.toContain('hunter2');
});

test('who checks a template is told what it will be rendered from', () => {
  const asked = new Set<string | undefined>();
  const text = `${file({})}${STAFF}`;
  loadConfig(
    { text, path: 'f.yaml' },
    {},
    { compileCondition, checkTemplate: (_, from) => void asked.add(from) },
  );
  expect([...asked]).toEqual(['contact', 'appointment']);
});

test('the reason of the checker becomes part of a report in one line', () => {
  const failing = { compileCondition, checkTemplate: () => ({ message: 'first\n  second' }) };
  try {
    loadConfig({ text: file({}), path: 'f.yaml' }, {}, failing);
    expect.unreachable();
  } catch (error) {
    expect((error as ConfigError).problems[0]?.what).toBe('the template cannot be used: first second');
  }
  expect(loadConfig({ text: file({}), path: 'f.yaml' }, {}, checks).mirrors).toHaveLength(1);
});
