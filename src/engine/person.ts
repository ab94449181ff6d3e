import { contentHash } from './object.ts';

/** What identifies a person in a text. */
export interface PersonTerms {
  /** Ids of the contact and of its appointments. */
  readonly ids: readonly string[];
  /** As people write them. */
  readonly phones: readonly string[];
  readonly emails: readonly string[];
  readonly names: readonly string[];
  /** Their numbers and addresses that someone else has, too: families share them. */
  readonly shared?: readonly string[];
  /** Short hashes that the worker stores instead of the above: `customerMarks`. */
  readonly hashes: readonly string[];
}

export type PersonMatch = 'id' | 'phone' | 'email' | 'name' | 'hash';

/** Last digits by which a number is found in a text: two spellings of one number agree in them, with or without the country prefix. */
export const FOUND_BY_DIGITS = 10;
/** Characters that people put between the digits of a number. */
const BETWEEN = String.raw`[ ().\-\u00a0\u2000-\u2015\u202f]*`;
/** Shortest name to search for: shorter ones are in half of all texts. */
const NAME_CHARS_MIN = 5;

/** Which terms of a person are in the text. A name alone may be someone else's. */
export function matchesIn(text: string, terms: PersonTerms): readonly PersonMatch[] {
  const read = folded(unescaped(text.normalize()));
  const has = (words: readonly string[], isOne: IsOne) =>
    words.some((word) => placesOf(read, word.normalize(), isOne).length > 0);
  const found: PersonMatch[] = [];
  if (has(terms.ids, anywhere)) found.push('id');
  if (numbersOf(terms.phones).some((number) => number.test(read))) found.push('phone');
  if (has(terms.emails, isAddress)) found.push('email');
  const names = terms.names.filter((name) => name.length >= NAME_CHARS_MIN);
  if (has(names, isWord)) found.push('name');
  if (has(terms.hashes, anywhere)) found.push('hash');
  return found;
}

/** Ignores case, and reads ё as е, because people write е for ё. Keeps the length, so that places in both texts agree. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  const fitting = lower.length === text.length ? lower : Array.from(text, lowerOfSameLength).join('');
  return fitting.replaceAll('ё', 'е');
}

/** A few letters have more characters in lower case. */
function lowerOfSameLength(letter: string): string {
  const lower = letter.toLowerCase();
  return lower.length === letter.length ? lower : letter;
}

/** Reads the breaks and tabs in a JSON string as such: the letter of their escape would become the first letter of the next word. */
function unescaped(text: string): string {
  return text.replaceAll(/\\[nr]/g, '\n').replaceAll(/\\[bft]/g, ' ');
}

/** Finds each number with its prefix, if the text has no other digits directly before or after it. */
function numbersOf(phones: readonly string[]): readonly RegExp[] {
  return phones
    .map((phone) => phone.replaceAll(/\D/g, ''))
    .filter((digits) => digits.length >= FOUND_BY_DIGITS)
    .map((digits) => {
      const prefix = prefixOf(digits.slice(0, -FOUND_BY_DIGITS));
      const rest = [...digits.slice(-FOUND_BY_DIGITS)].join(BETWEEN);
      return new RegExp(String.raw`(?<!\d)(?:${prefix})?${rest}(?!\d)`, 'g');
    });
}

/**
 * What may stand before the last digits of a number that is stored with these digits before them. `8` and `0` are dialled inside a country.
 * Without a known country, its code counts only if nothing stands between.
 */
function prefixOf(known: string): string {
  if (known === '' || known.startsWith('0')) return String.raw`8${BETWEEN}|\d{1,5}`;
  const ofRussia = `(?:00)?[78]${BETWEEN}`;
  if (known === '7') return `${ofRussia}|0`;
  if (known === '8') return String.raw`${ofRussia}|\d{1,5}`;
  const parts = Array.from(known, (_, at) => [...known.slice(at), ''].join(BETWEEN));
  return `(?:00)?${parts[0]}|0?(?:${[...parts.slice(1), ''].join('|')})`;
}

