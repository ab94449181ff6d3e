import type { SheetMirror } from '../../domain/mirror.ts';
import { type AroundTaken, type KnownClaim, type MirrorKind, type Opinion, pathOf } from '../mirror-kind.ts';
import { archivedAtMs } from './tab/places.ts';

export const sheetKind: MirrorKind<SheetMirror> = {
  ofDeleted: (mirror) => ({
    taken: mirror.deleted === 'keep',
    rule: pathOf(mirror)('sheet.deleted'),
    because: `it was deleted on the platform: ${mirror.deleted}`,
  }),
  ofTaken,
  shown: async () => (await import('./shown.ts')).shownSheet,
};

function ofTaken(
  mirror: SheetMirror,
  { snapshot, links }: KnownClaim,
  { nowMs, because }: AroundTaken,
): Opinion {
  const path = pathOf(mirror);
  const atMs = archivedAtMs(mirror, snapshot);
  if (mirror.archive === undefined || atMs === undefined)
    return { taken: true, rule: path('where'), because };
  const { tab, by } = mirror.archive;
  const at = new Date(atMs).toISOString();
  if (atMs > nowMs)
    return {
      taken: true,
      rule: path('where'),
      because: `${because}; it moves to tab ${tab} on ${at}`,
    };
  const rule = path('sheet.archive');
  if ((links[mirror.name]?.sheet?.staysUntilMs ?? 0) > nowMs)
    return {
      taken: true,
      rule,
      because: `it is old enough for tab ${tab}, but people have written beside its row`,
    };
  return { taken: true, rule, because: `its ${by} is old enough: since ${at} its row belongs to tab ${tab}` };
}
