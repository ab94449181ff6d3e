import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';
import type { FlushBell } from '../ports/flush-bell.ts';
import type { Log } from '../ports/log.ts';
import type { Outbox } from '../ports/outbox.ts';
import type { WorkQueue } from '../ports/work-queue.ts';
import type { WorkStore } from '../ports/work-store.ts';

const SWEEP_EVERY_MS = 15_000;
const KEYS_PER_SWEEP_MAX = 5_000;

/**
 * Brings back what the queue may have lost: dirty keys whose time has come, and spreadsheets with rows waiting. A key that the
 * queue still has is added in vain, which costs nothing.
 */
export async function runSweep(
  parts: { work: WorkStore; outbox: Outbox; queue: WorkQueue; bell: FlushBell; clock: Clock; log: Log },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await sweepOnce(parts);
    } catch (error) {
      parts.log.warn({ err: error }, 'sweep failed');
    }
    await sleep(SWEEP_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

export async function sweepOnce(parts: {
  work: WorkStore;
  outbox: Outbox;
  queue: WorkQueue;
  bell: FlushBell;
  clock: Clock;
}): Promise<number> {
  const keys = await parts.work.due(parts.clock.now(), KEYS_PER_SWEEP_MAX);
  parts.queue.add(keys);
  for (const depth of await parts.outbox.waiting()) parts.bell.ring(depth.spreadsheetId);
  return keys.length;
}