/** Says whether what stands from one place to another is one whole thing, not a part of a longer one. */
type IsOne = (text: string, at: number, end: number) => boolean;

const anywhere: IsOne = () => true;
const isWord: IsOne = (text, at, end) => !isInWord(text, at - 1) && !isInWord(text, end);

/** Characters inside an address, but neither its first nor its last one. */
const INSIDE_ADDRESS = ".'_%+-";
const INSIDE_HOST = '.-';

const isAddress: IsOne = (text, at, end) => {
  let before = at - 1;
  while (before >= 0 && INSIDE_ADDRESS.includes(text.charAt(before))) before -= 1;
  let after = end;
  while (after < text.length && INSIDE_HOST.includes(text.charAt(after))) after += 1;
  return !isInWord(text, before) && !isInWord(text, after);
};

/** Where the word stands in a folded text, from left to right. */
function placesOf(text: string, word: string, isOne: IsOne): readonly { at: number; end: number }[] {
  const wanted = folded(word);
  const places: { at: number; end: number }[] = [];
  if (wanted === '') return places;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const end = at + wanted.length;
    if (isOne(text, at, end)) places.push({ at, end });
  }
  return places;
}

/** The text contains an id of the person, which no one else has. */
export function namesIds(text: string, { ids }: Pick<PersonTerms, 'ids'>): boolean {
  const lower = text.toLowerCase();
  return ids.some((id) => id !== '' && lower.includes(id.toLowerCase()));
}

/** Shortest word of a name to compare: shorter ones are in half of all texts. */
const NAME_WORD_CHARS_MIN = 3;
const WORDS = /[\p{L}\p{N}]+/gu;
/** Ends of lines, of cells joined by line ends, and of JSON strings. */
const LINE_ENDS = /[\n"]/;

/**
 * The text is about this person: it contains an id, or a number or address together with the whole name. A line that
 * consists of parts of the name also counts, unless someone else has the number, too. Relatives share numbers and surnames.
 */
export function isAbout(text: string, terms: PersonTerms): boolean {
  if (namesIds(text, terms)) return true;
  const own = {
    ...terms,
    phones: terms.phones.filter((each) => !isShared(each, terms)),
    emails: terms.emails.filter((each) => !isShared(each, terms)),
  };
  if (isReached(text, own))
    return terms.names.length === 0 || hasWholeName(text, terms) || hasNameLine(text, terms);
  return isReached(text, terms) && hasWholeName(text, terms);
}

function isReached(text: string, terms: PersonTerms): boolean {
  const by = matchesIn(text, terms);
  return by.includes('phone') || by.includes('email');
}

function isShared(contact: string, { shared = [] }: PersonTerms): boolean {
  return shared.includes(contact);
}

function hasWholeName(text: string, { names }: PersonTerms): boolean {
  const words = new Set(wordsIn(text));
  return names.some((name) => {
    const wanted = wordsOf([name]);
    return wanted.length > 0 && wanted.every((word) => words.has(word));
  });
}

function hasNameLine(text: string, { names }: PersonTerms): boolean {
  const wanted = new Set(wordsOf(names));
  return unescaped(text)
    .split(LINE_ENDS)
    .some((line) => {
      const words = wordsOf([line]);
      return words.length > 0 && words.every((word) => wanted.has(word));
    });
}

/** The text contains a word of the person's name. For texts whose rest is known to be about the person. */
export function hasNameWord(text: string, { names }: Pick<PersonTerms, 'names'>): boolean {
  const wanted = new Set(wordsOf(names));
  return wordsIn(text).some((word) => wanted.has(word));
}

function wordsOf(names: readonly string[]): readonly string[] {
  return names.flatMap(wordsIn).filter((word) => word.length >= NAME_WORD_CHARS_MIN);
}

function wordsIn(text: string): readonly string[] {
  return folded(unescaped(text.normalize())).match(WORDS) ?? [];
}

const GONE = '…';

/** The text without ids, numbers, addresses and names of the person. Only for texts about the person, because others share a first name. */
export function withoutPerson(text: string, terms: PersonTerms): string {
  const names = terms.names.map((name) => name.normalize());
  const words = [...names, ...wordsOf(names)];
  let rest = text.normalize();
  for (const number of numbersOf(terms.phones)) rest = rest.replaceAll(number, GONE);
  for (const id of terms.ids.filter(isLong)) rest = without(rest, id, anywhere);
  for (const email of terms.emails.filter(isLong)) rest = without(rest, email.normalize(), isAddress);
  for (const word of words.filter(isLong)) rest = without(rest, word, isWord);
  return rest;
}

function isLong(word: string): boolean {
  return word.length >= NAME_WORD_CHARS_MIN;
}

function without(text: string, word: string, isOne: IsOne): string {
  let rest = '';
  let from = 0;
  for (const { at, end } of placesOf(folded(text), word, isOne)) {
    rest += `${text.slice(from, at)}${GONE}`;
    from = end;
  }
  return rest + text.slice(from);
}

function isInWord(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text.charAt(at));
}

