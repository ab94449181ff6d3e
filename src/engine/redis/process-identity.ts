// Identifies this process, so that another one can prove its death. Process ids are reused, also by each new container. A missing id proves
// death only if both processes see the same process table, on the same boot.
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAlive, processStart } from './data-folder.ts';

export interface ProcessIdentity {
  /** Machine, boot and namespaces in which `pid` and `startedAt` are valid. */
  readonly place: string;
  readonly pid: number;
  /** Ticks since boot, from `/proc`. */
  readonly startedAt: string;
}

/** Identifies this boot of the machine, also inside containers. Where the system does not say, each call returns another name. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || randomUUID();
  } catch {
    return randomUUID();
  }
}

/** Undefined where the system says too little. Then no process can prove this one dead, and this one proves no other dead. */
export function ownIdentity(): ProcessIdentity | undefined {
  try {
    const { pid } = process;
    // In a container with the host's /proc, the ids there are not those of this process.
    if (readlinkSync('/proc/self') !== String(pid)) return undefined;
    // Ticks follow the time namespace of the reader (time_namespaces(7)).
    const namespaces = ['pid', 'time'].map((name) => readlinkSync(`/proc/self/ns/${name}`));
    const startedAt = processStart(pid);
    if (startedAt === '') return undefined;
    return { place: [bootId(), ...namespaces, hostname()].join(' '), pid, startedAt };
  } catch {
    return undefined;
  }
}

/**
 * True if the process is missing, or if another process has its id now. A frozen process, or one that cannot be examined, is not proved
 * dead.
 */
export function isProvedDead(other: ProcessIdentity, own: ProcessIdentity): boolean {
  if (other.place !== own.place) return false;
  if (!isAlive(other.pid)) return true;
  const startedAt = processStart(other.pid);
  return startedAt !== '' && startedAt !== other.startedAt;
}
