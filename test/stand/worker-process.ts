import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import { PATIENCE_MS } from './patience.ts';
import type { ProcessClock } from './process-clock.ts';
import type { World } from './world.ts';

/** The built program: `npm test` builds it before any test runs. */
export const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;

/** A worker in a process of its own, which can be killed and started again at the same address. `clock`: its wall clock, if not the real one. */
export async function startWorkerProcess(
  world: World,
  atPort?: number,
  clock?: Pick<ProcessClock, 'args' | 'env'>,
) {
  const port = atPort ?? (await world.door());
  const config = world.writeWorkerConfig(port);
  const logFile = join(world.dir, 'worker.log');
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  /** The worker listens where it can, and says where. */
  const leadTo = async (started: ChildProcess): Promise<void> => {
    while (started.exitCode === null && started.signalCode === null) {
      const told = listeningUrl(readFileSync(logFile, 'utf8'), started.pid);
      if (told !== undefined) {
        world.leadDoor(port, told);
        return;
      }
      await sleep(20);
    }
  };
  const start = (): void => {
    const log = openSync(logFile, 'a');
    child = spawn(process.execPath, [...(clock?.args ?? []), MAIN, 'start', '--config', config], {
      stdio: ['ignore', log, log],
      env: { ...process.env, ...clock?.env },
    });
    closeSync(log);
    void leadTo(child);
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
    logFile,
    start,
    pid: () => child?.pid,
    kill: () => end('SIGKILL'),
    /** It stands still where it is, as on a machine that swaps or is moved; `thaw` lets it go on. */
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    stop: () => end('SIGTERM'),
    untilReady: () =>
      vi.waitFor(
        async () => {
          const answer = await fetch(`${url}/readyz`);
          if (!answer.ok) throw new Error(`not ready: ${await answer.text()}`);
        },
        { timeout: PATIENCE_MS, interval: 50 },
      ),
  };
}

/** From the log line in which the process of that id says where it listens. */
export function listeningUrl(log: string, pid: number | undefined): string | undefined {
  // The last line may not be whole yet.
  for (const line of log.split('\n').slice(0, -1)) {
    if (!line.includes('"listening"') || !line.includes(`"pid":${pid},`)) continue;
    return (JSON.parse(line) as { url: string }).url;
  }
  return undefined;
}
