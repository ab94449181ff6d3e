import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allowsNode, lockedPackages } from './lock.ts';
import { house, read, trackedFiles } from './tree.ts';

/** Packages of this repository. */
const OWN = '@slotbridge/';
const manifest: {
  dependencies?: Record<string, string>;
  devDependencies: Record<string, string>;
  overrides: Record<string, string>;
  engines: { node: string };
} = JSON.parse(read('package.json'));
const all = Object.entries(manifest.devDependencies);
const direct = all.filter(([name]) => !name.startsWith(OWN));
const packages = readdirSync(join(house, 'packages'));

it('an installation of slotbridge needs no other package: its code is in dist/', () => {
  expect(manifest.dependencies).toBeUndefined();
});

describe('a direct dependency', () => {
  it.each(direct)('%s is pinned to one version, which is the locked one', (name, version) => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    const locked = lockedPackages().find(({ path }) => path === `node_modules/${name}`);
    expect(locked?.version).toBe(version);
  });

  it.each(direct)('%s has a line in docs/dependencies.md: why, and what would let it go', (name) => {
    const line = read('docs/dependencies.md')
      .split('\n')
      .filter((each) => each.startsWith(`| \`${name}\` |`));
    expect(line).toHaveLength(1);
    const [why = '', dropped = ''] = (line[0] ?? '')
      .split('|')
      .slice(2)
      .map((cell) => cell.trim());
    expect(why.length).toBeGreaterThan(20);
    expect(dropped.length).toBeGreaterThan(20);
  });
});

describe.each(packages)('packages/%s', (name) => {
  const own: typeof manifest & { version: string } = JSON.parse(read(`packages/${name}/package.json`));

  it('has the version of the worker, which links to it', () => {
    const { version } = JSON.parse(read('package.json'));
    expect(own.version).toBe(version);
    expect(manifest.devDependencies[`${OWN}${name}`]).toBe(version);
  });

  it('takes the same versions as the worker', () => {
    const taken = Object.entries({ ...own.dependencies, ...own.devDependencies });
    expect(taken.filter(([each, version]) => Object.fromEntries(all)[each] !== version)).toEqual([]);
  });
});

describe('docs/dependencies.md', () => {
  it('lists what src/ may import as bundled, and nothing else', () => {
    const { bundled } = createRequire(import.meta.url)('../../scripts/rooms.cjs');
    const [, part = ''] = read('docs/dependencies.md').split(/^## /m);
    expect(part).toMatch(/^Bundled\n/);
    expect([...part.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)).toEqual(bundled);
  });

  it('speaks of no dependency that is not there', () => {
    const named = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
    const known = [...direct, ...Object.entries(manifest.overrides)].map(([name]) => name);
    expect(named.filter((name) => name !== undefined && !known.includes(name))).toEqual([]);
  });

  it.each(Object.keys(manifest.overrides))('says why %s is overridden', (name) => {
    expect(read('docs/dependencies.md')).toContain(`| \`${name}\` |`);
  });
});

describe('the lock', () => {
  it('allows the oldest Node that package.json promises, in every package', () => {
    const oldest = manifest.engines.node.replace('>=', '');
    expect(oldest).toBe('20.19.0');
    const refusing = lockedPackages().filter((each) => !allowsNode(each, oldest));
    expect(refusing.map(({ path, node }) => `${path}: ${node}`)).toEqual([]);
  });

  it('has every package for every system: npm ci refuses a lock in which one is missing', () => {
    const all = lockedPackages();
    const paths = new Set(all.map(({ path }) => path));
    const missing = all.flatMap(({ path, optional }) =>
      optional.filter(
        (name) => !paths.has(`node_modules/${name}`) && !paths.has(`${path}/node_modules/${name}`),
      ),
    );
    expect(missing).toEqual([]);
  });

  it('names no address to download from', () => {
    // A link to a package of this repository is the only other thing that npm calls resolved.
    expect(read('package-lock.json')).not.toMatch(/"resolved": "(?!packages\/)|https?:\/\/[^"]*\.tgz/);
    expect(read('.npmrc')).toContain('omit-lockfile-registry-resolved=true');
  });

  it('runs no script of a package at install', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  });
});

it('no file names the address of a package registry', () => {
  const address =
    /https?:\/\/([\w.-]+\.)?(registry|artifactory|nexus|verdaccio|npm)\.[\w.-]+|^\s*(@[\w-]+:)?registry\s*=/im;
  expect(trackedFiles().filter((path) => address.test(read(path)))).toEqual([]);
});

describe('the supply chain', () => {
  const ALLOWED = [
    ...['MIT', 'ISC', '0BSD', 'BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0'],
    // A tool's own files only; nothing of it is changed here.
    'MPL-2.0',
  ];

  it('has licences that allow its use only', () => {
    const lock = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { license?: string; link?: boolean }>;
    };
    const others = Object.entries(lock.packages).filter(([path, { license = 'none', link }]) => {
      const terms = license.replace(/[()]/g, '').split(/ (?:AND|OR) /);
      // What a link leads to says its licence itself.
      return path !== '' && !link && !terms.every((term) => ALLOWED.includes(term));
    });
    expect(Object.keys(lock.packages).length).toBeGreaterThan(200);
    expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  });

  it('runs no script of a package at install', () => {
    expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
  });
});
