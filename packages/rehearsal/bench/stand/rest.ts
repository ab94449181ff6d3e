import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerProcess, WorkerStatus } from '../../demo/worker-process.ts';

const LOOK_EVERY_MS = 250;

/**
 * Resolves when nothing is pending, no row waits and no hole or walk is open. Rejects when the time runs out first.
 * `coveredBeyondMs`: the feed must also be proved beyond this moment.
 */
export async function untilAtRest(
  worker: WorkerProcess,
  wait: { readonly withinMs: number; readonly coveredBeyondMs?: number },
): Promise<WorkerStatus> {
  const deadline = Date.now() + wait.withinMs;
  let last: WorkerStatus | undefined;
  while (Date.now() < deadline) {
    last = await worker.status();
    const covered = Date.parse(last?.coverage.feed.covered_until ?? '1970');
    if (last?.idle === true && covered >= (wait.coveredBeyondMs ?? 0)) return last;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(
    `the worker did not come to rest: ${last?.not_idle_because.join('; ') ?? 'it does not answer'}`,
  );
}
