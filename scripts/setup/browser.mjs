import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, house, rightsToInstall, run } from './system.mjs';

// Prefers the headless shell: a page in it costs a sixth of the processor time. Ubuntu's `chromium-browser` is a snap, which cannot read
// the tests' scratch folder.
const programs = ['chromium-headless-shell', 'chromium', 'google-chrome', 'google-chrome-stable'];
const packages = 'chromium-headless-shell chromium-sandbox';

/** Path of a Chromium on PATH that the browser tests can drive, if any. */
export function findBrowser() {
  return programs.map(findProgram).find((path) => path !== undefined);
}

/** Only the browser tests need a browser. They are skipped without one, so a failure here does not stop the setup. */
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
  // On other systems the package has another name or is a snap.
  if (!/^ID=debian$/m.test(osRelease())) throw new Error(`this is no Debian. ${byHand}`);
  const rights = rightsToInstall(`${programs[0]} is missing`, byHand);
  console.error(`setup: installing the distribution's packages ${packages}`);
  run([...rights, 'sh', '-c', aptInstall], `the packages were not installed. ${byHand}`);
  if (findBrowser() === undefined)
    throw new Error(`the packages brought no ${programs[0]} onto PATH. ${byHand}`);
}

const byHand = `Install Chromium (Debian: sudo apt-get install ${packages}) and run this again.`;

/** Without a network, apt would retry for minutes. Only the download has a time limit: dpkg must not be interrupted. */
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
