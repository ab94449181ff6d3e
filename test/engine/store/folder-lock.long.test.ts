import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lockFolder } from '../../../src/engine/folder-lock.ts';
import { locatePrivateRedis, startPrivateRedis } from '../../../src/engine/private-redis.ts';
import { openRedis } from '../../../src/engine/redis-client.ts';

let dir: string;
const started: ChildProcess[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sb-lock-'));
});
afterEach(async () => {
  for (const each of started.splice(0)) await killed(each);
  rmSync(dir, { recursive: true, force: true });
});

async function killed(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const gone = new Promise((done) => process.once('exit', done));
  process.kill('SIGKILL');
  await gone;
}

const ROOM = join(import.meta.dirname, '..', '..', '..', 'src', 'engine');
const srcOf = (file: string) => JSON.stringify(pathToFileURL(join(ROOM, file)).href);

/** As a container does: its processes are numbered from 1, and die with the first. */
const CONTAINER = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const hasContainers = spawnSync(CONTAINER[0] ?? '', [...CONTAINER.slice(1), 'true']).status === 0;

/** What the process says first. */
async function say(inContainer: boolean, work: string): Promise<{ process: ChildProcess; said: string }> {
  const node = [process.execPath, '--import', import.meta.resolve('tsx'), '--input-type=module', '-e', work];
  const [program = '', ...args] = inContainer ? [...CONTAINER, ...node] : node;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  const said = await new Promise<string>((done, reject) => {
    child.stdout.once('data', (text) => done(String(text).trim()));
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
  });
  return { process: child, said };
}

const WORKER = () => `
  import { startPrivateRedis } from ${srcOf('private-redis.ts')};
  const start = () => startPrivateRedis(${JSON.stringify(dir)});
  start().then(() => console.log(process.pid, 'started'), (error) => console.log(process.pid, error.code));
  setInterval(() => {}, 1000);`;

const HOLDER = (options: string) => `
  import { lockFolder } from ${srcOf('folder-lock.ts')};
  await lockFolder(${JSON.stringify(dir)}, ${options});
  console.log('holds');
  setInterval(() => {}, 1000);`;

async function inRedis<Result>(
  work: (redis: ReturnType<typeof openRedis>) => Promise<Result>,
): Promise<Result> {
  const redis = openRedis(`unix://${join(dir, 'redis', 'redis.sock')}`, 'queue');
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

const logged = (said: string) =>
  spawnSync('grep', ['-c', said, join(dir, 'redis', 'redis.log')])
    .stdout.toString()
    .trim();

const filesIn = (folder: string) => readdirSync(folder).filter((name) => /^o.{9}$/.test(name));

async function untilAnnounced(count: number): Promise<string> {
  await vi.waitUntil(() => filesIn(join(dir, 'redis')).length === count, { interval: 5, timeout: 120_000 });
  return 'announced';
}

test.runIf(hasContainers)(
  'P1 P2: of two containers with one data folder, the second is refused, and the next one starts once the first was killed',
  async () => {
    const first = await say(true, WORKER());
    expect(first.said).toBe('1 started');
    await inRedis((redis) => redis.set('key', 'value'));
    const second = await say(true, WORKER());
    expect(second.said).toBe('1 data-folder-in-use');
    expect(logged('Server initialized')).toBe('1');
    await killed(first.process);
    const third = await say(true, WORKER());
    expect(third.said).toBe('1 started');
    expect(await inRedis((redis) => redis.get('key'))).toBe('value');
  },
);

test('P2: of workers that start at the same moment, one holds the data folder', async () => {
  const locks = await Promise.allSettled(Array.from({ length: 6 }, () => lockFolder(dir)));
  const held = locks.filter((each) => each.status === 'fulfilled');
  expect(held).toHaveLength(1);
  for (const each of locks)
    if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'data-folder-in-use' });
  held[0]?.value.release();
  (await lockFolder(dir)).release();
});

test('a worker that stands still holds its data folder', async () => {
  const { process: worker } = await say(false, HOLDER('{}'));
  worker.kill('SIGSTOP');
  await expect(lockFolder(dir)).rejects.toMatchObject({
    code: 'data-folder-in-use',
    message: expect.stringContaining('stands still'),
  });
  worker.kill('SIGCONT');
  await killed(worker);
  (await lockFolder(dir)).release();
});

test('P2: another machine holds the data folder while it touches its file there, and loses it afterwards', async () => {
  const { process: worker } = await say(false, HOLDER(`{ bootId: 'another' }`));
  await killed(worker);
  const [file = ''] = readdirSync(dir);
  const beat = setInterval(() => utimesSync(join(dir, file), new Date(), new Date()), 10);
  try {
    await expect(lockFolder(dir, { silentAfterMs: 300 })).rejects.toMatchObject({
      code: 'data-folder-in-use',
      message: expect.stringContaining('another machine'),
    });
  } finally {
    clearInterval(beat);
  }
  const lock = await lockFolder(dir, { silentAfterMs: 300 });
  expect(readdirSync(dir)).not.toContain(file);
  lock.release();
  expect(readdirSync(dir)).toEqual([]);
});

test('P2: a worker that was taken for dead ends its Redis as soon as it notices', async () => {
  let ended = (_: string) => {};
  const said = new Promise<string>((done) => {
    ended = done;
  });
  const former = await startPrivateRedis(dir, { onEnded: ({ advice }) => ended(advice) });
  await inRedis((redis) => redis.set('key', 'value'));
  for (const name of filesIn(join(dir, 'redis'))) rmSync(join(dir, 'redis', name));
  expect(await said).toContain('Another process');
  const redis = await startPrivateRedis(dir);
  expect(redis.pid).not.toBe(former.pid);
  expect(await inRedis((client) => client.get('key'))).toBe('value');
  await former.stop();
  await expect(startPrivateRedis(dir)).rejects.toMatchObject({ code: 'data-folder-in-use' });
  await redis.stop();
});

test('P1: a command that ends while a worker asks it is gone, at whatever moment it ends', async () => {
  for (let turns = 0; turns < 20; turns += 1) {
    const command = await lockFolder(dir, { isBrief: true });
    const worker = lockFolder(dir);
    for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((done) => process.nextTick(done));
    command.release();
    (await worker).release();
  }
});

test('P1: a worker that is started while a command has its Redis waits for the end of the command', async () => {
  const command = await locatePrivateRedis(dir, { sharing: true });
  await inRedis((redis) => redis.set('key', 'value'));
  const worker = locatePrivateRedis(dir, {});
  // It announces itself before it looks for others.
  const started = Promise.race([worker.then(() => 'started'), untilAnnounced(2)]);
  expect(await started).toBe('announced');
  await command.own?.stop();
  const { own } = await worker;
  expect(await inRedis((redis) => redis.get('key'))).toBe('value');
  await own?.stop();
});
