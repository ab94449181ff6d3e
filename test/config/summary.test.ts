import { expect, test } from 'vitest';
import { summarizeConfig } from '../../src/config/summary.ts';
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
