import { UsageError } from './usage-error.ts';

const AGE_UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a time with its zone, or an age: `6h` is six hours ago. Returns epoch milliseconds; throws `UsageError` `time-unreadable`. */
export function readMoment(text: string, nowMs: number): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return nowMs - Number(count) * (AGE_UNITS_MS[unit] ?? 0);
  const atMs = /(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(atMs)) return atMs;
  throw new UsageError('time-unreadable', `"${text}" is not a time`, {
    advice: 'Write a time with its zone, such as 2026-11-21T03:00:00Z, or an age: 30m, 6h, 2d.',
  });
}
