// The times of a scenario. They are relative to the day of the run, because bookings are in the future and mirrors take no old
// appointments.

import { localAt, readLocal } from '@slotbridge/sandbox/zones/local';
import type { DateTime } from 'luxon';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const MOMENT = new RegExp(
  `^(today|tomorrow|yesterday|in (\\d{1,3}) days|(\\d{1,3}) days ago|next (${DAYS.join('|')})) ([01]?\\d|2[0-3]):([0-5]\\d)$`,
);
/** `{tomorrow 10:00 | dd.MM.yyyy}` inside a text. */
const PLACEHOLDER = /\{([^{}|]{1,40})\|([^{}]{1,40})\}/g;

const DATE_FORMATS = ['yyyy-MM-dd', 'dd.MM.yyyy'];
/** Anything that may be a date in figures. */
const DATE_LIKE = /\d+(?:[./-]\d+)+\.?/g;
/** How far from the day of the run a date is recognized. */
const DAYS_KNOWN = 400;

export const MOMENT_FORMS =
  'today 18:00, tomorrow 10:00, yesterday 10:00, in 3 days 10:00, 3 days ago 10:00 or next monday 10:00';

/** The day of the run, in the zone of the company. */
export class Calendar {
  readonly zone: string;
  readonly #midnight: DateTime;
  /** The text of the scenario. What is written into it keeps its way to name days. */
  readonly #written: string;

  constructor(zone: string, nowMs: number, written = '') {
    this.zone = zone;
    this.#written = written;
    this.#midnight = localAt(nowMs, zone).startOf('day');
  }

  /** Returns ISO 8601 in UTC. `written` has passed `isMoment`. */
  at(written: string): string {
    return this.#read(written).toUTC().toISO() ?? '';
  }

  plusMinutes(iso: string, minutes: number): string {
    return new Date(Date.parse(iso) + minutes * 60_000).toISOString();
  }

  /** Replaces the times in a text. */
  fill(text: string): string {
    return text.replace(PLACEHOLDER, (whole, moment: string, format: string) =>
      isMoment(moment.trim()) ? this.#read(moment.trim()).toFormat(format.trim()) : whole,
    );
  }

  /** For people: in the words of the scenario, where they fit. */
  say(iso: string): string {
    const at = readLocal(iso, this.zone);
    return `${this.#dayOf(at)} ${at.toFormat('HH:mm')} (${at.toFormat('yyyy-MM-dd')})`;
  }

  /** The opposite of `at`. Undefined for what is no whole minute of a day. */
  write(iso: string): string | undefined {
    if (!/T\d{2}:\d{2}:00(?:\.0+)?Z$/.test(iso)) return undefined;
    const at = readLocal(iso, this.zone);
    const words = `${this.#dayOf(at)} ${at.toFormat('HH:mm')}`;
    return isMoment(words) && this.at(words) === iso ? words : undefined;
  }

  /** The opposite of `fill`: dates in a text would be others tomorrow. */
  unfill(text: string): string {
    const own = [...this.#written.matchAll(PLACEHOLDER)].map(([, , format = '']) => format.trim());
    const formats = new Set([
      ...own.filter((each) => /d/.test(each) && !/[Hhm]/.test(each)),
      ...DATE_FORMATS,
    ]);
    const known = new Map<string, string>();
    for (const format of [...formats].toSorted((a, b) => b.length - a.length))
      for (let days = -DAYS_KNOWN; days <= DAYS_KNOWN; days += 1) {
        const day = this.#midnight.plus({ days });
        const said = day.toFormat(format);
        if (!known.has(said)) known.set(said, `{${this.#dayOf(day)} 12:00 | ${format}}`);
      }
    return text.replace(DATE_LIKE, (found) => known.get(found) ?? found);
  }

  #dayOf(at: DateTime): string {
    const days = Math.round(at.startOf('day').diff(this.#midnight, 'days').days);
    // A scenario that counts by weekdays depends on them.
    if (days >= 1 && days <= 7 && this.#written.includes('next ')) {
      const weekday = `next ${DAYS[at.weekday - 1] ?? ''}`;
      if (this.#written.includes(weekday)) return weekday;
    }
    return NAMED.get(days) ?? (days > 0 ? `in ${days} days` : `${-days} days ago`);
  }

  #read(written: string): DateTime {
    const [, word = '', ahead, ago, weekday, hour, minute] = MOMENT.exec(written) ?? [];
    const day = this.#midnight.plus({ days: this.#daysTo({ word, ahead, ago, weekday }) });
    return day.set({ hour: Number(hour), minute: Number(minute) });
  }

  #daysTo(of: {
    readonly word: string;
    readonly ahead: string | undefined;
    readonly ago: string | undefined;
    readonly weekday: string | undefined;
  }): number {
    if (of.ahead !== undefined) return Number(of.ahead);
    if (of.ago !== undefined) return -Number(of.ago);
    if (of.weekday === undefined) return of.word === 'today' ? 0 : of.word === 'tomorrow' ? 1 : -1;
    // Monday is 1, as in luxon; "next" is never today.
    const distance = (DAYS.indexOf(of.weekday) + 1 - this.#midnight.weekday + 7) % 7;
    return distance === 0 ? 7 : distance;
  }
}

const NAMED: ReadonlyMap<number, string> = new Map([
  [-1, 'yesterday'],
  [0, 'today'],
  [1, 'tomorrow'],
]);

export function isMoment(written: string): boolean {
  return MOMENT.test(written);
}

/** The first placeholder whose part before the bar is not a time. */
export function badPlaceholder(text: string): string | undefined {
  for (const [whole, moment = ''] of text.matchAll(PLACEHOLDER)) if (!isMoment(moment.trim())) return whole;
  return undefined;
}
