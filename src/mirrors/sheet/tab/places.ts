// A mirror with an archive writes into two tabs. Where the row of an object belongs follows from the object and the clock alone.
import type { SheetLink } from '../../../domain/link.ts';
import type { SheetMirror } from '../../../domain/mirror.ts';
import type { SheetSpot } from '../../../domain/sheet-row.ts';
import type { Snapshot } from '../../../domain/snapshot.ts';

/** The mirror once for each of its tabs, its own first; neither has an archive of its own. */
export function placesOf(mirror: SheetMirror): readonly SheetMirror[] {
  const { archive, ...home } = mirror;
  if (archive === undefined) return [home];
  return [home, { ...home, spreadsheetId: archive.spreadsheetId, tab: archive.tab }];
}

/** When the row of an object moves to the archive, epoch milliseconds. Undefined: it has no such time, or the mirror no archive. */
export function archivedAtMs({ archive }: SheetMirror, snapshot: Snapshot | undefined): number | undefined {
  if (archive === undefined) return undefined;
  const at = Date.parse(String(snapshot?.[archive.by])) + archive.afterMs;
  return Number.isNaN(at) ? undefined : at;
}

/** The tab in which the row of an object belongs now. */
export function spotFor(mirror: SheetMirror, snapshot: Snapshot | undefined, nowMs: number): SheetSpot {
  const at = archivedAtMs(mirror, snapshot);
  return spotOf(mirror.archive !== undefined && at !== undefined && at <= nowMs ? mirror.archive : mirror);
}

/**
 * Where else the row may stand when nothing is known of it here, because Redis was lost. What is younger than the archive's age was never
 * in it: nothing happens to an object before it was made.
 */
export function otherSpot(
  mirror: SheetMirror,
  snapshot: Snapshot | undefined,
  about: { readonly spot: SheetSpot; readonly nowMs: number },
): SheetSpot | undefined {
  const { archive } = mirror;
  if (archive === undefined) return undefined;
  if (isSameSpot(about.spot, archive)) return spotOf(mirror);
  const madeAtMs = Date.parse(String(snapshot?.['created_at']));
  return madeAtMs + archive.afterMs > about.nowMs ? undefined : spotOf(archive);
}

/** A place in which a move may have left a row, now that the row belongs to `spot`. */
export function leftoverOf(
  link: SheetLink | undefined,
  spot: SheetSpot,
): { readonly at: SheetSpot; readonly forced: boolean } | undefined {
  const { former, bound } = link ?? {};
  if (former !== undefined) return { at: spotOf(former), forced: former.forced === true };
  // It was about to move, but belongs where it is: nobody knows whether it was written in the new place.
  const isBack = link !== undefined && bound !== undefined && isSameSpot(link, spot);
  return isBack ? { at: spotOf(bound), forced: true } : undefined;
}

export function isSameSpot(a: SheetSpot, b: SheetSpot): boolean {
  return a.spreadsheetId === b.spreadsheetId && a.tab === b.tab;
}

export function spotOf({ spreadsheetId, tab }: SheetSpot): SheetSpot {
  return { spreadsheetId, tab };
}
