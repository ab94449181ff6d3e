import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { load } from './fixture.ts';
import { type SchemaNode, settingsOf } from './settings.ts';

const text = readFileSync(new URL('../../config/slotbridge.example.yaml', import.meta.url), 'utf8');
/** With every setting switched on: those stand behind a # without a blank. */
const switchedOn = text.replaceAll(/^(\s*)#(?=[A-Za-z_]+:(?: |$))/gm, '$1');

test('the example loads without any variable and points to the sandbox', () => {
  const config = load(text);
  expect(config.platform).toMatchObject({ baseUrl: 'http://127.0.0.1:4010/v1', apiKey: 'sandbox-key' });
  expect(config.platform.webhook.secrets).toEqual([]);
  expect(config.google).toMatchObject({
    credentials: './data/sandbox/google-key.json',
    calendarRootUrl: 'http://127.0.0.1:4020/',
    sheetsRootUrl: 'http://127.0.0.1:4020/',
    tokenUrl: 'http://127.0.0.1:4020/token',
  });
  expect('url' in config.redis).toBe(false);
  expect(config.mirrors.map((mirror) => mirror.name)).toEqual([
    'staff-calendars',
    'contacts',
    'appointments',
  ]);
});

test('the variables of the example lead it to the real services', () => {
  const env = {
    PLATFORM_BASE_URL: 'https://api.example.com/v1',
    PLATFORM_API_KEY: 'real',
    PLATFORM_WEBHOOK_SECRET: 'whsec_of-the-real-endpoint',
    PUBLIC_URL: 'https://bridge.example.com',
    GOOGLE_APPLICATION_CREDENTIALS: '/run/secrets/google.json',
    GOOGLE_SUBJECT: 'office@clinic.example',
    GOOGLE_CALENDAR_URL: 'https://www.googleapis.com/',
    GOOGLE_SHEETS_URL: 'https://sheets.googleapis.com/',
    GOOGLE_TOKEN_URL: 'https://oauth2.googleapis.com/token',
    REDIS_URL: 'redis://redis:6379/0',
    PORT: '9000',
    LOG_LEVEL: 'debug',
  };
  const config = load(text, env);
  expect(config.platform).toMatchObject({ baseUrl: 'https://api.example.com/v1', apiKey: 'real' });
  expect(config.platform.webhook).toMatchObject({
    secrets: ['whsec_of-the-real-endpoint'],
    publicUrl: 'https://bridge.example.com',
  });
  expect(config.google).toMatchObject({
    credentials: '/run/secrets/google.json',
    actAs: 'office@clinic.example',
    calendarRootUrl: 'https://www.googleapis.com/',
    tokenUrl: 'https://oauth2.googleapis.com/token',
  });
  expect(config.redis.url).toBe('redis://redis:6379/0');
  expect(config.http.port).toBe(9_000);
  expect(config.log.level).toBe('debug');
});

test('every setting that is switched off in the example is correct when switched on', () => {
  expect(switchedOn).not.toBe(text);
  const { mirrors, bookings } = load(switchedOn);
  expect(bookings).toMatchObject([{ kind: 'calendar' }, { kind: 'sheet', tab: 'Intake' }]);
  expect(mirrors[1]?.where).toMatchObject({ lifecycles: ['lead', 'customer'] });
  expect(mirrors.slice(3)).toMatchObject([
    { from: 'lead', tab: 'Leads', keyHeader: 'ID' },
    { from: 'conversation', tab: 'Conversations', where: { channels: ['web', 'telegram'] } },
    { from: 'message', tab: 'Messages', where: { directions: ['inbound', 'outbound'] } },
  ]);
});

test('every setting of the schema occurs in the example', () => {
  const written = pathsOf(parse(switchedOn));
  const missing = settingsOf(configJsonSchema() as SchemaNode)
    .map((setting) => setting.path)
    .filter((path) => !written.has(path));
  expect(missing).toEqual([]);
});

test('the defaults that the example names are those of the schema', () => {
  const lines = text.split('\n');
  const settings = settingsOf(configJsonSchema() as SchemaNode);
  const claims = settings.filter((setting) =>
    ['string', 'number', 'boolean'].includes(typeof setting.node.default),
  );
  expect(claims.length).toBeGreaterThan(25);
  for (const { path, node } of claims) {
    const name = path.split('.').at(-1);
    const above = lines.flatMap((line, index) =>
      new RegExp(`^\\s*#?${name}: `).test(line) ? [commentAbove(lines, index)] : [],
    );
    expect(above.join('\n'), path).toContain(String(node.default));
  }
});

/** Paths of the file, with a star for the names of mirrors and bookings. */
function pathsOf(value: unknown, path = ''): Set<string> {
  const found = new Set<string>();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return found;
  for (const [key, child] of Object.entries(value)) {
    const isNamed = path === 'mirrors' || path === 'bookings';
    const own = isNamed ? `${path}.*` : path === '' ? key : `${path}.${key}`;
    found.add(own);
    for (const below of pathsOf(child, own)) found.add(below);
  }
  return found;
}

/** The comment over a line; settings in a row may share one. */
function commentAbove(lines: readonly string[], index: number): string {
  const comment: string[] = [];
  for (let at = index - 1; at >= 0 && lines[at]?.trim() !== ''; at--) comment.push(lines[at] ?? '');
  return comment.join('\n');
}
