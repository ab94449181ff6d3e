import { DateTime } from 'luxon';
import type { Span, WeekHours } from '../domain/block.ts';
import { merged } from './spans.ts';

const DAY_MINUTES = 1_440;

/** Bookable spans, day by day in `zone`; hours of a day that overlap or touch are one span. No span crosses midnight, so one day never changes another. */
export function openSpans(hours: WeekHours, zone: string, within: Span): readonly Span[] {
  const spans: Span[] = [];
  const last = localDay(within.endMs, zone);
  for (let day = localDay(within.startMs, zone); day <= last; day = day.plus({ days: 1 })) {
    const written = hours[day.weekday] ?? [];
    spans.push(
      ...merged(
        written.map(([fromMin, toMin]) => ({ startMs: momentOf(day, fromMin), endMs: momentOf(day, toMin) })),
      ),
    );
  }
  return spans;
}

/** The midnight in `zone` that begins the day of this moment. */
export function dayStart(atMs: number, zone: string): number {
  return localDay(atMs, zone).toMillis();
}

/** The midnight in `zone` that ends the day of this moment. */
export function dayEnd(atMs: number, zone: string): number {
  return localDay(atMs, zone).plus({ days: 1 }).toMillis();
}

function localDay(atMs: number, zone: string): DateTime {
  return DateTime.fromMillis(atMs, { zone }).startOf('day');
}

/** Goes by wall-clock time: nine o'clock stays nine o'clock on the day of a clock change. */
function momentOf(day: DateTime, minute: number): number {
  if (minute >= DAY_MINUTES) return day.plus({ days: 1 }).toMillis();
  return day.set({ hour: Math.floor(minute / 60), minute: minute % 60 }).toMillis();
}
