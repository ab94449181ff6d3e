// The file in which the sign-in of a person is kept for the worker, readable by its owner only.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { TerminalError } from '../domain/errors.ts';
import type { AuthorizedUser } from './login.ts';

/**
 * Throws `TerminalError` `file-holds-something-else` or `secret-file-unwritable`. A key file that lies there by mistake must not be lost: only
 * a former sign-in is replaced.
 */
export function assertLoginFileIsFree(file: string): void {
  const present = readIfThere(file);
  if (present !== undefined && !/"type"\s*:\s*"authorized_user"/.test(present)) {
    throw new TerminalError('file-holds-something-else', `${file} is there already and holds no sign-in`, {
      advice: 'Give another file with --out.',
    });
  }
  const probe = `${file}.new`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(probe, '', { mode: 0o600 });
    rmSync(probe);
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

/** Whole or not at all: a running worker may read it at any moment. */
export function keepLogin(file: string, user: AuthorizedUser): void {
  const fresh = `${file}.new`;
  try {
    writeFileSync(fresh, `${JSON.stringify(user, null, 2)}\n`, { mode: 0o600 });
    chmodSync(fresh, 0o600);
    renameSync(fresh, file);
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
    advice: 'Give a file with --out that this user may write.',
  });
}
