import * as z from 'zod';
import { isZoneName, ZONES_VERSION, zoneNames } from '../../engine/zone-rules.ts';
import { AS_WRITTEN, complain, complaint, didYouMean } from '../problem.ts';
import { ofType, type Reading, readAs, readWith, WITH_VARIABLE } from './reading.ts';

/** A zone of the IANA database, by name: an offset such as +03:00 has no daylight saving time. */
export function timeZone() {
  return readWith(text().meta(ofType('time zone')), (name) => {
    if (isZoneName(name)) return { value: name };
    return {
      complaint: complaint(
        `${AS_WRITTEN} is not a known time zone`,
        `${didYouMean(name, zoneNames())}write a name of the IANA database (${ZONES_VERSION}) such as Europe/Berlin or UTC`,
      ),
    };
  });
}

/** A whole number, both bounds included; also as text, because a filled variable is text. */
export function wholeNumber(bounds: { readonly min: number; readonly max: number }) {
  const wrong = complaint(
    `${AS_WRITTEN} is not a whole number from ${bounds.min} to ${bounds.max}`,
    `write a whole number from ${bounds.min} to ${bounds.max}`,
  );
  const form = () =>
    z
      .union(
        [
          z.int().meta({ minimum: bounds.min, maximum: bounds.max }),
          z.string().meta({ pattern: `^\\s*\\d+\\s*$|${WITH_VARIABLE}` }),
        ],
        complain(wrong),
      )
      .meta(ofType(`whole number, ${bounds.min} to ${bounds.max}`));
  return readAs(form, (seen): Reading<number> => {
    const value = typeof seen === 'number' ? seen : numberOf(seen);
    return value >= bounds.min && value <= bounds.max ? { value } : { complaint: wrong };
  });
}

function numberOf(text: string): number {
  return /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : Number.NaN;
}

/** `true` or `false`, also as text, because a filled variable is text. */
export function flag() {
  const form = () =>
    z
      .union([z.boolean(), z.string().meta({ pattern: `^(true|false)$|${WITH_VARIABLE}` })], complain(WRONG))
      .meta(ofType('true, false'));
  return readAs(form, (seen): Reading<boolean> => {
    const word = String(seen).trim();
    return word === 'true' || word === 'false' ? { value: word === 'true' } : { complaint: WRONG };
  });
}

const WRONG = complaint(`${AS_WRITTEN} is neither true nor false`, 'write true or false');

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `500ms`, `10s`, `1m`, `2h`, `7d`, read as milliseconds. The bounds use the same form and are inclusive. */
export function duration(bounds: { readonly min: string; readonly max: string }) {
  const min = durationMs(bounds.min) ?? 0;
  const max = durationMs(bounds.max) ?? Number.MAX_SAFE_INTEGER;
  const form = () =>
    z.string(complain(NOT_DURATION)).meta({
      ...ofType(`duration, ${bounds.min} to ${bounds.max}`),
      pattern: `^\\s*\\d+\\s*(ms|s|m|h|d)\\s*$|${WITH_VARIABLE}`,
    });
  return readAs(form, (text): Reading<number> => {
    const value = durationMs(text);
    if (value === undefined) return { complaint: NOT_DURATION };
    if (value >= min && value <= max) return { value };
    return {
      complaint: complaint(
        `${AS_WRITTEN} is too ${value < min ? 'short' : 'long'}`,
        `write a duration from ${bounds.min} to ${bounds.max}`,
      ),
    };
  });
}

const NOT_DURATION = complaint(
  `${AS_WRITTEN} is not a duration`,
  'write a whole number and its unit: 500ms, 10s, 1m, 2h or 7d',
);

function durationMs(text: string): number | undefined {
  const [, count, unit] = /^\s*(\d{1,12})\s*(ms|s|m|h|d)\s*$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit ?? ''];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}

/** One of a closed list of words. */
export function choice<const Word extends string>(words: readonly [Word, ...Word[]], what: string) {
  return readAs(
    () => choiceAsWritten(words, what),
    (seen) => readChoice(seen, words, what),
  );
}

/** The word as the file may contain it, for editors: one of the list, or a text with a variable. */
export function choiceAsWritten(words: readonly [string, ...string[]], what: string) {
  return z
    .union(
      [z.enum(words), z.string().meta({ pattern: WITH_VARIABLE })],
      complain(wrongChoice('', words, what)),
    )
    .meta(ofType(words.join(', ')));
}

export function readChoice<Word extends string>(
  seen: string,
  words: readonly Word[],
  what: string,
): Reading<Word> {
  const value = words.find((word) => word === seen.trim());
  return value === undefined ? { complaint: wrongChoice(seen, words, what) } : { value };
}

function wrongChoice(seen: string, words: readonly string[], what: string): string {
  return complaint(
    `${AS_WRITTEN} is not a valid ${what}`,
    `${didYouMean(seen, words)}write one of: ${words.join(', ')}`,
  );
}

const TEXT_LENGTH_MAX = 2_000;

export interface TextRules {
  /** Complaint when nothing is written. */
  readonly missing?: string;
  readonly pattern?: RegExp;
  /** Complaint when the pattern does not match. */
  readonly wrong?: string;
}

/** One line of text, trimmed: a key read from a file often ends in a line break. */
export function text(rules: TextRules = {}) {
  const form = () => z.string(complain(NOT_TEXT, rules.missing)).meta(ofType('text'));
  return readAs(form, (written): Reading<string> => {
    const value = written.trim();
    if (value === '') return { complaint: complaint('is empty', 'give it a value, or remove the line') };
    if (value.length > TEXT_LENGTH_MAX) return { complaint: TOO_LONG };
    if (/\p{Cc}/u.test(value)) return { complaint: NOT_ONE_LINE };
    if (rules.pattern && !rules.pattern.test(value)) return { complaint: rules.wrong ?? NOT_TEXT };
    return { value };
  });
}

const NOT_TEXT = complaint(
  'must be a text',
  'write it as a text; one that looks like a number, true or null needs quotes',
);
const TOO_LONG = complaint(`is longer than ${TEXT_LENGTH_MAX} characters`, 'shorten it');
const NOT_ONE_LINE = complaint('contains line breaks or control characters', 'write it in one line');
