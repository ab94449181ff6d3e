import { setTimeout as sleep } from 'node:timers/promises';
import { CHECK_EVERY_S, FLUSH_EVERY_S, INTAKE_EVERY_S } from './mapping.ts';
import type { WorkerProcess, WorkerStatus } from './worker-process.ts';

const LOOK_EVERY_MS = 200;
/** One check of the tabs, and the flush of its findings. */
const TABS_LOOKED_THROUGH_MS = (CHECK_EVERY_S + FLUSH_EVERY_S + 1) * 1_000;
/** The worker gives a row its id at one poll of the intake tab, and takes it at the next. */
const ROWS_TAKEN_MS = 2 * INTAKE_EVERY_S * 1_000;

export interface Wait {
  readonly withinMs: number;
  readonly signal: AbortSignal;
  /** Also required: the feed is covered beyond this moment (epoch milliseconds). */
  readonly coveredBeyondMs?: number;
  /** Also required: every calendar and every tab has been read since this moment (epoch milliseconds). */
  readonly provedBeyondMs?: number;
  readonly onLook?: (status: WorkerStatus) => void;
}

/**
 * Resolves with the last status seen: idle, or not idle when the time is up. Undefined when the worker never
 * answered.
 */
export async function untilIdle(worker: WorkerProcess, wait: Wait): Promise<WorkerStatus | undefined> {
  const deadline = Date.now() + wait.withinMs;
  let last: WorkerStatus | undefined;
  while (Date.now() < deadline) {
    wait.signal.throwIfAborted();
    const status = await worker.status();
    if (status !== undefined) {
      last = status;
      wait.onLook?.(status);
      if (isWorkerIdle(status, wait)) return status;
    }
    await sleep(LOOK_EVERY_MS);
  }
  return last;
}

export function isWorkerIdle(
  status: WorkerStatus,
  { coveredBeyondMs = 0, provedBeyondMs = 0 }: Pick<Wait, 'coveredBeyondMs' | 'provedBeyondMs'>,
): boolean {
  const { feed, calendars, intake_sheets: intakeSheets, blocks = [] } = status.coverage;
  const isSeen = ({ covered_until }: { readonly covered_until: string | null }, marginMs = 0) =>
    Date.parse(covered_until ?? '') > provedBeyondMs + marginMs;
  // The sheet check has its own schedule, which the status does not show.
  const areTabsSeen = Date.parse(status.at) > provedBeyondMs + TABS_LOOKED_THROUGH_MS;
  return (
    status.idle &&
    Date.parse(feed.covered_until ?? '') > coveredBeyondMs &&
    [...calendars, ...blocks].every((read) => isSeen(read)) &&
    intakeSheets.every((sheet) => isSeen(sheet, provedBeyondMs === 0 ? 0 : ROWS_TAKEN_MS)) &&
    (provedBeyondMs === 0 || areTabsSeen)
  );
}
