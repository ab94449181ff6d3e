import { statSync } from 'node:fs';
import type { Config } from './config.ts';

const OTHERS = 0o077;

/** Files with secrets that other users of this machine may read or change. Missing and unreadable files are reported elsewhere. */
export function openSecretFiles({ google, platform }: Config): readonly string[] {
  const { secretFile } = platform.webhook;
  const keys = Object.values(google.accounts ?? {}).map(({ credentials }) => credentials);
  const all = [google.credentials, ...keys, google.consent?.client, secretFile];
  return [...new Set(all)].filter((path): path is string => path !== undefined && isOpen(path));
}

function isOpen(path: string): boolean {
  // Windows has no file modes of this kind.
  if (process.platform === 'win32') return false;
  try {
    return (statSync(path).mode & OTHERS) !== 0;
  } catch {
    return false;
  }
}
