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
