import { foldedText, headOf } from '../../domain/plain-text.ts';
import { minutesIn } from './duration-filter.ts';
import { emailIn } from './email-filter.ts';
import { phoneIn } from './phone-filter.ts';

/** Where the filters look values up. Empty while a file is only checked. */
export interface FilterGround {
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
    phone: (value) => phoneIn(boundedText(value), ground.region),
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
