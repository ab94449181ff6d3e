import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rightsToInstall, run, withoutDaemons } from './system.mjs';

/**
 * A step that installs programs which some runs can do without, so a failure here does not stop the setup; `otherwise` says what happens
 * then. `packages` are names of Debian packages, and `services` of daemons that they would start, both separated by spaces.
 */
export function debianStep({ says, isNeeded, packages, services = '', missing, otherwise, byHand }) {
  return {
    says,
    isNeeded,
    run() {
      try {
        install();
      } catch (error) {
        console.error(`setup: ${otherwise}: ${error.message}`);
      }
    },
  };

  function install() {
    // On other systems the packages have other names, or are snaps.
    if (!/^ID=debian$/m.test(osRelease())) throw new Error(`this is no Debian. ${byHand}`);
    const rights = rightsToInstall(missing, byHand);
    console.error(`setup: installing the distribution's packages ${packages}`);
    run(
      [...rights, 'sh', '-c', aptInstall(packages, services)],
      `the packages were not installed. ${byHand}`,
    );
    if (isNeeded()) throw new Error(`the packages were installed, and still ${missing}. ${byHand}`);
  }
}

/** Without a network, apt would retry for minutes. Only the download has a time limit: dpkg must not be interrupted. */
function aptInstall(packages, services) {
  const install = `
apt="apt-get -qq -o Acquire::Retries=0 -o Acquire::http::Timeout=15 -o Acquire::https::Timeout=15 -o DPkg::Lock::Timeout=120"
timeout 120 $apt update || true
timeout 600 $apt install -y --no-install-recommends --download-only ${packages}
$apt install -y --no-install-recommends ${packages}`;
  return services === ''
    ? `set -e\nexport DEBIAN_FRONTEND=noninteractive\n${install}`
    : withoutDaemons({ pattern: '*', services, install });
}

function osRelease() {
  try {
    return readFileSync(join(process.env.DPKG_ROOT ?? '/', 'etc/os-release'), 'utf8');
  } catch {
    return '';
  }
}
