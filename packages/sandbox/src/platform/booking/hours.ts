/** Working time of a resource as UTC spans, from the local schedules of its branch and its own. */
import { localAt, readLocal } from '../../zones/local.ts';
import type { BranchRecord, ResourceRecord, WeekSchedule } from '../records.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

const DAY_MS = 86_400_000;
const CACHED_MOMENTS_MAX = 50_000;

export class Hours {
  /**
   * Caches local wall times as UTC: the zone arithmetic is the expensive part of every availability check.
   */
  #moments = new Map<string, number>();

  /**
   * Open spans that touch [from, to), in order. Joins a span with the next one that begins where it ends
   * (midnight).
   */
  openSpans(place: { branch: BranchRecord; resource: ResourceRecord }, span: Span): Span[] {
    const { branch, resource } = place;
    const spans: Span[] = [];
    const lastDay = localDate(span.to + DAY_MS, branch.timezone);
    let day = localDate(span.from - DAY_MS, branch.timezone);
    while (day <= lastDay) {
      const ofBranch = this.#ofDay(branch, branch.schedule, day);
      const ofResource = this.#ofDay(
        { ...resource, timezone: branch.timezone },
        resource.schedule ?? branch.schedule,
        day,
      );
      spans.push(...intersect(ofBranch, ofResource));
      day = dayAfter(day);
    }
    return join(spans).filter((open) => open.to > span.from && open.from < span.to);
  }

  #ofDay(owner: { daysOff: string[]; timezone: string }, schedule: WeekSchedule, day: string): Span[] {
    if (owner.daysOff.includes(day)) return [];
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
    return (schedule[weekday] ?? []).map(([from, to]) => ({
      from: this.#moment(day, from, owner.timezone),
      to: this.#moment(day, to, owner.timezone),
    }));
  }

  #moment(day: string, time: string, timezone: string): number {
    const key = `${timezone} ${day} ${time}`;
    const known = this.#moments.get(key);
    if (known !== undefined) return known;
    // 24:00 is the midnight that ends the day.
    const local = time === '24:00' ? `${dayAfter(day)}T00:00` : `${day}T${time}`;
    const ms = readLocal(local, timezone).toMillis();
    if (this.#moments.size >= CACHED_MOMENTS_MAX) this.#moments.clear();
    this.#moments.set(key, ms);
    return ms;
  }
}

function localDate(ms: number, timezone: string): string {
  return localAt(ms, timezone).toFormat('yyyy-MM-dd');
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}

function intersect(a: readonly Span[], b: readonly Span[]): Span[] {
  return a.flatMap((one) =>
    b
      .map((other) => ({ from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) }))
      .filter((common) => common.from < common.to),
  );
}

function join(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && span.from <= last.to)
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else joined.push(span);
  }
  return joined;
}
