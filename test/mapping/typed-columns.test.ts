import { expect, test } from 'vitest';
import { file, load, MIRRORS, problemOf } from './fixture.ts';

const withColumns = (lines: string, from = 'appointments') =>
  file({ mirrors: `${MIRRORS.split('      Name:')[0]?.replace('from: contacts', `from: ${from}`)}${lines}` });
const columnsOf = (text: string) => {
  const [mirror] = load(text).mirrors;
  return mirror?.kind === 'sheet' ? mirror.columns.slice(1) : [];
};

test('a column is a template, or says what its cells are', () => {
  const lines = `      Name: "{{ name }}"
      Start: { value: "{{ starts_at }}", as: datetime, format: "dd.mm.yyyy hh:mm" }
      Day:
        value: "{{ starts_at }}"
        as: date
`;
  expect(columnsOf(withColumns(lines))).toEqual([
    { header: 'Name', template: '{{ name }}' },
    { header: 'Start', template: '{{ starts_at }}', as: 'datetime', format: 'dd.mm.yyyy hh:mm' },
    { header: 'Day', template: '{{ starts_at }}', as: 'date' },
  ]);
});

test('money of appointments has the currency of the price, unless another is named', () => {
  const lines = `      Price: { value: "{{ price }}", as: money }
      Fee: { value: "12", as: money, currency: CHF }
`;
  expect(columnsOf(withColumns(lines)).map((column) => column.currency)).toEqual([
    '{{ price_currency }}',
    'CHF',
  ]);
  expect(columnsOf(withColumns(lines, 'contacts'))[0]).not.toHaveProperty('currency');
});

test('the id may stand in a group, too', () => {
  const text = withColumns('      Name: "x"\n').replace(
    'ID: "{{ id }}"',
    'ID: { value: "{{ id }}", as: text }',
  );
  expect(load(text).mirrors[0]).toMatchObject({ keyHeader: 'ID' });
});

test.each([
  ['{ value: "{{ x }}", as: day }', 'mirrors.contacts.columns.C.as', 'datetime'],
  ['{ value: "{{ x }}" }', 'mirrors.contacts.columns.C.as', 'add it'],
  ['{ as: date }', 'mirrors.contacts.columns.C.value', 'write value:'],
  ['{ value: "{{ x }}", as: date, formt: y }', 'mirrors.contacts.columns.C.formt', 'did you mean format?'],
  ['{ value: "{% x %}", as: date }', 'mirrors.contacts.columns.C.value', 'correct the template'],
  [
    '{ value: "1", as: money, currency: "{% x %}" }',
    'mirrors.contacts.columns.C.currency',
    'correct the template',
  ],
  ['{ value: "1", as: number, currency: CHF }', 'mirrors.contacts.columns.C.currency', 'as: money'],
  ['{ value: "1", as: text, format: "0" }', 'mirrors.contacts.columns.C.format', 'remove it'],
  ['{ value: "{{ price_amount }}", as: money }', 'mirrors.contacts.columns.C.value', '"{{ price }}"'],
])('%s is refused in its own place', (written, path, fix) => {
  const problem = problemOf(withColumns(`      C: ${written}\n`));
  expect([problem.path, problem.fix]).toEqual([path, expect.stringContaining(fix)]);
});
