/**
 * Plans how to get from the existing blocks to the wanted ones. In: wanted and existing blocks. Out: cancellations, moves and bookings,
 * ordered so that no step is in another's way. Carrying out a plan and planning again gives an empty plan.
 */
import type { Span } from '../engine/block.ts';

// Arithmetic of time spans. `merged` returns sorted, disjoint spans; `common` and `spansWithout` keep them so.

/** Joins overlapping and touching spans. */
export function merged(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of sorted(spans.filter(({ startMs, endMs }) => startMs < endMs))) {
    const last = joined.at(-1);
    if (last !== undefined && span.startMs <= last.endMs) {
      joined[joined.length - 1] = { startMs: last.startMs, endMs: Math.max(last.endMs, span.endMs) };
    } else joined.push(span);
  }
  return joined;
}

/** The intersection. `a` need not be merged: its spans stay apart where they touch. */
export function common(a: readonly Span[], b: readonly Span[]): readonly Span[] {
  return a.flatMap((one) =>
    merged(b)
      .map((other) => ({
        startMs: Math.max(one.startMs, other.startMs),
        endMs: Math.min(one.endMs, other.endMs),
      }))
      .filter(({ startMs, endMs }) => startMs < endMs),
  );
}

/** Removes `taken` from `from`. The spans of `from` stay apart where they touch. */
export function spansWithout(from: readonly Span[], taken: readonly Span[]): readonly Span[] {
  const holes = merged(taken);
  return from.flatMap((span) => {
    const left: Span[] = [];
    let startMs = span.startMs;
    for (const hole of holes) {
      if (hole.endMs <= startMs || hole.startMs >= span.endMs) continue;
      if (hole.startMs > startMs) left.push({ startMs, endMs: hole.startMs });
      startMs = hole.endMs;
    }
    if (startMs < span.endMs) left.push({ startMs, endMs: span.endMs });
    return left;
  });
}

export function overlaps(a: Span, b: Span): boolean {
  return a.startMs < b.endMs && b.startMs < a.endMs;
}

