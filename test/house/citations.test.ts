import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { house, read, trackedFiles } from './tree.ts';

/** What may cite, with its text read once. This file quotes numbers that nobody defines. */
const citing = trackedFiles()
  .filter((path) => /^(src|test|docs|packages|scripts)\/.*\.(ts|mjs|md)$|^[A-Z]+\.md$/.test(path))
  .filter(
    (path) => !['docs/reference/traps.md', 'CHANGELOG.md', 'test/house/citations.test.ts'].includes(path),
  )
  .map((path) => ({ path, text: read(path) }));

const isTest = (path: string) => /^(?:test|packages\/[^/]+\/(?:test|chaos))\//.test(path);

describe('cases, of docs/reference/traps.md', () => {
  const entries = read('docs/reference/traps.md')
    .split('\n')
    .flatMap((line) => {
      const [, number, test] = /^\| (\d+) \| .{20,} \| `([^`]+)` \|$/.exec(line) ?? [];
      return number === undefined || test === undefined ? [] : [{ number, test }];
    });
  const known = new Set(entries.map(({ number }) => number));

  it('stand there once each', () => {
    expect(known.size).toBe(entries.length);
    expect(known.size).toBeGreaterThan(70);
  });

  it('are all there when something cites them', () => {
    const cited = citing.flatMap(({ path, text }) => casesIn(text).map((number) => ({ path, number })));
    expect(cited.length).toBeGreaterThan(250);
    expect(cited.filter(({ number }) => !known.has(number))).toEqual([]);
  });

  it.each(entries)('case $number is cited by $test', ({ number, test }) => {
    expect(existsSync(join(house, test))).toBe(true);
    expect(casesIn(read(test))).toContain(number);
  });
});

describe('promises, P1 and so on', () => {
  const defined = (path: string) =>
    [...read(path).matchAll(/^- \*\*(P\d+) [A-Z][^*]*\*\* .{20,}/gm)].map(([, name]) => name);

  it.each(['README.md', 'docs/overview.md'])('%s says what each of the nine means', (path) => {
    expect(defined(path)).toEqual(['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7', 'P8', 'P9']);
  });

  it('are no others when something cites them, and each is cited by a test', () => {
    const cited = citing.flatMap(({ path, text }) =>
      [...text.matchAll(/\bP\d+\b/g)].map(([name]) => ({ path, name })),
    );
    const promises = defined('docs/overview.md');
    expect(cited.filter(({ name }) => !promises.includes(name))).toEqual([]);
    const tested = new Set(cited.filter(({ path }) => isTest(path)).map(({ name }) => name));
    expect(promises.filter((name) => !tested.has(name ?? ''))).toEqual([]);
  });
});

describe('rows of the tables of behaviour, B1 and so on', () => {
  const rows = ['docs/bookings.md', 'docs/staff-edits.md'].flatMap((document) =>
    [...read(document).matchAll(/^\| ([A-Z]\d+(?:, [A-Z]\d+)*) \|/gm)]
      .flatMap(([, names = '']) => names.split(', '))
      .map((name) => ({ document, name, letter: name.charAt(0) })),
  );
  const letters = [...new Set(rows.map(({ letter }) => letter))];
  const tests = citing.filter(({ path }) => /^test\/flow\/.*\.test\.ts$/.test(path));
  const cited = tests.flatMap(({ path, text }) =>
    [...text.matchAll(/['`(]((?:[A-Z]\d+(?:, | and )?)+)[:,]/g)]
      .flatMap(([, names = '']) => names.match(/[A-Z]\d+/g) ?? [])
      .filter((name) => letters.includes(name.charAt(0)))
      .map((name) => ({ path, name })),
  );

  it('are named by a letter of their document, once each', () => {
    expect(rows.length).toBeGreaterThan(100);
    const documents = letters.map(
      (letter) => new Set(rows.filter((row) => row.letter === letter).map(({ document }) => document)),
    );
    expect(documents.filter(({ size }) => size > 1)).toEqual([]);
    expect(rows.filter(({ name }, at) => rows.findIndex((row) => row.name === name) !== at)).toEqual([]);
  });

  it('have a test of their name', () => {
    const names = new Set(cited.map(({ name }) => name));
    expect(rows.filter(({ name }) => !names.has(name))).toEqual([]);
  });

  it('are there when a test has their name', () => {
    expect(cited.filter(({ name }) => !rows.some((row) => row.name === name))).toEqual([]);
  });
});

describe('the search for cases', () => {
  it('finds one, several and those at the beginning of a sentence, and no branch of a switch', () => {
    expect(casesIn('(case 33, case 72)')).toEqual(['33', '72']);
    expect(casesIn('(cases 1, 4 and 19)')).toEqual(['1', '4', '19']);
    expect(casesIn('// Cases 60 and 61: people sort')).toEqual(['60', '61']);
    expect(casesIn("test('S10, cases 50, 65: a blank tab")).toEqual(['50', '65']);
    expect(casesIn('    case 404:\n    case 410:\n')).toEqual([]);
  });
});

function casesIn(text: string): string[] {
  return [...text.replaceAll(/^\s*case \d+:/gm, '').matchAll(/\bcases? (\d+(?:(?:, | and )\d+)*)/gi)].flatMap(
    ([, numbers = '']) => numbers.match(/\d+/g) ?? [],
  );
}
