import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, house, rightsToInstall, run } from './system.mjs';

// The headless shell first: a page in it costs a sixth of the processor time. Ubuntu's `chromium-browser` is a snap, which cannot see the
// scratch folder of the tests.
const programs = ['chromium-headless-shell', 'chromium', 'google-chrome', 'google-chrome-stable'];
const packages = 'chromium-headless-shell chromium-sandbox';

/** Path of a Chromium that the browser tests can drive; undefined when there is none. */
export function findBrowser() {
  return programs.map(findProgram).find((path) => path !== undefined);
}

/** Only the browser tests want it: without a browser they are skipped, so nothing here stops the setup. */
export const installBrowser = {
  says: `no ${programs[0]} on PATH, which the browser tests need`,
  isNeeded: () => existsSync(join(house, 'test/browser')) && findBrowser() === undefined,
  run() {
    try {
      install();
    } catch (error) {
      console.error(`setup: the browser tests will be skipped: ${error.message}`);
    }
  },
};

function install() {
  // Elsewhere the package has another name, or is a snap.
  if (!/^ID=debian$/m.test(osRelease())) throw new Error(`this is no Debian. ${byHand}`);
  const rights = rightsToInstall(`${programs[0]} is missing`, byHand);
  console.error(`setup: installing the distribution's packages ${packages}`);
  run([...rights, 'sh', '-c', aptInstall], `the packages were not installed. ${byHand}`);
  if (findBrowser() === undefined)
    throw new Error(`the packages brought no ${programs[0]} onto PATH. ${byHand}`);
}

const byHand = `Install Chromium (Debian: sudo apt-get install ${packages}) and run this again.`;

/** Without a network apt would try for minutes. Only the download may be cut short: dpkg may not. */
const aptInstall = `
set -e
export DEBIAN_FRONTEND=noninteractive
apt="apt-get -qq -o Acquire::Retries=0 -o Acquire::http::Timeout=15 -o Acquire::https::Timeout=15"
timeout 120 $apt update || true
timeout 600 $apt install -y --no-install-recommends --download-only ${packages}
$apt install -y --no-install-recommends ${packages}
`;

function osRelease() {
  try {
    return readFileSync(join(process.env.DPKG_ROOT ?? '/', 'etc/os-release'), 'utf8');
  } catch {
    return '';
  }
}
