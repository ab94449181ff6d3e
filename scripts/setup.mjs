// Makes a fresh clone runnable: packages, a private Redis, and dist/. With nothing to do it is quick and silent. It
// runs before anything is installed, so it uses only Node's own modules. It prints to stderr, because the last line
// of stdout belongs to the command that follows (`npm run demo -- --json`).
import { installBrowser } from './setup/browser.mjs';
import { buildDist } from './setup/build.mjs';
import {
  installLargeCalendarServers,
  installRadicale,
  installSmallCalendarServers,
} from './setup/calendar-servers.mjs';
import { installFeedReaders } from './setup/feed-readers.mjs';
import { installPackages } from './setup/packages.mjs';
import { assertNodeIsNewEnough, installRedis } from './setup/system.mjs';
import { takeTurn } from './setup/turn.mjs';

/** A step says what it does, knows whether it is needed, and throws an Error with advice when it fails. */
const steps = [installPackages];
// `start` needs no local Redis when REDIS_URL names another one.
const hasOtherRedis = process.argv.includes('--redis-may-be-elsewhere') && Boolean(process.env.REDIS_URL);
if (!hasOtherRedis) steps.push(installRedis);
if (process.argv.includes('--browser-if-possible')) steps.push(installBrowser);
if (process.argv.includes('--feed-readers-if-possible')) steps.push(installFeedReaders);
if (process.argv.includes('--radicale-if-possible')) steps.push(installRadicale);
if (process.argv.includes('--calendar-servers-if-possible')) steps.push(installSmallCalendarServers);
if (process.argv.includes('--all-calendar-servers-if-possible')) steps.push(installLargeCalendarServers);
// The test run builds later, after it has checked the types.
if (!process.argv.includes('--no-build')) steps.push(buildDist);

try {
  assertNodeIsNewEnough();
  if (steps.some((step) => step.isNeeded())) await setUp();
} catch (error) {
  console.error(`\nsetup: ${error.message}`);
  process.exitCode = 1;
}

async function setUp() {
  // Another setup may be running in this folder. It then does most of the work while this one waits.
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
