// The file that stores a person's sign-in for the worker. Only its owner can read it.
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { TerminalError } from '../domain/errors.ts';
import type { AuthorizedUser } from './login.ts';

/**
 * Throws `TerminalError` `file-holds-something-else` or `secret-file-unwritable`. Only a previous sign-in may be replaced, so that a key
 * file that is there by mistake is not lost.
 */
export function assertLoginFileIsFree(file: string): void {
  const present = readIfThere(file);
  if (present !== undefined && !/"type"\s*:\s*"authorized_user"/.test(present)) {
    throw new TerminalError(
      'file-holds-something-else',
      `${file} already exists and does not contain a sign-in`,
      {
        advice: 'Give another file with --out.',
      },
    );
  }
  writeBeside(file, '', () => undefined);
}

/** Writes the file atomically, because a running worker may read it at any moment. A link to it stays a link. */
export function keepLogin(file: string, user: AuthorizedUser): void {
  writeBeside(file, `${JSON.stringify(user, null, 2)}\n`, renameSync);
}

/** Writes a copy with the owner of the file, hands it over, and removes it if it is still there: it may hold a sign-in. */
function writeBeside(file: string, text: string, handOver: (fresh: string, place: string) => void): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const place = existsSync(file) ? realpathSync(file) : file;
    const fresh = `${place}.new`;
    try {
      writeFileSync(fresh, text, { mode: 0o600 });
      chmodSync(fresh, 0o600);
      const before = statSync(place, { throwIfNoEntry: false });
      // The command may run as root beside a worker that does not. Only the owner can read the file, so that its group does not matter.
      if (before !== undefined && before.uid !== statSync(fresh).uid)
        chownSync(fresh, before.uid, before.gid);
      handOver(fresh, place);
    } finally {
      rmSync(fresh, { force: true });
    }
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw unwritable(file, cause);
  }
}

function unwritable(file: string, cause: unknown): TerminalError {
  const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  return new TerminalError('secret-file-unwritable', `${file} cannot be written (${reason})`, {
    advice: 'Give a file with --out that this user can write.',
  });
}
