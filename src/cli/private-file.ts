import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

/**
 * Writes all of the text or nothing, into a file that only its owner can read. A file that stands at `path` is replaced, and a link with it:
 * what the link points to stays as it is. A terminal, pipe or device is written directly. Throws what the file system answers.
 */
export function writePrivateFile(path: string, text: string): void {
  if (isStream(path)) writeFileSync(path, text);
  else writeBeside(path, text, renameSync);
}

/** Tries whether it could write there, before work that cannot be undone. What stands at `path` stays. */
export function tryPrivateFile(path: string): void {
  if (!isStream(path)) writeBeside(path, '', () => undefined);
}

function writeBeside(path: string, text: string, handOver: (fresh: string, path: string) => void): void {
  const fresh = `${path}.${randomUUID()}.new`;
  try {
    writeFileSync(fresh, text, { flag: 'wx', mode: 0o600 });
    handOver(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** `/dev/stdout` may point to a file: replacing it would take the name from the whole machine. */
function isStream(path: string): boolean {
  if (/^\/(?:dev|proc)\//.test(path)) return true;
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile();
}
