import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** How long the file must be left alone before it is read: editors write it in several steps. */
const SETTLE_MS = 300;

export interface ReloadSignals {
  /** Resolves once a reload was requested since the last call. Requests that arrive together count as one. */
  next(): Promise<'reload'>;
  close(): void;
}

/** SIGHUP and, if `watched` is given, every save of that file request a reload. */
export function openReloadSignals(watched: string | undefined, isTerminal: boolean): ReloadSignals {
  let isAsked = false;
  let tell: () => void = () => {};
  const ask = () => {
    isAsked = true;
    tell();
  };
  // On a terminal SIGHUP means that its window was closed.
  if (!isTerminal) process.on('SIGHUP', ask);
  let timer: NodeJS.Timeout | undefined;
  let place = watched === undefined ? undefined : placeOf(watched);
  // Watches the folder: editors replace the file, and a watch on the old file would see no more changes. Kubernetes replaces a link above it.
  const watcher: FSWatcher | undefined =
    watched === undefined
      ? undefined
      : watch(dirname(watched), (_event, name) => {
          const before = place;
          place = placeOf(watched) ?? before;
          if (name !== null && name !== basename(watched) && place === before) return;
          clearTimeout(timer);
          timer = setTimeout(ask, SETTLE_MS);
        });
  return {
    async next() {
      if (!isAsked)
        await new Promise<void>((done) => {
          tell = done;
        });
      isAsked = false;
      return 'reload';
    },
    close() {
      process.removeListener('SIGHUP', ask);
      watcher?.close();
      clearTimeout(timer);
    },
  };
}

/** Undefined while the file is not there. */
function placeOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}
