/** Which blocks should stand for one person. In: busy times, and what others have taken. The clock alone moves none of them. */
import type { Span } from '../domain/block.ts';
import { dayEnd, dayStart, openSpans } from './hours.ts';
import type { Person } from './people.ts';
import { type Tiling, tilesFor } from './tiles.ts';

/** Whole days of the branch. */
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
