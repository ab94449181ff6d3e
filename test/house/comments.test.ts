import { expect, test } from 'vitest';
import { read, trackedFiles } from './tree.ts';

// One letter stands in brackets, so that the pattern does not find itself.
const BEGINS = /(?:^|\s)(?:\/\/|\/\*\*?(?:\s*\*)?|\*|--) ?[O]f\b.*/gm;

function findings(text: string): string[] {
  return [...text.matchAll(BEGINS)].map(([found]) => found.trim());
}

const OF = 'Of';

test.each([
  `/** ${OF} a note. */`,
  `/**\n   * ${OF} a note, and of its line.\n   */`,
  `  // ${OF} a note.`,
  `const most = 5; // ${OF} a note.`,
  `-- ${OF} a row (Lua).`,
])('is found: %s', (text) => {
  expect(findings(text)).toHaveLength(1);
});

test.each(['/** Longest note. */', '// Offers of the day.', `const title = '${OF} a note';`])(
  'is let be: %s',
  (text) => {
    expect(findings(text)).toEqual([]);
  },
);

test('no comment leaves out what it is about and begins with a preposition: it needs a subject and a verb', () => {
  const files = trackedFiles().filter((path) => /\.(?:ts|mjs|js)$/.test(path));
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((path) => findings(read(path)).map((found) => `${path}: ${found}`))).toEqual([]);
});
