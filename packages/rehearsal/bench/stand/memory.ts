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

/** Resident memory of a process now, in MB (proc(5), VmRSS). Linux only. */
export function residentMb(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid ?? 'self'}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * KIB_PER_MIB) / 1_000_000;
}

/** Linux counts processor time in these on every architecture that Node supports (`getconf CLK_TCK`). */
const MS_PER_TICK = 10;

/** Processor time of a process and its threads so far, in ms (proc(5), utime and stime). Linux only. */
export function processorMs(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid ?? 'self'}/stat`, 'utf8');
  // The name in brackets may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
