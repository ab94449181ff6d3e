import { DateTime } from 'luxon';

/** The start of the local day, `days` from today, in ms. */
export function localMidnight(now: number, timezone: string, days: number): number {
  return DateTime.fromMillis(now, { zone: timezone }).startOf('day').plus({ days }).toMillis();
}
