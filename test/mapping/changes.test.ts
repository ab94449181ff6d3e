import { expect, test } from 'vitest';
import { configChanges } from '../../src/mapping/changes.ts';
import { compileCondition } from '../../src/mapping/filter-condition.ts';
import { loadConfig } from '../../src/mapping/load.ts';
import { checkTemplate } from '../../src/mapping/render-check.ts';

const yaml = (key: string, mirrors: string, rest = '') => `
platform: { base_url: "https://api.example.com/v1", api_key: ${key} }
google: { credentials: key.json }
${rest}
mirrors:
${mirrors}`;
const tab = (name: string, title: string, condition = 'status == "a"') =>
  `  ${name}: { from: contacts, where: { if: '${condition}' }, sheet: { spreadsheet: book, tab: ${title} }, columns: { ID: "{{ id }}" } }\n`;
const load = (text: string) => loadConfig({ text, path: 'x.yaml' }, {}, { checkTemplate, compileCondition });

const before = load(yaml('secret-one', tab('a', 'A') + tab('b', 'B')));

test.each([
  ['nothing', yaml('secret-one', tab('a', 'A') + tab('b', 'B')), []],
  [
    'the key, and not its value',
    yaml('secret-two', tab('a', 'A') + tab('b', 'B')),
    ['platform.apiKey changed'],
  ],
  [
    'mirrors',
    yaml('secret-one', tab('a', 'Other') + tab('c', 'C')),
    ['mirror a changed', 'mirror b removed', 'mirror c added'],
  ],
  [
    'a setting',
    yaml('secret-one', tab('a', 'A') + tab('b', 'B'), 'http: { port: 9 }'),
    ['http.port changed'],
  ],
  [
    'a condition, which reads the same a second time',
    yaml('secret-one', tab('a', 'A', 'status == "b"') + tab('b', 'B', 'status == "a"')),
    ['mirror a changed'],
  ],
])('%s', (_, text, changes) => {
  expect(configChanges(before, load(text))).toEqual(changes);
});
