import { expect, test } from 'vitest';
import { classesOf, formatClasses, formatLetter } from '../../src/cli/deadletters.ts';
import { CODES_EN } from '../../src/operate/codes/en.ts';
import { read, trackedFiles } from '../house/tree.ts';

const operations = read('docs/operations.md');

/** Rooms whose errors can be the reason of a letter: not the commands, the configuration or the start of the worker. */
const handlers = trackedFiles()
  .filter((path) =>
    /^src\/(?:calendar|engine|google|mapping\/(?!schema|kinds|setup)|platform\/(?!endpoint|webhook)|sheet)\b.*\.ts$/.test(
      path,
    ),
  )
  // What stops or delays the start of the worker, or a sign-in.
  .filter(
    (path) =>
      !/private-redis|folder-lock|secret-file|proxy|state-search|link-moves|signing-secret|redis-fitness|redis-client|credential|login|google\/auth|google\/consent\.ts/.test(
        path,
      ),
  );
const codes = [
  ...new Set(
    handlers.flatMap((path) =>
      [...read(path).matchAll(/new (?:Terminal|Retryable)Error\(\s*'([a-z-]+)'/g)].map(
        ([, code = '']) => code,
      ),
    ),
  ),
]
  // Told by the start, which ends with it.
  .filter((code) => !['platform-settings', 'google-client-broken', 'google-accounts-same'].includes(code))
  // Met by the poll of private calendars, which asks again.
  .filter((code) => code !== 'busy-too-many')
  .sort();

const letterOf = (code: string) => ({
  name: `contact/${code}`,
  key: `contact/${code}`,
  atMs: 0,
  attempts: 20,
  reasons: [{ mirror: 'contacts', code, message: 'it failed' }],
});
const at = { color: false, nowIso: '2026-07-03T09:00:00.000Z' };

test('the codes are found at all', () => {
  expect(codes.length).toBeGreaterThan(25);
  expect(codes).toEqual(expect.arrayContaining(['template-failed', 'google-unavailable', 'mass-deletion']));
});

test.each(codes)('a letter because of %s says what to do next', (code) => {
  const advice = CODES_EN[code]?.[2];
  expect(advice).toMatch(/.{15,}/);
  expect(formatLetter(letterOf(code), at)).toContain(`-> ${advice}`);
  expect(formatClasses(classesOf([letterOf(code)]), { ...at, total: 1 })).toContain(`-> ${advice}`);
});

test.each(codes)('docs/operations.md has a line for the letter %s', (code) => {
  const letters = operations.slice(operations.indexOf('## Dead letters'), operations.indexOf('## Holes'));
  expect(letters).toMatch(new RegExp(`^\\| .*\`${code}\`.* \\| .{10,} \\| .{3,} \\|$`, 'm'));
});

test("the platform's own words have their advice as well, new ones too", () => {
  for (const code of ['validation', 'conflict', 'a-code-of-tomorrow'])
    expect(formatLetter(letterOf(code), at)).toMatch(/-> The platform refused .*Request-Id/);
});

test('what the error itself says comes first', () => {
  const letter = letterOf('template-failed');
  const [reason] = letter.reasons;
  const reasons = reason === undefined ? [] : [{ ...reason, advice: 'Mend the column Phone.' }];
  expect(formatLetter({ ...letter, reasons }, at)).toContain('-> Mend the column Phone.');
});
