import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Editors write a file in several steps. */
const SETTLE_MS = 300;

export interface ReloadSignals {
  /** Resolves when somebody has asked since the last call; asks that come together are one. */
  next(): Promise<'reload'>;
  close(): void;
}

/** SIGHUP, and with `watched` every save of that file. */
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
  // The folder: editors replace the file, and a watch on the old one would see nothing more.
  const watcher: FSWatcher | undefined =
    watched === undefined
      ? undefined
      : watch(dirname(watched), (_event, name) => {
          if (name !== null && name !== basename(watched)) return;
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
