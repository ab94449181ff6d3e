import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError } from '../../src/mapping/problem.ts';
import { runsOf } from '../stand/runs.ts';
import { ENV, everySetting } from './every-setting.ts';
import { load } from './fixture.ts';

/** The example, and a file with every setting that there is. */
const files = [
  readFileSync(new URL('../../config/slotbridge.example.yaml', import.meta.url), 'utf8'),
  stringify(everySetting()),
];
const scraps = [
  '',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  ':',
  '- ',
  '\t',
  '*a',
  '&a ',
  '<<: *a',
  '<<: 1',
  '!x ',
  '|',
  '>',
  '${',
  `\${X}`,
  '$$',
  '{{',
  'null',
  '~',
  '1',
  '# ',
  '\n',
  '  ',
  '---\n',
  '@',
  '%',
  '? ',
];

/** One of the files with one stretch replaced by a scrap. */
const damaged = fc.constantFrom(...files).chain((file) =>
  fc
    .record({
      at: fc.nat(file.length),
      length: fc.nat(60),
      scrap: fc.constantFrom(...scraps),
    })
    .map(({ at, length, scrap }) => file.slice(0, at) + scrap + file.slice(at + length)),
);

test('whatever happens to the file, the answer is a configuration or a list of problems with places in it', () => {
  fc.assert(
    fc.property(
      fc.oneof({ weight: 9, arbitrary: damaged }, { weight: 1, arbitrary: fc.string({ maxLength: 200 }) }),
      (text) => {
        try {
          expect(load(text, ENV).mirrors.length).toBeGreaterThan(0);
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          const lines = text.split('\n').length;
          expect(error.problems.length).toBeGreaterThan(0);
          for (const { line, column, what, fix } of error.problems) {
            expect(line).toBeLessThanOrEqual(lines);
            expect(Math.min(line, column)).toBeGreaterThanOrEqual(1);
            expect(what !== '' && fix !== '').toBe(true);
            expect(what).not.toMatch(/Invalid input|undefined/);
          }
        }
      },
    ),
    { numRuns: runsOf(500) },
  );
});

const SECRET = 'sk_live_4242';

test.each([
  `platform:\n  api_key: "${SECRET}" "x"\n`,
  `platform:\n  api_key: [${SECRET}\n`,
  `platform:\n  api_key: "${SECRET}\\q"\n`,
  `platform:\n  api_key: '${SECRET}'x\n`,
  `platform:\n  api_key: @${SECRET}\n`,
  `platform:\n  api_key: *${SECRET}\n`,
  `platform:\n  api_key: !${SECRET} x\n`,
  `platform:\n  api_key: | ${SECRET}\n`,
  `platform:\n  api_key: a: ${SECRET}\n`,
  `platform:\n  api_key: ${SECRET}: x\n`,
  `platform:\n  api_key ${SECRET}\n  base_url: x\n`,
  `platform:\n\tapi_key: ${SECRET}\n`,
  `platform:\n  api_key: %${SECRET}\n`,
  `platform:\n  api_key: x}${SECRET}\n  }${SECRET}\n`,
  `platform: { api_key: "${SECRET}" ${SECRET} }\n`,
  // Found by bytes: without a space behind the colon all of it is a name.
  `platform:\n  api_key:${SECRET}\nmirrors: {}\n`,
  `platform:\n  "api_key:${SECRET}"\nmirrors: {}\n`,
  `platform:\n  api_key:\0 ${SECRET}\nmirrors: {}\n`,
  `platform:\n  api_key:${SECRET}: x\n`,
  `%${SECRET}\n---\nplatform: {}\n`,
])('a slip in the line of a key does not print the key: %j', (text) => {
  expect(() => load(text)).toThrow(ConfigError);
  try {
    load(text);
  } catch (error) {
    expect(String(error)).not.toContain(SECRET);
  }
});

test.each([
  ['brackets', '['.repeat(200_000)],
  ['groups', '{a: '.repeat(60_000)],
  ['lists in one line', '- '.repeat(100_000)],
  ['keys in one line', '? '.repeat(100_000)],
  ['brackets over many lines', '[\n'.repeat(60_000)],
])('%s without end are refused before they are parsed', (_, text) => {
  expect(() => load(text)).toThrow(/nests groups too deeply/);
});

test('a file full of faults is told in a bounded number of problems', () => {
  for (const slip of ['}', '[]', '!a ', '*a ', 'a: b: c\n', '- *a\n', '\ta: b\n']) {
    try {
      load(slip.repeat(500));
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      expect(error.problems.length).toBeGreaterThan(0);
      expect(error.problems.length).toBeLessThanOrEqual(101);
    }
  }
});
