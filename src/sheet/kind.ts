import type { SheetMirror } from '../engine/mirror.ts';
import {
  type AroundTaken,
  type KnownClaim,
  type MirrorKind,
  type Opinion,
  pathOf,
} from '../mapping/shown-kind.ts';
import { archivedAtMs } from './tab-survey.ts';

export const sheetKind: MirrorKind<SheetMirror> = {
  ofDeleted: (mirror, words) => ({
    taken: mirror.deleted === 'keep',
    rule: pathOf(mirror)('sheet.deleted'),
    because: words.deletedRow(mirror.deleted),
  }),
  ofTaken,
  shown: async () => (await import('./shown.ts')).shownSheet,
};

function ofTaken(
  mirror: SheetMirror,
  { snapshot, links }: KnownClaim,
  { nowMs, because, words }: AroundTaken,
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
      because: `${because}; ${words.archivedLater(tab, at)}`,
    };
  const rule = path('sheet.archive');
  if ((links[mirror.name]?.sheet?.staysUntilMs ?? 0) > nowMs)
    return {
      taken: true,
      rule,
      because: words.archivedNot(tab),
    };
  return { taken: true, rule, because: words.archived(tab, { by, at }) };
}
