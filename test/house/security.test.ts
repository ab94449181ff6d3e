import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { house, read } from './tree.ts';

/** Parts of docs/security.md in which each row or point is a defence. */
const DEFENCES = [
  'What each input is trusted with',
  'Unauthenticated routes',
  'Limits',
  'At rest and in logs',
  'Supply chain',
];

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
    expect(defences.filter((text) => !/`test\/[\w/.-]+`/.test(text))).toEqual([]);
  });

  it('names tests that there are', () => {
    const named = [...read('docs/security.md').matchAll(/`(test\/[\w/.-]+)`/g)].map(([, path]) => path ?? '');
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !existsSync(join(house, path)))).toEqual([]);
  });
});

it('npm run sbom prints a CycloneDX bill of materials of what runs in production, and of nothing else', () => {
  const { scripts, dependencies, devDependencies } = JSON.parse(read('package.json'));
  const [node, ...args] = String(scripts.sbom).split(' ');
  expect(node).toBe('node');
  const printed = execFileSync(process.execPath, args, {
    cwd: house,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  });
  const { bomFormat, components } = JSON.parse(printed) as {
    bomFormat: string;
    components: readonly { name: string }[];
  };
  const names = new Set(components.map(({ name }) => name));
  expect(bomFormat).toBe('CycloneDX');
  expect(Object.keys(dependencies).filter((name) => !names.has(name))).toEqual([]);
  expect(Object.keys(devDependencies).filter((name) => names.has(name))).toEqual([]);
});
