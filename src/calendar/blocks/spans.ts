// Arithmetic of time spans. `merged` returns sorted, disjoint spans; `common` and `spansWithout` keep them so.
import type { Span } from '../../engine/domain/block.ts';

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
