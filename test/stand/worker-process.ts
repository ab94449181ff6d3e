import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from './port.ts';
import type { World } from './world.ts';

/** The built program: `npm test` builds it before any test runs. */
export const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;

/** A worker in a process of its own, which can be killed and started again at the same address. */
export async function startWorkerProcess(world: World, atPort?: number) {
  const port = atPort ?? (await freePort());
  const config = world.writeConfig(port);
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  const start = (): void => {
    const log = openSync(join(world.dir, 'worker.log'), 'a');
    child = spawn(process.execPath, [MAIN, 'start', '--config', config], { stdio: ['ignore', log, log] });
  };
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const running = child;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null)
      return running?.exitCode ?? null;
    const exited = new Promise<number | null>((done) => running.once('exit', (code) => done(code)));
    running.kill(signal);
    return exited;
  };
  return {
    port,
    url,
    start,
    pid: () => child?.pid,
    kill: () => end('SIGKILL'),
    /** It stands still where it is, as on a machine that swaps or is moved; `thaw` lets it go on. */
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    stop: () => end('SIGTERM'),
    untilReady: (timeoutMs = 15_000) =>
      vi.waitFor(
        async () => {
          const answer = await fetch(`${url}/readyz`);
          if (!answer.ok) throw new Error(`not ready: ${await answer.text()}`);
        },
        { timeout: timeoutMs, interval: 50 },
      ),
  };
}
