import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runHere } from '../stand/command.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { listeningUrl, startWorkerProcess } from '../stand/worker-process.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

let world: World;
let worker: Awaited<ReturnType<typeof startWorkerProcess>>;
let config: string;

beforeEach(async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  worker = await startWorkerProcess(world, port);
  config = join(world.dir, `slotbridge-${port}-worker.yaml`);
  edit(/redis: \{ url: .*/, `redis: { data_dir: "${join(world.dir, 'data')}" }`);
  worker.start();
  await worker.untilReady();
});
afterEach(async () => {
  // Gently: the private Redis ends with its worker.
  await worker.stop();
  await world.close();
});

const lines = (message: string) =>
  readFileSync(join(world.dir, 'worker.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`));

function edit(from: RegExp, to: string): void {
  const text = readFileSync(config, 'utf8');
  expect(text).toMatch(from);
  writeFileSync(config, text.replace(from, to));
}

async function untilListening(times: number): Promise<void> {
  await vi.waitFor(() => expect(lines('listening')).toHaveLength(times), {
    timeout: PATIENCE_MS,
    interval: 50,
  });
  world.leadDoor(worker.port, listeningUrl(`${lines('listening').at(-1)}\n`, worker.pid()) ?? '');
  await worker.untilReady();
}

test('a reload starts the private Redis again with all that it held: nothing is lost, and nothing is read anew', async () => {
  const pid = worker.pid() ?? 0;
  for (let hours = 24; hours < 28; hours += 1) world.book({ hours });
  await world.untilIdle(worker.url);
  const firstStarts = () => lines('resync begins').filter((line) => line.includes('first-start')).length;
  expect(firstStarts()).toBe(1);
  edit(/title: "\{\{ service_name \}\}, \{\{ customer_name \}\}"/, 'title: "New: {{ customer_name }}"');
  process.kill(pid, 'SIGHUP');
  // Booked while nobody may be listening: the feed tells it.
  for (let hours = 28; hours < 32; hours += 1) world.book({ hours });
  await untilListening(2);
  await world.untilIdle(worker.url);
  const titles = world.events(ANNA).map(({ summary }) => String(summary));
  expect(titles).toHaveLength(8);
  for (const title of titles) expect(title).toMatch(/^New: /);
  expect(worker.pid()).toBe(pid);
  expect(firstStarts()).toBe(1);
});

test('`slotbridge reload` waits through the restart of the private Redis in which it looks', async () => {
  edit(/title: "\{\{ service_name \}\}, \{\{ customer_name \}\}"/, 'title: "New: {{ customer_name }}"');
  expect(await runHere(['reload', '--config', config])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('the new YAML is at work: mirror staff-calendars changed.'),
  });
});
