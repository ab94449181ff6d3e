import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { house, run } from './system.mjs';

/** The packages of package-lock.json, the development ones too: the build needs the compiler. */
export const installPackages = {
  says: 'installing the packages of package-lock.json (npm ci)',
  isNeeded: () => !isInstalled(),
  run() {
    run(
      ['npm', 'ci', '--include=dev', '--no-audit', '--no-fund'],
      'npm ci failed; what it said stands above.',
    );
  },
};

/**
 * Does node_modules hold what the lock asks for? npm writes its own record there as the last thing of an install, so
 * a broken-off install has none, and one made by hand (`npm ci`) is as good as ours.
 */
function isInstalled() {
  const wanted = packagesIn('package-lock.json');
  const present = packagesIn('node_modules/.package-lock.json');
  if (wanted === undefined) throw new Error('there is no package-lock.json here: is this a whole clone?');
  if (present === undefined) return false;
  return Object.entries(wanted).every(([path, wants]) => {
    // Optional ones are for other systems and processors, and '' is the project itself.
    if (path === '' || wants.optional || wants.devOptional) return true;
    const has = present[path];
    return has?.version === wants.version && has?.integrity === wants.integrity;
  });
}

function packagesIn(path) {
  try {
    return JSON.parse(readFileSync(join(house, path), 'utf8')).packages;
  } catch {
    // Missing or cut short: both mean that it tells nothing.
    return undefined;
  }
}
