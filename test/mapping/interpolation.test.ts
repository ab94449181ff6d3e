import { expect, test } from 'vitest';
import { interpolate } from '../../src/mapping/variables.ts';

const env = { NAME: 'Anna', EMPTY: '', DOLLARS: `\${NAME} $$`, BRACE: 'a}b' };

test.each([
  ['a variable is replaced', `\${NAME}`, 'Anna'],
  ['several variables in one text are replaced', `\${NAME} and \${NAME}!`, 'Anna and Anna!'],
  ['a default stands for a variable that is not set', `\${NOPE:-nobody}`, 'nobody'],
  ['a default stands for a variable that is empty', `\${EMPTY:-nobody}`, 'nobody'],
  ['a default may be empty', `[\${NOPE:-}]`, '[]'],
  ['a default is not used for a variable that is set', `\${NAME:-nobody}`, 'Anna'],
  ['a default may hold another variable', `\${NOPE:-\${NAME}}`, 'Anna'],
  ['a default may hold a default', `\${NOPE:-\${EMPTY:-deep}}`, 'deep'],
  ['a default may hold a template', `\${NOPE:-{{ name }}}`, '{{ name }}'],
  ['a default may hold a colon and a dash', `\${NOPE:-redis://h:6379/0:-x}`, 'redis://h:6379/0:-x'],
  ['two dollars are one', '$$5', '$5'],
  ['an escaped expression stays as it is', `$$\{NAME}`, `\${NAME}`],
  ['a lone dollar stays as it is', 'costs $5, or 5 $', 'costs $5, or 5 $'],
  ['what a variable holds is not read again', `\${DOLLARS}`, `\${NAME} $$`],
  ['a brace in a value ends nothing', `<\${BRACE}>`, '<a}b>'],
  ['a template without variables is left alone', '{{ price }} $', '{{ price }} $'],
])('%s', (_, written, filled) => {
  expect(interpolate(written, env)).toMatchObject({ text: filled, unset: [], malformed: [] });
});

test('a variable without value and without default is named once, however often it stands there', () => {
  expect(interpolate(`\${NOPE}\${EMPTY}\${NOPE}`, env).unset).toEqual(['NOPE', 'EMPTY']);
});

test('a default that is not needed is not asked for its variables', () => {
  expect(interpolate(`\${NAME:-\${NOPE}}`, env).unset).toEqual([]);
});

test('the methods of every JavaScript object are no variables', () => {
  expect(interpolate(`\${constructor}\${toString}`, {}).unset).toEqual(['constructor', 'toString']);
});

test.each([`\${NAME-x}`, `\${1A}`, `\${}`, `\${NAME`, `\${NAME:?no}`, `\${ NAME }`])(
  '%s is not understood',
  (written) => {
    expect(interpolate(written, env).malformed).toEqual([written]);
  },
);
