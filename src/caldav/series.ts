// The moments of a series. ical.js unrolls the rules that calendar programs write for people. It misreads others, such as a week of the year.
// rrule-temporal reads those, and is loaded for the first of them.
import ICAL from 'ical.js';

/** One date of a series; of a period with its own end. */
export interface SeriesStep {
  readonly start: ICAL.Time;
  readonly end: ICAL.Time;
}

export interface SeriesSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

type Unroll = (start: ICAL.Time, span: SeriesSpan) => Iterable<ICAL.Time>;

/** Steps from the start of a rule: 50 years of days. More is no series of a person. */
const STEPS_MAX = 20_000;
/** Dates of one series within a span. */
const DATES_MAX = 5_000;
/** Characters of a rule: room for every day of a year by name. */
const RULE_CHARS_MAX = 2_000;
const DAY_MS = 86_400_000;
/** From here on it is quicker to reckon where a rule is than to follow it from its start. */
const FAR_MS = 4 * 365 * DAY_MS;

const BY_TIME = ['BYHOUR', 'BYMINUTE', 'BYSECOND'];
const BY_DATE = ['BYMONTH', 'BYWEEKNO', 'BYYEARDAY', 'BYMONTHDAY', 'BYDAY', 'BYSETPOS'];
const PARTS = new Set([
  ...['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST', 'RSCALE', 'SKIP'],
  ...[...BY_TIME, ...BY_DATE],
]);

type Rule = ReadonlyMap<string, string>;

/** Undefined for a rule that nobody here reads as the RFCs do. */
function parsedRule(text: string): Rule | undefined {
  if (text.length > RULE_CHARS_MAX) return undefined;
  const parts = text
    .trim()
    .toUpperCase()
    .split(';')
    .filter((part) => part !== '')
    .map((part) => part.split('=', 2).map((each) => each.trim()) as [string, string?]);
  const rule = new Map(parts.map(([name, value = '']) => [name, value]));
  const isKnown = parts.every(([name, value]) => PARTS.has(name) && value !== undefined && value !== '');
  return isKnown && rule.size === parts.length && !isMisread(rule) ? rule : undefined;
}

/** By rrule-temporal (findings/rrule-temporal-skips-the-short-months.sh, and two more of that library). */
function isMisread(rule: Rule): boolean {
  const skips = (rule.get('SKIP') ?? 'OMIT') !== 'OMIT';
  const isMonthly = rule.get('FREQ') === 'MONTHLY';
  const ordinal = ordinalMax(rule);
  return (skips && isMonthly && rule.has('BYMONTHDAY')) || ordinal > 52 || isUnbounded(rule, ordinal);
}

/** Parts that bound each other, and are added up instead (findings/rrule-temporal-adds-up-what-bounds.sh). */
function isUnbounded(rule: Rule, ordinal: number): boolean {
  if (rule.get('FREQ') !== 'YEARLY') return false;
  const named = ['BYYEARDAY', 'BYMONTHDAY', 'BYWEEKNO'].filter((name) => rule.has(name));
  if (named.length > 1 || (rule.has('BYYEARDAY') && rule.has('BYDAY'))) return true;
  return rule.has('BYMONTHDAY') && ordinal > 0 && !rule.has('BYMONTH');
}

export function isFollowed(rule: string): boolean {
  return parsedRule(rule) !== undefined;
}

function ordinalMax(rule: Rule): number {
  const days = (rule.get('BYDAY') ?? '').split(',').map((day) => Math.abs(Number.parseInt(day, 10)) || 0);
  return Math.max(...days);
}

