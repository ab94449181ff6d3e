import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { debianStep } from './debian.mjs';
import { findProgram, house } from './system.mjs';

// Prefers the headless shell: a page in it costs a sixth of the processor time. Ubuntu's `chromium-browser` is a snap, which cannot read
// the tests' scratch folder.
const programs = ['chromium-headless-shell', 'chromium', 'google-chrome', 'google-chrome-stable'];
const packages = 'chromium-headless-shell chromium-sandbox';

/** Path of a Chromium on PATH that the browser tests can drive, if any. */
export function findBrowser() {
  return programs.map(findProgram).find((path) => path !== undefined);
}

/** Only the browser tests need a browser. */
export const installBrowser = debianStep({
  says: `no ${programs[0]} on PATH, which the browser tests need`,
  isNeeded: () => existsSync(join(house, 'test/browser')) && findBrowser() === undefined,
  ...{ packages, missing: `${programs[0]} is missing`, otherwise: 'the browser tests will be skipped' },
  byHand: `Install Chromium (Debian: sudo apt-get install ${packages}) and run this again.`,
});
