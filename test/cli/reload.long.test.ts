import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keySpace } from '../../src/engine/key-space.ts';
import { RedisProcesses } from '../../src/engine/processes.ts';
import { openRedis } from '../../src/engine/redis-client.ts';
import { type MortalRedis, startMortalRedis } from '../stand/mortal-redis.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { listeningUrl, startWorkerProcess } from '../stand/worker-process.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

let redis: MortalRedis;
let world: World;
let worker: Awaited<ReturnType<typeof startWorkerProcess>>;
let config: string;

beforeEach(async () => {
  redis = await startMortalRedis();
  world = await startWorld({ redis });
  const port = await world.door();
  await world.subscribe(port);
  worker = await startWorkerProcess(world, port);
  config = join(world.dir, `slotbridge-${port}-worker.yaml`);
  worker.start();
  await worker.untilReady();
});
afterEach(async () => {
  await worker.kill();
  await world.close();
});

const log = () => readFileSync(join(world.dir, 'worker.log'), 'utf8');
const edit = (from: string, to: string) => {
  const text = readFileSync(config, 'utf8');
  expect(text).toContain(from);
  writeFileSync(config, text.replace(from, to));
};
const hangUp = () => process.kill(worker.pid() ?? 0, 'SIGHUP');
const listening = () => log().split('"msg":"listening"').length - 1;

/** The worker listens at a port of its own choice, and says so each time. */
async function untilListening(times: number): Promise<void> {
  await vi.waitFor(() => expect(listening()).toBe(times), { timeout: PATIENCE_MS, interval: 50 });
  const last = log()
    .split('\n')
    .filter((line) => line.includes('"msg":"listening"'))
    .at(-1);
  world.leadDoor(worker.port, listeningUrl(`${last}\n`, worker.pid()) ?? '');
  await worker.untilReady();
}

const titles = () => world.events(ANNA).map(({ summary }) => String(summary));

test('under deliveries a new mapping is taken up in the same process: nothing is lost, nothing doubled', async () => {
  const pid = worker.pid();
  world.book({ hours: 23 });
  const before = await world.untilIdle(worker.url);
  for (let hours = 24; hours < 28; hours += 1) world.book({ hours });
  edit('title: "{{ service_name }}, {{ customer_name }}"', 'title: "New: {{ customer_name }}"');
  hangUp();
  for (let hours = 28; hours < 34; hours += 1) world.book({ hours });
  await untilListening(2);
  world.book({ hours: 34 });
  await world.untilIdle(worker.url);
  expect(titles()).toHaveLength(12);
  for (const title of titles()) expect(title).toMatch(/^New: /);
  expect(worker.pid()).toBe(pid);
  expect(log()).toContain('"changes":["mirror staff-calendars changed"]');
  // For people it is the same worker, with all that it has written.
  const client = openRedis(world.redis.url, 'commands');
  const parts = { redis: client, keys: keySpace('slotbridge'), clock: { now: Date.now } };
  const processes = new RedisProcesses(parts);
  expect(await processes.seenSince(0)).toMatchObject([{ pid }]);
  await vi.waitFor(
    async () =>
      expect((await world.status(worker.url)).lag_s.samples).toBeGreaterThanOrEqual(titles().length),
    { timeout: 120_000 },
  );
  expect((await world.status(worker.url)).started_at).toBe(before.started_at);
  // A log line that names an address gives digits that only this installation has.
  world.google.revokeAccess(ANNA);
  world.book({ hours: 36 });
  await vi.waitFor(() => expect(log()).toContain('[email '), { timeout: PATIENCE_MS });
  const unsalted = createHash('sha256').update(ANNA).digest('hex').slice(0, 6);
  expect(log()).not.toContain(`[email ${unsalted}]`);
  expect(await worker.stop()).toBe(0);
  expect(await processes.seenSince(0)).toEqual([]);
  client.disconnect();
});

atLength.test(
  'an invalid YAML leaves the running mapping at work, and the log says what check would say',
  async () => {
    edit('mirrors:', 'surprise: true\nmirrors:');
    hangUp();
    await vi.waitFor(() => expect(log()).toContain('the running one is kept'), { timeout: PATIENCE_MS });
    expect(log()).toMatch(/-worker\.yaml:\d+:\d+ +surprise/);
    expect(listening()).toBe(1);
    world.book({ hours: 24 });
    const rejected = await world.untilIdle(worker.url);
    expect(titles()).toHaveLength(1);
    expect(rejected.problems).toMatchObject([
      {
        code: 'configuration-rejected',
        message: expect.stringMatching(/one problem in .*, line \d+$/),
        names: [expect.stringMatching(/-worker\.yaml:\d+$/)],
      },
    ]);
    edit('surprise: true\nmirrors:', 'mirrors:');
    hangUp();
    await vi.waitFor(() => expect(log()).toContain('the configuration has not changed'), {
      timeout: PATIENCE_MS,
    });
    expect((await world.untilIdle(worker.url)).problems).toEqual([]);
  },
);

atLength.test('a mapping that turns out not to work makes room for the former one', async () => {
  edit('Anna Petrova:', 'Nobody:');
  hangUp();
  await vi.waitFor(() => expect(log()).toContain('going back to the former one'), { timeout: PATIENCE_MS });
  await untilListening(3);
  world.book({ hours: 24 });
  const { problems } = await world.untilIdle(worker.url);
  expect(titles()).toHaveLength(1);
  expect(problems.map(({ code }) => code)).toContain('configuration-rejected');
});

atLength.test(
  'while Redis is unavailable, a new configuration waits like a running worker: it neither ends nor reverts',
  async () => {
    await redis.kill();
    edit('title: "{{ service_name }}, {{ customer_name }}"', 'title: "New: {{ customer_name }}"');
    hangUp();
    await vi.waitFor(() => expect(log()).toContain('the new configuration waits for it'), {
      timeout: PATIENCE_MS,
    });
    await redis.revive();
    await untilListening(2);
    world.book({ hours: 24 });
    await world.untilIdle(worker.url);
    expect(titles()).toEqual([expect.stringMatching(/^New: /)]);
    expect(log()).not.toContain('going back');
  },
);
