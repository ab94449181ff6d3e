import { expect, test } from 'vitest';
import { file, load, problemOf } from './fixture.ts';

test('without a section google the real Google is meant, with the credentials of the machine', () => {
  const { google } = load(file({}));
  expect(google).toMatchObject({
    calendarRootUrl: 'https://www.googleapis.com/',
    sheetsRootUrl: 'https://sheets.googleapis.com/',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    watch: { push: false },
  });
  expect(google).not.toHaveProperty('credentials');
  expect(google).not.toHaveProperty('actAs');
});

test('root addresses of Google get a slash at the end', () => {
  const more = `google:
  calendar_root_url: http://127.0.0.1:4020
  sheets_root_url: http://localhost:4020/
  token_url: http://127.0.0.1:4020/token
`;
  expect(load(file({ more })).google).toMatchObject({
    calendarRootUrl: 'http://127.0.0.1:4020/',
    sheetsRootUrl: 'http://localhost:4020/',
    tokenUrl: 'http://127.0.0.1:4020/token',
  });
});

test('empty credentials and an empty user are none', () => {
  const google = load(file({ more: `google: { credentials: "\${NOPE:-}", act_as: "" }\n` })).google;
  expect('credentials' in google).toBe(false);
  expect('actAs' in google).toBe(false);
});

test.each(['calendar_root_url', 'sheets_root_url', 'token_url'])(
  '%s takes no plain http but on loopback',
  (name) => {
    expect(problemOf(file({ more: `google: { ${name}: "http://google.example/" }\n` }))).toMatchObject({
      path: `google.${name}`,
      what: expect.stringContaining('plain http'),
    });
  },
);

test.each([
  ['act_as: bob', 'google.act_as'],
  ['quotas: { calendar_per_minute: 0 }', 'google.quotas.calendar_per_minute'],
  ['timeout: 1h', 'google.timeout'],
  ['credentials: 7', 'google.credentials'],
])('%s is refused', (line, path) => {
  expect(problemOf(file({ more: `google: { ${line} }\n` })).path).toBe(path);
});

const PUBLIC = (url: string) => `platform:
  base_url: https://api.example.com/v1
  api_key: key-1
  webhook: { public_url: "${url}" }
`;

test.each([
  ['https://bridge.example.com', '', true],
  ['http://127.0.0.1:8080', '', false],
  ['http://127.0.0.1:8080', 'google: { watch: { push: true } }', true],
  ['https://bridge.example.com', 'google: { watch: { push: false } }', false],
])('at %s Google is asked to ping, unless the file says otherwise: "%s"', (url, more, push) => {
  expect(load(file({ platform: PUBLIC(url), more: `${more}\n` })).google.watch.push).toBe(push);
});

test('pings without an address are refused, with the way out', () => {
  expect(problemOf(file({ more: 'google: { watch: { push: true } }\n' }))).toMatchObject({
    path: 'google.watch.push',
    fix: expect.stringContaining('public_url'),
  });
});
