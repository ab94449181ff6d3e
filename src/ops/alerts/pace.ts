import type { WorkPace } from '../../domain/alert.ts';
import type { StatusReport } from '../status-report.ts';

/** Largest difference between two computations of the same moment: ages are whole seconds, so each may be a second off. */
const SAME_MOMENT_MS = 2_000;

/** Keeps the pace's start time while no work was added, finished or replaced; otherwise starts a new pace now. */
export function paceOf({ pending }: StatusReport, before: WorkPace | undefined, nowMs: number): WorkPace {
  const { objects, sheet_rows: rows } = pending;
  const oldestMs = pending.oldest_age_s === null ? 0 : nowMs - pending.oldest_age_s * 1000;
  const isSame =
    before !== undefined &&
    before.objects === objects &&
    before.rows === rows &&
    Math.abs(before.oldestMs - oldestMs) <= SAME_MOMENT_MS;
  return { objects, rows, oldestMs, sinceMs: isSame ? Math.min(before.sinceMs, nowMs) : nowMs };
}
