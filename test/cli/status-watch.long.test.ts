import { spawn } from 'node:child_process';
import { afterEach, expect, test, vi } from 'vitest';
import { runHere } from '../stand/command.ts';
import { startMortalRedis } from '../stand/mortal-redis.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { MAIN } from '../stand/worker-process.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

/** Begins the screen anew. */
const SCREEN = '\u001b[H\u001b[J';

function inTurn(said: string, texts: readonly string[]): boolean {
  let at = 0;
  return texts.every((text) => {
    at = said.indexOf(text, at) + text.length;
    return at >= text.length;
  });
}

/** A command that runs until a signal, and all it has said. */
function running(command: string, args: readonly string[]) {
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += String(text);
    });
  return {
    said: () => said,
    hears: (texts: readonly string[]) =>
      vi.waitFor(() => expect(inTurn(said, texts)).toBe(true), { timeout: PATIENCE_MS, interval: 50 }),
    interrupted: () =>
      new Promise<number | null>((done) => {
        child.on('close', done);
        child.kill('SIGINT');
      }),
  };
}

test('--wait ends with 1 after its time while no worker works, and with 0 once all is mirrored', async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  const config = world.writeConfig(port);
  world.book();
  const alone = await runHere(['status', '--wait', '1s', '--config', config]);
  expect(alone.code).toBe(1);
  expect(alone.stdout).toMatch(/^needs a person: the worker is not running/);
  // Before the end of its time it said once, on standard error, what it waits for.
  expect(alone.stderr).toBe(`${alone.stdout.split('\n')[0]}\n`);
  await world.startWorker(port);
  const { code, stdout } = await runHere(['status', '--wait', '--json', '--config', config]);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { idle: true }]);
  expect(world.events(ANNA)).toHaveLength(1);
});

test('--wait ends with 1 when no worker runs, though nothing is known to wait', async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  const config = world.writeConfig(port);
  const worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
  await worker.stop();
  const { code, stdout } = await runHere(['status', '--wait', '1s', '--config', config]);
  expect(stdout).toMatch(/^needs a person: the worker is not running/);
  expect(code).toBe(1);
});

test('--wait outlasts a Redis that starts later, but not its own time', async () => {
  const redis = await startMortalRedis();
  world = await startWorld({ redis });
  const port = await world.door();
  await world.subscribe(port);
  const config = world.writeConfig(port);
  await redis.kill();
  const waiting = runHere(['status', '--wait', '--config', config]);
  const tried = await runHere(['status', '--wait', '0s', '--config', config]);
  expect([tried.code, tried.stdout]).toEqual([3, '']);
  await redis.revive();
  await world.startWorker(port);
  expect((await waiting).code).toBe(0);
});

test('--watch prints a line or an object at a time, and ends with 0 at Ctrl-C without a word', async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  const config = world.writeConfig(port);
  await world.startWorker(port);
  const plain = running(process.execPath, [MAIN, 'status', '--watch', '--config', config]);
  const json = running(process.execPath, [MAIN, 'status', '--watch', '--json', '--config', config]);
  await Promise.all([plain.hears(['\n']), json.hears(['\n'])]);
  expect(await Promise.all([plain.interrupted(), json.interrupted()])).toEqual([0, 0]);
  expect(plain.said()).toMatch(/^(?:\d\d:\d\d:\d\d UTC {2}\S.*\n)+$/);
  for (const line of json.said().trimEnd().split('\n'))
    expect(JSON.parse(line)).toMatchObject({ worker: 'running' });
});

test('--watch writes the whole status on a terminal, again and again on the same screen', async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  const config = world.writeConfig(port);
  await world.startWorker(port);
  const shown = running('script', [
    '-qec',
    `${process.execPath} ${MAIN} status --watch --config ${config}`,
    '/dev/null',
  ]);
  await shown.hears([SCREEN, 'quarantined', SCREEN, 'quarantined']);
  await shown.interrupted();
});

test('--watch and --wait exclude each other, and a time without a unit is refused', async () => {
  world = await startWorld();
  for (const args of [
    ['--watch', '--wait'],
    ['--wait', '10'],
  ]) {
    const { code, stdout } = await runHere(['status', ...args, '--config', world.writeConfig(0)]);
    expect([code, stdout]).toEqual([2, '']);
  }
});
