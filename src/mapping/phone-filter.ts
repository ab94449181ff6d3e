// Returns the first phone number that people typed as E.164, or an empty text. Nothing is guessed: a number with a digit too few or too
// many is often another person's, and its author can be asked. Whatever stands directly beside the digits and is no known separator makes
// them unreadable.

import {
  type CountryCode,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  Metadata,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import type { Template as Part } from 'liquidjs';
import type { BookingTemplates } from '../engine/carriers.ts';
import { TerminalError } from '../engine/errors.ts';
import { foldedText, headOf, visible } from '../engine/plain-text.ts';
import { createEngine, renderBounded } from './template.ts';

// Brings what people type around phone numbers into one form: ASCII digits, one kind of blank, dash, plus and bracket. Times and dates
// become line breaks. Whatever else is no plain separator stays, so that it makes the number beside it unreadable.

const DIGIT = /(?![0-9])\p{Nd}/gu;
const DIGIT_AT_END = /\p{Nd}$/u;
/** Tabs and line breaks separate numbers. */
const BLANKS = /[^\S\n\r\t\v\f\u2028\u2029]/gu;
const SAME: readonly (readonly [RegExp, string])[] = [
  [/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g, '-'],
  [/[\ufe62\uff0b]/g, '+'],
  [/[\ufe59\uff08]/g, '('],
  [/[\ufe5a\uff09]/g, ')'],
  [/\uff0e/g, '.'],
  [/\uff0f/g, '/'],
  [/\uff0c/g, ','],
  [/\uff1a/g, ':'],
];
const PLUS_APART = /\+ {1,3}(?=[(\d])/g;
const DATES =
  /(?<!\d)(?:(?<![.:])(?:0?[1-9]|[12]\d|3[01])[./](?:0?[1-9]|[12]\d|3[01])[./](?:19|20)\d{2}|(?:19|20)\d{2}-\d{2}-\d{2})(?!\.?\d)/g;
const TIMES = /(?<![\d.:])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d| ?[ap]\.?m\b)?(?![\d:]|\.\d)/gi;
/** An hour behind so many digits may be the end of a number: `0664 123 45 07:44`. */
const NUMBER_BEFORE = /(?:\d[ ().\-/]{0,3}){6}$/;
/** Characters before an hour that may belong to a number. */
const NUMBER_CHARS_MAX = 24;

function phoneText(text: string): string {
  const plain = visible(text).replace(DIGIT, asciiDigit).replace(BLANKS, ' ');
  let same = plain;
  for (const [written, meant] of SAME) same = same.replace(written, meant);
  const dated = same.replace(PLUS_APART, '+').replace(DATES, '\n');
  return dated.replace(TIMES, (time, at: number) => {
    const isAfterNumber = NUMBER_BEFORE.test(dated.slice(Math.max(0, at - NUMBER_CHARS_MAX), at));
    return isAfterNumber ? time : '\n';
  });
}

/** Each script has its ten digits in order, and one script may follow another without a gap (Unicode, 4.6). */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (DIGIT_AT_END.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
}

// Reads one phone number, written as people of a country write it. Returns E.164, or undefined if it could be another number.

/** Most digits of one number; E.164 has 15, after an international prefix. */
const DIGITS_MAX = 18;
/** Fewest digits of a number; the shortest numbers of small countries have six. */
const DIGITS_MIN = 6;
/** Most digits before and within brackets: a country code, a trunk zero or an area code. */
const CODE_DIGITS_MAX = 5;
/** Digits of a number that a spreadsheet keeps. */
const CELL_DIGITS_MAX = 15;

interface DialPlan {
  readonly country: CountryCode;
  /** As locals write it: `8` in Russia, `0` in Germany, undefined in Denmark. */
  readonly prefix: string | undefined;
  readonly ownCode: string;
  /** All usual numbers have the same length. */
  readonly isFixed: boolean;
  /** Digits of a usual mobile number, without prefix. */
  readonly mobileDigits: number;
}

/** More digits than a date, or joined to it. */
const DATE = /\d{1,2}[./]\d{1,2}[./](?:19|20)\d{2}|(?:19|20)\d{2}-\d{2}-\d{2}/;

const USUAL_TYPES = ['FIXED_LINE', 'MOBILE'] as const;

const plans = new Map<string, DialPlan>();

/** `region`: ISO 3166. Undefined for a country that libphonenumber does not know. */
function dialPlan(region: string | undefined): DialPlan | undefined {
  if (region === undefined || !isSupportedCountry(region)) return undefined;
  const plan = plans.get(region) ?? planOf(region);
  plans.set(region, plan);
  return plan;
}

function planOf(country: CountryCode): DialPlan {
  const example = getExampleNumber(country, examples);
  const written = digitsOf(example?.formatNational() ?? '');
  const national = example?.nationalNumber ?? '';
  const prefix = written.endsWith(national) ? written.slice(0, -national.length) : '';
  const lengths = new Set(USUAL_TYPES.flatMap((type) => lengthsOf(country, type)));
  return {
    country,
    prefix: prefix === '' ? undefined : prefix,
    ownCode: getCountryCallingCode(country),
    isFixed: lengths.size === 1,
    mobileDigits: national.length,
  };
}

/** Missing in the library's types. */
interface PlanByType {
  type(name: string): { possibleLengths(): readonly number[] } | undefined;
}

function lengthsOf(country: CountryCode, type: (typeof USUAL_TYPES)[number]): readonly number[] {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  const plan = metadata.numberingPlan as unknown as PlanByType | undefined;
  return plan?.type(type)?.possibleLengths() ?? metadata.numberingPlan?.possibleLengths() ?? [];
}

/** True for a number that begins as people begin one: with a plus or a prefix. */
function isLed(run: string, plan: DialPlan | undefined): boolean {
  const digits = digitsOf(run);
  return /^\(?\+/.test(run) || digits.startsWith('00') || digits.startsWith(plan?.prefix ?? '+');
}

/** A number with plus or international prefix: its first digits after those, and what follows. */
const ABROAD = /^\(?(?:\+\(?|00[ ().\-/]*)(\d+)(.*)$/;

/** Undefined unless the whole run is one number that can be in use, and cannot be another. */
function numberOf(run: string, plan: DialPlan | undefined): string | undefined {
  return readNumber(run, plan, (parsed) => parsed.isValid());
}

/** True if the run has the length of a number. */
function isLongEnough(run: string, plan: DialPlan | undefined): boolean {
  return readNumber(run, plan, (parsed) => parsed.isPossible()) !== undefined;
}

function readNumber(
  run: string,
  plan: DialPlan | undefined,
  isGood: (parsed: PhoneNumber) => boolean,
): string | undefined {
  const digits = digitsOf(run);
  if (digits.length < DIGITS_MIN || digits.length > DIGITS_MAX || !isWellFormed(run)) return undefined;
  const read = (typed: string) => {
    const parsed = parsePhoneNumberFromString(typed, {
      extract: false,
      ...(plan && { defaultCountry: plan.country }),
    });
    return parsed !== undefined && isGood(parsed) ? parsed : undefined;
  };
  // Some countries have no trunk zero, and people write it nevertheless.
  const parsed = read(run) ?? (run.startsWith('+') ? read(run.replace('(0)', '')) : undefined);
  if (parsed === undefined) return undefined;
  const { nationalNumber, countryCallingCode: code } = parsed;
  const first = /\d+/.exec(run)?.[0] ?? '';
  const [, begun = code, rest = ''] = ABROAD.exec(run) ?? [];
  const isApart = begun.length < code.length && (begun + digitsOf(rest)).startsWith(code);
  // `+8 495 …`, `00 (2)0 50 …`: people put nothing between the digits of a country code, but Ukrainians write their own `+38 (050) …`.
  if (isApart && (begun.length === 1 || code !== plan?.ownCode)) return undefined;
  if (/^\(?\+/.test(run)) return parsed.number;
  if (plan === undefined) return undefined;
  const { prefix, ownCode, country } = plan;
  // `0 - 01.23.45.67.89`: people do not split the international prefix.
  if (digits.startsWith('00') && first.length < 2) return undefined;
  if (digits === nationalNumber) {
    // `8 343 …` one digit short reads as another town's number without its 8. `7 701 …` reads as another country's number without its 7.
    const isCut = prefix !== undefined && digits.startsWith(prefix);
    const isForeign = digits.startsWith(ownCode) && parsed.country !== country;
    if (isCut || isForeign || first === ownCode) return undefined;
  }
  return parsed.number;
}

/**
 * A number that has lost its plus or its leading zeros, as in a cell that holds a number. It is read with and without them: one valid
 * reading counts, two give nothing. Without a country its own reading is unknown.
 */
function numberInDigits(digits: string, plan: DialPlan | undefined): string | undefined {
  if (plan === undefined || !/^[1-9]\d+$/.test(digits)) return undefined;
  const parsed = parsePhoneNumberFromString(`+${digits}`);
  const abroad = parsed?.isValid() === true ? parsed : undefined;
  const own = new Set([digits, `0${digits}`].flatMap((typed) => numberOf(typed, plan) ?? []));
  // No landline is as long as a mobile number with its country code.
  if (abroad?.countryCallingCode === plan.ownCode && abroad.getType() === 'MOBILE') return abroad.number;
  const readings = new Set([...own, ...(abroad === undefined ? [] : [abroad.number])]);
  const [only] = readings;
  return readings.size === 1 ? only : undefined;
}

/** The digits in a cell that holds a number. Undefined for a fraction, a negative number or one that lost digits. */
function digitsInCell(cell: number): string | undefined {
  return Number.isInteger(cell) && cell > 0 && cell < 10 ** CELL_DIGITS_MAX ? String(cell) : undefined;
}

function digitsOf(run: string): string {
  return run.replace(/\D/g, '');
}

/** Brackets close, and stand around a code near the beginning; at most one plus comes first. */
function isWellFormed(run: string): boolean {
  if (!/^(?:\+?\(?|\(\+)\d[^+]*$/.test(run) || DATE.test(run)) return false;
  let opened: number | undefined;
  let digits = 0;
  for (const character of run) {
    if (/\d/.test(character)) digits += 1;
    else if (character === '(') {
      if (opened !== undefined || digits > CODE_DIGITS_MAX) return false;
      opened = digits;
    } else if (character === ')') {
      if (opened === undefined || digits === opened || digits - opened > CODE_DIGITS_MAX) return false;
      opened = undefined;
    }
  }
  return opened === undefined;
}

/** Digits with the characters between them. */
const RUN = /[+(]{0,3}\d[\d ().\-/]*/g;
const RUN_END = /(?<![ ().\-/])[ ().\-/]+$/;
/** Characters that may stand beside a number without belonging to it. */
const BESIDE = /[\s,;:.!?()[\]{}<>"'“”„«»‘’‚‹›…|/\\=\-•·☎☏✆📞📱📲]/u;
const BLANK = /^\s?$/;
const EXTENSION = /^(?:x|ext|доб)\.? ?\d{1,6}(?![\p{L}\p{N}])/iu;
/** `3 pm`, `10:00`: the hour beside a number. In other languages `am` is a word. */
const HOUR = /(?<=\d)[ ()./-]* (?:[01]?\d|2[0-4])$/;
const HOUR_AFTER = /^(?: ?[ap]\.?m\b|:[0-5]\d(?!\d))/i;
const ADDRESS = /[^\s<>,;:"()[\]|\\=/]+/g;
const WORD = /\S+/g;
const IS_LINK = /:\/\/|^www\.|\p{L}\.\p{L}{2,}\//iu;
/** Fewest digits that count as an attempt at a number. */
const TRIED_DIGITS_MIN = 7;
/** Most digits of a word beside a number: an hour, a day, a number of people. */
const ASIDE_DIGITS_MAX = 4;
/** Longest run that is searched; people type less between the digits of one or two numbers, and each gap is tried in turn. */
const RUN_CHARS_MAX = 200;
/** Most runs that are searched; a text with more is no text about a customer. */
const RUNS_SEARCHED_MAX = 200;
/** What may stand between a number and digits beside it. A dash also stands before an extension, which belongs to the number. */
const GAPS = /[ /.]+/g;
const WIDE_GAPS = /[ /.-]+/g;
/** Most digits of two numbers with spaces between them. */
const PAIR_DIGITS_MAX = 2 * DIGITS_MAX;

/** `region`: ISO 3166 country of numbers without a country code. Without it, only numbers with a country code are found. */
export function phoneIn(text: string | number, region: string | undefined): string {
  const plan = dialPlan(region);
  if (typeof text === 'number') return numberInDigits(digitsInCell(text) ?? '', plan) ?? '';
  return new Search(phoneText(text), plan).run();
}

interface Run {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** With the hour behind it: `030 901820 3` before ` pm`. */
  readonly withHour?: string;
}

class Search {
  readonly #plain: string;
  readonly #plan: DialPlan | undefined;
  readonly #runs: readonly Run[];
  readonly #others: readonly Omit<Run, 'text'>[];

  constructor(plain: string, plan: DialPlan | undefined) {
    this.#plain = plain;
    this.#plan = plan;
    this.#runs = runsIn(plain);
    this.#others = linksAndAddresses(plain);
  }

  run(): string {
    let begun: Run | undefined;
    for (const [at, run] of this.#runs.entries()) {
      if (at >= RUNS_SEARCHED_MAX || run.text.length > RUN_CHARS_MAX) return '';
      if (this.#others.some(({ from, to }) => from <= run.from && run.to <= to)) continue;
      const { text, to, withHour } = run;
      let number: string | undefined;
      if (this.#isApart(run, at))
        number = oneOf(text, this.#plan, /^ +\p{L}/u.test(this.#plain.slice(to, to + 4)));
      if (number !== undefined && withHour !== undefined && this.#hasOther(withHour, number))
        number = undefined;
      // `030 * 901820`: the second part of a number alone is another person's.
      const isRest = begun !== undefined && !/\p{L}/u.test(this.#plain.slice(begun.to, run.from));
      if (number !== undefined && isRest && !/^\(?\+/.test(run.text)) return '';
      if (number !== undefined) return this.#isAside(run, at) ? '' : number;
      // Someone mistyped a number here. The next number in the text may be another person's.
      if (this.#isTried(run)) return '';
      begun = isLed(run.text, this.#plan) ? run : undefined;
    }
    return '';
  }

  /** Neither part of a word, an amount or an address, nor of a longer run. */
  #isApart(run: Run, at: number): boolean {
    if (this.#others.some(({ from, to }) => from < run.to && run.from < to)) return false;
    const before = lastOf(this.#plain.slice(0, run.from));
    const after = this.#plain.slice(run.to, run.to + 12);
    const [next = ''] = after;
    if (before !== '' && !BESIDE.test(before)) return false;
    if (after !== '' && !BESIDE.test(firstOf(after))) return EXTENSION.test(after);
    if (!BLANK.test(before) && /\d/.test(this.#plain.charAt(run.from - 2))) return false;
    return BLANK.test(next) || !/\d/.test(this.#plain.charAt(run.to + 1)) || this.#isOfList(run, at);
  }

  /** `84950001101,84950001102` */
  #isOfList(run: Run, at: number): boolean {
    const next = this.#runs[at + 1]?.text ?? '';
    const both = [run.text, next];
    return both.every((each) => isLed(each, this.#plan) && numberOf(each, this.#plan) !== undefined);
  }

  /**
   * `0 101/12 +39 02 1234567`: few digits, and digits without prefix, are a number only where none with a prefix follows. Where lengths vary,
   * digits without prefix are none where any other number follows.
   */
  #isAside({ text }: Run, at: number): boolean {
    const plan = this.#plan;
    if (isLed(text, plan) && digitsOf(text).length >= TRIED_DIGITS_MIN) return false;
    const varies = plan !== undefined && !plan.isFixed;
    const others = this.#runs.slice(at + 1, RUNS_SEARCHED_MAX);
    return others.some(
      (other) =>
        (isLed(other.text, plan) && this.#isTried(other)) ||
        (varies && numberOf(other.text, plan) !== undefined),
    );
  }

  /** `12 22 123 45 17:00`: what looks like the hour may be the end of another number. */
  #hasOther(withHour: string, number: string): boolean {
    return [withHour, ...splits(withHour, GAPS).flat()].some((each) => {
      const other = isBegun(each, this.#plan) ? numberOf(each, this.#plan) : undefined;
      return other !== undefined && other !== number;
    });
  }

  /** Begins as people begin a number, and is long enough for one. */
  #isTried(run: Run): boolean {
    const digits = digitsOf(run.text).length;
    if (/^\(?\+/.test(run.text)) return digits > 1;
    if (/^00 ?[1-9]\d/.test(run.text)) return true;
    if (digits < TRIED_DIGITS_MIN) return false;
    const beside = [lastOf(this.#plain.slice(0, run.from)), firstOf(this.#plain.slice(run.to, run.to + 2))];
    if (beside.some((each) => each !== '' && !BESIDE.test(each))) return true;
    return isLed(run.text, this.#plan) && digits <= PAIR_DIGITS_MAX;
  }
}

function oneOf(run: string, plan: DialPlan | undefined, isBeforeWord: boolean): string | undefined {
  if (digitsOf(run).length > PAIR_DIGITS_MAX) return undefined;
  const whole = numberOf(run, plan);
  if (whole !== undefined && isBegun(run, plan) && !mayBeTwo(run, plan))
    return isAlone(run, { whole, plan, isBeforeWord }) ? whole : undefined;
  return firstOfTwo(splits(run, isBeforeWord ? WIDE_GAPS : GAPS), plan) ?? oneInAWord(run, plan);
}

interface Reading {
  readonly whole: string;
  readonly plan: DialPlan | undefined;
  readonly isBeforeWord: boolean;
}

/**
 * No part of the run is another number, with something beside it: `2 030 901820`, `030 901820 12 Uhr`.
 */
function isAlone(run: string, { whole, plan, isBeforeWord }: Reading): boolean {
  for (const [left, right] of splits(run, isBeforeWord ? WIDE_GAPS : GAPS)) {
    const last = numberOf(right, plan);
    if (last !== undefined && last !== whole && (isLed(right, plan) || !isLed(run, plan))) return false;
    const first = numberOf(left, plan);
    const isOther = first !== undefined && first !== whole;
    if (isOther && (isBeforeWord || !goesOn(left, right) || !isShort(first, plan))) return false;
  }
  return true;
}

/** `12 34 56 78` and `123 4567`: people write the groups of a number alike. */
function goesOn(left: string, right: string): boolean {
  const lengths = (text: string) =>
    text.split(/\D+/).flatMap((group) => (group === '' ? [] : [group.length]));
  const before = lengths(left);
  const after = lengths(right);
  const isAlike = (group: number, at: number) => {
    const last = after[at - 1] ?? before.at(-1) ?? 0;
    const isPairs = last === 3 && group === 2 && after.length > 1;
    return group === last || (last === 3 && group === 4) || isPairs;
  };
  return before.length > 1 && after.every((group, at) => group >= 2 && group <= 4 && isAlike(group, at));
}

/**
 * Digits without plus or prefix may be anything, where numbers differ in length and people write a prefix. Elsewhere they are a number if
 * they have its length.
 */
function isBegun(run: string, plan: DialPlan | undefined): boolean {
  return isLed(run, plan) || plan === undefined || plan.isFixed || plan.prefix === undefined;
}

/** Shorter than a usual number of its country. */
function isShort(number: string, plan: DialPlan | undefined): boolean {
  if (plan === undefined || !number.startsWith(`+${plan.ownCode}`)) return false;
  return number.length - plan.ownCode.length - 1 < plan.mobileDigits;
}

/** The first of two numbers separated only by spaces or a slash, if they can be read in only one way. */
function firstOfTwo(
  parts: readonly (readonly [string, string])[],
  plan: DialPlan | undefined,
): string | undefined {
  const pairs = parts.filter((part) => part.every((each) => isLongEnough(each, plan)));
  const [pair = []] = pairs;
  const [first = ''] = pair;
  const areBegun = pair.every((each) => isLed(each, plan) || plan?.prefix === undefined);
  const whole = pairs.length === 1 && areBegun ? numberOf(first, plan) : undefined;
  // `+49 30 901820/10103.03.2026`: the day makes the digits before it look like a first number.
  return whole !== undefined && isAlone(first, { whole, plan, isBeforeWord: false }) ? whole : undefined;
}

/**
 * A number written as one word with its prefix, beside hours, days or numbers of people. Bare digits before it may be the code of another
 * country.
 */
function oneInAWord(run: string, plan: DialPlan | undefined): string | undefined {
  const words = run.split(' ').filter((word) => word !== '');
  const isWhole = (word: string) =>
    /^\+?\d+$/.test(word) && isLed(word, plan) && numberOf(word, plan) !== undefined;
  const at = words.findIndex(isWhole);
  const asides = words.filter((_, index) => index !== at);
  if (at < 0 || asides.some((word) => digitsOf(word).length > ASIDE_DIGITS_MAX)) return undefined;
  return /^\d+$/.test(words[at - 1] ?? '') ? undefined : numberOf(words[at] ?? '', plan);
}

/** Where numbers vary in length, two adjacent numbers can read as one long number. The second begins with the national prefix. */
function mayBeTwo(run: string, plan: DialPlan | undefined): boolean {
  const prefix = plan?.prefix;
  if (run.startsWith('+') || prefix === undefined || digitsOf(run).length < 2 * TRIED_DIGITS_MIN)
    return false;
  return splits(run, GAPS).some(
    ([left, right]) => digitsOf(right).startsWith(prefix) && digitsOf(left).length >= TRIED_DIGITS_MIN,
  );
}

function splits(run: string, gaps: RegExp): readonly (readonly [string, string])[] {
  return [...run.matchAll(gaps)].map(({ 0: gap, index }) => [
    run.slice(0, index).replace(RUN_END, ''),
    run.slice(index + gap.length).replace(/^[.\-/ )]{1,3}/, ''),
  ]);
}

/** A bracket around the whole number, and an hour behind it, are left out. */
function runsIn(plain: string): readonly Run[] {
  return [...plain.matchAll(RUN)].map(({ 0: typed, index }) => {
    const whole = typed.replace(RUN_END, '');
    const end = index + whole.length;
    const [hour = ''] = HOUR_AFTER.test(plain.slice(end, end + 5)) ? (HOUR.exec(whole) ?? []) : [];
    const text = whole.slice(0, whole.length - hour.length);
    const isOpen = text.startsWith('(') && text.split('(').length > text.split(')').length;
    const from = isOpen ? 1 : 0;
    return {
      ...{ text: text.slice(from), from: index + from, to: index + text.length },
      ...(hour !== '' && { withHour: whole.slice(from) }),
    };
  });
}

/** Digits in them are no phone numbers. */
function linksAndAddresses(plain: string): readonly Omit<Run, 'text'>[] {
  const found: Omit<Run, 'text'>[] = [];
  for (const { 0: word, index } of plain.matchAll(WORD))
    if (IS_LINK.test(word)) found.push({ from: index, to: index + word.length });
  for (const { 0: word, index } of plain.matchAll(ADDRESS))
    if (word.indexOf('@') > 0 && !word.endsWith('@')) found.push({ from: index, to: index + word.length });
  return found;
}

function firstOf(text: string): string {
  return [...text.slice(0, 2)][0] ?? '';
}

function lastOf(text: string): string {
  return [...text.slice(-2)].at(-1) ?? '';
}

/** Where the filters look values up. Empty while a file is only checked. */
interface FilterGround {
  /** ISO 3166 country of phone numbers without a country code. */
  readonly region: string | undefined;
  readonly serviceNames: () => readonly string[];
}

/** Longest text that a filter searches; the rest is ignored. */
const TEXT_CHARS_MAX = 20_000;

/** Filters for templates of outside bookings. Each searches what people typed, and returns an empty text if it finds nothing. */
export function bookingFilters(
  ground: FilterGround,
): Readonly<Record<string, (value: unknown) => string | number>> {
  return {
    phone: (value) => phoneIn(typeof value === 'number' ? value : boundedText(value), ground.region),
    email: (value) => emailIn(boundedText(value)),
    duration: (value) => minutesIn(boundedText(value)),
    service: (value) => serviceIn(boundedText(value), ground.serviceNames()),
  };
}

/** The longest name that the text contains: "Haircut and beard" is not "Haircut". */
function serviceIn(text: string, names: readonly string[]): string {
  const seen = foldedText(text);
  const found = names.filter((name) => foldedText(name) !== '' && hasWord(seen, foldedText(name)));
  return found.sort((a, b) => b.length - a.length)[0] ?? '';
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const isOpen = !/[\p{L}\d]/u.test(text[at - 1] ?? '');
    if (isOpen && !/[\p{L}\d]/u.test(text[at + word.length] ?? '')) return true;
  }
  return false;
}

function boundedText(value: unknown): string {
  return headOf(typeof value === 'string' || typeof value === 'number' ? String(value) : '', TEXT_CHARS_MAX);
}

// Finds how many minutes people mean by what they typed. Finds nothing if the text is unfinished or could mean several lengths. Every
// pattern is bounded, so the work grows only linearly with the length of the text.

const HOUR_WORD = '(?:hours?|hrs?|h|часов|часа|час|ч)';
const MINUTE_WORD = '(?:minutes?|mins?|min|m|минуты|минут|минута|мин|м)';
const UNIT_BLANK = '[^\\S\\n]{0,3}';
const NUMBER = '\\d{1,4}(?:[.,]\\d{1,3})?';
/** `at 15 h`, `until 3 h`, `in 2 hours`: a time of day, or the end of a range. */
const HOUR_BEFORE =
  '(?:до|в|во|к|ко|с|со|от|через|после|или|at|till|until|by|from|to|in|after|before|or|between)';
/** `60 + 30 min`, `2 x 30 min`: a part of the length, with the x in either alphabet. */
const PART_BEFORE = '\\d[^\\S\\n]{0,3}(?:[+×*xх]|раза?[^\\S\\n]{1,3}по|times)[^\\S\\n]{0,3}';
const NO_LENGTH_BEFORE = `(?<!${PART_BEFORE}|(?<![\\p{L}\\p{N}])${HOUR_BEFORE}[^\\S\\n]{1,3}|\\d[^\\S\\n]{1,3}(?:and|и)[^\\S\\n]{1,3})`;
const LENGTH = new RegExp(
  // A part of another number, of a range or of a time is not a length.
  `(?<![\\p{L}\\p{N}.,:/\\-–−])${NO_LENGTH_BEFORE}(?:(?<hours>${NUMBER})${UNIT_BLANK}${HOUR_WORD}(?:\\.?${UNIT_BLANK}(?:(?:and|и|,)${UNIT_BLANK})?(?<rest>\\d{1,2})${UNIT_BLANK}${MINUTE_WORD})?|(?<minutes>${NUMBER})${UNIT_BLANK}${MINUTE_WORD})(?![\\p{L}\\p{N}])`,
  'giu',
);
/** Alone in its cell: `1:30`, also as a spreadsheet shows it, and `1h 30`. */
const CLOCK = new RegExp(`^(\\d{1,2}):([0-5]\\d)(?::00)?${UNIT_BLANK}${HOUR_WORD}?\\.?$`, 'iu');
const HOURS_AND = new RegExp(`^(\\d{1,2})${UNIT_BLANK}${HOUR_WORD}\\.?${UNIT_BLANK}([0-5]\\d)$`, 'iu');
const BARE_MINUTES = /^\d{1,5}$/;
/** The length goes on: unfinished minutes, minutes without their unit, or an alternative. */
const GOES_ON = /^\.?[^\S\n]{0,3}(?:\d|с половиной|and a half|(?:or|или|to)[^\S\n]{1,3}\d)/i;
const GOES_ON_CHARS = 20;
/** Lengths in words. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [/(?<!\p{L})полтора[^\S\n]{1,3}часа(?!\p{L})/giu, '90 мин'],
  [/(?<!\p{L})(?:пол[^\S\n]?часа|half[^\S\n]an[^\S\n]hour)(?!\p{L})/giu, '30 мин'],
  [/^(?:один[^\S\n]|one[^\S\n]|an[^\S\n])?(?:час|hour)$/iu, '60 мин'],
];

/** Reads `1h 30m`, `90 min`, `1,5 ч`, `1:30`, or a bare number of minutes. Inside a longer text, a length needs its unit. */
export function minutesIn(text: string): number | '' {
  const typed = SAID.reduce((said, [words, length]) => said.replace(words, length), text.trim());
  if (BARE_MINUTES.test(typed)) return Number(typed) || '';
  const [, hours, minutes] = CLOCK.exec(typed) ?? HOURS_AND.exec(typed) ?? [];
  if (hours !== undefined && minutes !== undefined) return Number(hours) * 60 + Number(minutes) || '';
  const lengths = new Set<number>();
  for (const found of typed.matchAll(LENGTH)) {
    if (
      GOES_ON.test(typed.slice(found.index + found[0].length, found.index + found[0].length + GOES_ON_CHARS))
    )
      return '';
    lengths.add(minutesOf(found.groups ?? {}));
  }
  const [only] = lengths;
  // With several lengths, it is unclear which one is the appointment's.
  return lengths.size === 1 && only !== undefined && Number.isInteger(only) && only > 0 ? only : '';
}

function minutesOf({ hours, rest, minutes }: Readonly<Record<string, string | undefined>>): number {
  if (minutes !== undefined) return decimalOf(minutes);
  // `1.30 h` is ambiguous: most people mean 1 h 30 min, not 78 minutes.
  if (rest === undefined && /[.,](?!25$|50$|75$)\d\d$/.test(hours ?? '')) return Number.NaN;
  // `1,1` hours are 66 minutes: rounding removes the floating-point error.
  if (rest === undefined) return Math.round(decimalOf(hours ?? '') * 60_000) / 1_000;
  // `1.5 h 30 min` and `1 h 90 min` are ambiguous.
  const isPlain = /^\d+$/.test(hours ?? '') && Number(rest) < 60;
  return isPlain ? Number(hours) * 60 + Number(rest) : Number.NaN;
}

function decimalOf(typed: string): number {
  return Number(typed.replace(',', '.'));
}

/** Liquid over the fields of outside bookings, with the filters that search what people typed. */
export function createBookingTemplates(ground: FilterGround): BookingTemplates {
  const engine = createEngine({ keepsTypes: false, filters: bookingFilters(ground) });
  const parsed = new Map<string, Part[]>();
  return {
    text(source, fields) {
      try {
        const parts = parsed.get(source) ?? engine.parse(source);
        parsed.set(source, parts);
        return String(renderBounded(engine, parts, fields)).trim();
      } catch {
        // Liquid's message quotes the template and may quote the value. Both must stay out of the log.
        throw new TerminalError(
          'template-failed',
          'a template of bookings cannot be rendered for what was seen',
          {
            advice: 'Run `slotbridge check`, and look at the filters that the templates of this entry use.',
          },
        );
      }
    },
  };
}

/** Longest part before the `@`, and after it (RFC 5321, 4.5.3.1). */
const LOCAL_CHARS_MAX = 64;
const DOMAIN_CHARS_MAX = 255;
/** Most `@` that are searched; people do not write texts with more. */
const SIGNS_MAX = 1_000;

/** An address may contain `/`, `|` and `=`, but far more often they separate a phone number from an address. */
const LOCAL = /[^\s<>,;:"()[\]@/|\\=]/u;
const DOMAIN = /[\p{L}\p{N}.-]/u;
const WHOLE_DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:\p{L}{2,63}|xn--[a-z0-9-]{2,59})$/iu;

/**
 * Returns the first address in a text, or an empty text. Looks a bounded number of characters to either side of each `@`, so the work stays
 * linear, whatever strangers send. Text longer than an address may be is not cut to fit; it is not an address.
 */
export function emailIn(typed: string): string {
  const text = visible(typed);
  let at = text.indexOf('@');
  for (let signs = 0; at >= 0 && signs < SIGNS_MAX; signs += 1) {
    const found = addressAt(text, at);
    if (found !== undefined) return found;
    at = text.indexOf('@', at + 1);
  }
  return '';
}

function addressAt(text: string, at: number): string | undefined {
  let from = at;
  while (from > 0 && at - from <= LOCAL_CHARS_MAX && LOCAL.test(text.charAt(from - 1))) from -= 1;
  let to = at + 1;
  while (to < text.length && to - at <= DOMAIN_CHARS_MAX + 1 && DOMAIN.test(text.charAt(to))) to += 1;
  // `vera@example.com@elsewhere` is ambiguous.
  if (text[from - 1] === '@' || text[to] === '@' || text[to] === '_') return undefined;
  // Quotes and stars around an address do not belong to it.
  const local = text.slice(from, at).replace(/^[^\p{L}\p{N}_]+/u, '');
  const domain = text.slice(at + 1, to).replace(/(?<![.-])[.-]+$/, '');
  if (local.length === 0 || at - from > LOCAL_CHARS_MAX || domain.length > DOMAIN_CHARS_MAX) return undefined;
  // A word that runs into the address does not belong to it, and where it ends is unknown.
  if ([local, ...domain.split('.')].some(isOfTwoAlphabets)) return undefined;
  return WHOLE_DOMAIN.test(domain) ? `${local}@${domain}` : undefined;
}

function isOfTwoAlphabets(part: string): boolean {
  return /\p{Script=Cyrillic}/u.test(part) && /\p{Script=Latin}/u.test(part);
}
