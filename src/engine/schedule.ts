// When an operator's schedule is due. Pure: node-cron only says what an expression means. Its timers are not used. They are silent while an
// hour comes twice, and skip what a pause covered.
import { createTask, parse } from 'node-cron';
import { offsetAt, zoneNamed } from './zones/rules.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

/** A time zone. Offset from UTC in minutes at a moment, epoch milliseconds. */
export interface Zone {
  offset(atMs: number): number;
}

/** UTC for a name that is not known. */
export function zoneOrUtc(name: string): Zone {
  const zone = zoneNamed(name);
  return { offset: (atMs) => (zone === undefined ? 0 : offsetAt(zone, atMs)) };
}

/**
 * The latest moment after `afterMs` and not after `untilMs` at which the expression was due in the zone, epoch milliseconds. A local time
 * that comes twice is due the first time only. One that is missing is due later that day, by the length of the gap.
 */
export function latestDue(
  expression: string,
  { zone, afterMs, untilMs }: { readonly zone: Zone; readonly afterMs: number; readonly untilMs: number },
): number | undefined {
  // Local times are carried as if they were UTC.
  const schedule = createTask(expression, () => undefined, { timezone: 'Etc/UTC' });
  try {
    const times = timesOfDay(expression);
    // A day more on both sides: no offset is longer.
    for (let day = floorTo(untilMs + DAY_MS, DAY_MS); day >= afterMs - 2 * DAY_MS; day -= DAY_MS) {
      if (!schedule.match(new Date(day + (times[0] ?? 0)))) continue;
      const due = times.map((time) => momentOf(day + time, zone));
      const within = due.filter((atMs) => atMs > afterMs && atMs <= untilMs);
      if (within.length > 0) return Math.max(...within);
    }
    return undefined;
  } finally {
    schedule.destroy();
  }
}

/** Milliseconds since midnight at which the expression is due on its days. */
function timesOfDay(expression: string): readonly number[] {
  const { hour, minute } = parse(expression);
  return hour.flatMap((h) => minute.map((m) => (h * 60 + m) * MINUTE_MS));
}

/** The first moment with this local time. A time in a gap lands as far behind the gap as it lies inside. */
function momentOf(localMs: number, zone: Zone): number {
  const before = localMs - zone.offset(localMs - DAY_MS) * MINUTE_MS;
  const after = localMs - zone.offset(localMs + DAY_MS) * MINUTE_MS;
  const real = [before, after].filter((atMs) => atMs + zone.offset(atMs) * MINUTE_MS === localMs);
  return real.length > 0 ? Math.min(...real) : before;
}

function floorTo(ms: number, unitMs: number): number {
  return Math.floor(ms / unitMs) * unitMs;
}
