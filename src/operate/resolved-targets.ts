import type { Directory } from '../engine/domain/directory.ts';
import type { Mirror } from '../engine/domain/mirror.ts';
import type { MirrorTarget } from '../engine/ports/handler.ts';

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
