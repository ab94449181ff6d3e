import { type CountryCode, findPhoneNumbersInText, isSupportedCountry } from 'libphonenumber-js';

/** What the filters look things up in; none while a file is only checked. */
export interface FilterGround {
  /** ISO 3166: of phone numbers without a country. */
  readonly region: string | undefined;
  readonly serviceNames: () => readonly string[];
}

/** Of a text in which something is looked for. */
const TEXT_CHARS_MAX = 20_000;

/** Filters for templates of outside bookings: each finds something in what people typed, and gives nothing where it is not. */
export function bookingFilters(
  ground: FilterGround,
): Readonly<Record<string, (value: unknown) => string | number>> {
  return {
    phone: (value) => phoneIn(textOf(value), ground.region),
    email: (value) => /[^\s<>,;:"()[\]]+@[^\s<>,;:"()[\]]+\.[\p{L}\d-]{2,}/u.exec(textOf(value))?.[0] ?? '',
    duration: (value) => minutesIn(textOf(value)),
    service: (value) => serviceIn(textOf(value), ground.serviceNames()),
  };
}

/** E.164. A lone number that the library does not know as one is left to the platform to judge. */
function phoneIn(text: string, region: string | undefined): string {
  const country = region !== undefined && isSupportedCountry(region) ? (region as CountryCode) : undefined;
  const found = findPhoneNumbersInText(text, country);
  return found[0]?.number.number ?? '';
}

const HOURS = /(\d+(?:[.,]\d+)?)\s*(?:hours?|hrs?|h|часов|часа|час|ч)(?![\p{L}])/iu;
const MINUTES = /(\d+)\s*(?:minutes?|mins?|min|m|минуты|минут|минута|мин|м)(?![\p{L}])/iu;

/** `1h 30m`, `90 min`, `1,5 ч`, `1:30`, or a bare number of minutes. */
function minutesIn(text: string): number | string {
  const hours = HOURS.exec(text)?.[1];
  const minutes = MINUTES.exec(text)?.[1];
  if (hours !== undefined || minutes !== undefined) {
    return Math.round(Number((hours ?? '0').replace(',', '.')) * 60) + Number(minutes ?? 0);
  }
  const [, h, m] = /^\s*(\d{1,2}):(\d{2})(?::00)?\s*$/.exec(text) ?? [];
  if (h !== undefined && m !== undefined) return Number(h) * 60 + Number(m);
  return /^\s*\d+\s*$/.test(text) ? Number(text) : '';
}

/** The longest name that stands in the text: "Haircut and beard" is not "Haircut". */
function serviceIn(text: string, names: readonly string[]): string {
  const seen = folded(text);
  const found = names.filter((name) => folded(name) !== '' && hasWord(seen, folded(name)));
  return found.sort((a, b) => b.length - a.length)[0] ?? '';
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const isOpen = !/[\p{L}\d]/u.test(text[at - 1] ?? '');
    if (isOpen && !/[\p{L}\d]/u.test(text[at + word.length] ?? '')) return true;
  }
  return false;
}

function folded(text: string): string {
  return text.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

function textOf(value: unknown): string {
  return (typeof value === 'string' || typeof value === 'number' ? String(value) : '').slice(
    0,
    TEXT_CHARS_MAX,
  );
}
