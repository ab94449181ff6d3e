// Makes a fresh clone able to run: the packages, a Redis to be private with, and dist/. With nothing to do it is
// quick and silent. It runs before anything is installed, so it knows Node's own modules only. What it says goes to
// stderr: the last line of stdout belongs to the command that follows (`npm run demo -- --json`).
import { installBrowser } from './setup/browser.mjs';
import { buildDist } from './setup/build.mjs';
import { installPackages } from './setup/packages.mjs';
import { assertNodeIsNewEnough, installRedis } from './setup/system.mjs';
import { takeTurn } from './setup/turn.mjs';

/** A step says what it does, knows whether it is needed, and throws an Error with advice when it cannot be done. */
const steps = [installPackages];
// `start` needs no Redis of this machine when it is told of another one.
const hasOtherRedis = process.argv.includes('--redis-may-be-elsewhere') && Boolean(process.env.REDIS_URL);
if (!hasOtherRedis) steps.push(installRedis);
if (process.argv.includes('--browser-if-possible')) steps.push(installBrowser);
// The test run builds by itself, after it has said whether the types are right.
if (!process.argv.includes('--no-build')) steps.push(buildDist);

try {
  assertNodeIsNewEnough();
  if (steps.some((step) => step.isNeeded())) await setUp();
} catch (error) {
  console.error(`\nsetup: ${error.message}`);
  process.exitCode = 1;
}

async function setUp() {
  // Another setup in this folder may be at it already: then most of the work is done when our turn comes.
  const release = await takeTurn();
  try {
    for (const step of steps) {
      if (!step.isNeeded()) continue;
      console.error(`setup: ${step.says}`);
      step.run();
    }
  } finally {
    release();
  }
}