/** Whom a booking is for, as short hashes that can be compared but not read. They avoid further copies of what people typed. */
export interface CustomerMarks {
  readonly contactId?: string;
  readonly phone?: string;
  readonly email?: string;
  readonly name?: string;
}

/** `unknown`: there is nothing to compare. */
export type CustomerMatch = 'same' | 'other' | 'unknown';

const FIELDS = ['contactId', 'phone', 'email', 'name'] as const satisfies readonly (keyof CustomerMarks)[];
/**
 * Compared digits of a phone number, because people type it with or without country codes. Two customers of one company do not share these
 * digits by accident.
 */
const MARKED_DIGITS = 7;
/** Characters of a hash. */
const MARK_CHARS = 16;
/** Longest text to compare: a longer one is neither a name nor a number. */
const TEXT_MAX = 500;

export function customerMarks(customer: Readonly<Record<keyof CustomerMarks, unknown>>): CustomerMarks {
  const marks: { -readonly [Field in keyof CustomerMarks]: CustomerMarks[Field] } = {};
  for (const field of FIELDS) {
    const typed = markText(customer[field]);
    const text = field === 'phone' ? typed.replaceAll(/\D/g, '').slice(-MARKED_DIGITS) : nameOf(typed);
    if (text !== '') marks[field] = contentHash(`${field} ${text}`).slice(0, MARK_CHARS);
  }
  return marks;
}

/**
 * One match is enough, so correcting a typing error in a name or a number does not make another customer. A row that names no customer does
 * not match a known one.
 */
export function compareCustomers(typed: CustomerMarks, booked: CustomerMarks): CustomerMatch {
  if (Object.keys(booked).length === 0) return 'unknown';
  if (Object.keys(typed).length === 0) return 'other';
  let isComparable = false;
  for (const field of FIELDS) {
    if (typed[field] === undefined || booked[field] === undefined) continue;
    if (typed[field] === booked[field]) return 'same';
    isComparable = true;
  }
  return isComparable ? 'other' : 'unknown';
}

/** Marks of a person's names, also of single words and of the words the other way round. */
export function nameMarksOf({ names }: { readonly names: readonly string[] }): ReadonlySet<string> {
  const none = { contactId: undefined, phone: undefined, email: undefined };
  const spelled = names.flatMap((name) => {
    const words = nameOf(name).split(' ');
    return [name, words.toReversed().join(' '), ...words];
  });
  return new Set(spelled.flatMap((name) => customerMarks({ ...none, name }).name ?? []));
}

/** The mark for looking a customer up: the one that the fewest people share. */
export function strongestMark(marks: CustomerMarks): string | undefined {
  return FIELDS.flatMap((field) => marks[field] ?? [])[0];
}

/** Marks are stored: their form must not change. */
function nameOf(text: string): string {
  return text.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

function markText(value: unknown): string {
  return value === undefined || value === null ? '' : String(value).slice(0, TEXT_MAX).trim();
}

/** The fields that the worker needs of an appointment's customer (platform API, Contact). */
export interface KnownCustomer {
  readonly lifecycle?: string;
  readonly name?: string;
}
