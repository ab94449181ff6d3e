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
