/**
 * Computes which blocks should exist for one person. In: busy times, and time that others have taken. Passing time alone moves no block.
 */
import type { Span } from '../domain/block.ts';
import { dayEnd, dayStart, openSpans } from './hours.ts';
import type { Person } from './people.ts';
import { type Tiling, tilesFor } from './tiles.ts';

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
