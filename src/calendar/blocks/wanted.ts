/**
 * Computes which blocks should exist for one person. In: busy times, and time that others have taken. Passing time alone moves no block.
 */

import type { DateTime } from 'luxon';
import type { Span, WeekHours } from '../../engine/domain/block.ts';
import type { ServiceLengths } from '../../engine/domain/directory.ts';
import { dayEndOf, dayStartOf, localAt } from '../../engine/zones/local.ts';
import type { Person } from './people.ts';
import { common, merged, overlaps, sorted, spansWithout } from './spans.ts';

/** Whole days in the branch's zone. */
export function blockWindow({ rule, zone }: Person, nowMs: number): Span {
  return { startMs: dayStart(nowMs, zone), endMs: dayEnd(nowMs + rule.horizonMs, zone) };
}

export function wantedBlocks(
  { rule, zone, lengths }: Person,
  about: { readonly busy: readonly Span[]; readonly taken: readonly Span[]; readonly within: Span },
): Tiling {
  const { busy, taken, within } = about;
  return tilesFor({ busy, open: openSpans(rule.hours, zone, within), taken, lengths });
}

const DAY_MINUTES = 1_440;

/** Bookable spans, day by day in `zone`; hours of a day that overlap or touch are one span. No span crosses midnight, so one day never changes another. */
export function openSpans(hours: WeekHours, zone: string, within: Span): readonly Span[] {
  const spans: Span[] = [];
  const last = localDay(within.endMs, zone);
  for (let day = localDay(within.startMs, zone); day <= last; day = dayEndOf(day)) {
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
  return dayEndOf(localDay(atMs, zone)).toMillis();
}

function localDay(atMs: number, zone: string): DateTime {
  return dayStartOf(localAt(atMs, zone));
}

/** Goes by wall-clock time: nine o'clock stays nine o'clock on the day of a clock change. */
function momentOf(day: DateTime, minute: number): number {
  if (minute >= DAY_MINUTES) return dayEndOf(day).toMillis();
  return day.set({ hour: Math.floor(minute / 60), minute: minute % 60 }).toMillis();
}

/**
 * Turns busy time into blocks. In: busy time, bookable time, taken time, and the lengths that the service allows. Out: blocks of bookable
 * length that cover the busy time and never overlap anything. The result depends only on the input, so passing time moves no block.
 */

const MINUTE_MS = 60_000;

interface Tiling {
  readonly blocks: readonly Span[];
  /** Busy time left uncovered, because no block of the service fits into it. */
  readonly tooShort: readonly Span[];
}

export function tilesFor(about: {
  readonly busy: readonly Span[];
  /** Bookable spans, day by day. */
  readonly open: readonly Span[];
  /** Other appointments of the resource. Their time is unbookable anyway. */
  readonly taken: readonly Span[];
  readonly lengths: ServiceLengths;
}): Tiling {
  const gaps = spansWithout(sorted(about.open), about.taken);
  const busy = merged(about.busy);
  const blocks: Span[] = [];
  const tooShort: Span[] = [];
  for (const gap of gaps) {
    const pieces = common([gap], busy);
    const tiles = tilesIn(gap, pieces, about.lengths);
    blocks.push(...tiles);
    tooShort.push(...spansWithout(pieces, tiles));
  }
  return { blocks, tooShort };
}

/** A block may be longer than its piece. If it reaches into the next piece, the two pieces become one. */
function tilesIn(gap: Span, pieces: readonly Span[], lengths: ServiceLengths): readonly Span[] {
  const runs: { readonly piece: Span; readonly tiles: readonly Span[] }[] = [];
  for (const next of pieces) {
    let piece = next;
    let tiles = tilesOver(piece, gap, lengths);
    for (let last = runs.at(-1); last !== undefined && touches(last.tiles, tiles); last = runs.at(-1)) {
      runs.pop();
      piece = { startMs: last.piece.startMs, endMs: Math.max(last.piece.endMs, piece.endMs) };
      tiles = tilesOver(piece, gap, lengths);
    }
    runs.push({ piece, tiles });
  }
  // When a small gap was filled from its start, a block may meet no busy time.
  return runs.flatMap(({ tiles }) => tiles).filter((tile) => pieces.some((piece) => overlaps(piece, tile)));
}

function touches(before: readonly Span[], after: readonly Span[]): boolean {
  const [last, first] = [before.at(-1), after[0]];
  return last !== undefined && first !== undefined && last.endMs > first.startMs;
}

/**
 * The tiles begin where the piece begins. If they would end after the gap, they end with it. If they do not fit, they fill as much of the
 * gap as can be booked.
 */
function tilesOver(piece: Span, gap: Span, lengths: ServiceLengths): readonly Span[] {
  const wished = lengthsFor(piece.endMs - piece.startMs, lengths);
  const wishedMs = sum(wished);
  if (piece.startMs + wishedMs <= gap.endMs) return laid(piece.startMs, wished);
  if (gap.endMs - wishedMs >= gap.startMs) return laid(gap.endMs - wishedMs, wished);
  return laid(gap.startMs, lengthsWithin(gap.endMs - gap.startMs, lengths));
}

/** Lengths that add up to at least `neededMs`, the longest first. */
function lengthsFor(neededMs: number, lengths: ServiceLengths): readonly number[] {
  const { minMs, stepMs, longestMs } = inMs(lengths);
  const found: number[] = [];
  for (let leftMs = neededMs; leftMs > 0; leftMs -= found.at(-1) ?? leftMs) {
    const steps = Math.max(0, Math.ceil((leftMs - minMs) / stepMs));
    found.push(Math.min(longestMs, minMs + steps * stepMs));
  }
  return found;
}

/** Lengths that fill as much of `roomMs` as possible, and no more. */
function lengthsWithin(roomMs: number, lengths: ServiceLengths): readonly number[] {
  const { minMs, stepMs, longestMs } = inMs(lengths);
  const found: number[] = [];
  for (let leftMs = roomMs; leftMs >= minMs; leftMs -= found.at(-1) ?? leftMs) {
    found.push(Math.min(longestMs, minMs + Math.floor((leftMs - minMs) / stepMs) * stepMs));
  }
  return found;
}

function inMs({ minMin, maxMin, stepMin }: ServiceLengths) {
  const [minMs, stepMs] = [minMin * MINUTE_MS, stepMin * MINUTE_MS];
  const longestMs = minMs + Math.floor((maxMin * MINUTE_MS - minMs) / stepMs) * stepMs;
  return { minMs, stepMs, longestMs };
}

function laid(startMs: number, lengthsMs: readonly number[]): readonly Span[] {
  let atMs = startMs;
  return lengthsMs.map((lengthMs) => {
    const span = { startMs: atMs, endMs: atMs + lengthMs };
    atMs = span.endMs;
    return span;
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
