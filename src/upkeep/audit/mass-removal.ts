// Much at once is rarely meant: it waits until a person has approved the place.
import { type ParkedOrphans, parkedOrphans } from '../../domain/parked.ts';
import type { Memory } from '../../ports/memory.ts';

/** What is taken away from one place without a question. */
const REMOVED_MAX = 5;
/** Share of the place's content; more at once suggests a broken key, list or mapping. */
const REMOVED_SHARE_MAX = 0.25;
/** In the memory, with a place: until when a person lets it happen; epoch milliseconds as text. */
const APPROVED = 'approved-orphans:';

/** Places from which too much would go to be taken away unasked. `removed` names the place of each thing. */
export function crowdedPlaces(
  removed: readonly string[],
  standing: ReadonlyMap<string, number>,
): readonly string[] {
  const counts = new Map<string, number>();
  for (const place of removed) counts.set(place, (counts.get(place) ?? 0) + 1);
  return [...counts].flatMap(([place, count]) =>
    count > REMOVED_MAX && count > (standing.get(place) ?? 0) * REMOVED_SHARE_MAX ? [place] : [],
  );
}

export async function isApproved(
  { memory, nowMs }: { readonly memory: Memory; readonly nowMs: () => number },
  place: string,
): Promise<boolean> {
  return nowMs() < Number((await memory.get(APPROVED + place)) ?? 0);
}

/** Notes, for whoever approves, how much waits in each place; a place of `looked` in which nothing waits is noted no more. */
export async function noteParked(
  { memory, nowMs }: { readonly memory: Memory; readonly nowMs: () => number },
  looked: Iterable<string>,
  waiting: ReadonlyMap<string, number>,
): Promise<void> {
  for (const place of new Set(looked)) {
    const count = waiting.get(place) ?? 0;
    if (count === 0) await memory.forget(parkedOrphans(place));
    else
      await memory.set(
        parkedOrphans(place),
        JSON.stringify({ count, atMs: nowMs() } satisfies ParkedOrphans),
      );
  }
}
