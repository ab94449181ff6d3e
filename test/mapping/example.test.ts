import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { configurationSettings } from '../../scripts/configuration-page.ts';
import { load } from './fixture.ts';

const text = readFileSync(new URL('../../config/slotbridge.example.yaml', import.meta.url), 'utf8');

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

test('the example says only what differs from the defaults, or comes from a variable', () => {
  const standards = new Map(configurationSettings().map((setting) => [setting.path, setting.default]));
  const written = writtenSettings(parse(text));
  expect(written.size).toBeGreaterThan(20);
  const idle = [...written].filter(
    ([path, value]) => standards.get(path) !== undefined && String(value) === String(standards.get(path)),
  );
  expect(idle).toEqual([]);
});

test('each setting of the example has one comment, beside it', () => {
  const lines = text.split('\n');
  expect(lines.length).toBeLessThanOrEqual(80);
  const own = lines.filter((line) => /^ +(?!from: )[a-z_]+: /.test(line));
  expect(own.length).toBeGreaterThan(20);
  expect(own.filter((line) => !/ # \S/.test(line))).toEqual([]);
  // Around the file: what it is, and where the rest of the settings is.
  expect(lines.filter((line) => /^\s*#/.test(line))).toHaveLength(4);
});

test('the links of the example lead to headings of the documents', () => {
  const links = [...text.matchAll(/(docs\/[\w/.-]+\.md)(?:#([\w-]+))?/g)];
  expect(links.length).toBeGreaterThan(8);
  for (const [link, path = '', anchor] of links) {
    const headings = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8').matchAll(/^#+ (.+)$/gm);
    const anchors = [...headings].map(([, heading = '']) => heading.toLowerCase().replaceAll(/[^\w-]/g, ''));
    if (anchor !== undefined) expect(anchors, link).toContain(anchor);
  }
});

/** Single values by their path, with `<name>` for the names of mirrors. */
function writtenSettings(value: unknown, path = ''): Map<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Map([[path, value]]);
  const below = Object.entries(value).flatMap(([key, child]) => {
    const name = path === 'mirrors' ? '<name>' : key;
    return [...writtenSettings(child, path === '' ? name : `${path}.${name}`)];
  });
  return new Map(below);
}