/** Whether ical.js reads the rule as other readers do, and soon: it takes each step from the start. */
function isCommon(rule: Rule, start: ICAL.Time): boolean {
  const isUntilAlike = !rule.has('UNTIL') || start.isDate || rule.get('UNTIL')?.endsWith('Z') === true;
  if (!isUntilAlike || rule.has('RSCALE') || rule.has('SKIP')) return false;
  const by = [...BY_TIME, ...BY_DATE].filter((name) => rule.has(name)).join();
  const ordinal = ordinalMax(rule);
  switch (rule.get('FREQ')) {
    case 'DAILY':
    case 'WEEKLY':
      return ['', 'BYMONTH', 'BYDAY'].includes(by) && ordinal === 0;
    case 'MONTHLY':
      // Days that some months lack are followed by the other reader.
      if (by === '') return start.day <= EACH_MONTH_HAS || !rule.has('INTERVAL');
      if (by === 'BYMONTHDAY') return dayMax(rule) <= EACH_MONTH_HAS || !rule.has('INTERVAL');
      return ['BYDAY', 'BYDAY,BYSETPOS'].includes(by) && ordinal <= 5;
    case 'YEARLY':
      if (by === 'BYMONTH,BYMONTHDAY') return isOneDay(rule);
      // findings/icaljs-leap-day-on-the-first-of-march.sh
      if (by === '' || by === 'BYMONTH') return start.day <= EACH_MONTH_HAS;
      return ['BYDAY', 'BYMONTH,BYDAY'].includes(by) && ordinal <= 5;
    default:
      return false;
  }
}

const EACH_MONTH_HAS = 28;

function dayMax(rule: Rule): number {
  return Math.max(...(rule.get('BYMONTHDAY') ?? '').split(',').map((day) => Math.abs(Number(day))));
}

function isOneDay(rule: Rule): boolean {
  const isOne = (name: string) => /^\d+$/.test(rule.get(name) ?? '');
  return isOne('BYMONTH') && isOne('BYMONTHDAY') && dayMax(rule) <= EACH_MONTH_HAS;
}

/** Ready to unroll these rules. Undefined if one of them cannot be followed. */
export async function unrollersOf(
  rules: readonly string[],
  { start, fromMs }: { readonly start: ICAL.Time; readonly fromMs: number },
): Promise<readonly Unroll[] | undefined> {
  const found: Unroll[] = [];
  for (const text of rules) {
    const rule = parsedRule(text);
    if (rule === undefined) return undefined;
    const isFar = !rule.has('COUNT') && fromMs - msOf(start) > FAR_MS;
    found.push(isCommon(rule, start) && !isFar ? commonly(rule) : await rarely(rule));
  }
  return found;
}

function commonly(rule: Rule): Unroll {
  const text = [...rule].map((part) => part.join('=')).join(';');
  return function* (start, { fromMs, untilMs }) {
    const iterator = ICAL.Recur.fromString(text).iterator(start);
    for (let step = 0; step < STEPS_MAX; step += 1) {
      const next = iterator.next() as ICAL.Time | null | undefined;
      if (next === null || next === undefined) return;
      const ms = msOf(next);
      if (ms >= untilMs) return;
      if (ms >= fromMs) yield next.clone();
    }
    throw new Error('the series does not come to its span');
  };
}

/** On a clock without a zone: which moment its figures mean, ical.js knows by the zone that was sent. */
async function rarely(rule: Rule): Promise<Unroll> {
  const { RRuleTemporal } = await import('rrule-temporal');
  return (start, { fromMs, untilMs }) => {
    const rruleString = `DTSTART;TZID=UTC:${stampOf(start)}\nRRULE:${written(rule, start)}`;
    const found = new RRuleTemporal({ rruleString }).between(new Date(fromMs), new Date(untilMs), true);
    return found.map(
      ({ year, month, day, hour, minute, second }) =>
        new ICAL.Time({ year, month, day, hour, minute, second, isDate: start.isDate }, start.zone),
    );
  };
}

/** The rule on the clock of its series. A last day without a time counts whole; a series of days knows no hours (RFC 5545, 3.3.10). */
function written(rule: Rule, start: ICAL.Time): string {
  const parts = [...rule].flatMap(([name, value]) => {
    if (start.isDate && BY_TIME.includes(name)) return [];
    return `${name}=${name === 'UNTIL' ? untilOn(start, value) : value}`;
  });
  return parts.join(';');
}

