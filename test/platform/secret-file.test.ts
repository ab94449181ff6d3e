import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RaisedProblem } from '../../src/engine/problem-board.ts';
import {
  assertSecretFileIsWritable,
  assertSecretsAreStrong,
  keepSecret,
  SecretWatch,
  webhookSecrets,
} from '../../src/platform/secret-file.ts';
import { KeptLog } from '../doubles/listener.ts';
import { startTestRedis } from '../stand/redis.ts';
import { openTestStore } from '../stand/store.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-secret-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test.each([
  ['is tried', assertSecretFileIsWritable],
  ['is written', (file: string) => keepSecret(file, 'whsec_1')],
])('a secret file that %s is its owner’s alone, and so is a folder that is made for it', (_, work) => {
  const file = join(dir, 'secrets', 'webhook');
  work(file);
  expect([modeOf(file), modeOf(dirname(file))]).toEqual(['600', '700']);
});

test('whoever reads the secret file while a secret is added reads all that stood there before', () => {
  const file = join(dir, 'webhook');
  keepSecret(file, 'whsec_1');
  const reading = openSync(file, 'r');
  keepSecret(file, 'whsec_2');
  expect(readFileSync(reading, 'utf8')).toBe('whsec_1\n');
  closeSync(reading);
  expect(readFileSync(file, 'utf8')).toBe('whsec_2\nwhsec_1\n');
});

test('a secret file behind a link stays behind it', () => {
  const [file, link] = [join(dir, 'webhook'), join(dir, 'link')];
  keepSecret(file, 'whsec_1');
  symlinkSync(file, link);
  keepSecret(link, 'whsec_2');
  expect(readFileSync(file, 'utf8')).toBe('whsec_2\nwhsec_1\n');
});

test('a secret is known from the next delivery on, although the file was written twice in one tick of its clock', () => {
  const file = join(dir, 'webhook');
  const writeAtOneTime = (text: string) => {
    writeFileSync(file, text);
    utimesSync(file, 1_000, 1_000);
  };
  // A writer that empties the file first has been seen in between.
  writeAtOneTime('');
  const secrets = webhookSecrets({ secrets: ['whsec_0'], secretFile: file });
  expect(secrets()).toEqual(['whsec_0']);
  writeAtOneTime('whsec_1\n');
  expect(secrets()).toEqual(['whsec_0', 'whsec_1']);
});

test('P1: a secret file that can no longer be read leaves the last secrets in force, which is told once', async () => {
  const redis = await startTestRedis();
  const store = openTestStore(redis.url);
  try {
    await store.ready();
    const file = join(dir, 'webhook');
    keepSecret(file, 'whsec_1');
    const log = new KeptLog();
    const webhook = { secrets: [], secretFile: file };
    const watch = new SecretWatch({ webhook, problems: store.problems, log });
    // Whoever runs the tests may read every file, but nobody reads a folder as one.
    rmSync(file);
    mkdirSync(file);
    expect([watch.read(), watch.read()]).toEqual([['whsec_1'], ['whsec_1']]);
    await watch.look();
    expect((await store.problems.list()).map(({ code }) => code)).toEqual(['secret-file-unreadable']);
    rmSync(file, { recursive: true });
    keepSecret(file, 'whsec_2');
    expect(watch.read()).toEqual(['whsec_2']);
    await watch.look();
    expect(await store.problems.list()).toEqual([]);
    expect(log.lines.map(({ level }) => level)).toEqual(['error', 'info']);
  } finally {
    store.close();
    await redis.stop();
  }
});

test('P8: a secret file that can be read again ends the problem, also when its write was reported as failed', async () => {
  const shown = new Set<string>();
  const problems = {
    raise: async ({ code }: RaisedProblem) => {
      shown.add(code);
      throw new Error('no answer in time');
    },
    clear: async () => shown.clear(),
  };
  const file = join(dir, 'webhook');
  keepSecret(file, 'whsec_1');
  const watch = new SecretWatch({ webhook: { secrets: [], secretFile: file }, problems, log: new KeptLog() });
  rmSync(file);
  mkdirSync(file);
  await watch.look();
  expect([...shown]).toEqual(['secret-file-unreadable']);
  rmSync(file, { recursive: true });
  keepSecret(file, 'whsec_2');
  await watch.look();
  expect([...shown]).toEqual([]);
});

test('a worker does not start with a secret file that it cannot read', () => {
  const webhook = { secretFile: dir, signature: 'timestamped' } as const;
  expect(() => assertSecretsAreStrong(webhook)).toThrow(
    expect.objectContaining({ family: 'terminal', code: 'secret-file-unreadable' }),
  );
});

test('a disk without room leaves the secrets that stand as they are', () => {
  const file = join(dir, 'webhook-secret');
  writeFileSync(file, 'whsec_old\n');
  // What is written beside the file goes to a device that is always full.
  symlinkSync('/dev/full', `${file}.new`);
  expect(() => keepSecret(file, 'whsec_new')).toThrow(
    expect.objectContaining({ code: 'secret-file-unwritable', message: expect.stringContaining('ENOSPC') }),
  );
  expect(readFileSync(file, 'utf8')).toBe('whsec_old\n');
});
