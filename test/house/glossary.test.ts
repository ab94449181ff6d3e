import { expect, test } from 'vitest';
import { read, SHIPPED, trackedFiles } from './tree.ts';

/** Words of programming, of the web, of Google and of the platform: they mean here what they mean everywhere. */
const OF_THE_TRADE = wordsOf(`
  access account address alert api append assets auth body boot build caldav calendar celldata chart cli client clock
  codes completion config console control cookies core credential dashboard data demo discovery document dom en
  engine error exit file filter folder form freebusy google home hosts html http icon index init
  input instances instant json layout limit list load local locks log login loop main mask message
  metadata method metric operation operator options page path pattern percentile phone platform
  plugin poll port post principal privacy process program progress protections provider proxy query quotas
  radicale random range record recurrence redis region reload remotes render report request resume retention
  role root row ru rule runtime sandbox scenario schema scope script seal search secret series server
  session settings setup shape signature space spreadsheet state status step store stream tab table template text
  time timeline tokens transport types values variables watch web webhook workbook world
  write xml yaml zone
`);

/** Plain English. A word that means something of its own here belongs into the glossary instead. */
const PLAIN = wordsOf(`
  a act action advice again ask at attempt attendance board booked busy by call care carrier cast
  catalogue change chats choice collection command company compare comparison condition content
  conversations corrections counts courier day deadletters decide deleted delivery descriptions
  dimensions display door down dragged drop erase eve explain extract fault first
  fitness fix forget former found free front gate guest handling headers held hours hub in
  inherit keep kinds known lack large late lead line listing lists look lost moment move name needs new newest
  next normal not note notebook number observer occupancy office origin paint parts patience patient
  people person personal picture plain planned play press private pulse read rewrite round ruled run
  sample saved section send sharing show shown side sighted sign spoken stage start stopwatch story
  submitter suite switches tally test tour troubles truth unbudgeted unknown until upkeep usage verdict
  warnings weather week whereis whole why words work writes written
`);

/** Each entry by its own words, and by those after "also". */
function termsIn(glossary: string): readonly string[] {
  return [...glossary.matchAll(/^- \*\*(.+?)\*\*: (.*)$/gm)].flatMap(([, term = '', meaning = '']) => [
    ...wordsOf(term),
    ...[...meaning.matchAll(/\balso ([^.]*)\./gi)].flatMap(([, others = '']) => wordsOf(others)),
  ]);
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z]+/g) ?? [];
}

const ENDINGS = [
  ['ies', 'y'],
  ['ied', 'y'],
  ['es', ''],
  ['s', ''],
  ['ed', ''],
  ['ed', 'e'],
  ['ing', ''],
  ['ing', 'e'],
  ['er', ''],
  ['er', 'e'],
  ['or', ''],
  ['or', 'e'],
] as const;

/** The word, and what it may be made from. */
function formsOf(word: string): readonly string[] {
  const made = ENDINGS.filter(([ending]) => word.endsWith(ending));
  return [word, ...made.map(([ending, instead]) => word.slice(0, -ending.length) + instead)];
}

function isAmong(word: string, words: readonly string[]): boolean {
  return words.some((other) => formsOf(word).includes(other) || formsOf(other).includes(word));
}

/** By word: the first file whose path has it. */
function wordsOfPaths(paths: readonly string[]): ReadonlyMap<string, string> {
  const words = paths.flatMap((path) =>
    wordsOf(
      path.replace(/^(?:src|packages\/sandbox\/src|packages\/rehearsal)\//, '').replace(/\.\w+$/, ''),
    ).map((word) => [word, path] as const),
  );
  return new Map(words.reverse());
}

test('every term in a file name of the source is in the glossary', () => {
  const terms = termsIn(read('docs/glossary.md'));
  expect(terms.length).toBeGreaterThan(100);
  const words = wordsOfPaths(trackedFiles().filter((path) => SHIPPED.test(path)));
  expect(words.size).toBeGreaterThan(300);
  const known = [...OF_THE_TRADE, ...PLAIN, ...terms];
  expect([...words].filter(([word]) => !isAmong(word, known))).toEqual([]);
});

test('no word is let pass without a file that has it', () => {
  const words = [...wordsOfPaths(trackedFiles().filter((path) => SHIPPED.test(path))).keys()];
  expect([...OF_THE_TRADE, ...PLAIN].filter((word) => !isAmong(word, words))).toEqual([]);
});

test('the glossary is in alphabetical order', () => {
  const terms = [...read('docs/glossary.md').matchAll(/^- \*\*(.+?)\*\*:/gm)].map(([, term = '']) =>
    term.toLowerCase(),
  );
  expect(terms).toEqual(terms.toSorted((a, b) => (a < b ? -1 : 1)));
});
