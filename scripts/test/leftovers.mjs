import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const graceMs = 3000;
const lookEveryMs = 100;

/**
 * Ends the processes that a test run has left behind, and returns their names. It recognises them by the run's
 * scratch folder: this is TMPDIR for everything the tests start. A Redis overwrites its environment, but has the
 * folder in its arguments or as its working folder. The process group does not help, because tests start servers in
 * groups of their own.
 */
export async function endLeftovers(scratch) {
  const deadline = Date.now() + graceMs;
  let left = markedBy(scratch);
  // A stopped worker may still be shutting down.
  while (left.length > 0 && Date.now() < deadline) {
    await sleep(lookEveryMs);
    left = markedBy(scratch);
  }
  for (const { pid } of left) endProcess(pid);
  return left.map(({ pid, command }) => `${pid} ${command}`);
}

function markedBy(scratch) {
  return processIds()
    .filter((pid) => pid !== process.pid && traces(pid).some((trace) => trace.includes(scratch)))
    .map((pid) => ({
      pid,
      command: reading(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' '),
    }));
}

function processIds() {
  // Without /proc (any system but Linux), nothing is found.
  return reading(() => readdirSync('/proc'), [])
    .map(Number)
    .filter(Number.isInteger);
}

function traces(pid) {
  return [
    reading(() => readFileSync(`/proc/${pid}/environ`, 'utf8')),
    reading(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
    reading(() => readlinkSync(`/proc/${pid}/cwd`)),
  ];
}

/** A process may end during the read, or belong to another user. */
function reading(read, otherwise = '') {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

function endProcess(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
