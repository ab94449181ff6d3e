import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const graceMs = 3000;
const lookEveryMs = 100;

/**
 * Ends the processes that a test run has left behind, and names them. They are known by the run's scratch folder: it
 * is TMPDIR for all that the tests start, and stands in the arguments or the working folder of a Redis, which
 * overwrites its environment. A test starts servers apart from its own process group, so the group tells nothing.
 */
export async function endLeftovers(scratch) {
  const deadline = Date.now() + graceMs;
  let left = markedBy(scratch);
  // A worker that was told to stop may still be at it.
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
  // Elsewhere than on Linux there is no such list, and nothing is found.
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

/** A process may end, or belong to somebody else, while it is looked at. */
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
