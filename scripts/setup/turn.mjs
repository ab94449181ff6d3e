import { createHash } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
  const lock = join(tmpdir(), `slotbridge-setup-${mark}.pid`);
  const own = `${lock}.${process.pid}`;
  const deadline = Date.now() + waitMsMax;
  let hasSaid = false;
  while (!taken(lock, own)) {
    if (!isHeld(lock)) {
      clear(lock, own);
      continue;
    }
    if (Date.now() > deadline) throw new Error(`another setup has been at work for too long; see ${lock}`);
    if (!hasSaid) console.error('setup: waiting for another setup of this folder');
    hasSaid = true;
    await sleep(lookEveryMs);
  }
  return () => rmSync(lock, { force: true });
}

/** The lock appears together with its owner's process id, so that no death leaves one without an owner. */
function taken(lock, own) {
  try {
    writeFileSync(own, String(process.pid));
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Removes the lock of a killed setup. Another setup may have done so and taken its turn meanwhile: its lock is put back. */
function clear(lock, own) {
  try {
    renameSync(lock, own);
    if (isHeld(own)) linkSync(own, lock);
  } catch (error) {
    if (error.code === 'EPERM')
      throw new Error(`an interrupted setup of another user left ${lock}; remove this file as that user`);
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function isHeld(lock) {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}
