import { readFileSync } from 'node:fs';

/** Heap limit of a worker whose memory is measured. The worker itself holds about 40 MiB of it. */
export const HEAP_MIB = 96;

export const MEMORY_NOTE = `Peak of the resident set, with the heap bounded to ${HEAP_MIB} MiB (--max-old-space-size): a worker that gathered what it reads would end there.`;

const KIB_PER_MIB = 1_024;

/** Peak resident memory of a process in MiB (proc(5), VmHWM). Linux only. */
export function peakMib(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid ?? 'self'}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / KIB_PER_MIB;
}
