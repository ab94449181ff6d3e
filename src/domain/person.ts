/** By what a person may be recognised in a text. */
export interface PersonTerms {
  /** Of the contact and of its appointments. */
  readonly ids: readonly string[];
  /** As people write them. */
  readonly phones: readonly string[];
  readonly emails: readonly string[];
  readonly names: readonly string[];
  /** Short hashes that the worker keeps instead of the above: `customerMarks`. */
  readonly hashes: readonly string[];
}

export type PersonMatch = 'id' | 'phone' | 'email' | 'name' | 'hash';

/** A number with what people put between its digits. Every character belongs to one run at most, so this takes linear time. */
const NUMBERS = /\d[\d ().\-\u00a0]{5,40}/g;
/** Digits by which two spellings of one number agree, with or without the prefix of its country. */
const PHONE_DIGITS = 10;
/** Shorter names stand in half of all texts. */
const NAME_CHARS_MIN = 5;

/** What of a person stands in the text. A name alone may be somebody else's. */
export function matchesIn(text: string, terms: PersonTerms): readonly PersonMatch[] {
  const lower = text.toLowerCase();
  const has = (words: readonly string[]) =>
    words.some((word) => word !== '' && lower.includes(word.toLowerCase()));
  const found: PersonMatch[] = [];
  if (has(terms.ids)) found.push('id');
  if (hasPhone(text, terms.phones)) found.push('phone');
  if (has(terms.emails)) found.push('email');
  if (has(terms.names.filter((name) => name.length >= NAME_CHARS_MIN))) found.push('name');
  if (has(terms.hashes)) found.push('hash');
  return found;
}

function hasPhone(text: string, phones: readonly string[]): boolean {
  const wanted = new Set(phones.map(lastDigits).filter((digits) => digits.length === PHONE_DIGITS));
  if (wanted.size === 0) return false;
  return (text.match(NUMBERS) ?? []).some((run) => wanted.has(lastDigits(run)));
}

function lastDigits(text: string): string {
  return text.replaceAll(/\D/g, '').slice(-PHONE_DIGITS);
}

/** Something of the person's own is named, which nobody else has. */
export function namesIds(text: string, { ids }: Pick<PersonTerms, 'ids'>): boolean {
  const lower = text.toLowerCase();
  return ids.some((id) => id !== '' && lower.includes(id.toLowerCase()));
}

/** Words of a name that are too short stand in half of all texts. */
const NAME_WORD_CHARS_MIN = 3;

/**
 * The text is about this person: by an id, or by number or address together with a word of the name. Families share numbers, so that one
 * of them alone proves nothing.
 */
export function isAbout(text: string, terms: PersonTerms): boolean {
  if (namesIds(text, terms)) return true;
  const by = matchesIn(text, terms);
  if (!by.includes('phone') && !by.includes('email')) return false;
  return terms.names.length === 0 || hasNameWord(text, terms);
}

/** The first name or the last one is in it, for texts of which the rest is known to be about the person. */
export function hasNameWord(text: string, { names }: Pick<PersonTerms, 'names'>): boolean {
  const lower = text.toLowerCase();
  return wordsOf(names).some((word) => lower.includes(word));
}

function wordsOf(names: readonly string[]): readonly string[] {
  return names
    .flatMap((name) => name.toLowerCase().split(/\s+/))
    .filter((word) => word.length >= NAME_WORD_CHARS_MIN);
}

const GONE = '…';

/** The text without ids, numbers, addresses and names of the person. Only for texts that are about the person: others share a first name. */
export function without(text: string, terms: PersonTerms): string {
  const wanted = new Set(terms.phones.map(lastDigits).filter((digits) => digits.length === PHONE_DIGITS));
  const unnumbered = text.replaceAll(NUMBERS, (run) => (wanted.has(lastDigits(run)) ? GONE : run));
  const words = [...terms.ids, ...terms.emails, ...terms.names, ...wordsOf(terms.names)].filter(
    (word) => word.length >= NAME_WORD_CHARS_MIN,
  );
  return words.reduce(withoutWord, unnumbered);
}

/** Whatever its case. */
function withoutWord(text: string, word: string): string {
  const [lower, wanted] = [text.toLowerCase(), word.toLowerCase()];
  // A few letters have more characters in another case: then places would not agree.
  if (lower.length !== text.length) return text.replaceAll(word, GONE);
  let rest = '';
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    rest += `${text.slice(from, at)}${GONE}`;
    from = at + wanted.length;
  }
  return rest + text.slice(from);
}
