import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { configJsonSchema, configJsonSchemaText } from '../../src/mapping/json-schema.ts';
import { file, MIRRORS, PLATFORM } from './fixture.ts';
import { type SchemaNode, settingsOf } from './settings.ts';

const root: SchemaNode = configJsonSchema();
// The schema read back by itself, as an editor would: on the text as written, before any variable is filled in.
const editor = z.fromJSONSchema(configJsonSchema());
const accepts = (text: string) => editor.safeParse(parse(text)).success;

test('config/schema.json is what the schema says; if not, run: npm run schema', () => {
  const path = new URL('../../config/schema.json', import.meta.url);
  expect(readFileSync(path, 'utf8') === configJsonSchemaText(), 'stale: run npm run schema').toBe(true);
});

test('every setting has a description', () => {
  const settings = settingsOf(root);
  expect(settings.length).toBeGreaterThan(60);
  for (const setting of settings) expect(setting.node.description, setting.path).toMatch(/\w{3}/);
});

test('defaults are shown as they would be written', () => {
  const defaults = Object.fromEntries(
    settingsOf(root).map((setting) => [setting.path, setting.node.default]),
  );
  expect(defaults).toMatchObject({
    'platform.timeout': '10s',
    'platform.webhook.max_body': '1mb',
    'platform.webhook.reenable': false,
    'platform.webhook.signature': 'timestamped',
    'google.quotas.calendar_per_minute': 600,
    'http.port': 8080,
    'mirrors.*.event.cancelled': 'remove',
    'mirrors.*.sheet.unmatched': 'clear',
  });
  const sinces = settingsOf(root).filter((setting) => setting.path === 'mirrors.*.where.since');
  expect(sinces.map(({ node }) => node.default)).toEqual(['1d', '30d', '30d', '30d']);
});

test('an editor accepts the smallest file and the example', () => {
  expect(accepts(file({}))).toBe(true);
  expect(
    accepts(readFileSync(new URL('../../config/slotbridge.example.yaml', import.meta.url), 'utf8')),
  ).toBe(true);
});

test('an editor accepts variables where numbers, flags, words and durations stand', () => {
  const platform = `${PLATFORM}  timeout: "\${T}"\n  webhook: { reenable: "\${R:-true}", signature: "\${S}", max_body: "\${B}" }\n`;
  const more = `http: { port: "\${PORT:-8080}" }\nlog: { level: "\${LEVEL:-info}" }\n`;
  expect(accepts(file({ platform, more }))).toBe(true);
});

test('an editor accepts settings and sections without a value, as the worker does', () => {
  expect(accepts(file({ more: 'redis:\nhttp:\n  port:\n  host:\n' }))).toBe(true);
});

test.each([
  ['an unknown setting', file({ more: 'http: { prot: 1 }\n' })],
  ['a port that is a word', file({ more: 'http: { port: high }\n' })],
  ['a port out of range', file({ more: 'http: { port: 70000 }\n' })],
  ['a duration without a unit', file({ platform: `${PLATFORM}  timeout: 10\n` })],
  ['a size that is none', file({ platform: `${PLATFORM}  webhook: { max_body: big }\n` })],
  ['an unknown log level', file({ more: 'log: { level: loud }\n' })],
  ['a missing key', file({ platform: 'platform: { base_url: https://a.example/v1 }\n' })],
  ['no mirror', file({ mirrors: 'mirrors: {}\n' })],
  ['a mirror of nothing that exists', file({ mirrors: MIRRORS.replace('from: contacts', 'from: invoices') })],
  [
    'contacts in calendars',
    file({ mirrors: MIRRORS.replace('from: contacts', 'from: contacts\n    calendars: {}') }),
  ],
])('an editor marks %s', (_, text) => {
  expect(accepts(text)).toBe(false);
});
