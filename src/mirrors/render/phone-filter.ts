// Returns the first phone number that people typed as E.164, or an empty text. Nothing is guessed: a number with a digit too few or too
// many is often another person's, and its author can be asked.
import {
  type CountryCode,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js';
import examples from 'libphonenumber-js/mobile/examples';

/** A run of digits with the characters between them. It is never cut, and is not part of a word, an address or a longer run. */
const RUN = /(?<![\p{L}\p{N}_@+])[+(]{0,2}\d[\d ().\-/]*/gu;
/** Times and dates may be next to numbers. */
const TIMES =
  /(?<![\d.:])(?:\d{1,2}(?::\d{2})? ?[ap]\.?m\b|\d{1,2}:\d{2}(?::\d{2})?|(?:0?[1-9]|[12]\d|3[01])[./](?:0?[1-9]|[12]\d|3[01])[./](?:19|20)\d{2}|(?:19|20)\d{2}-\d{2}-\d{2})(?![\d:])/gi;
const BLANKS = /[^\S\n\r\t]/gu;
const DASHES = /[\u2010-\u2015\u2212]/g;
/** Most digits of one number; E.164 has 15, after an international prefix. */
const DIGITS_MAX = 18;
/** Fewest digits of a number; the shortest numbers of small countries have six. */
const DIGITS_MIN = 6;
/** Fewest digits that count as an attempt at a number. */
const TRIED_DIGITS_MIN = 7;
/** Most digits of a word beside a number: an hour, a day, a number of people. */
const ASIDE_DIGITS_MAX = 4;
/** Digits that run into a word, or into the name before an `@`, are not a number; `x12` is an extension. */
const RUNS_INTO_WORD = /^(?!x\d{1,6}(?![\p{L}\p{N}]))[\p{L}\p{N}_@]/iu;
/** Longest run that is searched; people type less between the digits of one or two numbers, and each gap is tried in turn. */
const RUN_CHARS_MAX = 200;
/** Most digits of two numbers with spaces between them. */
const PAIR_DIGITS_MAX = 2 * DIGITS_MAX;

/** `region`: ISO 3166 country of numbers without a country code. Without it, only numbers with a country code are found. */
export function phoneIn(text: string, region: string | undefined): string {
  const country = region !== undefined && isSupportedCountry(region) ? region : undefined;
  const plain = text.normalize('NFKC').replace(BLANKS, ' ').replace(DASHES, '-').replace(TIMES, '\n');
  for (const { 0: typed, index } of plain.matchAll(RUN)) {
    const run = typed.replace(/(?<![ ().\-/])[ ().\-/]+$/, '');
    if (run.length > RUN_CHARS_MAX) return '';
    if (RUNS_INTO_WORD.test(plain.slice(index + run.length, index + run.length + 8))) continue;
    const number = numberOf(run, country) ?? firstOfTwo(run, country) ?? oneInAWord(run, country);
    if (number !== undefined) return number;
    // Someone mistyped a number here. The next number in the text may be another person's.
    if (isTried(run, country)) return '';
  }
  return '';
}

/** Undefined unless the whole run is one number and cannot be another. */
function numberOf(run: string, country: CountryCode | undefined): string | undefined {
  const digits = digitsOf(run);
  if (digits.length < DIGITS_MIN || digits.length > DIGITS_MAX) return undefined;
  const parsed = parsePhoneNumberFromString(run, {
    extract: false,
    ...(country !== undefined && { defaultCountry: country }),
  });
  if (parsed === undefined || !parsed.isValid()) return undefined;
  // `030 901820 2`: the last digit may belong to the number, or be a number of people.
  if (/ \d$/.test(run) && parsePhoneNumberFromString(run.slice(0, -2), country)?.isValid()) return undefined;
  const { nationalNumber, countryCallingCode: code } = parsed;
  const first = /\d+/.exec(run)?.[0] ?? '';
  if (run.startsWith('+')) {
    // `+8 495 …`: people do not put a space within a country code.
    return digits.startsWith(code) && first.length < code.length ? undefined : parsed.number;
  }
  if (country === undefined) return undefined;
  const { prefix, ownCode } = planOf(country);
  if (digits === nationalNumber) {
    // `8 343 …` one digit short reads as another town's number without its 8. `7 701 …` reads as another country's number without its 7.
    const isCut = prefix !== undefined && digits.startsWith(prefix);
    const isForeign = digits.startsWith(ownCode) && parsed.country !== country;
    if (isCut || isForeign || first === ownCode) return undefined;
  }
  return mayBeTwo(run, country) ? undefined : parsed.number;
}

/** The first of two numbers separated only by spaces or a slash, if they can be read in only one way. */
function firstOfTwo(run: string, country: CountryCode | undefined): string | undefined {
  if (digitsOf(run).length > PAIR_DIGITS_MAX) return undefined;
  const pairs = splits(run).flatMap(([left, right]) => {
    const number = numberOf(left, country);
    return number !== undefined && numberOf(right, country) !== undefined ? [number] : [];
  });
  return pairs.length === 1 ? pairs[0] : undefined;
}

/**
 * A number written as one word with its prefix, beside hours, days or numbers of people. Bare digits before it may be the code of another
 * country.
 */
function oneInAWord(run: string, country: CountryCode | undefined): string | undefined {
  const words = run.split(' ').filter((word) => word !== '');
  const isLed = (word: string) => {
    const number = /^\+?\d+$/.test(word) ? numberOf(word, country) : undefined;
    if (number === undefined || digitsOf(number) === digitsOf(word)) return number !== undefined;
    const prefix = country && planOf(country).prefix;
    return prefix !== undefined && word.startsWith(prefix);
  };
  const at = words.findIndex(isLed);
  const asides = words.filter((_, index) => index !== at);
  if (at < 0 || asides.some((word) => digitsOf(word).length > ASIDE_DIGITS_MAX)) return undefined;
  return /^\d+$/.test(words[at - 1] ?? '') ? undefined : numberOf(words[at] ?? '', country);
}

/** Where numbers vary in length, two adjacent numbers can read as one long number. The second begins with the national prefix. */
function mayBeTwo(run: string, country: CountryCode): boolean {
  const { prefix } = planOf(country);
  if (prefix === undefined || digitsOf(run).length < 2 * TRIED_DIGITS_MIN) return false;
  return splits(run).some(
    ([left, right]) => digitsOf(right).startsWith(prefix) && digitsOf(left).length >= TRIED_DIGITS_MIN,
  );
}

function splits(run: string): readonly (readonly [string, string])[] {
  return [...run.matchAll(/[ /]+/g)].map(({ 0: gap, index }) => [
    run.slice(0, index),
    run.slice(index + gap.length),
  ]);
}

/** Begins as people begin a number, and is long enough for one. */
function isTried(run: string, country: CountryCode | undefined): boolean {
  const digits = digitsOf(run);
  if (digits.length < TRIED_DIGITS_MIN || digits.length > PAIR_DIGITS_MAX) return false;
  if (run.startsWith('+')) return true;
  const prefix = country === undefined ? undefined : planOf(country).prefix;
  return prefix !== undefined && digits.startsWith(prefix);
}

/** `prefix`: the national prefix, as locals write it: `8` in Russia, `0` in Germany, undefined in Denmark. */
function planOf(country: CountryCode): { readonly prefix: string | undefined; readonly ownCode: string } {
  const example = getExampleNumber(country, examples);
  const written = digitsOf(example?.formatNational() ?? '');
  const national = example?.nationalNumber ?? '';
  const prefix = written.endsWith(national) ? written.slice(0, -national.length) : '';
  return { prefix: prefix === '' ? undefined : prefix, ownCode: getCountryCallingCode(country) };
}

function digitsOf(run: string): string {
  return run.replace(/\D/g, '');
}
