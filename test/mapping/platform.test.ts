import { expect, test } from 'vitest';
import { file, load, PLATFORM, problemOf, problemsOf } from './fixture.ts';

const withPlatform = (lines: string) => file({ platform: `${PLATFORM}${lines}` });
const withUrl = (url: string) => file({ platform: `platform:\n  api_key: key-1\n  base_url: ${url}\n` });

test('a file with address, key and one mirror is enough; the rest has defaults', () => {
  const { platform } = load(file({}));
  expect(platform).toMatchObject({ baseUrl: 'https://api.example.com/v1', apiKey: 'key-1' });
  expect(platform.webhook).toMatchObject({ secrets: [], signature: 'timestamped', reenable: false });
  expect(platform.resync.kinds).toEqual(['appointment', 'contact', 'conversation']);
});

test('address and key are required, and missed at their parent', () => {
  expect(problemsOf(file({ platform: 'platform:\n  timeout: 1s\n' }))).toMatchObject([
    { path: 'platform.base_url', line: 1, column: 1, what: 'is missing or empty' },
    { path: 'platform.api_key', line: 1, column: 1, what: 'is missing or empty' },
  ]);
});

test('a required setting without a value is missed in its own line', () => {
  const platform = 'platform:\n  base_url: https://api.example.com/v1\n  api_key:\n';
  expect(problemOf(file({ platform }))).toMatchObject({ path: 'platform.api_key', line: 3, column: 3 });
});

test('without a section platform its settings are missed at the top of the file', () => {
  expect(problemsOf(file({ platform: '' }))).toMatchObject([
    { path: 'platform.base_url', line: 1 },
    { path: 'platform.api_key', line: 1 },
  ]);
});

test.each([
  ['https://api.example.com/v1', 'https://api.example.com/v1'],
  ['https://api.example.com/v1/', 'https://api.example.com/v1'],
  ['https://example.com:8443/customer/api/v2', 'https://example.com:8443/customer/api/v2'],
  ['http://127.0.0.1:4010/v1', 'http://127.0.0.1:4010/v1'],
  ['http://localhost:4010/v1', 'http://localhost:4010/v1'],
  ['"http://[::1]:4010/v1"', 'http://[::1]:4010/v1'],
])('the address %s is taken', (written, taken) => {
  expect(load(withUrl(written)).platform.baseUrl).toBe(taken);
});

test.each([
  ['http://api.example.com/v1', 'plain http'],
  ['http://127.0.0.1.example.com/v1', 'plain http'],
  ['https://api.example.com', 'version segment'],
  ['https://api.example.com/v1/contacts', 'version segment'],
  ['https://user:secret@api.example.com/v1', 'login or a password'],
  ['https://api.example.com/v1?key=1', 'query or a fragment'],
  ['ftp://api.example.com/v1', 'not a web address'],
  ['api.example.com/v1', 'not a web address'],
  ['"https://api.example .com/v1"', 'not a web address'],
  ['[https://api.example.com/v1]', 'not a web address'],
])('the address %s is refused', (written, reason) => {
  const problem = problemOf(withUrl(written));
  expect(problem).toMatchObject({ path: 'platform.base_url', line: 3 });
  expect(problem.what).toContain(reason);
});

test('an address without its version says how it ends', () => {
  expect(problemOf(withUrl('https://api.example.com')).fix).toContain('/v1');
});

test('a password in an address is in no message', () => {
  expect(JSON.stringify(problemsOf(withUrl('https://user:hunter2@api.example.com/v1')))).not.toContain(
    'hunter2',
  );
});

test('a key that no header can carry is refused without showing it', () => {
  const problem = problemOf(
    file({ platform: 'platform:\n  base_url: https://a.example/v1\n  api_key: "hunter2 ключ"\n' }),
  );
  expect(problem.path).toBe('platform.api_key');
  expect(problem.what + problem.fix).not.toContain('hunter2');
});

test('a key made of digits needs quotes, and the message says so without showing it', () => {
  const problem = problemOf(
    file({ platform: 'platform:\n  base_url: https://a.example/v1\n  api_key: 123456789\n' }),
  );
  expect(problem.fix).toContain('quotes');
  expect(problem.what + problem.fix).not.toContain('123456789');
});

