import { calendarKind } from '../calendar/kind.ts';
import type { MirrorTarget } from '../engine/handler.ts';
import type { Directory, Mirror } from '../engine/mirror.ts';
import type { MirrorKind } from '../mapping/shown-kind.ts';
import { sheetKind } from '../sheet/kind.ts';

const KINDS: { readonly [Kind in Mirror['kind']]: MirrorKind<Extract<Mirror, { readonly kind: Kind }>> } = {
  calendar: calendarKind,
  sheet: sheetKind,
};

export function kindOf<M extends Mirror>(mirror: M): MirrorKind<M> {
  return KINDS[mirror.kind] as MirrorKind<Mirror>;
}

/** The mirrors, ready to say what they would do. The names of the mapping are resolved once, before the first use. */
export function resolvedTargets(parts: {
  readonly targets: readonly MirrorTarget[];
  readonly mirrors: readonly Mirror[];
  readonly directory: { refresh(): Promise<Directory> };
  readonly calendars: { resolve(mirrors: readonly Mirror[], lists: Directory): Promise<void> };
}): () => Promise<readonly MirrorTarget[]> {
  const { targets, mirrors, directory, calendars } = parts;
  let resolved: Promise<void> | undefined;
  return async () => {
    resolved ??= directory.refresh().then((lists) => calendars.resolve(mirrors, lists));
    await resolved;
    return targets;
  };
}
