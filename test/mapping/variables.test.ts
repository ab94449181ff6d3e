import { expect, test } from 'vitest';
import { errorOf, file, load, MIRRORS, problemOf, problemsOf } from './fixture.ts';

const withKey = (value: string) =>
  file({ platform: `platform:\n  base_url: https://api.example.com/v1\n  api_key: ${value}\n` });

test('case 74: an unset variable stops the start with key path, line, column and its name', () => {
  const problem = problemOf(withKey(`\${PLATFORM_API_KEY}`));
  expect(problem).toMatchObject({ path: 'platform.api_key', line: 3, column: 12 });
  expect(problem.what).toContain('PLATFORM_API_KEY is not set');
  expect(problem.fix).toContain('set PLATFORM_API_KEY');
});

test('case 74: a variable that is set but empty stops the start as well', () => {
  expect(problemOf(withKey(`\${PLATFORM_API_KEY}`), { PLATFORM_API_KEY: '' }).what).toContain('is empty');
});

test('case 74: unset variables are found in lists, in quotes and in the middle of a text', () => {
  const platform = [
    'platform:',
    `  base_url: "https://\${HOST_A}/v1"`,
    '  api_key: key-1',
    `  webhook: { secrets: ["a secret of sixteen", '\${SECRET_B}'] }`,
    '',
  ].join('\n');
  expect(problemsOf(file({ platform }))).toMatchObject([
    { path: 'platform.base_url', line: 2, column: 13, what: expect.stringContaining('HOST_A') },
    { path: 'platform.webhook.secrets[1]', line: 4, column: 47, what: expect.stringContaining('SECRET_B') },
  ]);
});

test('all unset variables of one text are one problem', () => {
  expect(problemOf(withKey(`"\${A1}-\${B1}"`)).what).toContain('A1, B1 are not set');
});

test('an unset variable is the only problem of its setting', () => {
  const more = `http: { port: "\${PORT}" }\nredis: { url: "\${REDIS_URL}" }\n`;
  expect(problemsOf(file({ more })).map((problem) => problem.path)).toEqual(['http.port', 'redis.url']);
});

test('numbers, durations, sizes, words and flags may come from variables', () => {
  const platform = `platform:
  base_url: https://api.example.com/v1
  api_key: key-1
  timeout: \${TIMEOUT}
  webhook: { max_body: "\${BODY}", reenable: "\${REENABLE}", signature: "\${SCHEME}" }
`;
  const more = `http:\n  port: \${PORT:-8080}\n`;
  const env = { TIMEOUT: '3s', BODY: '2mb', REENABLE: 'true', SCHEME: 'standard', PORT: '9090' };
  const config = load(file({ platform, more }), env);
  expect(config.platform.timeoutMs).toBe(3_000);
  expect(config.platform.webhook).toMatchObject({
    maxBodyBytes: 2_097_152,
    reenable: true,
    signature: 'standard',
  });
  expect(config.http.port).toBe(9_090);
});

test('a key made of digits stays a text', () => {
  expect(load(withKey(`\${KEY}`), { KEY: '0012345' }).platform.apiKey).toBe('0012345');
});

test('a line break at the end of a variable is no part of the key', () => {
  expect(load(withKey(`\${KEY}`), { KEY: 'abc\n' }).platform.apiKey).toBe('abc');
});

test('YAML in a variable is text and adds no setting', () => {
  const env = { KEY: 'k"\nmirrors: {}' };
  expect(problemOf(withKey(`"\${KEY}"`), env).path).toBe('platform.api_key');
});

test('a variable in a comment is not asked for', () => {
  expect(load(`# \${NOPE}\n${file({})}`).platform.apiKey).toBe('key-1');
});

test('a variable in a name is refused instead of being taken literally', () => {
  const mirrors = MIRRORS.replace('Name:', `"\${HEADER}":`);
  const problem = problemOf(file({ mirrors }), { HEADER: 'secret-header' });
  expect(problem).toMatchObject({ line: 10, column: 7 });
  expect(problem.what).toContain('values only');
});

test('an expression that is none is refused with the forms that are', () => {
  const problem = problemOf(withKey(`\${KEY:?missing}`), { KEY: 'k' });
  expect(problem.what).toContain(`\${KEY:?missing}`);
  expect(problem.fix).toContain(`\${NAME:-default}`);
});

test('the value of a variable is in no message, whatever is wrong with it', () => {
  const text = file({
    platform: `platform:
  base_url: \${V_SECRET}
  api_key: "\${V_SECRET} x"
  timeout: \${V_SECRET}
  webhook: { public_url: "\${V_SECRET}", signature: "\${V_SECRET}", max_body: "\${V_SECRET}", reenable: "\${V_SECRET}" }
`,
    more: `redis: { url: "redis://:\${V_SECRET}@/x/y" }
google: { act_as: "\${V_SECRET}", token_url: "\${V_SECRET}", quotas: { calendar_per_minute: "\${V_SECRET}" } }
http: { port: "\${V_SECRET}" }
log: { level: "\${V_SECRET}" }
`,
    mirrors: `mirrors:
  staff:
    from: \${V_SECRET}
  other:
    from: appointments
    where: { project: "\${V_SECRET}", status: ["\${V_SECRET}"], since: "\${V_SECRET}" }
    calendars: { map: { A: "\${V_SECRET}" } }
    event: { title: "{% \${V_SECRET} %}", color: { no_show: "\${V_SECRET}" } }
  third:
    from: contacts
    sheet: { spreadsheet: "\${V_SECRET} x", tab: T, key: "\${V_SECRET}", timezone: "\${V_SECRET}" }
    columns: { ID: "{{ id }}" }
`,
  });
  const error = errorOf(text, { V_SECRET: 'hunter2' });
  expect(error.problems.length).toBeGreaterThanOrEqual(21);
  expect(JSON.stringify(error.problems) + error.message + error.format()).not.toContain('hunter2');
});
