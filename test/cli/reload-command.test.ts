import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownIdentity } from '../../src/engine/folder-lock.ts';
import { keySpace } from '../../src/engine/key-space.ts';
import { RedisProcesses } from '../../src/engine/processes.ts';
import { openRedis } from '../../src/engine/redis-client.ts';
import { reloadWorkers } from '../../src/operate/reload.ts';
import { runHere } from '../stand/command.ts';
import { atLength } from '../stand/runs.ts';
import { startWorkerProcess } from '../stand/worker-process.ts';
import { startWorld, type World } from '../stand/world.ts';

let world: World;
let worker: Awaited<ReturnType<typeof startWorkerProcess>>;
let config: string;

beforeAll(async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  worker = await startWorkerProcess(world, port);
  config = configOf(port);
  worker.start();
  await worker.untilReady();
});
afterAll(async () => {
  await worker.kill();
  await world.close();
});

const configOf = (port: number) => join(world.dir, `slotbridge-${port}-worker.yaml`);
const edit = (from: string, to: string) => {
  const text = readFileSync(config, 'utf8');
  expect(text).toContain(from);
  writeFileSync(config, text.replace(from, to));
};
const reload = () => runHere(['reload', '--config', config]);

test('says what changed once it is at work, and that nothing changed the next time', async () => {
  edit('title: "{{ service_name }}, {{ customer_name }}"', 'title: "New: {{ customer_name }}"');
  const changed = await reload();
  expect(changed).toMatchObject({ code: 0, stderr: '' });
  const who = `process ${worker.pid()} on ${ownIdentity()?.place.split(' ').at(-1)}`;
  expect(changed.stdout).toBe(`${who}: the new YAML is at work: mirror staff-calendars changed.\n`);
  expect(await reload()).toMatchObject({ code: 0, stdout: `${who}: nothing has changed.\n` });
});

test('says why a YAML was rejected, with the exit code of check, also if that shows only at work', async () => {
  edit('mirrors:', 'surprise: true\nmirrors:');
  const invalid = await reload();
  expect(invalid.code).toBe(78);
  expect(invalid.stdout).toMatch(
    /: rejected the new YAML: one problem in .*, line \d+\. The former one is at work\./,
  );
  edit('surprise: true\nmirrors:', 'mirrors:');
  edit('Anna Petrova:', 'Nobody:');
  const unknown = await reload();
  expect(unknown.code).toBe(78);
  expect(unknown.stdout).toMatch(
    /: rejected the new YAML: .*\(mapping-unresolved\)\. The former one is at work\./,
  );
  edit('Nobody:', 'Anna Petrova:');
  expect((await reload()).stdout).toContain('nothing has changed');
});

atLength.test('reaches every worker of this machine, and names those that it cannot reach', async () => {
  const port = await world.door();
  const second = await startWorkerProcess(world, port);
  writeFileSync(configOf(port), readFileSync(config, 'utf8').replace(/port: \d+/, 'port: 0'));
  second.start();
  await second.untilReady();
  const redis = openRedis(world.redis.url, 'commands');
  const parts = { redis, keys: keySpace('slotbridge'), clock: { now: Date.now } };
  const registered = async (place: string, atMs = Date.now()) => {
    const own = { place, pid: 7, startedAt: '1' };
    await new RedisProcesses({ ...parts, clock: { now: () => atMs }, own, takesReload: true }).register();
  };
  await registered('boot pid:[1] time:[1] worker-b');
  await registered('boot pid:[1] time:[1] worker-gone', Date.now() - 3_600_000);
  const { code, stdout } = await reload();
  expect(code).toBe(0);
  expect(stdout).toContain(`process ${worker.pid()} on`);
  expect(stdout).toContain(`process ${second.pid()} on`);
  expect(stdout).toContain('process 7 on worker-b: not reached.');
  expect(stdout).not.toContain('worker-gone');
  await second.stop();
  redis.disconnect();
});

test('a process that takes no reload is not signalled, and with no worker the command fails', async () => {
  const redis = openRedis(world.redis.url, 'commands');
  const parts = { redis, keys: keySpace('elsewhere'), clock: { now: Date.now } };
  // This test's own process: the signal would end it.
  const processes = new RedisProcesses(parts);
  await processes.register();
  expect(await reloadWorkers({ ...parts, processes, own: ownIdentity(), withinMs: 0 })).toEqual({
    reached: [],
    elsewhere: [],
  });
  redis.disconnect();
  const path = join(world.dir, 'alone.yaml');
  writeFileSync(path, readFileSync(config, 'utf8').replace('redis: {', 'redis: { prefix: alone,'));
  const none = await runHere(['reload', '--config', path]);
  expect(none.code).toBe(1);
  expect(none.stdout).toContain('No worker of this machine');
});