function untilOn(start: ICAL.Time, until: string): string {
  const [whole, y, mo, d, h, mi, s, isUtc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(until) ?? [];
  if (whole === undefined) throw new Error('the rule ends at no time');
  if (h === undefined) return `${y}${mo}${d}T235959Z`;
  if (isUtc === '' || start.isDate) return `${y}${mo}${d}T${h}${mi}${s}Z`;
  const end = ICAL.Time.fromDateTimeString(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
  return `${stampOf(end.convertToZone(start.zone))}Z`;
}

function stampOf({ year, month, day, hour, minute, second }: ICAL.Time): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${String(year).padStart(4, '0')}${two(month)}${two(day)}T${two(hour)}${two(minute)}${two(second)}`;
}

/** The dates that may lie in the span, in order. A time without a zone counts as UTC here, so the span is taken a day wider. */
export function seriesSteps(
  component: ICAL.Component,
  {
    start,
    length,
    unrollers,
    ...span
  }: SeriesSpan & {
    readonly start: ICAL.Time;
    readonly length: ICAL.Duration;
    readonly unrollers: readonly Unroll[];
  },
): readonly SeriesStep[] {
  const lengthMs = Math.max(0, length.toSeconds() * 1_000);
  const wide = { fromMs: span.fromMs - DAY_MS - lengthMs, untilMs: span.untilMs + DAY_MS };
  const found = new Map<number, SeriesStep>();
  const isExact = component.hasProperty('duration');
  const add = (step: ICAL.Time, end = later(step, length, isExact)) => {
    const ms = msOf(step);
    if (msOf(end) < wide.fromMs || ms >= wide.untilMs) return;
    found.set(ms, { start: step, end });
    if (found.size > DATES_MAX) throw new Error('too many dates');
  };
  if (unrollers.length === 0) add(start);
  for (const unroll of unrollers) for (const time of unroll(start, wide)) add(time);
  for (const each of valuesOf(component, 'rdate'))
    if (each instanceof ICAL.Period) add(alike(each.start, start), alike(each.getEnd(), start));
    else add(alike(each, start));
  const isExcluded = exclusions(component, start);
  return [...found.values()]
    .filter((step) => !isExcluded(step.start))
    .sort((one, other) => msOf(one.start) - msOf(other.start));
}

/** The end by a duration. A day of a DURATION is one on the clock, and its hours are exact (RFC 5545, 3.3.6); of whole days, they fill days. */
export function later(time: ICAL.Time, length: ICAL.Duration, isExact: boolean): ICAL.Time {
  const end = time.clone();
  if (time.isDate) {
    end.adjust(Math.ceil((length.toSeconds() * 1_000) / DAY_MS), 0, 0, 0);
    return end;
  }
  const { weeks, days, hours, minutes, seconds, isNegative } = length;
  const exact = (hours * 60 + minutes) * 60 + seconds;
  if (!isExact || exact === 0 || isFloating(time)) {
    end.addDuration(length);
    return end;
  }
  end.addDuration(new ICAL.Duration({ weeks, days, isNegative }));
  return ICAL.Time.fromJSDate(new Date(msOf(end) + (isNegative ? -exact : exact) * 1_000), true);
}

/** A time of a series that some programs write by its day alone, or without the zone of the series. */
export function alike(time: ICAL.Time, start: ICAL.Time): ICAL.Time {
  const { year, month, day } = time;
  if (start.isDate) return new ICAL.Time({ year, month, day, isDate: true }, start.zone);
  const { hour, minute, second } = time.isDate ? start : time;
  if (!time.isDate && !isFloating(time)) return time;
  return new ICAL.Time({ year, month, day, hour, minute, second }, start.zone);
}

function isFloating({ isDate, zone }: ICAL.Time): boolean {
  return !isDate && zone === ICAL.Timezone.localTimezone;
}

/** A whole day excludes what begins on it, and a time without a zone what begins then on the clock of the series. */
function exclusions(component: ICAL.Component, start: ICAL.Time): (time: ICAL.Time) => boolean {
  const excluded = valuesOf(component, 'exdate').filter((each) => each instanceof ICAL.Time);
  const moments = new Set(excluded.map(msOf));
  const isOfDay = ({ isDate, zone }: ICAL.Time) =>
    isDate || (start.isDate && zone !== ICAL.Timezone.utcTimezone);
  const days = new Set(excluded.filter(isOfDay).map((each) => stampOf(each).slice(0, 8)));
  const figures = new Set(excluded.filter(isFloating).map(stampOf));
  return (time) =>
    moments.has(msOf(time)) || days.has(stampOf(time).slice(0, 8)) || figures.has(stampOf(time));
}

function valuesOf(component: ICAL.Component, name: string): readonly (ICAL.Time | ICAL.Period)[] {
  return component.getAllProperties(name).flatMap((property) => property.getValues());
}

function msOf(time: ICAL.Time): number {
  return time.toUnixTime() * 1_000;
}
