import { expect, test } from 'vitest';
import { read, SHIPPED, trackedFiles } from './tree.ts';

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

const WORDS_MAX = 25;

/** The comments of a TypeScript file, each as its lines without the marks. Lua's `--` counts, too. */
function commentsIn(text: string): readonly (readonly string[])[] {
  const comments: string[][] = [];
  let open: 'block' | 'lines' | undefined;
  for (const line of text.split('\n')) {
    const [, begun] = /^\s*\/\*\*? ?(.*)$/.exec(line) ?? [];
    const [, whole] = /^\s*(?:\/\/|--) ?(.*)$/.exec(line) ?? [];
    const [, trailing] = /\s(?:\/\/|--|\/\*\*) (.*)$/.exec(line) ?? [];
    const said = open === 'block' ? line.replace(/^\s*\*? ?/, '') : (begun ?? whole ?? trailing);
    if (said === undefined) {
      open = undefined;
      continue;
    }
    if (open === undefined || begun !== undefined || (open === 'lines' && whole === undefined))
      comments.push([]);
    comments.at(-1)?.push(said.replace(/\s*\*\/.*$/, ''));
    const isBlock = open === 'block' || begun !== undefined;
    const goesOn = isBlock ? !line.includes('*/') : whole !== undefined;
    open = goesOn ? (isBlock ? 'block' : 'lines') : undefined;
  }
  return comments;
}

/** An empty line, an item, a tag, an indented line and a cell of a table each begin anew. */
function sentencesIn(comment: readonly string[]): readonly string[] {
  const parts: string[] = [''];
  for (const line of comment) {
    if (line.startsWith('|')) parts.push(...line.split('|'), '');
    else if (/^(?:\s*$|\s{2,}|[-*] |\d+\. |@)/.test(line)) parts.push(line);
    else parts.push(`${parts.pop() ?? ''} ${line}`);
  }
  return parts.flatMap((part) => part.trim().split(/(?<=[.!?][)"'`]*)\s+/));
}

function longSentences(text: string): readonly string[] {
  return commentsIn(text).flatMap(sentencesIn).filter(isTooLong);
}

function isTooLong(sentence: string): boolean {
  return sentence.split(/\s+/).filter((word) => /[A-Za-z0-9]/.test(word)).length > WORDS_MAX;
}

const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;

/** Long sentences in the literals of a TypeScript file: messages, advice, help. What is filled in counts as one word. */
function longTexts(text: string): readonly string[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '').replaceAll(/'\s*\+\s*'|`\s*\+\s*`/g, '');
  return (
    [...code.matchAll(LITERAL)]
      .flatMap(([, single, double, template]) => (single ?? double ?? template ?? '').split(/\n|\\n/))
      .flatMap((line) => sentencesIn([line.replaceAll(/\$\{[^}]*\}/g, 'x')]))
      // A list of capitals is a table of codes.
      .filter((sentence) => /[a-z]/.test(sentence) && isTooLong(sentence))
  );
}

/** A sentence of so many words, its full stop left out. */
const long = (words: number) => Array.from({ length: words }, () => 'word').join(' ');

test.each([
  `/** ${long(26)}. */`,
  `  /**\n   * Short.\n   * ${long(13)}\n   * ${long(13)}. Short.\n   */`,
  `  // ${long(13)}\n  // ${long(13)}.`,
  `  -- ${long(26)} (Lua).`,
  `const most = 5; // ${long(26)}.`,
  `/**\n * | \`is\` | ${long(26)} |\n */`,
])('is too long: %s', (text) => {
  expect(longSentences(text)).toHaveLength(1);
});

test.each([
  `/** ${long(25)}. ${long(25)}. */`,
  `// ${long(25)}.\nconst most = 5;\n// ${long(25)}.`,
  `/**\n * ${long(25)}\n * - ${long(25)}\n *\n * ${long(25)}\n * | ${long(25)} | ${long(25)} |\n */`,
  `const title = '${long(26)}';`,
])('is short enough: %s', (text) => {
  expect(longSentences(text)).toEqual([]);
});

test(`no sentence in a comment of the source has more than ${WORDS_MAX} words`, () => {
  const files = trackedFiles().filter((path) => SHIPPED.test(path) && path.endsWith('.ts'));
  expect(files.flatMap((path) => commentsIn(read(path))).length).toBeGreaterThan(3_000);
  expect(files.flatMap((path) => longSentences(read(path)).map((found) => `${path}: ${found}`))).toEqual([]);
});

test.each([
  `const advice = '${long(26)}.';`,
  `advice: \`\${place}: ${long(25)}.\``,
  `advice: '${long(13)} ' +\n 'and ${long(13)}.'`,
])('is too long a text: %s', (text) => {
  expect(longTexts(text)).toHaveLength(1);
});

test.each([
  `const advice = '${long(25)}. ${long(25)}.';`,
  `// It's '${long(26)}'.`,
  `advice: '${long(25)}\\n${long(25)}'`,
])('is a text that is short enough: %s', (text) => {
  expect(longTexts(text)).toEqual([]);
});

test(`no sentence that people read has more than ${WORDS_MAX} words: messages, advice, help`, () => {
  // The sandboxes say what Google and the platform say.
  const files = trackedFiles().filter(
    (path) => SHIPPED.test(path) && /^(?!packages\/sandbox\/).*\.ts$/.test(path),
  );
  expect(files.flatMap((path) => longTexts(read(path)).map((found) => `${path}: ${found}`))).toEqual([]);
});
