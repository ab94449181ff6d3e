import { setTimeout as sleep } from 'node:timers/promises';
import { recallRule } from './clock-setback.ts';
import { repeat } from './loops.ts';
import type { FlushBell, Outbox } from './ports/rows.ts';
import type { Clock, Log } from './ports/runtime.ts';
import type { LaterQueue, LaterTurns, PutOffTurns, WorkStore } from './ports/work.ts';

const SWEEP_EVERY_MS = 15_000;
const KEYS_PER_SWEEP_MAX = 5_000;

export interface SweepParts {
  readonly work: WorkStore;
  readonly later: LaterTurns;
  readonly outbox: Outbox;
  readonly queue: LaterQueue;
  readonly bell: FlushBell;
  readonly clock: Clock;
}

interface RunningSweepParts extends SweepParts {
  readonly putOff: Pick<PutOffTurns, 'recall'>;
  /** Whether the clock was set back since the last call. */
  readonly wasSetBack: () => boolean;
  /** Gives everything that the engine has delayed its turn now. */
  readonly promoteDelayed: () => Promise<void>;
  /** Until when the engine delays something at most. */
  readonly delayedUntilMs: () => Promise<number | undefined>;
  readonly log: Log;
}

/**
 * Brings back what the queue may have lost: dirty keys that are due, and spreadsheets with waiting rows. Adding a key that the queue still
 * has costs nothing. Objects whose moment has come get their turn as well.
 */
export async function runSweep(parts: RunningSweepParts, signal: AbortSignal): Promise<void> {
  const { wasSetBack, log } = parts;
  const recalled = recallRule(wasSetBack);
  let beyondMs = Number.POSITIVE_INFINITY;
  while (!signal.aborted) {
    try {
      // What failed the last time is still due.
      beyondMs = Math.min(beyondMs, recalled());
      // First, because nothing may delay what is due.
      await sweepOnce(parts);
      if (Number.isFinite(beyondMs)) await recall(parts, beyondMs);
      beyondMs = Number.POSITIVE_INFINITY;
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
  { putOff, promoteDelayed, delayedUntilMs, queue, work, clock, log }: RunningSweepParts,
  beyondMs: number,
): Promise<void> {
  const nowMs = clock.now();
  const keys = await putOff.recall(nowMs, nowMs + beyondMs);
  const isEngineLate = ((await delayedUntilMs()) ?? nowMs) > nowMs + beyondMs;
  if (keys === 0 && !isEngineLate) return;
  log.info({ keys }, 'what was put off has its turn now');
  queue.add(await work.due(nowMs, KEYS_PER_SWEEP_MAX));
  // Once only: the engine delivers the rest automatically, and asking it again would cost every failing key an attempt.
  if (isEngineLate)
    await promoteDelayed().catch((error: unknown) =>
      log.warn({ err: error }, 'the queue could not be hastened'),
    );
}

/** How often to check whether a process that held turns has died. */
const LOOK_EVERY_MS = 2_000;

/**
 * Frees what dead processes held: once before it resolves, unless Redis does not answer, then repeatedly in `rest`, until the signal
 * aborts.
 */
export async function startTakeover(
  parts: {
    readonly processes: { register(): Promise<void> };
    readonly queues: { takeOver(): Promise<void> };
    readonly log: Log;
  },
  signal: AbortSignal,
): Promise<{ readonly rest: Promise<void> }> {
  const { processes, queues, log } = parts;
  let looked = () => {};
  const first = new Promise<void>((done) => {
    looked = done;
  });
  const rest = repeat({ name: 'takeover', everyMs: LOOK_EVERY_MS, signal, log }, async () => {
    try {
      await processes.register();
      await queues.takeOver();
    } finally {
      looked();
    }
    return undefined;
  });
  // No check runs if the signal had already aborted.
  rest.then(looked, looked);
  await first;
  return { rest };
}
