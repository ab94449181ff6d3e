// Which process this is, so that another one can prove that it is dead. Process numbers are reused, also by each new container. A missing
// one proves death only if both processes see the same process table, on the same boot.
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAlive, processStart } from '../redis/data-folder.ts';

export interface ProcessIdentity {
  /** Machine and boot, and the namespaces in which `pid` and `startedAt` mean what they say. */
  readonly place: string;
  readonly pid: number;
  /** Ticks since the machine began, as `/proc` says. */
  readonly startedAt: string;
}

/** Names the machine since it was started, also to processes in containers. Where the system does not tell: another name for each call. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || randomUUID();
  } catch {
    return randomUUID();
  }
}

/** Undefined where the system does not tell enough: then nothing is concluded from this process, and nothing by it. */
export function ownIdentity(): ProcessIdentity | undefined {
  try {
    const { pid } = process;
    // In a container with the /proc of its host, the numbers there are not those of this process.
    if (readlinkSync('/proc/self') !== String(pid)) return undefined;
    // Ticks are told by the clock of the reader's namespace (time_namespaces(7)).
    const namespaces = ['pid', 'time'].map((name) => readlinkSync(`/proc/self/ns/${name}`));
    const startedAt = processStart(pid);
    if (startedAt === '') return undefined;
    return { place: [bootId(), ...namespaces, hostname()].join(' '), pid, startedAt };
  } catch {
    return undefined;
  }
}

/** No such process, or another one under its number. A frozen process, and one that cannot be looked at, is not proved dead. */
export function isProvedDead(other: ProcessIdentity, own: ProcessIdentity): boolean {
  if (other.place !== own.place) return false;
  if (!isAlive(other.pid)) return true;
  const startedAt = processStart(other.pid);
  return startedAt !== '' && startedAt !== other.startedAt;
}
