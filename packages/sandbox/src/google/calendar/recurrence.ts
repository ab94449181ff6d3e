// Expands recurrence rules. Supports the part of RFC 5545 that bookings use: FREQ, INTERVAL, COUNT, UNTIL, BYDAY
// without ordinals, EXDATE, RDATE. Anything else is refused when the series is written.
import { DateTime } from 'luxon';
import { localAt, onClockOf } from '../../zones/local.ts';
import { invalidValue, notInSandbox } from '../refusal.ts';

/** Limit for a series without an end. Google also shows a bounded number of instances. */
const occurrencesMax = 730;

interface Rule {
  freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  interval: number;
  count: number | undefined;
  untilMs: number | undefined;
  weekdays: number[];
}

export interface Series {
  startMs: number;
  /** The zone in which the rule is expanded. */
  zone: string;
  recurrence: readonly string[];
}

/** Start instants, ascending, at most 730. */
export function occurrences(series: Series): number[] {
  const excluded = new Set<number>();
  const starts = new Set<number>();
  let hasRule = false;
  for (const line of series.recurrence) {
    if (line.startsWith('RRULE:')) {
      hasRule = true;
      for (const ms of expand(readRule(line.slice(6), series.zone), series)) starts.add(ms);
    } else if (line.startsWith('EXDATE')) for (const ms of readDates(line, series.zone)) excluded.add(ms);
    else if (line.startsWith('RDATE')) for (const ms of readDates(line, series.zone)) starts.add(ms);
    else throw invalidValue('Invalid recurrence rule.');
  }
  if (!hasRule) starts.add(series.startMs);
  return [...starts]
    .filter((ms) => !excluded.has(ms))
    .sort((a, b) => a - b)
    .slice(0, occurrencesMax);
}

function expand(rule: Rule, series: Series): number[] {
  const first = localAt(series.startMs, series.zone);
  const starts: number[] = [];
  const limit = Math.min(rule.count ?? occurrencesMax, occurrencesMax);
  // Ends a rule that rarely matches, such as the 31st of each month.
  for (let step = 0; step < occurrencesMax * 4 && starts.length < limit; step += 1) {
    for (const day of daysOfStep(rule, first, step)) {
      const ms = day.toMillis();
      if (rule.untilMs !== undefined && ms > rule.untilMs) return starts;
      if (ms >= series.startMs && starts.length < limit) starts.push(ms);
    }
  }
  return starts;
}

function daysOfStep(rule: Rule, first: DateTime, step: number): DateTime[] {
  const amount = step * rule.interval;
  if (rule.freq === 'DAILY') {
    const day = first.plus({ days: amount });
    return rule.weekdays.length === 0 || rule.weekdays.includes(day.weekday) ? [day] : [];
  }
  if (rule.freq === 'WEEKLY') {
    const weekdays = rule.weekdays.length === 0 ? [first.weekday] : rule.weekdays;
    const monday = first.minus({ days: first.weekday - 1 }).plus({ weeks: amount });
    return weekdays.map((weekday) => monday.plus({ days: weekday - 1 }));
  }
  // luxon clamps 31 January + 1 month to 28 February; the RFC skips that month.
  const moved = first.plus(rule.freq === 'MONTHLY' ? { months: amount } : { years: amount });
  return moved.day === first.day ? [moved] : [];
}

function readRule(text: string, zone: string): Rule {
  const parts = new Map(text.split(';').map((part) => part.split('=') as [string, string]));
  const freq = parts.get('FREQ');
  if (freq !== 'DAILY' && freq !== 'WEEKLY' && freq !== 'MONTHLY' && freq !== 'YEARLY')
    throw invalidValue('Invalid recurrence rule.');
  for (const name of parts.keys()) {
    if (!['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'WKST'].includes(name))
      throw notInSandbox(`recurrence with ${name}`);
  }
  const days = parts.get('BYDAY')?.split(',') ?? [];
  if (days.length > 0 && (freq === 'MONTHLY' || freq === 'YEARLY'))
    throw notInSandbox(`BYDAY in ${freq} recurrence`);
  const weekdays = days.map((day) => ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'].indexOf(day) + 1);
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const count = parts.has('COUNT') ? Number(parts.get('COUNT')) : undefined;
  if (weekdays.includes(0) || !(interval >= 1) || (count !== undefined && !(count >= 1)))
    throw invalidValue('Invalid recurrence rule.');
  const until = parts.get('UNTIL');
  return {
    freq,
    interval,
    count,
    untilMs: until === undefined ? undefined : readDate(until, zone),
    weekdays: weekdays.sort((a, b) => a - b),
  };
}

/** Reads `EXDATE;TZID=Europe/Zurich:20260501T100000,…` and similar lines. */
function readDates(line: string, zone: string): number[] {
  const [head = '', values = ''] = line.split(':');
  const named = /TZID=([^;:]+)/.exec(head)?.[1];
  return values.split(',').map((value) => readDate(value, named ?? zone));
}

function readDate(text: string, zone: string): number {
  const format = text.endsWith('Z')
    ? "yyyyMMdd'T'HHmmss'Z'"
    : text.includes('T')
      ? "yyyyMMdd'T'HHmmss"
      : 'yyyyMMdd';
  const figures = DateTime.fromFormat(text, format, { zone: 'utc' });
  const moment = text.endsWith('Z') ? figures : onClockOf(zone, figures);
  if (!moment.isValid) throw invalidValue('Invalid recurrence rule.');
  return moment.toMillis();
}
