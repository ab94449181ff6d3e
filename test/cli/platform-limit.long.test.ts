// The platform's limit is a window of two seconds here, with fewer requests than the command needs.

import { spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSession } from '../../src/worker/operator-session.ts';
import { runHere } from '../stand/command.ts';
import { rowsOf } from '../stand/runs.ts';
import { MAIN } from '../stand/worker-process.ts';
import { startWorld, type World } from '../stand/world.ts';

const WINDOW_MS = 2_000;
let world: World;
let config: string;
let port: number;

beforeEach(async () => {
  world = await startWorld({ platform: { rateLimitWindowMs: WINDOW_MS } });
  port = await world.door();
  await world.subscribe(port);
  config = world.writeConfig(port);
  const worker = await world.startWorker(port);
  for (let hours = 24; hours < 27; hours += 1) world.book({ hours });
  await world.untilIdle(worker.url);
  await worker.stop();
  world.platform.rateLimitPerMinute = 4;
});
afterEach(() => world.close());

const COMMANDS = rowsOf(
  [
    ['audit', ['audit', '--json']],
    ['plan', ['plan', '--json']],
  ],
  2,
);

test.each(COMMANDS)('%s outlasts the limit, says so, and does so again at once', async (_, args) => {
  for (let run = 0; run < 2; run += 1) {
    const { code, stdout, stderr } = await runHere([...args, '--config', config]);
    expect(stderr).toMatch(/^waits \d s for the platform's limit$/m);
    expect([code, stderr.includes('platform-rate-limited')]).toEqual([0, false]);
    const found = JSON.parse(stdout) as { objects: number; differences?: unknown[] };
    expect(found.objects).toBeGreaterThanOrEqual(3);
    expect(found.differences ?? []).toEqual([]);
  }
});

test('an audit outlasts a connection that is lost amid it, and says so', async () => {
  world.platform.faults.add({ path: /\/contacts\?/, times: 1, fault: { kind: 'reset' } });
  world.platform.rateLimitPerMinute = 1_000;
  const { code, stdout, stderr } = await runHere(['audit', '--json', '--config', config]);
  expect(stderr).toMatch(/^waits 1 s: .*\(platform-unreachable\)$/m);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { differences: [] }]);
});

test('a comparison of the console outlasts it too, and ends when it is closed', async () => {
  const said: string[] = [];
  const stop = new AbortController();
  const session = await openSession(
    world.config(port),
    { now: Date.now },
    { onWait: ({ whose }) => said.push(whose), signal: stop.signal },
  );
  try {
    const about = { tell: () => undefined, progress: () => undefined };
    expect((await session.audit(about)).objects).toBeGreaterThanOrEqual(3);
    expect(said).toContain('platform');
    world.platform.rateLimitPerMinute = 0;
    const endless = session.audit(about);
    stop.abort();
    await expect(endless).rejects.toMatchObject({ code: 'platform-rate-limited' });
  } finally {
    await session.close();
  }
});

test('how long it lasts is estimated before it begins', async () => {
  const { stderr } = await runHere(['audit', '--config', config]);
  expect(stderr).toMatch(
    /^About \d+ requests to the platform and \d+ to Google, at least \d+ min at the platform's limit; nothing is written\.$/m,
  );
});

test('Ctrl-C ends a command that waits', async () => {
  world.platform.rateLimitPerMinute = 0;
  const child = spawn(process.execPath, [MAIN, 'audit', '--config', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((done) => child.once('exit', (code, signal) => done(signal ?? code)));
  let stderr = '';
  const waits = new Promise<void>((done) => {
    child.stderr.on('data', (text) => {
      stderr += String(text);
      if (stderr.includes("for the platform's limit")) done();
    });
  });
  await Promise.race([waits, ended]);
  expect(stderr).toContain("for the platform's limit");
  child.kill('SIGINT');
  expect(await ended).toBe('SIGINT');
});
