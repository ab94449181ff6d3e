import type { Template as Part } from 'liquidjs';
import type { BookingTemplates } from '../engine/carriers.ts';
import { TerminalError } from '../engine/errors.ts';
import { foldedText, headOf, visible } from '../engine/plain-text.ts';
import { phoneIn } from './phone-filter.ts';
import { createEngine, renderBounded } from './template.ts';

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
const BLANK = '[^\\S\\n]{0,3}';
const NUMBER = '\\d{1,4}(?:[.,]\\d{1,3})?';
/** `at 15 h`, `until 3 h`, `in 2 hours`: a time of day, or the end of a range. */
const HOUR_BEFORE =
  '(?:до|в|во|к|ко|с|со|от|через|после|или|at|till|until|by|from|to|in|after|before|or|between)';
/** `60 + 30 min`, `2 x 30 min`: a part of the length, with the x in either alphabet. */
const PART_BEFORE = '\\d[^\\S\\n]{0,3}(?:[+×*xх]|раза?[^\\S\\n]{1,3}по|times)[^\\S\\n]{0,3}';
const NO_LENGTH_BEFORE = `(?<!${PART_BEFORE}|(?<![\\p{L}\\p{N}])${HOUR_BEFORE}[^\\S\\n]{1,3}|\\d[^\\S\\n]{1,3}(?:and|и)[^\\S\\n]{1,3})`;
const LENGTH = new RegExp(
  // A part of another number, of a range or of a time is not a length.
  `(?<![\\p{L}\\p{N}.,:/\\-–−])${NO_LENGTH_BEFORE}(?:(?<hours>${NUMBER})${BLANK}${HOUR_WORD}(?:\\.?${BLANK}(?:(?:and|и|,)${BLANK})?(?<rest>\\d{1,2})${BLANK}${MINUTE_WORD})?|(?<minutes>${NUMBER})${BLANK}${MINUTE_WORD})(?![\\p{L}\\p{N}])`,
  'giu',
);
/** Alone in its cell: `1:30`, also as a spreadsheet shows it, and `1h 30`. */
const CLOCK = new RegExp(`^(\\d{1,2}):([0-5]\\d)(?::00)?${BLANK}${HOUR_WORD}?\\.?$`, 'iu');
const HOURS_AND = new RegExp(`^(\\d{1,2})${BLANK}${HOUR_WORD}\\.?${BLANK}([0-5]\\d)$`, 'iu');
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
  if (minutes !== undefined) return numberOf(minutes);
  // `1.30 h` is ambiguous: most people mean 1 h 30 min, not 78 minutes.
  if (rest === undefined && /[.,](?!25$|50$|75$)\d\d$/.test(hours ?? '')) return Number.NaN;
  // `1,1` hours are 66 minutes: rounding removes the floating-point error.
  if (rest === undefined) return Math.round(numberOf(hours ?? '') * 60_000) / 1_000;
  // `1.5 h 30 min` and `1 h 90 min` are ambiguous.
  const isPlain = /^\d+$/.test(hours ?? '') && Number(rest) < 60;
  return isPlain ? Number(hours) * 60 + Number(rest) : Number.NaN;
}

function numberOf(typed: string): number {
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
