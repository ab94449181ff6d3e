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

/** Numbers with the characters that people put between digits; one run may hold several. Every character belongs to at most one run. */
const NUMBERS = /\d[\d ().\-\u00a0\u2000-\u2015\u202f]*/g;
/** Digits in which two spellings of one number agree, with or without the country prefix. */
const PHONE_DIGITS = 10;
/** Shortest name to search for: shorter ones are in half of all texts. */
const NAME_CHARS_MIN = 5;

/** Which terms of a person are in the text. A name alone may be someone else's. */
export function matchesIn(text: string, terms: PersonTerms): readonly PersonMatch[] {
  const read = folded(text.normalize());
  const has = (words: readonly string[]) =>
    words.some((word) => word !== '' && read.includes(folded(word.normalize())));
  const found: PersonMatch[] = [];
  if (has(terms.ids)) found.push('id');
  if (hasPhone(text, terms.phones)) found.push('phone');
  if (has(terms.emails)) found.push('email');
  if (has(terms.names.filter((name) => name.length >= NAME_CHARS_MIN))) found.push('name');
  if (has(terms.hashes)) found.push('hash');
  return found;
}

/** Takes a normalized text. Ignores case, and reads ё as е, because people write е for ё. The length changes only for a few letters. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll('ё', 'е');
}

function hasPhone(text: string, phones: readonly string[]): boolean {
  const wanted = phones.map(digitsOf).filter(isLongNumber);
  if (wanted.length === 0) return false;
  const runs = (text.match(NUMBERS) ?? []).map(digitsOf).filter(isLongNumber);
  return runs.some((run) => wanted.some((phone) => run.includes(phone.slice(-PHONE_DIGITS))));
}

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}

function isLongNumber(digits: string): boolean {
  return digits.length >= PHONE_DIGITS;
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
  return text.split(LINE_ENDS).some((line) => {
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
  return folded(text.normalize()).match(WORDS) ?? [];
}

const GONE = '…';

/** The text without ids, numbers, addresses and names of the person. Only for texts about the person, because others share a first name. */
export function withoutPerson(text: string, terms: PersonTerms): string {
  const phones = terms.phones.map(digitsOf).filter(isLongNumber);
  const unnumbered = text.normalize().replaceAll(NUMBERS, (run) => phones.reduce(withoutPhone, run));
  const names = terms.names.map((name) => name.normalize());
  const whole = [...terms.emails, ...names, ...wordsOf(names)];
  const withoutIds = terms.ids.filter(isLong).reduce((rest, id) => withoutWord(rest, id), unnumbered);
  return whole.filter(isLong).reduce((rest, word) => withoutWord(rest, word, { isWhole: true }), withoutIds);
}

/** Keeps a time or a price beside the number. Removes as many digits before the number as its known country prefix has. */
function withoutPhone(run: string, phone: string): string {
  const wanted = phone.slice(-PHONE_DIGITS);
  const digits = digitsOf(run);
  const places = [...run.matchAll(/\d/g)].map(({ index }) => index);
  let [rest, from, free] = ['', 0, 0];
  for (let at = digits.indexOf(wanted); at >= 0; at = digits.indexOf(wanted, free)) {
    const first = places[Math.max(free, at - (phone.length - PHONE_DIGITS))];
    free = at + PHONE_DIGITS;
    rest += `${run.slice(from, first)}${GONE}`;
    from = (places[free - 1] ?? run.length) + 1;
  }
  return rest + run.slice(from);
}

function isLong(word: string): boolean {
  return word.length >= NAME_WORD_CHARS_MIN;
}

/** `isWhole`: not as a part of a longer word. Ids follow other letters in the ids of events. */
function withoutWord(text: string, word: string, { isWhole = false } = {}): string {
  const [lower, wanted] = [folded(text), folded(word)];
  // A few letters have more characters in another case, so positions would not agree.
  if (lower.length !== text.length) return text.replaceAll(word, GONE);
  let rest = '';
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) {
    const end = at + wanted.length;
    if (isWhole && (isInWord(lower, at - 1) || isInWord(lower, end))) continue;
    rest += `${text.slice(from, at)}${GONE}`;
    from = end;
  }
  return rest + text.slice(from);
}

function isInWord(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text.charAt(at));
}
