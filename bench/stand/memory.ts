import { readFileSync } from 'node:fs';

const KIB_PER_MIB = 1_024;

/** The most memory that a process has held at once, in MiB (proc(5), VmHWM). Linux only. */
export function peakMib(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid ?? 'self'}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / KIB_PER_MIB;
}
