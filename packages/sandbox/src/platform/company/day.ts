import { localAt } from '../../zones/local.ts';

/** The start of the local day, `days` from today, in ms. */
export function localMidnight(now: number, timezone: string, days: number): number {
  return localAt(now, timezone).startOf('day').plus({ days }).toMillis();
}
