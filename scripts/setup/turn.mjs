import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { house } from './system.mjs';

const waitMsMax = 10 * 60 * 1000;
const lookEveryMs = 500;

/**
 * Allows one setup per folder at a time, because `npm ci` empties node_modules while others use it. Returns the
 * release.
 */
export async function takeTurn() {
  const mark = createHash('sha256').update(house).digest('hex').slice(0, 16);
  // In the temporary folder and not in node_modules, which may not exist yet.
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

/** A killed setup leaves its lock behind. A setup that has just taken the lock may not have written its id yet. */
function isAbandoned(owner) {
  try {
    const pid = Number(readFileSync(owner, 'utf8'));
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}
