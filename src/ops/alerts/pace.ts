import type { WorkPace } from '../../domain/alert.ts';
import type { StatusReport } from '../status-report.ts';

/** Ages come in whole seconds, so that the same moment is computed a second earlier or later. */
const SAME_MOMENT_MS = 2_000;

/** The same pace goes on while nothing has come, gone or been replaced since; else a new one begins. */
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
