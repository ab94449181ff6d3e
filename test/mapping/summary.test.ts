import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { summarizeConfig } from '../../src/mapping/changes.ts';
import type { Config } from '../../src/mapping/config.ts';
import { ENV, everySetting } from './every-setting.ts';
import { file, load, MIRRORS, STAFF } from './fixture.ts';

test('a summary says whether secrets are set, never what they are, and names nobody', () => {
  const config = load(
    file({
      platform: `platform:
  base_url: https://api.example.com/v1
  api_key: hunter2-key
  webhook: { secrets: [hunter2-hunter2-a, hunter2-hunter2-b], public_url: "https://bridge.example.com" }
`,
      more: `google: { act_as: hunter2@clinic.example, credentials: /etc/key.json }
redis: { url: "rediss://hunter2-user:hunter2-pass@redis.example:6380/1" }
`,
      mirrors: `${MIRRORS}${STAFF.replaceAll('anna', 'hunter2').replace('Anna Petrova', 'hunter2')}`,
    }),
  );
  const summary = summarizeConfig(config);
  expect(JSON.stringify(summary)).not.toContain('hunter2');
  expect(summary).toMatchObject({
    platform: {
      baseUrl: 'https://api.example.com/v1',
      apiKey: 'set',
      webhook: { secrets: '2 set', publicUrl: 'https://bridge.example.com' },
    },
    google: { actAs: 'set', credentials: '/etc/key.json' },
    redis: { url: 'rediss://redis.example:6380/1' },
  });
});

test('a summary says what is not set', () => {
  expect(summarizeConfig(load(file({})))).toMatchObject({
    platform: { webhook: { secrets: 'not set', publicUrl: 'not set', secretFile: 'not set' } },
    google: { actAs: 'not set', credentials: 'application default credentials' },
    redis: { url: 'private' },
  });
});

test('mirrors are counted', () => {
  const second = MIRRORS.replace('mirrors:\n  contacts:', '  visits:')
    .replace('from: contacts', 'from: appointments')
    .replace('tab: Contacts', 'tab: Visits');
  expect(summarizeConfig(load(file({ mirrors: MIRRORS + second + STAFF }))).mirrors).toEqual({
    total: 3,
    appointmentsToCalendars: 1,
    appointmentsToSheets: 1,
    contactsToSheets: 1,
    leadsToSheets: 0,
    conversationsToSheets: 0,
    messagesToSheets: 0,
    tabs: 2,
    calendars: 1,
    spreadsheets: 1,
  });
});

test.each([
  ['redis+sentinel://:hunter2@a:26379,b:26379/main?db=1', 'redis+sentinel://a:26379,b:26379/main?db=1'],
  ['redis+cluster://u:hunter2@a:7000,b:7001', 'redis+cluster://a:7000,b:7001'],
  ['redis://localhost:6379/0', 'redis://localhost:6379/0'],
])('credentials are taken out of %s', (url, shown) => {
  expect(summarizeConfig(load(file({ more: `redis: { url: "${url}" }\n` }))).redis.url).toBe(shown);
});

/** A text, and an address with a password. */
const SECRET = 'redis://hunter2:hunter2@redis.example';

const env = { ...ENV, PLATFORM_WEBHOOK_SECRET: Buffer.alloc(32, 2).toString('base64') };

test('of all texts that a file may hold, a summary shows these and no other (P9)', () => {
  const config = load(stringify(everySetting()), env);
  const shown = textsOf(config).filter((path) =>
    JSON.stringify(summarizeConfig(withText(config, path, SECRET))).includes('hunter2'),
  );
  expect(shown.map((path) => path.join('.'))).toEqual([
    ...['platform.baseUrl', 'platform.webhook.publicUrl', 'platform.webhook.secretFile'],
    ...[
      'platform.webhook.signature',
      'platform.webhook.header',
      'google.credentials',
      'google.consent.client',
    ],
    ...['google.calendarRootUrl', 'google.sheetsRootUrl', 'google.tokenUrl', 'redis.prefix', 'redis.dataDir'],
    ...['http.host', 'http.hosts.0', 'http.hosts.1', 'worker.language', 'worker.statusTab'],
    ...['log.level', 'log.format', 'console.exposure', 'console.address', 'console.oidc.issuer'],
    ...['console.oidc.clientId', 'console.oidc.scope', 'console.oidc.claim', 'console.trustedProxies.0'],
  ]);
});

test('a text that a later version adds to any section is not shown before somebody decides that it may be (P9)', () => {
  const config = load(stringify(everySetting()), env);
  for (const path of groupsOf(config)) {
    const summary = summarizeConfig(withText(config, [...path, 'later'], SECRET));
    expect(JSON.stringify(summary), path.join('.')).not.toContain('hunter2');
  }
});

type Path = readonly string[];

/** Where a configuration holds a text, entries of lists included. */
function textsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => textsOf(each, [...path, name]));
}

function groupsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return [path, ...Object.entries(value).flatMap(([name, each]) => groupsOf(each, [...path, name]))];
}

function withText(config: Config, path: Path, text: string): Config {
  const copy = structuredClone(config);
  const [last = '', ...around] = [...path].reverse();
  let at = copy as unknown as Record<string, unknown>;
  for (const step of around.reverse()) at = at[step] as Record<string, unknown>;
  at[last] = text;
  return copy;
}
