import { readFileSync } from 'node:fs';

/** The heap of a worker whose memory is measured; about 40 of it is what the worker holds. */
export const HEAP_MIB = 96;

export const MEMORY_NOTE = `Peak of the resident set, with the heap bounded to ${HEAP_MIB} MiB (--max-old-space-size): a worker that gathered what it reads would end there.`;

const KIB_PER_MIB = 1_024;

/** The most memory that a process has held at once, in MiB (proc(5), VmHWM). Linux only. */
export function peakMib(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid ?? 'self'}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / KIB_PER_MIB;
}
