import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { house, read, trackedFiles } from './tree.ts';

const { bundled, served }: Readonly<Record<'bundled' | 'served', readonly string[]>> = createRequire(
  import.meta.url,
)('../../scripts/rooms.cjs');

/** Parts of docs/security.md in which each row or point is a defence. */
const DEFENCES = [
  'What each input is trusted with',
  'Unauthenticated routes',
  'Limits',
  'At rest and in logs',
  'Supply chain',
];

/** Files that serve routes, and where docs/security.md speaks of these. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  'src/operate/http-server.ts': ['GET /healthz', 'GET /readyz`, `/status`, `/metrics`', 'GET /feeds/'],
  'src/platform/webhook-route.ts': ['POST /webhooks/platform'],
  'src/calendar/calendar-watch.ts': ['POST /webhooks/google'],
  'src/google/consent.ts': ['GET /google/consent'],
  'src/console/assets.ts': ['GET /console/sign-in` and its two files'],
  'src/console/plugin.ts': ['POST /console/sign-in', 'POST /console/sign-out'],
  'src/console/sign-in-by-provider.ts': ['GET /console/sign-in/provider'],
  'src/console/guard.ts': ['any other route of `/console`'],
  'src/console/live.ts': ['one report each two seconds'],
};

const parts = new Map(
  read('docs/security.md')
    .split('\n## ')
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n'))]),
);

/** Rows of the table without its head, and points of the list, each with the lines that go on with it. */
function defencesIn(part: string): readonly string[] {
  const rows = part
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
  return [...rows, ...part.split(/\n(?=- )/).filter((text) => text.startsWith('- '))];
}

describe('docs/security.md', () => {
  it.each(DEFENCES)('names a test for every defence under "%s"', (title) => {
    const defences = defencesIn(parts.get(title) ?? '');
    expect(defences.length).toBeGreaterThan(2);
    expect(defences.filter((text) => !/`(?:packages\/\w+\/)?test\/[\w/.-]+`/.test(text))).toEqual([]);
  });

  it('has a line for every route of the worker', () => {
    const doors = trackedFiles().filter(
      (path) => /^src\/(?!sandbox\/).*\.ts$/.test(path) && /\bapp\.(?:get|post|route)\(/.test(read(path)),
    );
    expect(doors.sort()).toEqual(Object.keys(DOORS).sort());
    const routes = parts.get('Unauthenticated routes') ?? '';
    expect(
      Object.values(DOORS)
        .flat()
        .filter((route) => !routes.includes(route)),
    ).toEqual([]);
  });

  it('names tests that there are', () => {
    const named = [...read('docs/security.md').matchAll(/`(test\/[\w/.-]+)`/g)].map(([, path]) => path ?? '');
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !existsSync(join(house, path)))).toEqual([]);
  });
});

it('npm run sbom prints a CycloneDX bill of materials of what is bundled, with the hashes of the lock', () => {
  const { scripts, devDependencies } = JSON.parse(read('package.json'));
  const [node, ...args] = String(scripts.sbom).split(' ');
  expect(node).toBe('node');
  const printed = execFileSync(process.execPath, args, {
    cwd: house,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  });
  const { bomFormat, components, metadata } = JSON.parse(printed) as {
    bomFormat: string;
    components: readonly Listed[];
    metadata: { component: { name: string } };
  };
  const names = new Set(components.map(({ name }) => name));
  expect(bomFormat).toBe('CycloneDX');
  expect(Object.keys(devDependencies).filter((name) => names.has(name))).toEqual(
    [...bundled, ...served].sort(),
  );
  expect(metadata.component.name).toBe('slotbridge');
  const listed = components.map(({ name, version, hashes: [hash] }) =>
    [name, version, Buffer.from(hash?.content ?? '', 'hex').toString('base64')].join(' '),
  );
  const lock: Record<string, Locked> = JSON.parse(read('package-lock.json')).packages;
  const locked = Object.entries(lock).map(
    ([path, { name = path.split('node_modules/').at(-1), version, integrity = '' }]) =>
      [name, version, integrity.replace('sha512-', '')].join(' '),
  );
  expect(listed.length).toBeGreaterThan(100);
  expect(listed.filter((each) => !locked.includes(each))).toEqual([]);
});

interface Listed {
  name: string;
  version: string;
  hashes: readonly { alg: string; content: string }[];
}

/** `name` differs from the last part of the path when a package is installed under another name. */
interface Locked {
  name?: string;
  version: string;
  /** Absent for the packages of this repository. */
  integrity?: string;
}
