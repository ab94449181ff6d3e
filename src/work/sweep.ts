import { setTimeout as sleep } from 'node:timers/promises';
import type { FlushBell, Outbox } from '../ports/rows.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import type { LaterQueue, LaterTurns, PutOffTurns, WorkStore } from '../ports/work.ts';
import { clockSetbackWatch } from './clock-setback.ts';

const SWEEP_EVERY_MS = 15_000;
const KEYS_PER_SWEEP_MAX = 5_000;
/** Longest retry delay. A quota may delay longer, but an early turn costs it nothing. */
const PUT_OFF_MS_MAX = 10 * 60_000;

export interface SweepParts {
  readonly work: WorkStore;
  readonly later: LaterTurns;
  readonly outbox: Outbox;
  readonly queue: LaterQueue;
  readonly bell: FlushBell;
  readonly clock: Clock;
}

interface RunningSweepParts extends SweepParts {
  readonly putOff: PutOffTurns;
  /** Gives everything that the engine has delayed its turn now. */
  readonly promoteDelayed: () => Promise<void>;
  readonly log: Log;
}

/**
 * Brings back what the queue may have lost: dirty keys that are due, and spreadsheets with waiting rows. Adding a key that the queue still
 * has costs nothing. Objects whose moment has come get their turn as well.
 */
export async function runSweep(parts: RunningSweepParts, signal: AbortSignal): Promise<void> {
  const { clock, log } = parts;
  const isPutBack = clockSetbackWatch(clock);
  // A clock that was hours ahead may have set the delays from before this start.
  let beyondMs: number | undefined = PUT_OFF_MS_MAX;
  while (!signal.aborted) {
    try {
      if (isPutBack()) beyondMs = 0;
      // First, because nothing may delay what is due.
      await sweepOnce(parts);
      if (beyondMs !== undefined) await recall(parts, beyondMs);
      beyondMs = undefined;
    } catch (error) {
      log.warn({ err: error }, 'sweep failed');
    }
    await sleep(SWEEP_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

export async function sweepOnce(parts: SweepParts): Promise<number> {
  await parts.later.wake(parts.clock.now(), KEYS_PER_SWEEP_MAX);
  const keys = await parts.work.due(parts.clock.now(), KEYS_PER_SWEEP_MAX);
  parts.queue.add(keys);
  await bringNext(parts);
  for (const depth of await parts.outbox.waiting()) parts.bell.ring(depth.spreadsheetId);
  return keys.length;
}

/** Schedules what is due before the next sweep, including what an ended process had put off. */
async function bringNext({ work, queue, clock }: SweepParts): Promise<void> {
  const nowMs = clock.now();
  const span = { nowMs, untilMs: nowMs + SWEEP_EVERY_MS };
  for (const { key, atMs } of await work.upcoming(span, KEYS_PER_SWEEP_MAX))
    queue.addLater(key, atMs - nowMs);
}

/**
 * The dirty set first: a key that the engine hands on too early is only put off again. The engine is left alone if nothing waits that long:
 * promoting its retries at every start would use up their attempts.
 */
async function recall(
  { putOff, promoteDelayed, queue, work, clock, log }: RunningSweepParts,
  beyondMs: number,
): Promise<void> {
  const nowMs = clock.now();
  const keys = await putOff.recall(nowMs, nowMs + beyondMs);
  if (keys === 0 && beyondMs > 0) return;
  log.info({ keys }, 'what was put off has its turn now');
  queue.add(await work.due(nowMs, KEYS_PER_SWEEP_MAX));
  // Once only: the engine delivers the rest automatically, and asking it again would cost every failing key an attempt.
  await promoteDelayed().catch((error: unknown) =>
    log.warn({ err: error }, 'the queue could not be hastened'),
  );
}
