import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerProcess, WorkerStatus } from './worker-process.ts';

const LOOK_EVERY_MS = 200;

export interface Wait {
  readonly withinMs: number;
  readonly signal: AbortSignal;
  /** Also required: the feed is covered beyond this moment, epoch milliseconds. */
  readonly coveredBeyondMs?: number;
  readonly onLook?: (status: WorkerStatus) => void;
}

/** Resolves with the last status seen, idle or, when time is up, not. Undefined when the worker never answered. */
export async function untilIdle(worker: WorkerProcess, wait: Wait): Promise<WorkerStatus | undefined> {
  const deadline = Date.now() + wait.withinMs;
  let last: WorkerStatus | undefined;
  while (Date.now() < deadline) {
    wait.signal.throwIfAborted();
    const status = await worker.status();
    if (status !== undefined) {
      last = status;
      wait.onLook?.(status);
      if (isIdle(status, wait)) return status;
    }
    await sleep(LOOK_EVERY_MS);
  }
  return last;
}

export function isIdle(status: WorkerStatus, wait: Pick<Wait, 'coveredBeyondMs'>): boolean {
  const coveredUntil = Date.parse(status.coverage.feed.covered_until ?? '');
  return status.idle && coveredUntil > (wait.coveredBeyondMs ?? 0);
}
