import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConfigError } from '../../src/config/problem.ts';
import { load } from './fixture.ts';

const example = readFileSync(new URL('../../config/slotbridge.example.yaml', import.meta.url), 'utf8');
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

/** The example with one stretch replaced by a scrap. */
const damaged = fc
  .record({
    at: fc.nat(example.length),
    length: fc.nat(60),
    scrap: fc.constantFrom(...scraps),
  })
  .map(({ at, length, scrap }) => example.slice(0, at) + scrap + example.slice(at + length));

test('whatever happens to the file, the answer is a configuration or a list of problems with places in it', () => {
  fc.assert(
    fc.property(
      fc.oneof({ weight: 9, arbitrary: damaged }, { weight: 1, arbitrary: fc.string({ maxLength: 200 }) }),
      (text) => {
        try {
          expect(load(text).mirrors.length).toBeGreaterThan(0);
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
    { numRuns: 500 },
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
      load(slip.repeat(2_000));
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      expect(error.problems.length).toBeGreaterThan(0);
      expect(error.problems.length).toBeLessThanOrEqual(101);
    }
  }
});