export function sorted<T extends Span>(spans: readonly T[]): readonly T[] {
  return spans.toSorted((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
}

/**
 * A booking must start at least this far ahead, because its start must still be ahead when the request arrives (platform API,
 * `starts-at-in-past`).
 */
const AHEAD_MS = 60_000;
/**
 * Cancellations above both this number and this share of a person's blocks wait for a person; they suggest an emptied calendar, not a
 * changed day.
 */
const CANCELS_FREE = 10;
const CANCELS_SHARE = 0.5;

/** An appointment proven to be a block by house contact, service, resource and mark. It can be moved and cancelled. */
export interface StandingBlock extends Span {
  readonly id: string;
  readonly origin: string;
}

export interface BlockPlan {
  readonly cancels: readonly StandingBlock[];
  readonly moves: readonly { readonly block: StandingBlock; readonly to: Span }[];
  readonly books: readonly Span[];
  /** Number of blocks that are already right. */
  readonly kept: number;
}

export function planBlocks(
  wanted: readonly Span[],
  standing: readonly StandingBlock[],
  { nowMs, stepMin, minMin }: { readonly nowMs: number; readonly stepMin: number; readonly minMin: number },
): BlockPlan {
  const left = new Set(sorted(standing.filter(({ endMs }) => endMs > nowMs)));
  const open: Span[] = [];
  let kept = 0;
  const coming = sorted(wanted.filter(({ endMs }) => endMs > nowMs));
  for (const span of coming) {
    const same = [...left].find((block) => isSame(block, span));
    if (same === undefined) open.push(span);
    else {
      left.delete(same);
      kept += 1;
    }
  }
  const toBook: Span[] = [];
  for (const span of open) {
    const late = [...left].find((block) => isRestOf(block, span, nowMs));
    if (late !== undefined) {
      left.delete(late);
      kept += 1;
      continue;
    }
    const rest = restOf(span, { nowMs, stepMs: stepMin * 60_000, minMs: minMin * 60_000 });
    if (rest !== undefined) toBook.push(rest);
  }
  const { moves, books } = paired([...left], toBook, nowMs);
  for (const { block } of moves) left.delete(block);
  return { ...ordered([...left], moves, books), kept };
}

/** Removes from a plan the cancellations that may be unintended, and the moves and bookings that need their time. */
export function guarded(
  plan: BlockPlan,
  {
    isWhole,
    isApproved = false,
    standing,
  }: {
    /** Every calendar of the person has been read at least once. */
    readonly isWhole: boolean;
    /** A person has approved the cancellations. */
    readonly isApproved?: boolean;
    readonly standing: number;
  },
): { readonly plan: BlockPlan; readonly held: number } {
  const tooMany =
    !isApproved && plan.cancels.length > CANCELS_FREE && plan.cancels.length > CANCELS_SHARE * standing;
  // A calendar that was never read may still need these blocks.
  if (isWhole && !tooMany) return { plan, held: 0 };
  const held = isWhole ? plan.cancels : [...plan.cancels, ...plan.moves.map(({ block }) => block)];
  const stays: Span[] = [...held];
  let moves = isWhole ? plan.moves : [];
  // A move that lost its room leaves its block where it is, which may be in the way of another move.
  for (let lost = blocked(moves, stays); lost.length > 0; lost = blocked(moves, stays)) {
    stays.push(...lost.map(({ block }) => block));
    moves = moves.filter((move) => !lost.includes(move));
  }
  const books = plan.books.filter((span) => !stays.some((block) => overlaps(block, span)));
  return { plan: { ...plan, cancels: [], moves, books }, held: held.length };
}

function blocked(moves: BlockPlan['moves'], stays: readonly Span[]): BlockPlan['moves'] {
  return moves.filter(({ to }) => stays.some((block) => overlaps(block, to)));
}

/** Moves blocks of equal length, in order, instead of cancelling and rebooking them. Otherwise someone could take the time in between. */
function paired(
  blocks: readonly StandingBlock[],
  spans: readonly Span[],
  nowMs: number,
): { moves: BlockPlan['moves'][number][]; books: Span[] } {
  const free = new Set(blocks.filter(({ startMs }) => startMs > nowMs));
  const moves: BlockPlan['moves'][number][] = [];
  const books: Span[] = [];
  for (const to of spans) {
    const block = [...free].find((each) => lengthOf(each) === lengthOf(to));
    if (block === undefined) books.push(to);
    else {
      free.delete(block);
      moves.push({ block, to });
    }
  }
  return { moves, books };
}

/** A move waits for the block in its way. If moves wait for each other, one of their blocks is cancelled and booked again. */
function ordered(
  cancels: readonly StandingBlock[],
  moves: readonly BlockPlan['moves'][number][],
  books: readonly Span[],
): Omit<BlockPlan, 'kept'> {
  const waiting = new Set(moves);
  const inOrder: BlockPlan['moves'][number][] = [];
  const [allCancels, allBooks] = [[...cancels], [...books]];
  while (waiting.size > 0) {
    const isFree = ({ block, to }: BlockPlan['moves'][number]) =>
      ![...waiting].some((other) => other.block !== block && overlaps(other.block, to));
    const next = [...waiting].find(isFree);
    if (next !== undefined) inOrder.push(next);
    const done = next ?? [...waiting][0];
    if (done === undefined) break;
    waiting.delete(done);
    if (next === undefined) {
      allCancels.push(done.block);
      allBooks.push(done.to);
    }
  }
  return { cancels: allCancels, moves: inOrder, books: sorted(allBooks) };
}

/** Whether the block covers the rest of a span that had already started when the block was booked. */
function isRestOf(block: Span, span: Span, nowMs: number): boolean {
  return span.startMs <= nowMs + AHEAD_MS && block.startMs >= span.startMs && block.endMs === span.endMs;
}

/**
 * The bookable part of a span. If the span has already started, the part starts at the next step ahead, so that the service allows its
 * length. Undefined when too little is left.
 */
function restOf(
  span: Span,
  { nowMs, stepMs, minMs }: { readonly nowMs: number; readonly stepMs: number; readonly minMs: number },
): Span | undefined {
  const lateMs = nowMs + AHEAD_MS - span.startMs;
  if (lateMs < 0) return span;
  const startMs = span.startMs + (Math.floor(lateMs / stepMs) + 1) * stepMs;
  return span.endMs - startMs >= minMs ? { startMs, endMs: span.endMs } : undefined;
}

function isSame(a: Span, b: Span): boolean {
  return a.startMs === b.startMs && a.endMs === b.endMs;
}

function lengthOf({ startMs, endMs }: Span): number {
  return endMs - startMs;
}
