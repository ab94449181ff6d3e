// A large removal is rarely intended, so it waits until a person has approved the place.
import { holdsApproval, type ParkedOrphans, parkedOrphans } from '../../engine/domain/parked.ts';
import type { Memory } from '../../engine/ports/memory.ts';

/** Most things that are removed from one place without an approval. */
const REMOVED_MAX = 5;
/** Largest share of a place's content that is removed without an approval; more suggests a broken key, list or mapping. */
const REMOVED_SHARE_MAX = 0.25;
/** In the memory, followed by a place: until when a person allows removals there, epoch milliseconds as text. */
const APPROVED = 'approved-orphans:';

/** Places from which too much would be removed without an approval. `removed` names the place of each thing. */
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
  key: string,
): Promise<boolean> {
  return holdsApproval(await memory.get(APPROVED + place), nowMs(), key);
}

/** Notes for the approver what waits in each place, by the keys of its objects. Forgets the note of each place of `looked` in which nothing waits. */
export async function noteParked(
  { memory, nowMs }: { readonly memory: Memory; readonly nowMs: () => number },
  looked: Iterable<string>,
  waiting: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  for (const place of new Set(looked)) {
    const members = waiting.get(place) ?? [];
    if (members.length === 0) await memory.forget(parkedOrphans(place));
    else
      await memory.set(
        parkedOrphans(place),
        JSON.stringify({ count: members.length, atMs: nowMs(), members } satisfies ParkedOrphans),
      );
  }
}
