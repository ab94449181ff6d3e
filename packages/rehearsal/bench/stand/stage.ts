// The environment of a bench: a folder, its own Redis, Google's sandbox in this process, and the worker as an operator starts it.
// Everything ends with the bench.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GoogleSandbox, type GoogleSandboxOptions } from '@slotbridge/sandbox/google/sandbox';
import { startPrivateRedis } from '../../../../src/engine/private-redis.ts';
import { ownPort } from '../../demo/own-port.ts';
import { WorkerProcess } from '../../demo/worker-process.ts';
import { type WorkerSetting, workerYaml } from './worker-yaml.ts';

/** `BENCH_MAIN`: the worker of another checkout. */
export const MAIN =
  process.env['BENCH_MAIN'] ?? fileURLToPath(new URL('../../../../dist/main.js', import.meta.url));
const READY_WITHIN_MS = 60_000;
const NOBODY = new AbortController().signal;
/** The image and the unit of systemd set the same. */
const AS_SERVED = ['--v8-pool-size=1'];

export interface WorkerWish
  extends Omit<WorkerSetting, 'googleUrl' | 'port' | 'publicPort' | 'keyFile' | 'redisUrl'> {
  /**
   * V8's heap limit. Without one, V8 keeps garbage while the machine has memory, and the process size does not show what the
   * worker needs.
   */
  readonly heapMib?: number;
}

export interface Stage {
  readonly folder: string;
  readonly redisUrl: string;
  readonly redisPid: number;
  readonly google: GoogleSandbox;
  /** A free address for the worker, known before it runs, so that an endpoint can be created. */
  readonly workerUrl: string;
  /** Adds a release step. Steps run in reverse order. */
  push(release: () => Promise<unknown> | unknown): void;
  /** Starts the worker of `dist/` as a separate process and waits until it is ready. */
  startWorker(setting: WorkerWish): Promise<WorkerProcess>;
  /** Starts one more worker on the same Redis, at an address that neither the platform nor Google uses. */
  startAnother(setting: WorkerWish): Promise<WorkerProcess>;
  close(): Promise<void>;
}

export async function setStage(options: GoogleSandboxOptions = {}): Promise<Stage> {
  const releases: (() => Promise<unknown> | unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const release of releases.splice(0).reverse()) await release();
  };
  try {
    // Keep the name short: the socket of the private Redis is in this folder.
    const folder = mkdtempSync(join(tmpdir(), 'sb-bench-'));
    releases.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
    const redis = await startPrivateRedis(folder);
    releases.push(() => redis.stop());
    const google = await GoogleSandbox.start({ seed: 1, ...options });
    releases.push(() => google.close());
    const keyFile = join(folder, 'google-key.json');
    writeFileSync(keyFile, JSON.stringify(google.serviceAccountKey()), { mode: 0o600 });
    const port = await ownPort();
    const pids = new Set<() => number | undefined>([() => redis.pid]);
    const lastWill = (): void => abandon(pids, folder);
    process.on('exit', lastWill);
    releases.push(() => process.off('exit', lastWill));
    let started = 0;
    const startAt = async (
      listenPort: number,
      { heapMib, ...setting }: WorkerWish,
    ): Promise<WorkerProcess> => {
      started += 1;
      const configFile = join(folder, `slotbridge-${started}.yaml`);
      const places = { googleUrl: google.url, port: listenPort, keyFile, redisUrl: redis.url };
      writeFileSync(configFile, workerYaml({ publicPort: port, ...setting, ...places }), { mode: 0o600 });
      const worker = new WorkerProcess({
        command: [
          process.execPath,
          ...AS_SERVED,
          ...bounds(heapMib),
          ...profiling(),
          MAIN,
          'start',
          '--config',
          configFile,
        ],
        folder,
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_PROXY: '127.0.0.1,localhost' },
        url: `http://127.0.0.1:${listenPort}`,
        logFile: join(folder, `worker-${started}.log`),
      });
      pids.add(() => worker.pid);
      releases.push(() => worker.stop());
      worker.start();
      await worker.untilReady(READY_WITHIN_MS, NOBODY);
      return worker;
    };
    return {
      folder,
      redisUrl: redis.url,
      redisPid: redis.pid,
      google,
      workerUrl: `http://127.0.0.1:${port}`,
      push: (release) => releases.push(release),
      close,
      startWorker: (setting) => startAt(port, setting),
      startAnother: async (setting) => startAt(await ownPort(), setting),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function bounds(heapMib: number | undefined): string[] {
  return heapMib === undefined ? [] : [`--max-old-space-size=${heapMib}`];
}

/** `BENCH_PROFILE=<folder>`: each worker writes its CPU profile there when it ends. */
function profiling(): string[] {
  const folder = process.env['BENCH_PROFILE'];
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`];
}

/** Cleans up when the bench exits without closing its stage. It runs inside `exit`, so it cannot wait. */
function abandon(pids: ReadonlySet<() => number | undefined>, folder: string): void {
  for (const pidOf of pids) {
    const pid = pidOf();
    try {
      if (pid !== undefined && pid > 0) process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
  rmSync(folder, { recursive: true, force: true });
}
