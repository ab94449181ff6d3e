import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { house, run } from './system.mjs';

/** Installs the packages of package-lock.json, including development ones: the build needs the compiler. */
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
 * Whether node_modules matches the lock. npm writes its own record there at the end of an install. So an interrupted
 * install has no record, and a manual `npm ci` counts.
 */
function isInstalled() {
  const wanted = packagesIn('package-lock.json');
  const present = packagesIn('node_modules/.package-lock.json');
  if (wanted === undefined) throw new Error('there is no package-lock.json here: is this a whole clone?');
  if (present === undefined) return false;
  return Object.entries(wanted).every(([path, wants]) => {
    // Optional packages are for other systems and processors, and '' is the project itself.
    if (path === '' || wants.optional || wants.devOptional) return true;
    const has = present[path];
    return has?.version === wants.version && has?.integrity === wants.integrity;
  });
}

function packagesIn(path) {
  try {
    return JSON.parse(readFileSync(join(house, path), 'utf8')).packages;
  } catch {
    // Missing or truncated: the file proves nothing.
    return undefined;
  }
}
