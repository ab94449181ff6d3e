import { createRequire } from 'node:module';
import { join } from 'node:path';
import { house, read } from './tree.ts';

export interface LockedPackage {
  /** Where it lies: `node_modules/…`. */
  path: string;
  version: string;
  /** The range of Node versions that it declares; undefined when it says nothing. */
  node: string | undefined;
  /** Its optional packages by name, such as one built for each system. */
  optional: string[];
}

interface Entry {
  version: string;
  engines?: { node?: string };
  optionalDependencies?: Record<string, string>;
}

/** Every package of package-lock.json but the project itself. */
export function lockedPackages(): LockedPackage[] {
  const packages: Record<string, Entry> = JSON.parse(read('package-lock.json')).packages;
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, { version, engines, optionalDependencies = {} }]) => ({
      path,
      version,
      node: engines?.node,
      optional: Object.keys(optionalDependencies),
    }));
}

export function allowsNode({ node }: LockedPackage, version: string): boolean {
  return node === undefined || semver.satisfies(version, node);
}

/** npm's own reading of ranges; it comes with dependency-cruiser. */
const semver: { satisfies(version: string, range: string): boolean } = createRequire(
  join(house, 'node_modules/dependency-cruiser/package.json'),
)('semver');
