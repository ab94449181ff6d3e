import { schedule as cron } from 'node-cron';
import { aborted } from '../work/loops.ts';
import type { Part } from '../work/supervisor.ts';

/**
 * Rings every `everyMs`, aligned to the clock. node-cron knows seconds, minutes and hours that divide the next unit evenly. So the period
 * is rounded down to the nearest of those (45 s becomes 30 s).
 */
export function ringEvery(name: string, everyMs: number, ring: () => void): Part {
  return ringAt(name, cronExpression(everyMs), ring);
}

/** Rings at the times of a cron expression, in the time zone of the process. */
export function ringAt(name: string, expression: string, ring: () => void): Part {
  return {
    name,
    async run(signal) {
      const task = cron(expression, ring, { noOverlap: true });
      await aborted(signal);
      await task.destroy();
    },
  };
}

/** The cron expression, with seconds, of the longest period that is not longer than `everyMs`. */
export function cronExpression(everyMs: number): string {
  const seconds = Math.max(1, Math.floor(everyMs / 1000));
  if (seconds < 60) return `*/${divisorUpTo(60, seconds)} * * * * *`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `0 */${divisorUpTo(60, minutes)} * * * *`;
  return `0 0 */${divisorUpTo(24, Math.floor(minutes / 60))} * * *`;
}

function divisorUpTo(whole: number, limit: number): number {
  let divisor = Math.min(limit, whole - 1);
  while (divisor > 1 && whole % divisor !== 0) divisor -= 1;
  return divisor;
}
