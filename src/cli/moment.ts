import { UsageError } from './usage-error.ts';

const AGE_UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a time with its zone, or an age: `6h` is six hours ago. Returns epoch milliseconds; throws `UsageError` `time-unreadable`. */
export function readMoment(text: string, nowMs: number): number {
  const ageMs = readSpan(text);
  if (ageMs !== undefined) return nowMs - ageMs;
  const atMs = /(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(atMs)) return atMs;
  throw new UsageError('time-unreadable', `"${text}" is not a time`, {
    advice: 'Write a time with its zone, such as 2026-11-21T03:00:00Z, or an age: 30m, 6h, 2d.',
  });
}

/** `30s`, `10m`, `6h` or `2d` in milliseconds; undefined for any other text. */
export function readSpan(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (AGE_UNITS_MS[unit] ?? 0);
}