test('empty secrets are left out, and one secret needs no list', () => {
  expect(
    load(
      withPlatform(
        `  webhook: { secrets: ["", "\${NOPE:-}", " whsec_one-of-two-secrets ", whsec_two-of-two-secrets] }\n`,
      ),
    ).platform.webhook.secrets,
  ).toEqual(['whsec_one-of-two-secrets', 'whsec_two-of-two-secrets']);
  expect(
    load(withPlatform('  webhook: { secrets: whsec_one-of-two-secrets }\n')).platform.webhook.secrets,
  ).toEqual(['whsec_one-of-two-secrets']);
  expect(load(withPlatform('  webhook:\n    secrets:\n')).platform.webhook.secrets).toEqual([]);
});

test('secrets that are no texts are refused without showing them', () => {
  const problem = problemOf(withPlatform('  webhook: { secrets: [4711] }\n'));
  expect(problem.path).toBe('platform.webhook.secrets');
  expect(JSON.stringify(problem)).not.toContain('4711');
});

test.each([
  ['timestamped', 'fifteen letters'],
  ['body', 'whsec_'],
  ['standard', 'whsec_'],
  ['standard', 'whsec_!!!'],
  ['standard', '===='],
  ['standard', 'sixteen letters and more'],
  ['standard', `whsec_${Buffer.alloc(23, 7).toString('base64')}`],
  ['standard', `whsec_${Buffer.alloc(32, 7).toString('base64')}!`],
])('with signature %s the secret %s is refused without showing it', (scheme, secret) => {
  const problem = problemOf(
    withPlatform(`  webhook: { signature: ${scheme}, secrets: ["\${ONE}", "\${TWO}"] }\n`),
    { ONE: `whsec_${Buffer.alloc(24, 7).toString('base64')}`, TWO: secret },
  );
  expect(problem).toMatchObject({
    path: 'platform.webhook.secrets',
    what: expect.stringContaining('secret no. 2'),
    fix: expect.stringContaining('webhook roll-secret'),
  });
  if (secret !== 'whsec_') expect(JSON.stringify(problem)).not.toContain(secret);
});

test.each([
  ['timestamped', 'sixteen letters!'],
  ['standard', `whsec_${Buffer.alloc(24, 7).toString('base64')}`],
  ['standard', Buffer.alloc(25, 7).toString('base64').replace(/=+$/, '')],
  ['doorbell', 'short'],
])('with signature %s the secret %s is taken', (scheme, secret) => {
  const webhook = `  webhook: { signature: ${scheme}, secrets: "\${ONE}" }\n`;
  expect(load(withPlatform(webhook), { ONE: secret }).platform.webhook.secrets).toEqual([secret]);
});

test('the public address is kept without a slash at the end', () => {
  const lines = '  webhook: { public_url: https://bridge.example.com:8443/slotbridge/ }\n';
  const { publicUrl } = load(withPlatform(lines)).platform.webhook;
  expect(publicUrl).toBe('https://bridge.example.com:8443/slotbridge');
});

test('the public address may be pasted with the route, and is kept without it', () => {
  const lines = '  webhook: { public_url: "https://bridge.example.com/webhooks/platform" }\n';
  expect(load(withPlatform(lines)).platform.webhook.publicUrl).toBe('https://bridge.example.com');
});

test('a public address on a port that the platform does not deliver to is refused', () => {
  const problem = problemOf(withPlatform('  webhook: { public_url: "https://bridge.example.com:80" }\n'));
  expect(problem.what).toContain('port');
});

test('a sandbox on this machine may deliver by http', () => {
  const lines = '  webhook: { public_url: "http://127.0.0.1:8080" }\n';
  expect(load(withPlatform(lines)).platform.webhook.publicUrl).toBe('http://127.0.0.1:8080');
});

test('a limit below what the platform sends is refused: real deliveries would fail for it', () => {
  expect(problemOf(withPlatform('  webhook: { max_body: 100kb }\n'))).toMatchObject({
    path: 'platform.webhook.max_body',
    what: '"100kb" is too small',
    fix: 'write a size from 256kb to 16mb',
  });
});

test('a signature scheme that does not exist is refused with the nearest', () => {
  expect(problemOf(withPlatform('  webhook: { signature: timestamp }\n')).fix).toContain(
    'did you mean timestamped?',
  );
});

test('a header with a blank is no header', () => {
  expect(problemOf(withPlatform('  webhook: { header: "My Signature" }\n')).path).toBe(
    'platform.webhook.header',
  );
});

test('the feed is walked at most once a second', () => {
  expect(load(withPlatform('  feed: { every: 1s, overlap: 0s }\n')).platform.feed).toEqual({
    everyMs: 1_000,
    overlapMs: 0,
  });
  expect(problemOf(withPlatform('  feed: { every: 500ms }\n'))).toMatchObject({
    path: 'platform.feed.every',
    what: '"500ms" is too short',
  });
});
