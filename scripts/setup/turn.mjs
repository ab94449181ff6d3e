import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { house } from './system.mjs';

const waitMsMax = 10 * 60 * 1000;
const lookEveryMs = 500;

/** One setup per folder at a time: `npm ci` empties node_modules under whoever else is in it. Returns the release. */
export async function takeTurn() {
  const mark = createHash('sha256').update(house).digest('hex').slice(0, 16);
  // Beside the folder, not in it: node_modules may not be there yet.
  const lock = join(tmpdir(), `slotbridge-setup-${mark}`);
  const owner = join(lock, 'pid');
  const deadline = Date.now() + waitMsMax;
  let hasSaid = false;
  while (!taken(lock)) {
    if (isAbandoned(owner)) {
      rmSync(lock, { recursive: true, force: true });
      continue;
    }
    if (Date.now() > deadline) throw new Error(`another setup has been at work for too long; see ${owner}`);
    if (!hasSaid) console.error('setup: waiting for another setup of this folder');
    hasSaid = true;
    await sleep(lookEveryMs);
  }
  writeFileSync(owner, String(process.pid));
  return () => rmSync(lock, { recursive: true, force: true });
}

function taken(lock) {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** A setup that was killed leaves its lock; one that has just taken it may not have written its id yet. */
function isAbandoned(owner) {
  try {
    const pid = Number(readFileSync(owner, 'utf8'));
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}
