import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';
import type { FlushBell } from '../ports/flush-bell.ts';
import type { LaterTurns } from '../ports/later-turns.ts';
import type { Log } from '../ports/log.ts';
import type { Outbox } from '../ports/outbox.ts';
import type { WorkQueue } from '../ports/work-queue.ts';
import type { WorkStore } from '../ports/work-store.ts';

const SWEEP_EVERY_MS = 15_000;
const KEYS_PER_SWEEP_MAX = 5_000;

export interface SweepParts {
  readonly work: WorkStore;
  readonly later: LaterTurns;
  readonly outbox: Outbox;
  readonly queue: WorkQueue;
  readonly bell: FlushBell;
  readonly clock: Clock;
}

/**
 * Brings back what the queue may have lost: dirty keys whose time has come, and spreadsheets with rows waiting. A key that the
 * queue still has is added in vain, which costs nothing. Objects whose moment has come have their turn.
 */
export async function runSweep(
  parts: SweepParts & { readonly log: Log },
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

export async function sweepOnce(parts: SweepParts): Promise<number> {
  await parts.later.wake(parts.clock.now(), KEYS_PER_SWEEP_MAX);
  const keys = await parts.work.due(parts.clock.now(), KEYS_PER_SWEEP_MAX);
  parts.queue.add(keys);
  for (const depth of await parts.outbox.waiting()) parts.bell.ring(depth.spreadsheetId);
  return keys.length;
}
