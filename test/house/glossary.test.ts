import { expect, test } from 'vitest';
import { read, trackedFiles } from './tree.ts';

/** Words of programming, of the web, of Google and of the platform: they mean here what they mean everywhere. */
const OF_THE_TRADE = wordsOf(`
  access address api append assets auth backoff batch body boot bounds build calendar celldata charts
  cli client clock codes complete completion compose config connection console context control cookies
  core credential csv dashboard data deadline demo document dom domain duration email en engine error
  escape exit file filter folder form freebusy gauge google grid home hosts html http icalendar icon
  identity index init input instances instant interpolate json layout limit list load local locks log
  loggable login loop main mask member message metadata method metric oauth operation operator ops
  options page path pattern pause percentile phone platform plugin poll port post principal privacy
  process program progress protections provider query quotas random range readiness record recurrence
  redis region reload remotes render report request restart resume role root row ru rule runtime scan schema
  scope search secret server session setup shape signals signature space spreadsheet state status step
  storage store stream syntax tab table text time timeline tokens transport types values variables
  version watch web webhook wire workbook world write yaml zone
`);

/** Plain English. A word that means something of its own here belongs into the glossary instead. */
const PLAIN = wordsOf(`
  a act action adopt advice after again apply area ask at attendance become behind beside blank board
  booked branches busy by call care carrier cast catalogue causes change chats choice classify clear
  collection colour command company compare comparison condition confirm content conversations corrections
  counted counts courier current day deadletters decide deleted deletion delivery descriptions dimensions
  display door doubts dragged editors either empty entries erase eve everything exchange explain extend
  extract eyes failing failure fault first fitness fix forget forgotten former found framer free front gate
  guest handling harmless headers held hidden hours hub in inherit inspect invite keep kept kinds known
  labelled lack late lead left length life line listing lists look lost mass membership missing moment move
  name needs new newest next normal not note notebook number observer occupancy off offered office old only
  or over paint parts patience patient people person personal picture plain planned play press preview
  private propose pulse put reachable read reason recent refused register remembered removal reread
  resolved rewrite ring round ruled run said same sample saved schedule section seen select send sent set
  setback shared sharing show shown side sighted sign size spans spelling spoken stage start stopwatch
  story submitter suggest suite summary switches take test tour troubles truth unbudgeted undefined unknown
  until upcoming usage warnings weather week whereis whole why within without work writes written
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
    wordsOf(path.replace(/^src\//, '').replace(/\.\w+$/, '')).map((word) => [word, path] as const),
  );
  return new Map(words.reverse());
}

test('every term in a file name of the source is in the glossary', () => {
  const terms = termsIn(read('docs/glossary.md'));
  expect(terms.length).toBeGreaterThan(100);
  const words = wordsOfPaths(trackedFiles().filter((path) => path.startsWith('src/')));
  expect(words.size).toBeGreaterThan(500);
  const known = [...OF_THE_TRADE, ...PLAIN, ...terms];
  expect([...words].filter(([word]) => !isAmong(word, known))).toEqual([]);
});

test('no word is let pass without a file that has it', () => {
  const words = [...wordsOfPaths(trackedFiles().filter((path) => path.startsWith('src/'))).keys()];
  expect([...OF_THE_TRADE, ...PLAIN].filter((word) => !isAmong(word, words))).toEqual([]);
});

test('the glossary is in alphabetical order', () => {
  const terms = [...read('docs/glossary.md').matchAll(/^- \*\*(.+?)\*\*:/gm)].map(([, term = '']) =>
    term.toLowerCase(),
  );
  expect(terms).toEqual(terms.toSorted((a, b) => (a < b ? -1 : 1)));
});
