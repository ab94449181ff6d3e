// The folder of a private Redis. Only its owner can read it, and one process at a time holds it.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { TerminalError } from '../domain/errors.ts';

/** Creates the folder, or closes it to other users. Throws `TerminalError` `data-folder-unusable`. */
export function makePrivateFolder(dir: string): void {
  usable(dir, () => {
    makeFolders(dir);
    chmodSync(dir, 0o700);
  });
}

/**
 * The running process that the file names; undefined when that process has ended, or is this one. Only versions before 0.3 rely on it,
 * because in another container the id says nothing. `lockFolder` decides between newer ones.
 */
export function ownerOf(ownerFile: string): number | undefined {
  const [pid, startedAt] = existsSync(ownerFile) ? readFileSync(ownerFile, 'utf8').trim().split(' ') : [];
  const owner = Number(pid ?? 0);
  // Process ids are reused after a reboot. Only a process with the same start time is the owner.
  const isSame = startedAt === undefined || startedAt === processStart(owner);
  return owner > 0 && owner !== process.pid && isAlive(owner) && isSame ? owner : undefined;
}

export function takeOwnership(ownerFile: string): void {
  const dir = dirname(ownerFile);
  const owner = ownerOf(ownerFile);
  if (owner !== undefined) throw folderInUse(dir, `the running process ${owner}`);
  usable(dir, () => writeFileSync(ownerFile, `${process.pid} ${processStart(process.pid)}`, { mode: 0o600 }));
}

export function giveUpOwnership(ownerFile: string): void {
  rmSync(ownerFile, { force: true });
}

/** When a process started, in ticks since boot (proc(5), stat). Empty where that file is missing, and for a zombie. */
export function processStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in brackets that may contain anything.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? '' : (fields[18] ?? '');
  } catch {
    return '';
  }
}

/** True if the process has this folder as its working directory. False for the same id in another container, and another user's process. */
export function worksIn(pid: number, dir: string): boolean {
  // Where there is no /proc, there are no containers either.
  if (!existsSync('/proc/self/cwd')) return isAlive(pid);
  try {
    const [its, own] = [statSync(`/proc/${pid}/cwd`), statSync(dir)];
    return its.dev === own.dev && its.ino === own.ino;
  } catch {
    return false;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Creates the folders one by one, because Node's recursive mkdir never ends below /proc. */
function makeFolders(dir: string): void {
  const missing: string[] = [];
  for (let at = dir; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const each of missing) mkdirSync(each, { mode: 0o700 });
  if (!statSync(dir).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
}

function usable(dir: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    throw unusable(dir, cause);
  }
}

export function unusable(dir: string, cause: unknown): TerminalError {
  const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
  return new TerminalError('data-folder-unusable', `the data folder ${dir} cannot be used (${reason})`, {
    target: 'redis',
    advice: adviceOn(reason),
    cause,
  });
}

/** `who` holds it. */
export function folderInUse(dir: string, who: string): TerminalError {
  return new TerminalError('data-folder-in-use', `the data folder ${dir} belongs to ${who}`, {
    target: 'redis',
    advice:
      'Stop that process, give this one another redis.data_dir, or let both share a Redis through redis.url.',
  });
}

function adviceOn(reason: string): string {
  switch (reason) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'Free space on its disk, or set redis.data_dir to a folder on another one.';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'Give the folder to the user that runs the worker, or set redis.data_dir to one that it may write.';
    default:
      return 'Set redis.data_dir to a folder that can be made on this machine.';
  }
}
