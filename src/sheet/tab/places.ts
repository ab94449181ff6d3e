// A mirror with an archive writes into two tabs. The object and the clock alone decide in which one its row belongs.
import type { SheetLink } from '../../engine/domain/link.ts';
import type { SheetMirror } from '../../engine/domain/mirror.ts';
import type { Snapshot } from '../../engine/domain/object.ts';
import type { SheetSpot } from '../../engine/domain/sheet-row.ts';

/** The mirror once for each of its tabs, its main tab first. The results have no `archive`. */
export function placesOf(mirror: SheetMirror): readonly SheetMirror[] {
  const { archive, ...home } = mirror;
  if (archive === undefined) return [home];
  return [home, { ...home, spreadsheetId: archive.spreadsheetId, tab: archive.tab }];
}

/**
 * When the row of an object moves to the archive, epoch milliseconds. Undefined if the object has no such time or the mirror no archive.
 */
export function archivedAtMs({ archive }: SheetMirror, snapshot: Snapshot | undefined): number | undefined {
  if (archive === undefined) return undefined;
  const at = Date.parse(String(snapshot?.[archive.by])) + archive.afterMs;
  return Number.isNaN(at) ? undefined : at;
}

/** The tab in which the object's row belongs now. */
export function spotFor(mirror: SheetMirror, snapshot: Snapshot | undefined, nowMs: number): SheetSpot {
  const at = archivedAtMs(mirror, snapshot);
  return spotOf(mirror.archive !== undefined && at !== undefined && at <= nowMs ? mirror.archive : mirror);
}

/**
 * The other tab that may hold the row when no link is known, because Redis was lost. An object younger than the archive's age was never
 * archived: nothing happens to an object before its creation.
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

/** The tab in which a move may have left a copy, now that the row belongs to `spot`. */
export function leftoverOf(
  link: SheetLink | undefined,
  spot: SheetSpot,
): { readonly at: SheetSpot; readonly forced: boolean } | undefined {
  const { former, bound } = link ?? {};
  if (former !== undefined) return { at: spotOf(former), forced: former.forced === true };
  // The row was about to move but belongs where it is. The new place may or may not have received a copy.
  const isBack = link !== undefined && bound !== undefined && isSameSpot(link, spot);
  return isBack ? { at: spotOf(bound), forced: true } : undefined;
}

export function isSameSpot(a: SheetSpot, b: SheetSpot): boolean {
  return a.spreadsheetId === b.spreadsheetId && a.tab === b.tab;
}

export function spotOf({ spreadsheetId, tab }: SheetSpot): SheetSpot {
  return { spreadsheetId, tab };
}
